"""Bringing a model in a real browser: upload, counts, the lab on that model."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from app.model.units import grouped
from tests.accessibility import violations
from tests.configs import FOLDER, config_text

pytestmark = pytest.mark.browser
GPT_OSS = FOLDER / "gpt-oss-20b.json"


def bring(page: Page, file: Path, name: str = "") -> None:
    page.set_input_files("#file", file)
    page.fill("#name", name)
    page.click("text=Count it")


def open_in_lab(page: Page) -> None:
    page.click("#open")
    page.wait_for_function("() => window.htmx && document.getElementById('dock-all').textContent")


def test_an_uploaded_model_stays_while_a_slider_moves(lab: Page) -> None:
    """From the lab's form to the counts and back: the lab runs on the model, also after a step of a slider."""
    lab.click("a[data-bring]")
    bring(lab, GPT_OSS, "gpt-oss 20B")
    expect(lab.locator("[data-count=total]")).to_have_text(grouped(20_914_757_184))
    open_in_lab(lab)
    expect(lab.locator(".own b")).to_have_text("gpt-oss 20B")
    lab.locator("#gpus-slider").focus()
    lab.keyboard.press("ArrowRight")
    lab.wait_for_function("() => location.search.includes('gpus=96')")

    assert "own_model=" in lab.url
    expect(lab.locator("#params")).to_have_value("20.9B")
    expect(lab.locator("#params")).to_be_disabled()


def test_freeing_the_model_gives_the_presets_back(lab: Page) -> None:
    """The count stays, the slider moves again, and undo brings the model back."""
    lab.goto("/model")
    bring(lab, GPT_OSS)
    open_in_lab(lab)
    lab.click("text=free it")
    expect(lab.locator("#model")).to_be_visible()
    expect(lab.locator("#params")).to_be_enabled()
    assert "params=20914757184" in lab.url
    lab.click("#undo")

    expect(lab.locator(".own b")).to_have_text("gpt_oss")


def test_the_link_to_the_page_follows_the_form(lab: Page) -> None:
    """What was set in the lab is kept on the way to a model and back."""
    lab.fill("#gpus", "256")
    lab.keyboard.press("Enter")
    lab.wait_for_function("() => location.search.includes('gpus=256')")
    lab.click("a[data-bring]")

    assert "/model?gpus=256" in lab.url


def test_a_model_is_brought_without_script(browser: Browser, base_url: str) -> None:
    """Pasted, counted, opened: plain forms and links."""
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(base_url)
    page.click("text=bring a config.json")
    page.fill("#config", config_text("qwen3-32b"))
    page.click("text=Count it")
    page.click("#open")
    page.fill("#gpus", "512")
    page.click("text=Size this workload")

    assert page.input_value("#params") == "32.8B"
    assert page.input_value("#gpus") == "512"
    context.close()


@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(browser: Browser, base_url: str, scheme, width: int) -> None:
    """Counts, refusal and the lab on a model hold, light and dark, narrow and wide."""
    context = browser.new_context(color_scheme=scheme, viewport={"width": width, "height": 800}, bypass_csp=True)
    page = context.new_page()
    page.goto(f"{base_url}/model?gpus=0")
    found = violations(page)
    bring(page, GPT_OSS, "a name of a model that is as long as names may be in this lab, six")
    found += violations(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.goto(f"{base_url}/model")
    bring(page, GPT_OSS, "a name of a model that is as long as names may be in this lab")
    open_in_lab(page)
    found += violations(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    context.close()

    assert found == []
