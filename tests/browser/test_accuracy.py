"""The page about accuracy in a real browser: points to hover, no script needed, axe, narrow and wide."""

import pytest
from playwright.sync_api import Browser, Page, expect

from app.accuracy import check
from tests.accessibility import violations

pytestmark = pytest.mark.browser


@pytest.mark.parametrize(("width", "scheme"), [(360, "dark"), (360, "light"), (1280, "light"), (1920, "dark")])
def test_axe_finds_nothing_and_nothing_is_too_wide(browser: Browser, base_url: str, width: int, scheme) -> None:
    """With an own run shown, light and dark, on a phone and a projector."""
    context = browser.new_context(color_scheme=scheme, viewport={"width": width, "height": 900}, bypass_csp=True)
    page = context.new_page()
    page.goto(f"{base_url}/accuracy?gpus=64&measured_step_seconds=6&source=NVIDIA%2FNeMo")
    page.wait_for_selector("#chart-errors .point")
    found, wide = violations(page), page.evaluate("document.documentElement.scrollWidth")
    context.close()

    assert found == []
    assert wide <= width


def test_every_run_is_a_point(page: Page) -> None:
    """Both charts draw as many points as there are runs."""
    page.goto("/accuracy")

    expect(page.locator("#chart-scatter .point")).to_have_count(len(check().runs))
    expect(page.locator("#chart-errors .point")).to_have_count(len(check().runs))


def test_a_point_tells_its_run(page: Page) -> None:
    """Hovering shows which run it is, what was published and what predicted."""
    page.goto("/accuracy")
    page.wait_for_selector("#chart-scatter .point")
    box = page.locator("#chart-scatter .nsewdrag").bounding_box()
    assert box
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)

    expect(page.locator("#chart-scatter .hoverlayer")).to_contain_text("predicted")


def test_sorting_and_the_own_run_need_no_script(browser: Browser, base_url: str) -> None:
    """Links and a form do it all; the charts give way to the tables."""
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{base_url}/accuracy")
    page.click(".runs thead >> text=GPUs")
    sorted_heading = page.locator("th[aria-sort]").inner_text()
    page.fill("#measured_step_seconds", "7")
    page.click("text=Learn from this run")
    said = page.locator(".said").inner_text()
    charts = page.locator(".plot:visible").count()
    context.close()

    assert sorted_heading.startswith("GPUs")
    assert "Measured 7.00 s a step" in said
    assert charts == 0


def test_the_button_shows_with_script_too(page: Page) -> None:
    """The form is sent by hand: nothing here redraws while typing."""
    page.goto("/accuracy")

    expect(page.get_by_role("button", name="Learn from this run")).to_be_visible()


def test_the_lab_leads_to_the_bands(page: Page) -> None:
    """A click on the band beside the days opens the table of bands."""
    page.goto("/")
    page.click("text=on nine published runs in ten")

    expect(page.locator("#bands-title")).to_be_in_viewport()
