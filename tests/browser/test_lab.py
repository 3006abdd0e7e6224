"""The lab in a real browser: sliders, boxes, history, links, cards."""

import re
import time
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Route, expect

from app.cards import all_cards

pytestmark = pytest.mark.browser
Settled = Callable[[str], None]


def slider(page: Page, name: str):
    return page.locator(f"#{name}-slider")


def drag(page: Page, name: str, by: float, release: bool = True) -> None:
    """Moves a slider's thumb by a share of its length, in twenty steps."""
    thumb = slider(page, name)
    box = thumb.bounding_box()
    assert box
    start = float(thumb.input_value()) / float(thumb.get_attribute("max") or 1)
    y = box["y"] + box["height"] / 2
    x = box["x"] + 8 + start * (box["width"] - 16)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + by * (box["width"] - 16), y, steps=20)
    if release:
        page.mouse.up()


def heading(page: Page) -> str:
    return page.locator("#answer h2").first.inner_text()


def test_a_drag_redraws_before_it_ends(lab: Page) -> None:
    """The design follows the thumb, not the release."""
    before = heading(lab)
    drag(lab, "gpus", 0.3, release=False)

    expect(lab.locator("#answer h2").first).not_to_have_text(before)
    assert lab.url.endswith("/")


def test_the_last_value_of_a_drag_is_shown(lab: Page, settled: Settled) -> None:
    """Stale answers are dropped; slider, box, address and answer agree in the end."""
    drag(lab, "gpus", 0.25)
    settled("gpus=")
    gpus = re.search(r"gpus=(\d+)", lab.url)

    assert gpus
    assert lab.input_value("#gpus").replace("\u202f", "") == gpus[1]
    assert lab.locator("[data-figure='layout.data']").first.get_attribute("data-value") is not None


def test_a_drag_leaves_the_mark_of_where_it_began(lab: Page, settled: Settled) -> None:
    """The slider keeps a ghost, and the answer says what changed."""
    drag(lab, "gpus", 0.25)
    settled("gpus=")

    expect(lab.locator("[data-name=gpus] .ghost")).to_have_class("ghost shown")
    expect(lab.locator("#why-title")).to_have_text("Why this changed")


def test_an_arrow_key_moves_one_stop_and_keeps_the_focus(lab: Page, settled: Settled) -> None:
    """Keys do what the mouse does."""
    slider(lab, "gpus").focus()
    lab.keyboard.press("ArrowRight")
    settled("gpus=96")

    expect(slider(lab, "gpus")).to_be_focused()
    expect(slider(lab, "gpus")).to_have_attribute("aria-valuetext", "96 GPUs")


def test_a_held_key_is_one_entry_of_the_history(lab: Page, settled: Settled) -> None:
    """One step back undoes what one press of a key, however long, has done."""
    slider(lab, "gpus").focus()
    for _ in range(5):
        lab.keyboard.down("ArrowRight")
    lab.keyboard.up("ArrowRight")
    settled("gpus=384")
    lab.keyboard.press("Control+z")

    expect(lab.locator("#gpus")).to_have_value("64")


@pytest.mark.parametrize(
    ("typed", "read", "part"),
    [("16k", "16\u202f000", "gpus=16000"), ("16Ki", "16\u202f384", "gpus=16384"), ("1e3", "1000", "gpus=1000")],
)
def test_a_box_shows_what_it_read(lab: Page, settled: Settled, typed: str, read: str, part: str) -> None:
    """A number may be typed as people write it."""
    lab.fill("#gpus", typed)
    lab.keyboard.press("Enter")
    settled(part)

    expect(lab.locator("#gpus")).to_have_value(read)


def test_a_typed_value_moves_the_slider(lab: Page, settled: Settled) -> None:
    """Box and slider are two handles of one input."""
    lab.fill("#gpus", "1M")
    lab.keyboard.press("Enter")
    settled("gpus=1000000")

    assert slider(lab, "gpus").input_value() == slider(lab, "gpus").get_attribute("max")


