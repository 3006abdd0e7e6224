"""The charts in a real browser: fetched when looked at, redrawn when a drag ends, in the theme's colours."""

from collections.abc import Callable
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, Request, expect

from tests.accessibility import violations

pytestmark = pytest.mark.browser
Settled = Callable[[str], None]
FLEET = "/?model=llama-3.1-405b&gpus=16384&batch_tokens=16777216&seq_tokens=8192"


def look(page: Page) -> None:
    """Scrolls to the charts and waits until all three are drawn."""
    page.locator("#charts").scroll_into_view_if_needed()
    expect(page.locator("#charts .plot .main-svg:first-child")).to_have_count(3, timeout=15_000)


def asked(page: Page) -> list[str]:
    """The paths of all requests from here on."""
    paths: list[str] = []

    def note(request: Request) -> None:
        paths.append(urlsplit(request.url).path)

    page.on("request", note)
    return paths


def ink(page: Page) -> str:
    """The colour of the curve of the first chart."""
    return page.locator("#chart-goodput .js-line").first.evaluate("line => getComputedStyle(line).stroke")


def retype_gpus(page: Page, text: str, settled: Settled) -> None:
    """Types a GPU count into its box and waits for the design."""
    page.fill("#gpus", text)
    page.press("#gpus", "Enter")
    settled(f"gpus={text}")


def title(page: Page) -> str:
    return page.locator("#chart-days h3").inner_text()


def test_nothing_of_the_charts_is_fetched_before_they_are_looked_at(lab: Page) -> None:
    """Neither the library nor the figures travel while the charts are out of sight."""
    paths = asked(lab)
    lab.reload()
    lab.wait_for_load_state("networkidle")

    assert not [p for p in paths if "plotly" in p or p == "/charts"]


def test_charts_come_once_when_they_are_looked_at(lab: Page) -> None:
    """Scrolling to the charts fetches library and figures, each once, however often one comes back."""
    paths = asked(lab)
    look(lab)
    lab.locator("h1").scroll_into_view_if_needed()
    lab.locator("#charts").scroll_into_view_if_needed()
    lab.wait_for_load_state("networkidle")

    assert len([p for p in paths if "plotly" in p]) == 1
    assert len([p for p in paths if p == "/charts"]) == 1


def test_charts_keep_to_the_policy_and_the_origin(page: Page, base_url: str) -> None:
    """Drawing breaks no rule of the security policy, logs no error and asks no other origin."""
    faults: list[str] = []
    page.on("console", lambda m: faults.append(m.text) if m.type in ("error", "warning") else None)
    page.on("request", lambda r: None if r.url.startswith((base_url, "data:")) else faults.append(r.url))
    page.add_init_script(
        "window.refused = [];"
        "document.addEventListener('securitypolicyviolation', e => refused.push(e.violatedDirective + e.blockedURI))"
    )
    page.goto(FLEET)
    look(page)
    page.locator("#chart-goodput .nsewdrag").hover()

    assert faults == []
    assert page.evaluate("refused") == []


def test_pointing_at_the_curve_tells_its_figures(page: Page) -> None:
    """A point under the mouse shows interval and goodput as the server wrote them."""
    page.goto(FLEET)
    look(page)
    page.locator("#chart-goodput .nsewdrag").hover()

    expect(page.locator("#chart-goodput .hoverlayer .hovertext").first).to_contain_text("min: ")


def test_a_drag_redraws_the_charts_only_when_it_ends(lab: Page, settled: Settled) -> None:
    """While the thumb moves no chart is fetched; its release fetches them once."""
    look(lab)
    before = title(lab)
    paths = asked(lab)
    thumb = lab.locator("#gpus-slider")
    place = int(thumb.input_value())
    for step in range(1, 4):
        thumb.evaluate("(t, v) => { t.value = v; t.dispatchEvent(new Event('input', {bubbles: true})) }", place + step)
        lab.wait_for_timeout(100)
    lab.wait_for_timeout(400)
    assert "/charts" not in paths
    thumb.evaluate("t => t.dispatchEvent(new Event('change', {bubbles: true}))")
    settled("gpus=")

    expect(lab.locator("#chart-days h3")).not_to_have_text(before)
    assert paths.count("/charts") == 1


def test_charts_out_of_sight_wait_until_they_are_looked_at(lab: Page, settled: Settled) -> None:
    """A change made while the charts are off the screen costs no fetch until one comes back to them."""
    look(lab)
    before, paths = title(lab), asked(lab)
    lab.locator("#gpus").scroll_into_view_if_needed()
    lab.wait_for_timeout(200)
    retype_gpus(lab, "512", settled)
    lab.wait_for_timeout(400)
    assert "/charts" not in paths
    look(lab)

    expect(lab.locator("#chart-days h3")).not_to_have_text(before)


