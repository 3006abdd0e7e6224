"""GET /figure: the panel for the lab, a page where scripts are off, a refusal that says why."""

import re

import pytest

from app.model.derivations import FIGURES, INNER
from tests.samples import WORKLOADS
from tests.test_answer import answer, figures

FRAGMENT = {"HX-Request": "true"}
PAGE = {"Accept": "text/html"}


def test_fragment_has_formula_table_and_result(client):
    """The lab gets the inside of its panel and no page around it."""
    text = client.get("/figure?id=run.mfu&gpus=128", headers=FRAGMENT).text

    assert "<html" not in text
    assert text.count("<math") > 8
    assert 'id="arithmetic-title"' in text
    assert "your setting" in text


@pytest.mark.parametrize("name", WORKLOADS)
def test_every_figure_on_the_lab_can_be_opened(name):
    """Whatever the answer marks as a figure has its arithmetic."""
    assert {id for id, _ in figures(answer(name))} <= FIGURES.keys()


@pytest.mark.parametrize("id", [*FIGURES, *INNER])
def test_every_figure_answers(client, id):
    """Also for a design with experts, and with everything that its table leads to."""
    text = client.get(f"/figure?id={id}&model=deepseek-v3&gpus=2048", headers=FRAGMENT).text

    assert "<table" in text
    assert set(re.findall(r'href="/figure\?id=([\w.]+)', text)) <= FIGURES.keys() | INNER.keys()


def test_fragment_marks_no_figure_of_the_design(client):
    """The panel stands within the answer and shows other conventions: none may pass for the design's figure."""
    text = client.get("/figure?id=run.mfu", headers=FRAGMENT).text

    assert "data-figure" not in text
    assert "data-value" not in text


def test_page_without_script_leads_back(client):
    """Opened as a page it has a way back to the same design."""
    text = client.get("/figure?id=run.days&gpus=128").text

    assert text.startswith("<!doctype html>")
    assert 'href="/?gpus=128"' in text


def test_a_convention_is_a_link(client):
    """The chosen one is marked, and each shows what it gives."""
    text = client.get("/figure?id=run.mfu&reading=half", headers=FRAGMENT).text

    assert re.search(r'reading=half" data-open aria-current="true">\+ attention, half <b>', text)
    assert text.count("data-open") >= 3
    assert text.count("aria-current") == 1


def test_opened_in_turn_it_leads_back(client):
    """A figure opened from another names it, with a link."""
    text = client.get("/figure?id=step.seconds&from=run.days,run.mfu", headers=FRAGMENT).text

    assert 'href="/figure?id=run.mfu&amp;from=run.days"' in text


def test_without_an_id_all_are_listed(client):
    """For whoever has no script: every figure with its value, each a link."""
    text = client.get("/figure?gpus=128").text

    assert len(re.findall(r'href="/figure\?id=[\w.]+&amp;gpus=128"', text)) == len(FIGURES)


@pytest.mark.parametrize(
    "query",
    ["id=run.nothing", "id=run.mfu&reading=thirds", "id=run.mfu&from=nothing", "id=run.mfu&id=run.days", "gpus=0"],
)
@pytest.mark.parametrize("headers", [FRAGMENT, PAGE], ids=["fragment", "page"])
def test_what_is_not_known_is_refused(client, query, headers):
    """422, in words, for figures, conventions and workloads alike."""
    assert client.get(f"/figure?{query}", headers=headers).status_code == 422


def test_a_refusal_names_what_was_asked(client):
    """And tells where to look."""
    text = client.get("/figure?id=run.nothing", headers=PAGE).text

    assert "There is no figure &#39;run.nothing&#39;" in text
    assert "/figure lists them all" in text


def test_markup_is_escaped(client):
    """What a stranger put into the address comes back as text."""
    for query in ("id=<img src=x>", "id=run.mfu&from=<img src=x>", "id=run.mfu&gpu=<img src=x>"):
        answer = client.get(f"/figure?{query}", headers=PAGE)

        assert answer.status_code == 422
        assert "<img" not in answer.text


def test_fragment_and_page_are_told_apart_by_caches(client):
    """Both forms share an address, so the answer varies by the header that tells them apart."""
    assert client.get("/figure?id=run.mfu").headers["vary"].startswith("HX-Request")