def test_an_older_answer_never_overwrites_a_newer_value(lab: Page, settled: Settled) -> None:
    """With a slow server the box keeps what was typed last, also after it was left."""

    def slowly(route: Route) -> None:
        time.sleep(0.2)
        route.continue_()

    lab.route("**/?*", slowly)
    lab.click("#gpus")
    lab.keyboard.press("Control+a")
    with lab.expect_response("**/?*"):
        lab.keyboard.type("128")
        lab.keyboard.press("Tab")
    assert lab.input_value("#gpus") == "128"
    settled("gpus=128")

    assert lab.input_value("#gpus") == "128"


def test_bad_input_is_said_at_its_field(lab: Page) -> None:
    """The message belongs to the box, and the box to the message."""
    lab.fill("#gpus", "<b>many</b>")
    lab.keyboard.press("Tab")

    expect(lab.locator("#gpus-error")).to_contain_text("GPU count is '<b>many</b>', not a number")
    expect(lab.locator("#gpus")).to_have_attribute("aria-invalid", "true")


def test_a_half_typed_number_is_no_mistake(lab: Page, settled: Settled) -> None:
    """On the way to 1e9 the box holds 1e, and nothing complains."""
    lab.click("#params")
    lab.keyboard.press("Control+a")
    with lab.expect_response(lambda r: r.status == 422):
        lab.keyboard.type("1e")
    assert lab.locator(".refused").count() == 0
    lab.keyboard.type("9")
    lab.keyboard.press("Enter")
    settled("params=1000000000")


def test_a_mended_box_brings_the_answer_back(lab: Page, settled: Settled) -> None:
    """The message goes as soon as the value can be used."""
    lab.fill("#gpus", "0")
    lab.keyboard.press("Enter")
    expect(lab.locator(".refused")).to_be_visible()
    lab.fill("#gpus", "128")
    lab.keyboard.press("Enter")
    settled("gpus=128")

    expect(lab.locator("#gpus-error")).to_be_empty()
    expect(lab.locator("#bars")).to_be_visible()


def test_back_and_forward_bring_controls_and_answer(lab: Page, settled: Settled) -> None:
    """The browser's own buttons walk the designs."""
    lab.fill("#gpus", "128")
    lab.keyboard.press("Enter")
    settled("gpus=128")
    lab.check("input[name=split_model][value=false]", force=True)
    settled("split_model=false")
    lab.go_back()
    expect(lab.locator("input[name=split_model][value=true]")).to_be_checked()
    lab.go_back()
    expect(lab.locator("#gpus")).to_have_value("64")
    lab.go_forward()
    expect(lab.locator("#gpus")).to_have_value("128")

    expect(lab.locator("#answer h2").first).to_contain_text("128 GPUs")


def test_undo_and_redo_are_buttons_too(lab: Page, settled: Settled) -> None:
    """Undo never leaves the lab: at the first design it is off."""
    expect(lab.locator("#undo")).to_be_disabled()
    drag(lab, "gpus", 0.2)
    settled("gpus=")
    moved = lab.input_value("#gpus")
    lab.click("#undo")
    expect(lab.locator("#gpus")).to_have_value("64")
    expect(lab.locator("#undo")).to_be_disabled()
    lab.click("#redo")

    expect(lab.locator("#gpus")).to_have_value(moved)


def test_undo_inside_a_box_is_the_browsers(lab: Page, settled: Settled) -> None:
    """While one types, Ctrl-Z takes back letters, not designs."""
    lab.fill("#gpus", "128")
    lab.keyboard.press("Enter")
    settled("gpus=128")
    lab.click("#params")
    lab.keyboard.press("Control+z")
    lab.wait_for_timeout(200)

    assert "gpus=128" in lab.url