def test_charts_follow_undo(lab: Page, settled: Settled) -> None:
    """The step back in the history brings the former charts back."""
    look(lab)
    before = title(lab)
    retype_gpus(lab, "512", settled)
    look(lab)
    expect(lab.locator("#chart-days h3")).not_to_have_text(before)
    lab.go_back()
    look(lab)

    expect(lab.locator("#chart-days h3")).to_have_text(before)


def test_an_open_table_stays_open(lab: Page, settled: Settled) -> None:
    """Who reads a chart as a table keeps the table when the design changes."""
    look(lab)
    lab.click("#chart-days summary")
    retype_gpus(lab, "512", settled)
    look(lab)

    expect(lab.locator("#chart-days tbody")).to_contain_text("512 now")
    expect(lab.locator("#chart-days table")).to_be_visible()


def test_a_refused_input_shows_no_old_charts(lab: Page) -> None:
    """While an input cannot be used, the charts of another design would mislead."""
    look(lab)
    lab.fill("#gpus", "none")
    lab.press("#gpus", "Enter")

    expect(lab.locator("#charts-body")).to_contain_text("is 'none', not a number")
    expect(lab.locator("#charts figure")).to_have_count(0)


def test_the_theme_recolours_the_charts(lab: Page) -> None:
    """Dark or light, the curve takes the ink of the page, without another fetch."""
    look(lab)
    light = ink(lab)
    paths = asked(lab)
    lab.click("#theme")
    lab.locator("#charts").scroll_into_view_if_needed()
    page_ink = lab.evaluate("getComputedStyle(document.body).color")

    assert ink(lab) == page_ink != light
    assert "/charts" not in paths


def test_charts_are_right_after_the_presenters_view(lab: Page) -> None:
    """A theme that was changed while the charts were hidden colours them when they come back, at full width."""
    look(lab)
    light = ink(lab)
    lab.click("#present")
    lab.click("#theme")
    lab.click("#present")
    look(lab)
    widths = "p => [p.clientWidth, p.querySelector('.main-svg').clientWidth]"
    place, drawn = lab.locator("#chart-days .plot").evaluate(widths)

    assert ink(lab) == lab.evaluate("getComputedStyle(document.body).color") != light
    assert drawn == place


def test_words_in_the_pictures_grow_with_the_page(lab: Page) -> None:
    """Who sets a larger font in the browser gets larger words in the pictures."""
    lab.evaluate("document.documentElement.style.fontSize = '150%'")
    look(lab)
    size = lab.locator("#chart-days .xtick text").first.evaluate("t => parseFloat(getComputedStyle(t).fontSize)")

    assert size == pytest.approx(18)


@pytest.mark.parametrize("width", [360, 1280, 1920])
def test_charts_fit_the_screen(page: Page, width: int) -> None:
    """No picture, open table or label makes the section wider than the page."""
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(FLEET)
    look(page)
    for summary in page.locator(".chart summary").all():
        summary.evaluate("s => s.parentElement.open = true")
    right = "Math.max(...[...document.querySelectorAll('#charts *')].map(e => e.getBoundingClientRect().right))"

    assert page.evaluate(right) <= width


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_in_the_charts(browser: Browser, base_url: str, scheme) -> None:
    """Drawn and with their tables open, the charts hold names, roles and contrast."""
    context = browser.new_context(color_scheme=scheme, bypass_csp=True)
    page = context.new_page()
    page.goto(base_url + FLEET)
    look(page)
    for summary in page.locator(".chart summary").all():
        summary.click()
    found = violations(page)
    context.close()

    assert found == []


def test_without_script_a_link_opens_the_tables(browser: Browser, base_url: str) -> None:
    """The lab's link leads to the same three charts as open tables."""
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(base_url + "/?gpus=128")
    page.click("#charts a")

    assert page.locator(".chart table:visible").count() == 3
    assert page.locator(".plot:visible").count() == 0
    assert "128 now" in page.locator("#chart-days tbody").inner_text()
    context.close()


def test_the_page_of_the_charts_draws_them_too(page: Page) -> None:
    """Opened by its own address and with scripts, the page shows pictures and tables."""
    page.goto("/charts?gpus=128")
    look(page)

    assert page.locator(".chart table:visible").count() == 3


def test_tables_stand_in_when_the_library_is_missing(page: Page) -> None:
    """Without Plotly the tables open by themselves."""
    page.route("**/plotly-basic.min.js", lambda route: route.abort())
    page.goto(FLEET)
    page.locator("#charts").scroll_into_view_if_needed()

    expect(page.locator("#chart-memory table")).to_be_visible()
