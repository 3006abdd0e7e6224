"""Cards in a real browser: walking by keys, predicting, the reveal."""

import pytest
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser


def ask(lab: Page, card: str) -> None:
    lab.click(f"a[data-card={card}]")
    expect(lab.locator(".ask")).to_be_visible()


def test_the_right_key_walks_the_cards(lab: Page) -> None:
    """An instructor needs one key; S skips a question."""
    lab.keyboard.press("ArrowRight")
    expect(lab.locator("a[data-card=one-gpu]")).to_have_attribute("aria-current", "step")
    lab.keyboard.press("ArrowRight")
    expect(lab.locator(".ask")).to_be_visible()
    lab.keyboard.press("s")
    expect(lab.locator("a[data-card=data-parallel]")).to_have_attribute("aria-current", "step")
    lab.locator("h1").click()
    lab.keyboard.press("ArrowLeft")

    expect(lab.locator("a[data-card=one-gpu]")).to_have_attribute("aria-current", "step")


def test_arrow_keys_on_a_slider_move_the_slider(lab: Page) -> None:
    """A control that uses the arrows keeps them."""
    lab.locator("#gpus-slider").focus()
    lab.keyboard.press("ArrowRight")
    expect(lab.locator("#gpus")).to_have_value("96")

    assert lab.locator("a[data-card][aria-current]").count() == 0


def test_a_prediction_is_shown_beside_the_result(lab: Page) -> None:
    """After the guess the card applies, and the factor between the two is said."""
    ask(lab, "fleet")
    lab.fill("#guess", "5000")
    lab.keyboard.press("Enter")

    expect(lab.locator(".reveal h2")).to_contain_text("you said 5000")
    expect(lab.locator(".reveal h2")).to_contain_text("× too high")
    expect(lab.locator("a[data-card=fleet]")).to_have_attribute("aria-current", "step")
    expect(lab.locator("#why-title")).to_have_text("Why this changed")


def test_the_mark_of_a_guess_moves_by_keys(lab: Page) -> None:
    """The number line is a slider like the others."""
    ask(lab, "fleet")
    before = lab.input_value("#guess")
    lab.keyboard.press("ArrowLeft")

    assert float(lab.input_value("#guess")) < float(before)
    assert lab.url.endswith("/")


def test_a_guess_that_is_no_number_keeps_the_question(lab: Page) -> None:
    """The message stands at the box and the card waits."""
    ask(lab, "fleet")
    lab.fill("#guess", "many")
    lab.keyboard.press("Enter")

    expect(lab.locator("#guess-fault")).to_contain_text("is not a number")
    assert lab.url.endswith("/")


def test_a_bar_can_be_predicted(lab: Page) -> None:
    """One bar is chosen; the reveal names the fullest."""
    ask(lab, "tensor-pipeline")
    lab.check("input[name=guess][value=memory]")
    lab.click("text=Show what happens")

    expect(lab.locator(".reveal h2")).to_contain_text("the fullest bar is")


def test_escape_closes_the_reveal(lab: Page) -> None:
    """The lab is left as the card has set it."""
    ask(lab, "data-parallel")
    lab.click("text=Show what happens")
    expect(lab.locator(".reveal")).to_be_visible()
    lab.keyboard.press("Escape")

    expect(lab.locator("#card")).to_be_empty()
    expect(lab.locator("#gpus")).to_have_value("8")


def test_undo_takes_back_a_card(lab: Page) -> None:
    """A card is one step like any other."""
    lab.click("a[data-card=one-gpu]")
    expect(lab.locator("#gpus")).to_have_value("1")
    lab.click("#undo")

    expect(lab.locator("#gpus")).to_have_value("64")
