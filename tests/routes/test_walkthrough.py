"""The walkthrough over HTTP."""

import re
from html import unescape

import pytest
from starlette.testclient import TestClient

from app.walkthrough import EXAMPLES, NAMES

STEPS = range(1, len(NAMES) + 1)
FLEET = "model=llama-3.1-405b&gpus=16384&batch_tokens=16777216&seq_tokens=8192"


def figures(text: str) -> dict[str, float]:
    return {i: float(v) for i, v in re.findall(r'data-figure="([^"]+)" data-value="([^"]+)"', text)}


def size(client: TestClient, query: str, figure: str) -> float:
    value = client.get(f"/api/size?{query}").json()
    for name in figure.split("."):
        value = value[name]
    return value


def test_it_opens_with_the_first_question(client: TestClient) -> None:
    """Of the default workload, without its answer."""
    text = client.get("/walkthrough").text

    assert "Step 1 of 6, before the answer" in text
    assert "memory.state_bytes" not in text


@pytest.mark.parametrize("number", STEPS)
def test_a_guess_is_answered_beside_the_result(client: TestClient, number: int) -> None:
    """Finding, prediction, picture, arithmetic and what is known."""
    answer = client.get(f"/walkthrough?{FLEET}&step={number}&guess=40")

    assert answer.status_code == 200
    for part in ("You said", "What is now known", "The arithmetic", "<figcaption>", "<math"):
        assert part in answer.text


@pytest.mark.parametrize("number", STEPS)
@pytest.mark.parametrize("query", ["", FLEET, "params=70e9&gpus=8&split_model=false", "params=1.2e9&gpus=1"])
def test_every_figure_is_the_engines(client: TestClient, number: int, query: str) -> None:
    """What the page marks as a figure is what the API answers for the same query."""
    found = figures(client.get(f"/walkthrough?{query}&step={number}&shown=yes").text)

    assert found
    for name, value in found.items():
        assert value == pytest.approx(size(client, query, name))


SEEDS = {
    "memory.state_bytes": ("params=10e9", 1, 160e9),
    "memory.gpus_for_state": ("params=1e12&gpus=16384", 1, 200),
    "run.days": ("params=1e12&gpus=16384&train_tokens=15e12&mfu=0.4", 5, 160.6),
    "reliability.stops_per_day": (FLEET, 6, 7.76),
    "reliability.lost_fraction": (FLEET, 6, 0.081),
    "pipeline.bubble_over_ideal": ("params=70e9&gpus=128&pipeline=16&chunks=1&tensor=8&data=1&micro_batch=1"
                                   "&batch_tokens=65536", 4, 0.9375),
    "pipeline.idle_fraction": ("params=70e9&gpus=128&pipeline=16&chunks=1&tensor=8&data=1&micro_batch=1"
                               "&batch_tokens=65536", 4, 0.484),
}  # fmt: skip


@pytest.mark.parametrize(("figure", "where"), SEEDS.items(), ids=SEEDS.keys())
def test_seed_figures_stand_in_the_walkthrough(client: TestClient, figure: str, where: tuple[str, int, float]) -> None:
    """The article's numbers, found by their names."""
    query, step, value = where
    text = client.get(f"/walkthrough?{query}&step={step}&guess=1").text
    asked = client.get(f"/walkthrough?{query}&step={step}").text

    assert (figures(asked) | figures(text))[figure] == pytest.approx(value, rel=0.005)


def test_the_form_carries_the_workload(client: TestClient) -> None:
    """Without script the answer is of the same workload and step."""
    text = client.get(f"/walkthrough?{FLEET}&step=3").text
    sent = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', text))

    assert sent == {"model": "llama-3.1-405b", "gpus": "16384", "batch_tokens": "16777216", "seq_tokens": "8192",
                    "step": "3"}  # fmt: skip


def test_lab_and_walkthrough_link_to_each_other(client: TestClient) -> None:
    """With the same workload, both ways."""
    there, here = client.get("/?gpus=128").text, client.get("/walkthrough?gpus=128").text

    assert 'href="/walkthrough?gpus=128"' in there
    assert 'href="/?gpus=128"' in here


def test_steps_are_links(client: TestClient) -> None:
    """Any step can be jumped to; the neighbours are named as such."""
    text = unescape(client.get("/walkthrough?gpus=128&step=3").text)

    assert [f"/walkthrough?gpus=128&step={n}" in text for n in STEPS] == [True] * 6
    assert re.search(r'step=2" rel="prev"', text)
    assert re.search(r'step=4" rel="next"', text)


def test_the_last_step_gathers_all_findings(client: TestClient) -> None:
    """Six links, and the way back to the start."""
    text = client.get("/walkthrough?step=6&shown=yes").text
    findings = re.search(r'<ol class="findings">(.*?)</ol>', text, re.S)

    assert findings
    assert findings[1].count("<li>") == 6
    assert "Replay from the start" in text


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda e: e.label)
def test_examples_can_be_walked(client: TestClient, example) -> None:
    """Each link at the foot opens."""
    assert client.get(f"/walkthrough?{example.query}").status_code == 200


@pytest.mark.parametrize("guess", ["many", "0", "-1", "<script>"])
def test_a_guess_that_cannot_be_read_is_asked_for_again(client: TestClient, guess: str) -> None:
    """422, with the question and a message."""
    answer = client.get("/walkthrough", params={"step": "1", "guess": guess})

    assert answer.status_code == 422
    assert "Step 1 of 6, before the answer" in answer.text
    assert "number" in answer.text
    assert "<script>" not in answer.text


@pytest.mark.parametrize("query", ["step=7", "step=0", "step=two", "gpus=0", "colour=red", "step=1&step=2"])
def test_a_bad_query_is_refused_in_words(client: TestClient, query: str) -> None:
    """422 and a page that says what is wrong."""
    answer = client.get(f"/walkthrough?{query}", headers={"accept": "text/html"})

    assert answer.status_code == 422
    assert "<h1" in answer.text


def test_a_page_stays_small(client: TestClient) -> None:
    """The largest schedule too."""
    for query in (FLEET, "model=megatron-1t&gpus=3072&gpu=a100-80gb"):
        for number in STEPS:
            assert len(client.get(f"/walkthrough?{query}&step={number}&shown=yes").content) < 130_000
