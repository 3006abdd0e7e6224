"""For everyone: axe, script off, small screens, zoom, reduced motion, print."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

pytestmark = pytest.mark.browser
AXE = (Path(__file__).parent.parent / "vendor" / "axe.min.js").read_text(encoding="utf-8")
PAGES = {
    "default": "/",
    "fleet": "/?model=llama-3.1-405b&gpus=16384&batch_tokens=16777216&was=gpus%3D8192",
    "no fit": "/?params=70e9&gpus=8&split_model=false",
    "refused": "/?gpus=0&colour=red",
    "question": "/cards/fleet",
    "bars": "/cards/tensor-pipeline",
    "reveal": "/cards/fleet?guess=100",
    "api": "/docs",
    "missing": "/nowhere",
}


def violations(page: Page) -> list[str]:
    page.evaluate(AXE)
    found = page.evaluate("axe.run()")["violations"]
    return [f"{v['id']}: {n['html'][:150]} {n['failureSummary'][:200]}" for v in found for n in v["nodes"]]


@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", PAGES.values(), ids=PAGES.keys())
def test_axe_finds_nothing(browser: Browser, base_url: str, path: str, scheme, width: int) -> None:
    """Names, roles, order and contrast hold on every page, light and dark, narrow and wide."""
    context = browser.new_context(color_scheme=scheme, viewport={"width": width, "height": 800}, bypass_csp=True)
    page = context.new_page()
    page.goto(base_url + path)
    found = violations(page)
    context.close()

    assert found == []


def test_axe_finds_nothing_in_the_open_parts(lab: Page) -> None:
    """The drawer and the list of further cards, opened."""
    lab.click(".drawer summary")
    lab.click(".more summary")

    assert violations(lab) == []


@pytest.mark.parametrize(("width", "height"), [(1920, 1080), (1024, 768), (390, 844), (360, 740), (320, 200)])
@pytest.mark.parametrize("path", [PAGES["fleet"], PAGES["reveal"]], ids=["fleet", "reveal"])
def test_nothing_is_wider_than_the_screen(page: Page, path: str, width: int, height: int) -> None:
    """320 pixels are 1280 at 400 % zoom."""
    page.set_viewport_size({"width": width, "height": height})
    page.goto(path)

    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_the_page_is_whole_without_script(browser: Browser, base_url: str) -> None:
    """The form submits, and the whole page comes back with what was typed."""
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(base_url)
    page.fill("#gpus", "1k")
    page.click("text=Size this workload")

    assert page.input_value("#gpus") == "1000"
    assert "1000 GPUs" in page.locator("#answer h2").first.inner_text()
    assert page.locator("input[type=range]:visible").count() == 0
    context.close()


def test_a_card_works_without_script(browser: Browser, base_url: str) -> None:
    """It is a plain link to its design."""
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(base_url)
    page.click("a[data-card=fleet]")

    assert page.input_value("#gpus") == "16\u202f384"
    context.close()


def test_the_phones_dock_holds_one_input(lab: Page) -> None:
    """One slider at the bottom, its neighbours one tap away."""
    lab.set_viewport_size({"width": 390, "height": 844})
    expect(lab.locator("#gpus-slider")).to_be_visible()
    expect(lab.locator("#params-slider")).to_be_hidden()
    lab.click("#dock-next")

    expect(lab.locator("#batch_tokens-slider")).to_be_visible()
    expect(lab.locator("#gpus-slider")).to_be_hidden()


def test_the_phones_sheet_leaves_the_bars_in_sight(lab: Page) -> None:
    """Whoever sets an input sees what it does to the five loads."""
    lab.set_viewport_size({"width": 390, "height": 844})
    lab.click("#dock-all")
    expect(lab.locator("#params-slider")).to_be_visible()
    bars, form = lab.locator(".dock-bars").bounding_box(), lab.locator("#workload").bounding_box()

    assert bars
    assert form
    assert bars["y"] >= 0
    assert bars["y"] + bars["height"] <= form["y"] + 1


def test_every_control_is_reached_by_the_tab_key(lab: Page) -> None:
    """From the top of the page through all seven sliders and their boxes."""
    reached = set()
    for _ in range(90):
        lab.keyboard.press("Tab")
        reached.add(lab.evaluate("document.activeElement.id"))

    names = ("params", "gpus", "batch_tokens", "seq_tokens", "link_gb_per_s", "data_tokens_per_s", "checkpoint_minutes")
    assert {f"{n}-slider" for n in names} | {*names, "model", "gpu", "copy", "present", "theme"} <= reached


def test_reduced_motion_stops_all_transitions(page: Page) -> None:
    """Nothing moves for those who ask for it."""
    page.emulate_media(reduced_motion="reduce")
    page.goto("/")
    moving = page.evaluate(
        "[...document.querySelectorAll('*')].filter(e => parseFloat(getComputedStyle(e).transitionDuration) > 0).length"
    )

    assert moving == 0
