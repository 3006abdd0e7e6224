"""The arithmetic of any figure, in a real browser: opened, walked, dragged along and closed."""

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.test_access import violations

pytestmark = pytest.mark.browser
MFU = ".keys [data-figure='run.mfu']"
FLEET = "/?model=llama-3.1-405b&gpus=16384&batch_tokens=16777216&seq_tokens=8192&tensor=8&pipeline=16"


def opened(page: Page, figure: str = MFU) -> Page:
    page.locator(figure).first.click()
    page.locator("#arithmetic table").wait_for()
    return page


def test_a_click_opens_the_panel_below_the_row(lab: Page) -> None:
    """The figure says that it is open, and the panel follows its row."""
    opened(lab)

    expect(lab.locator(MFU)).to_have_attribute("aria-expanded", "true")
    expect(lab.locator(".keys + #arithmetic h3")).to_contain_text("MFU")


def test_a_second_click_closes_it(lab: Page) -> None:
    """The figure is a switch."""
    opened(lab)
    lab.locator(MFU).click()

    expect(lab.locator("#arithmetic")).to_have_count(0)
    expect(lab.locator(MFU)).to_have_attribute("aria-expanded", "false")


def test_escape_closes_and_gives_the_focus_back(lab: Page) -> None:
    """From within the panel too."""
    opened(lab)
    lab.locator("#arithmetic [data-open]").first.focus()
    lab.keyboard.press("Escape")

    expect(lab.locator("#arithmetic")).to_have_count(0)
    expect(lab.locator(MFU)).to_be_focused()


@pytest.mark.parametrize("key", ["Enter", "Space"])
def test_a_key_opens_it(lab: Page, key: str) -> None:
    """As on any button."""
    lab.locator(MFU).focus()
    lab.keyboard.press(key)

    expect(lab.locator("#arithmetic h3")).to_contain_text("MFU")


def test_each_block_is_one_stop_of_the_tab_key(lab: Page) -> None:
    """Within it the arrows go on, and do not walk the cards."""
    stops = lab.locator("#answer [data-figure][tabindex='0']")
    assert stops.count() <= 4
    stops.first.focus()
    lab.keyboard.press("Tab")
    lab.keyboard.press("Shift+Tab")
    before = lab.url
    lab.keyboard.press("ArrowRight")
    lab.keyboard.press("ArrowRight")

    assert lab.evaluate("document.activeElement.dataset.figure") == lab.evaluate(
        "document.querySelectorAll('#shape [data-figure]')[2].dataset.figure"
    )
    assert lab.url == before


def test_after_a_click_the_arrows_walk_the_cards(lab: Page) -> None:
    """Before a class the clicker goes on, whatever was pointed at."""
    opened(lab)
    lab.keyboard.press("Escape")
    lab.keyboard.press("ArrowRight")

    lab.wait_for_url("**/*params*")


def test_the_tab_key_goes_from_the_figure_into_its_panel(lab: Page) -> None:
    """What is opened is next."""
    opened(lab)
    lab.locator(MFU).focus()
    lab.keyboard.press("Tab")

    assert lab.evaluate("document.activeElement.closest('#arithmetic') !== null")


def test_the_panel_follows_a_drag(lab: Page) -> None:
    """It stays open, below its figure, and its numbers are those of the new design."""
    opened(lab)
    lab.evaluate(
        """async () => {
        const range = document.getElementById("gpus-slider");
        for (let stop = 14; stop < 20; stop++) {
            range.value = stop;
            range.dispatchEvent(new Event("input", { bubbles: true }));
            await new Promise((done) => setTimeout(done, 30));
        }
        range.dispatchEvent(new Event("change", { bubbles: true }));
        }"""
    )
    lab.wait_for_url("**/*gpus=*")
    gpus = lab.input_value("#gpus")

    expect(lab.locator(".keys + #arithmetic .terms")).to_contain_text(gpus)
    expect(lab.locator(MFU)).to_have_attribute("aria-expanded", "true")


