"""GET /charts: a fragment for the lab, a page where scripts are off, a refusal that says why."""

import re

import pytest

FRAGMENT = {"HX-Request": "true"}


def test_fragment_holds_three_named_figures(client):
    """The lab gets three figures, each named by its title and described by a caption, and no page around them."""
    text = client.get("/charts?gpus=128", headers=FRAGMENT).text

    assert "<html" not in text
    assert text.count("<figcaption>") == 3
    for id in ("goodput", "days", "memory"):
        assert f'<figure class="chart" id="chart-{id}" aria-labelledby="chart-{id}-title">' in text
        assert f'<h3 id="chart-{id}-title">' in text


def test_every_picture_has_a_name_and_a_table(client):
    """Each picture carries a name for who cannot see it, and a table behind it."""
    text = client.get("/charts", headers=FRAGMENT).text

    names = re.findall(r'role="img" aria-label="([^"]+)"', text)
    assert [n.split(" chart ")[0] for n in names] == ["Line", "Line", "Bar"]
    assert text.count("<summary>as a table</summary>") == text.count("<table>") == 3


def test_page_without_script_shows_the_tables(client):
    """Opened as a page, the tables stand open and a link leads back to the same design."""
    text = client.get("/charts?gpus=128").text

    assert text.startswith("<!doctype html>")
    assert text.count("<details open>") == 3
    assert 'href="/?gpus=128"' in text


def test_fragment_and_page_are_told_apart_by_caches(client):
    """Both forms share an address, so the answer varies by the header that tells them apart."""
    assert client.get("/charts").headers["vary"].startswith("HX-Request")


def test_charts_mark_no_figure_of_the_answer(client):
    """Only the answer marks figures of the design: the charts carry neither data-figure nor data-value."""
    text = client.get("/charts", headers=FRAGMENT).text

    assert "data-figure" not in text
    assert "data-value" not in text


def test_same_design_gives_the_same_charts(client):
    """70B and 70e9 are one design and get one answer."""
    first, second = (client.get(f"/charts?params={p}&gpus=512", headers=FRAGMENT).text for p in ("70B", "70e9"))

    assert first == second


@pytest.mark.parametrize("headers", [FRAGMENT, {}], ids=["fragment", "page"])
def test_bad_input_is_refused_with_field_and_bound(client, headers):
    """A value out of bounds is a 422 that names field and bound, in both forms."""
    answer = client.get("/charts?gpus=0", headers=headers)

    assert answer.status_code == 422
    assert "<b>GPU count</b> is 0, below the bound" in answer.text


def test_markup_is_escaped(client):
    """What a stranger put into the address comes back as text."""
    answer = client.get("/charts", params={"<img src=x>": "1", "gpu": "<script>alert(1)</script>"}, headers=FRAGMENT)

    assert answer.status_code == 422
    assert "<img" not in answer.text
    assert "<script>" not in answer.text


def test_lab_leaves_a_place_for_the_charts_outside_the_answer(client):
    """The lab holds a link to the charts of its design, after the answer, and none of the drawing itself."""
    text = client.get("/?gpus=128").text

    assert text.index('id="answer"') < text.index('id="charts"')
    assert 'href="/charts?gpus=128"' in text
    assert "<figure" not in text[text.index('id="charts"') :]
