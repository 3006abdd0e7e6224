"""What a redraw and a page may weigh. Sizes alone: speed is measured by `make bench`, on a quiet machine."""

import pytest
from playwright.sync_api import Page
from starlette.testclient import TestClient

from app.model.workload import Workload
from bench.fragments import MOST_BYTES, MOST_ELEMENTS, chosen_queries, distinct_queries, elements, fragment
from bench.weight import MOST_BYTES as MOST_PAGE_BYTES
from bench.weight import page_load


@pytest.fixture(scope="module")
def redrawn(client: TestClient) -> dict[str, str]:
    """The fragment of every card and preset, few GPUs and many, and of random designs."""
    queries = [*chosen_queries(), *distinct_queries(Workload(), 20, seed=3)]
    return {query: fragment(client, query) for query in queries}


def test_a_redraw_stays_within_its_bytes(redrawn: dict[str, str]) -> None:
    """No design needs more than 30 KB for a redraw."""
    heavy = {query: size for query, text in redrawn.items() if (size := len(text.encode())) > MOST_BYTES}

    assert heavy == {}


def test_a_redraw_stays_within_its_elements(redrawn: dict[str, str]) -> None:
    """No design needs more than 600 elements for a redraw."""
    crowded = {query: count for query, text in redrawn.items() if (count := elements(text)) > MOST_ELEMENTS}

    assert crowded == {}


@pytest.mark.browser
def test_the_page_is_light_until_the_charts_are_looked_at(page: Page, base_url: str) -> None:
    """All that the page requests before its charts are in sight stays within 150 KB, headers included."""
    load = page_load(page, base_url)

    assert sum(load.at_once.values()) <= MOST_PAGE_BYTES


@pytest.mark.browser
def test_the_chart_library_comes_when_the_charts_are_looked_at(page: Page, base_url: str) -> None:
    """Plotly is fetched by the look at the charts, not before it."""
    load = page_load(page, base_url)

    assert any("plotly" in address for address in load.for_charts)
    assert not any("plotly" in address for address in load.at_once)