def test_the_panel_survives_undo(lab: Page, settled) -> None:
    """A design that is brought back shows its own arithmetic."""
    opened(lab)
    lab.locator("#gpus").fill("128")
    lab.keyboard.press("Tab")
    settled("gpus=128")
    expect(lab.locator("#arithmetic .terms")).to_contain_text("128")
    lab.click("#undo")

    expect(lab.locator(".keys + #arithmetic .terms")).not_to_contain_text("128")


def test_the_panel_closes_where_its_figure_is_gone(lab: Page) -> None:
    """Nothing stays behind without what it explains."""
    opened(lab, "[data-figure='reliability.goodput']")
    lab.locator("#params").fill("1T")
    lab.keyboard.press("Tab")

    expect(lab.locator("#answer h2.no")).to_be_visible()
    expect(lab.locator("#arithmetic")).to_have_count(0)


def test_a_figure_in_the_table_opens_in_turn(lab: Page) -> None:
    """And the way back is a link."""
    opened(lab)
    lab.locator("#arithmetic .terms [data-open]").first.click()
    expect(lab.locator("#arithmetic h3")).to_contain_text("One step")
    lab.locator("#arithmetic .trail a").click()

    expect(lab.locator("#arithmetic h3")).to_contain_text("MFU")


def test_a_switch_changes_the_convention(lab: Page) -> None:
    """Panel and focus stay; the lab's own figure does not move."""
    opened(lab)
    before = lab.locator(MFU).inner_text()
    lab.locator("#arithmetic .ways a").nth(2).click()

    expect(lab.locator("#arithmetic .ways a").nth(2)).to_have_attribute("aria-current", "true")
    expect(lab.locator("#arithmetic .ways a").nth(2)).to_be_focused()
    assert lab.locator(MFU).inner_text() == before


@pytest.mark.parametrize("figure", [MFU, "#bar-memory [data-figure]", "#part-metrics [data-figure]", "#strip h3 span"])
def test_the_panel_is_as_wide_as_its_column(page: Page, figure: str) -> None:
    """At 360 pixels nothing sticks out, neither page nor formula."""
    page.set_viewport_size({"width": 360, "height": 740})
    page.goto(FLEET)
    page.wait_for_function("window.htmx")
    opened(page, figure)
    equation = page.locator("#arithmetic .equation")

    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    assert equation.evaluate("e => e.scrollWidth - e.clientWidth") <= 0


@pytest.mark.parametrize("width", [360, 1280, 1920])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_in_an_open_panel(browser: Browser, base_url: str, scheme, width: int) -> None:
    """Names, roles, order and contrast hold, light and dark, narrow and wide."""
    context = browser.new_context(color_scheme=scheme, viewport={"width": width, "height": 900}, bypass_csp=True)
    page = context.new_page()
    page.goto(base_url + FLEET)
    page.wait_for_function("window.htmx")
    found = []
    for figure in (MFU, "#bar-failures [data-figure]", "#part-fabric [data-figure]"):
        found += violations(opened(page, figure))
    context.close()

    assert found == []


@pytest.mark.parametrize("path", ["/figure", "/figure?id=run.mfu&gpus=128"], ids=["list", "one"])
def test_axe_finds_nothing_on_the_pages_without_script(browser: Browser, base_url: str, path: str) -> None:
    """The list of all figures, and one of them."""
    context = browser.new_context(viewport={"width": 360, "height": 800}, bypass_csp=True)
    page = context.new_page()
    page.goto(base_url + path)
    found = violations(page)
    context.close()

    assert found == []


def test_without_script_a_figure_is_two_links_away(browser: Browser, base_url: str) -> None:
    """From the lab's foot to the list, from there to the arithmetic; no figure pretends to be a button."""
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(base_url + "/?gpus=128")
    assert page.locator("#answer [role=button]").count() == 0
    page.click("text=The arithmetic of every figure")
    page.click("text=MFU: useful arithmetic")

    assert page.locator("#arithmetic table").is_visible()
    context.close()
