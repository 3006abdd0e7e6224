"""The walkthrough in a real browser: keys, script off, small screens, axe."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.accessibility import violations

pytestmark = pytest.mark.browser
FLEET = "/walkthrough?model=llama-3.1-405b&gpus=16384&batch_tokens=16777216&seq_tokens=8192"
STEPS = range(1, 7)


def at(page: Page, number: int) -> None:
    expect(page.locator(".steps [aria-current] .number")).to_have_text(str(number))


def test_keys_walk_the_steps(page: Page) -> None:
    """Right and left, N and P."""
    page.goto("/walkthrough")
    for key, number in (("ArrowRight", 2), ("n", 3), ("ArrowLeft", 2), ("p", 1)):
        page.keyboard.press(key)
        at(page, number)


def test_enter_answers_and_goes_on(page: Page) -> None:
    """Question, answer, next question."""
    page.goto(FLEET)
    page.keyboard.press("Enter")
    expect(page.locator(".verdict")).to_be_visible()
    page.keyboard.press("Enter")

    at(page, 2)
    expect(page.locator("form.ask")).to_be_visible()


def test_one_key_skips_a_question(page: Page) -> None:
    """The answer stands there without a prediction."""
    page.goto(FLEET)
    page.keyboard.press("s")

    expect(page.locator(".found")).to_be_visible()
    assert page.locator(".verdict").count() == 0


def test_arrows_on_the_line_move_the_mark(page: Page) -> None:
    """And not the steps; the box follows."""
    page.goto("/walkthrough")
    before = page.input_value("#guess")
    page.focus("input[type=range]")
    page.keyboard.press("ArrowRight")

    at(page, 1)
    assert page.input_value("#guess") != before


def test_a_letter_in_the_box_is_a_letter(page: Page) -> None:
    """Typing does not walk on."""
    page.goto("/walkthrough")
    page.fill("#guess", "")
    page.type("#guess", "2n")

    at(page, 1)
    assert page.input_value("#guess") == "2n"


def test_it_works_without_script(browser: Browser, base_url: str) -> None:
    """A guess typed, sent and answered, and on by a link."""
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{base_url}/walkthrough?gpus=128")
    page.fill("#guess", "60")
    page.click("text=Show the answer")
    assert "You said" in page.inner_text("main")
    page.click("text=Next: Shard state")

    assert "gpus=128" in page.url
    assert "step=2" in page.url
    context.close()


def test_the_labs_link_follows_a_changed_workload(lab: Page, settled: Callable[[str], None]) -> None:
    """The walkthrough is of what the sliders say now."""
    lab.fill("#gpus", "128")
    lab.keyboard.press("Enter")

    settled("gpus=128")
    query = lab.evaluate("location.search")

    expect(lab.locator("nav a[data-walkthrough]")).to_have_attribute("href", f"/walkthrough{query}")


@pytest.mark.parametrize("width", [360, 1280, 1920])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(browser: Browser, base_url: str, width: int, scheme) -> None:
    """On every question and every answer."""
    context = browser.new_context(color_scheme=scheme, viewport={"width": width, "height": 800}, bypass_csp=True)
    page = context.new_page()
    found = []
    for number in STEPS:
        for more in ("", "&guess=40"):
            page.goto(f"{base_url}{FLEET}&step={number}{more}")
            found += violations(page)
    context.close()

    assert found == []


@pytest.mark.parametrize("width", [320, 360, 768, 1280, 1920])
@pytest.mark.parametrize("query", [FLEET, "/walkthrough?gpus=1&params=1.2e9"])
def test_nothing_is_wider_than_the_screen(page: Page, width: int, query: str) -> None:
    """From a zoomed phone to a projector."""
    page.set_viewport_size({"width": width, "height": 800})
    wide = []
    for number in STEPS:
        page.goto(f"{query}&step={number}&guess=40")
        if page.evaluate("document.documentElement.scrollWidth") > width:
            wide.append(number)

    assert wide == []


def test_nothing_plays_where_motion_is_reduced(page: Page) -> None:
    """The schedule stands at once."""
    page.emulate_media(reduced_motion="reduce")
    page.goto(f"{FLEET}&step=4&shown=yes")

    assert page.evaluate("document.getAnimations().length") == 0
