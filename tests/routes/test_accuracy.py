"""GET /accuracy: one page, whole without script."""

import re

import pytest
from starlette.testclient import TestClient


def test_the_page_shows_every_part(client: TestClient) -> None:
    """Charts, summary, runs, bands, own run, memory and constants, each under its own address."""
    page = client.get("/accuracy").text

    for id in ("charts", "summary", "runs", "bands", "own-run", "memory", "constants"):
        assert f'id="{id}"' in page


def test_the_navigation_leads_here(client: TestClient) -> None:
    """From every page, and the page knows that it is the one."""
    assert '<a href="/accuracy">Accuracy</a>' in client.get("/docs").text
    assert '<a href="/accuracy" aria-current="page">' in client.get("/accuracy").text


def test_a_heading_sorts(client: TestClient) -> None:
    """The link of a heading gives the table in its order, and the heading says so."""
    page = client.get("/accuracy?sort=gpus&order=asc").text

    assert re.search(r'<th scope="col" aria-sort="ascending"><a href="[^"]*">GPUs</a>', page)


def test_a_source_leads_to_its_runs(client: TestClient) -> None:
    """The table by source filters the table of runs."""
    page = client.get("/accuracy?source=pytorch%2Ftorchtitan").text

    assert "Runs of pytorch/torchtitan" in page


@pytest.mark.parametrize("query", ["sort=colour", "order=up", "source=nobody", "gpus=0", "colour=red"])
def test_what_cannot_be_read_is_named_on_a_whole_page(client: TestClient, query: str) -> None:
    """Status 422, the message, and the table in its plain order."""
    answer = client.get(f"/accuracy?{query}")

    assert answer.status_code == 422
    assert 'class="refused-inputs"' in answer.text
    assert 'id="runs"' in answer.text


def test_foreign_text_is_escaped(client: TestClient) -> None:
    """A refused word comes back as text."""
    assert "<script>alert" not in client.get("/accuracy?sort=<script>alert(1)</script>").text


def test_an_own_run_answers_without_script(client: TestClient) -> None:
    """The form's own address says what the run tells, and other inputs travel along."""
    page = client.get("/accuracy?gpus=64&measured_step_seconds=6&gpu_hour_price=3").text

    assert "Measured 6.00 s a step" in page
    assert '<input type="hidden" name="gpu_hour_price" value="3.0">' in page


def test_the_lab_shows_its_band(client: TestClient) -> None:
    """Beside the days, linked to the bands; the same words in the API."""
    answer = client.get("/api/size?gpus=128").json()["accuracy"]
    page = client.get("/?gpus=128").text

    assert f'<a href="/accuracy#bands">days: {answer["text"]}</a>' in page
    assert answer["reason"] in page


def test_a_planning_figure_leaves_the_band_to_the_step(client: TestClient) -> None:
    """Days from a fixed MFU are no prediction of the engine."""
    assert '<a href="/accuracy#bands">step: ' in client.get("/?mfu=0.4").text
