"""Interview practice in a real browser: kept over a reload, usable by keys, without script, on a phone."""

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.accessibility import violations

pytestmark = pytest.mark.browser


@pytest.fixture
def step(page: Page) -> Page:
    page.set_default_timeout(5000)
    page.goto("/rehearse?seed=7")
    return page


def test_a_reload_loses_nothing(step: Page) -> None:
    """Answers, the step and its grade are there again after a reload."""
    step.fill("#state", "350 GB")
    step.click("text=Grade this step")
    step.click("text=Next step")
    step.fill("#sharded_state", "85.4 MB")
    step.reload()

    expect(step.locator("#sharded_state")).to_have_value("85.4 MB")
    expect(step.locator("#sharded_state-help")).to_contain_text("your 350 GB (true: 2.80 TB)")


def test_starting_afresh_forgets(step: Page) -> None:
    """The link for the same case from the start drops what was kept."""
    step.fill("#state", "350 GB")
    step.click("#fresh")

    expect(step.locator("#state")).to_have_value("")


def test_enter_grades_and_focus_follows(step: Page) -> None:
    """By keys alone: type, press Enter, and stand at the heading above the verdict."""
    step.focus("#state")
    step.keyboard.type("2.8 TB")
    step.keyboard.press("Enter")

    expect(step.locator(".verdict").first).to_contain_text("within 10 %")
    expect(step.locator("#step")).to_be_focused()


def test_a_missing_unit_is_asked_for_in_place(step: Page) -> None:
    """Focus goes to the number that lacks its unit."""
    step.fill("#state", "2800")
    step.click("text=Grade this step")

    expect(step.locator("#state")).to_be_focused()
    expect(step.locator("#state-help")).to_contain_text("Which unit?")


def test_report_downloads(step: Page) -> None:
    """The report leaves as a Markdown file, and the page stays."""
    step.click("text=Grade everything")
    with step.expect_download() as download:
        step.click("text=Save as Markdown")

    assert download.value.suggested_filename == "rehearsal.md"
    expect(step.locator("#step")).to_contain_text("0 of 11 numbers")


def test_without_script(browser: Browser, base_url: str) -> None:
    """Every button is a plain submit: answers travel in hidden fields to the report."""
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{base_url}/rehearse?seed=7")
    page.fill("#state", "2.8 TB")
    page.click("text=Go on, grade at the end")
    page.fill("#sharded_state", "684 MB")
    page.click("text=Grade everything")

    expect(page.locator("#step")).to_contain_text("2 of 11 numbers")
    context.close()


@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_and_nothing_is_too_wide(page: Page, scheme, width: int) -> None:
    """A step asked about, a step graded and the report, narrow and wide, light and dark."""
    page.set_viewport_size({"width": width, "height": 800})
    page.emulate_media(color_scheme=scheme)
    page.goto("/rehearse?seed=7")
    for button, shown in (
        ("Grade this step", "#state[aria-invalid]"),
        ("as it is", ".verdict"),
        ("Grade everything", "#print"),
    ):
        if button == "Grade this step":
            page.fill("#state", "2800")
        page.click(f"text={button}")
        page.wait_for_selector(shown)

        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert violations(page) == []