def test_a_pasted_link_shows_the_same_page(lab: Page, settled: Settled, context) -> None:
    """The address alone carries the design, its controls included."""
    lab.select_option("#model", "llama-3.1-70b")
    settled("model=")
    drag(lab, "gpus", 0.2)
    settled("gpus=")
    other = context.new_page()
    other.goto(lab.url)

    for part in ("#params", "#gpus", "#batch_tokens", "#model"):
        assert other.input_value(part) == lab.input_value(part)
    assert heading(other) == heading(lab)


def test_a_reload_keeps_everything(lab: Page, settled: Settled) -> None:
    """Nothing lives in the page alone."""
    drag(lab, "seq_tokens", 0.2)
    settled("seq_tokens=")
    before = (heading(lab), lab.input_value("#seq_tokens"))
    lab.reload()

    assert (heading(lab), lab.input_value("#seq_tokens")) == before


def test_copy_link_copies_the_address(lab: Page, settled: Settled, context) -> None:
    """The link opens what is on the screen."""
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    drag(lab, "gpus", 0.2)
    settled("gpus=")
    lab.click("#copy")

    expect(lab.locator("#notice")).to_have_text("Link copied.")
    assert lab.evaluate("navigator.clipboard.readText()") == lab.url


def test_a_preset_locks_the_parameters_until_they_are_freed(lab: Page, settled: Settled) -> None:
    """The preset wins over the slider; one click gives the slider back with its count."""
    lab.select_option("#model", "gpt-neox-20b")
    settled("model=")
    expect(lab.locator("#params")).to_be_disabled()
    lab.click("#free")
    settled("params=20554567680")

    expect(lab.locator("#params")).to_be_enabled()
    expect(lab.locator("#model")).to_have_value("")


def test_the_drawer_shows_and_counts_what_is_fixed(lab: Page, settled: Settled) -> None:
    """An empty box holds the derived value in grey; a filled one is counted."""
    lab.click(".drawer summary")
    expect(lab.locator("#data")).to_have_attribute("placeholder", re.compile(r"\d+"))
    lab.fill("#tensor", "2")
    lab.keyboard.press("Enter")
    settled("tensor=2")

    expect(lab.locator("#fixed")).to_have_text("1 part fixed")


def test_every_request_stays_on_this_origin(lab: Page, base_url: str, settled: Settled) -> None:
    """The lab works in a room without a network."""
    asked: list[str] = []
    lab.on("request", lambda r: asked.append(r.url))
    lab.reload()
    drag(lab, "gpus", 0.2)
    settled("gpus=")

    assert asked
    assert [u for u in asked if not u.startswith((base_url, "data:"))] == []


def test_the_theme_is_remembered(lab: Page) -> None:
    """A reload keeps dark dark, from the first paint on."""
    lab.click("#theme")
    lab.reload()

    expect(lab.locator("html")).to_have_attribute("data-theme", "dark")


def test_the_presenters_view_keeps_the_slider_in_sight(lab: Page) -> None:
    """Type 1.4 times as big, fewer parts, and the one input that is talked about."""
    lab.set_viewport_size({"width": 1920, "height": 1080})
    lab.click("#present")

    assert lab.evaluate("getComputedStyle(document.documentElement).fontSize") == "22.4px"
    expect(slider(lab, "gpus")).to_be_visible()
    expect(slider(lab, "params")).to_be_hidden()


@pytest.mark.parametrize("card", all_cards(), ids=lambda c: c.id)
def test_a_click_on_a_card_opens_its_design(lab: Page, card) -> None:
    """Skipping its question with one key, a card applies its inputs."""
    link = lab.locator(f"a[data-card={card.id}]")
    if not link.is_visible():
        lab.click(".more summary")
    link.click()
    if card.prediction:
        expect(lab.locator(".ask")).to_be_visible()
        lab.keyboard.press("Escape")

    expect(link).to_have_attribute("aria-current", "step")
    expect(lab.locator("#card")).to_be_empty()
    assert lab.url.endswith(f"/?{card.query}")
