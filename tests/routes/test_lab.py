"""The lab over HTTP: one address, page or fragment, and bad input of every kind."""

import json
import re
from html import unescape

import pytest
from starlette.testclient import TestClient

from app.cards import all_cards

HX = {"HX-Request": "true"}


def state(text: str) -> dict:
    found = re.search(r"data-state='([^']*)'", text)
    assert found
    return json.loads(unescape(found[1]))


def value(text: str, name: str) -> str:
    found = re.search(rf'name="{name}" value="([^"]*)"', text)
    assert found
    return unescape(found[1])


def test_the_page_opens_with_what_it_is(client: TestClient) -> None:
    """The first heading says what the lab shows."""
    heading = re.search(r"<h1[^>]*>(.*?)</h1>", client.get("/").text, re.S)

    assert heading
    assert "Memory and communication force the split" in heading[1]


def test_the_fragment_is_the_inside_of_the_answer(client: TestClient) -> None:
    """What a drag brings is the very text that the whole page holds."""
    page, fragment = client.get("/?gpus=128").text, client.get("/?gpus=128", headers=HX).text

    assert fragment in page
    assert "<form" not in fragment


def test_the_fragment_stays_small(client: TestClient) -> None:
    """A redraw is at most 30 KB and 600 elements."""
    text = client.get("/?model=llama-3.1-405b&gpus=16384&was=gpus%3D8192", headers=HX).text

    assert len(text.encode()) <= 30_000
    assert len(re.findall(r"<[a-z]", text)) <= 600


@pytest.mark.parametrize("written", ["70B", "70e9", "70,000,000,000"])
def test_numbers_are_read_as_people_write_them(client: TestClient, written: str) -> None:
    """The box shows what was read."""
    assert value(client.get("/", params={"params": written}).text, "params") == "70B"


def test_figures_stand_inside_the_answer_alone(client: TestClient) -> None:
    """Outside the redrawn element no figure could grow stale."""
    page = client.get("/").text
    outside = page.replace(client.get("/", headers=HX).text, "")

    assert "data-value" in page
    assert "data-value" not in outside


def test_a_sent_form_keeps_the_workload(client: TestClient) -> None:
    """Sending the form unchanged, as without script, gives the same design."""
    first = client.get("/?gpus=96&params=33.3e9")
    boxes = dict(re.findall(r'<input id="\w+" name="(\w+)" value="([^"]*)"', first.text))
    again = client.get("/", params={n: unescape(v) for n, v in boxes.items()})

    assert state(again.text)["sliders"] == state(first.text)["sliders"]


def test_the_state_before_a_drag_leaves_ghosts(client: TestClient) -> None:
    """`was` marks the slider's former place."""
    text = client.get("/?gpus=128&was=gpus%3D64", headers=HX).text

    assert state(text)["sliders"]["gpus"][2] is not None


def test_the_address_to_keep_has_no_defaults(client: TestClient) -> None:
    """A pushed URL holds what differs, and never the state before a drag."""
    text = client.get("/?gpus=128&seq_tokens=4096&tensor=&was=gpus%3D64", headers=HX).text

    assert state(text)["query"] == "gpus=128"


BAD = ["", "zero", "-4", "0", "1e400", "NaN", "Infinity", "[64]", "9" * 10_000, "<script>alert(1)</script>", "6'4\"&"]


@pytest.mark.parametrize("headers", [{}, HX], ids=["page", "fragment"])
@pytest.mark.parametrize("bad", BAD[1:], ids=lambda b: b[:9])
def test_bad_input_is_refused_at_its_field(client: TestClient, bad: str, headers: dict[str, str]) -> None:
    """The message names field and bound; the value is quoted short and escaped."""
    answer = client.get("/", params={"gpus": bad}, headers=headers)
    message = state(answer.text)["errors"]["gpus"]

    assert answer.status_code == 422
    assert message.startswith("GPU count is ")
    assert "give a number from 1 to 1\u202f000\u202f000" in message
    assert "<script>alert" not in answer.text
    assert "9" * 60 not in answer.text


def test_the_message_stands_beside_the_control(client: TestClient) -> None:
    """Without script too, the field says what is wrong with it."""
    text = client.get("/?gpus=0").text

    assert re.search(r'id="gpus-error" role="alert">GPU count is 0, below', text)
    assert re.search(r'id="gpus"[^>]*aria-describedby="gpus-help gpus-error" aria-invalid="true"', text)


def test_an_empty_box_means_the_default(client: TestClient) -> None:
    """Clearing a box asks for what the lab would take."""
    assert value(client.get("/?gpus=").text, "gpus") == "64"


@pytest.mark.parametrize("query", ["colour=red", "gpus=8&gpus=9", "was=gpus%3D0", "was=%FF", "x" * 10_000 + "=1"])
def test_a_strange_query_is_refused_on_a_usable_page(client: TestClient, query: str) -> None:
    """Even then the form is there to go on with."""
    answer = client.get(f"/?{query}")

    assert answer.status_code == 422
    assert 'id="workload"' in answer.text
    assert "cannot be used" in answer.text


@pytest.mark.parametrize("card", all_cards(), ids=lambda c: c.id)
def test_a_card_is_a_plain_link(client: TestClient, card) -> None:
    """Without script a click on a card opens its design and marks it."""
    page = client.get(f"/?{card.query}").text

    assert f'href="/?{card.query.replace("&", "&amp;")}"' in page
    assert state(page)["card"] == card.id


@pytest.mark.parametrize("card", [c for c in all_cards() if c.prediction], ids=lambda c: c.id)
def test_a_card_asks_its_question(client: TestClient, card) -> None:
    """The question comes before the result, which it does not give away."""
    text = client.get(f"/cards/{card.id}", headers=HX).text

    assert card.prediction.question in unescape(text)
    assert "data-value" not in text


def test_a_guess_is_shown_beside_the_result(client: TestClient) -> None:
    """The factor between the two is said in words."""
    text = client.get("/cards/fleet?guess=1e4", headers=HX).text

    assert re.search(r"you said 10\u202f000, [\d.]+ × too high", text)


def test_a_guess_that_is_none_keeps_the_question(client: TestClient) -> None:
    """One can try again."""
    answer = client.get("/cards/fleet?guess=<b>soon", headers=HX)

    assert answer.status_code == 422
    assert "&lt;b&gt;soon" in answer.text
    assert "is not a number" in answer.text


def test_a_question_has_a_page_of_its_own(client: TestClient) -> None:
    """A link to it can be sent to a class."""
    text = client.get("/cards/fleet").text

    assert text.startswith("<!doctype html>")
    assert 'class="panel ask"' in text


def test_an_unknown_card_is_not_found(client: TestClient) -> None:
    """The answer says so, shortly."""
    assert client.get("/cards/" + "z" * 300).status_code == 404


@pytest.mark.parametrize("card", [c for c in all_cards() if c.prediction is None], ids=lambda c: c.id)
@pytest.mark.parametrize("query", ["", "?guess=1"])
def test_a_card_that_asks_nothing_opens_the_lab(client, card, query):
    """Its address leads to its design, whatever is guessed."""
    answer = client.get(f"/cards/{card.id}{query}", follow_redirects=False)

    assert (answer.status_code, answer.headers["location"]) == (307, f"/?{card.query}")
