"""What fits: nothing wider than its screen, and a presenter's view that needs no scrolling."""

import pytest
from playwright.sync_api import Page

from app.cards import PATH_CARDS, all_cards

pytestmark = pytest.mark.browser

WIDE = {
    "too big": "params=1e12&gpus=8",
    "stops all the time": "gpus=1000000&mtbf_gpu_hours=100&checkpoint_async=true",
    "smallest": "params=1e6&gpus=1&batch_tokens=512&seq_tokens=128",
    "largest": "params=1e13&gpus=999983&batch_tokens=1e9&seq_tokens=4194304&data_tokens_per_s=1e3"
    "&checkpoint_gb_per_s=0.001&mtbf_gpu_hours=1&train_tokens=1e16&gpu_hour_price=1e6",
}
TOO_WIDE = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.mark.parametrize("width", [320, 390, 768, 1024, 1280, 1440])
def test_no_design_is_wider_than_the_screen(page: Page, width: int) -> None:
    """From 320 pixels, a desk's 1280 at 400 % zoom, on: figures of any size, and what does not fit."""
    page.set_viewport_size({"width": width, "height": 800})
    wide = {}
    for name, query in WIDE.items():
        page.goto(f"/?{query}")
        wide[name] = page.evaluate(TOO_WIDE)

    assert wide == dict.fromkeys(WIDE, 0)


@pytest.mark.parametrize(("width", "height"), [(1920, 1080), (1280, 720)])
def test_the_presenters_view_is_one_screen(page: Page, width: int, height: int) -> None:
    """The six cards of the path, on the two usual projectors."""
    page.set_viewport_size({"width": width, "height": height})
    page.goto("/")
    page.click("#present")
    heights = {}
    for card in all_cards()[:PATH_CARDS]:
        page.goto(f"/?{card.query}")
        if not page.evaluate("document.documentElement.hasAttribute('data-present')"):
            page.click("#present")
        heights[card.id] = page.evaluate("document.documentElement.scrollHeight")

    assert heights == dict.fromkeys(heights, height)
