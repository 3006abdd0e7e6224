"""Bytes and elements of the redrawn fragment, over cards, presets, GPU counts and random designs."""

from collections.abc import Iterator
from html.parser import HTMLParser
from urllib.parse import quote

from starlette.testclient import TestClient

from app.cards import all_cards
from app.form import was_query
from app.main import create_app
from app.model.transformer import PRESETS
from app.model.workload import Workload
from bench.designs import distinct_queries
from bench.report import held, quantile, table

MOST_BYTES = 30_000
MOST_ELEMENTS = 600
GPU_COUNTS = (1, 8, 64, 1009, 16_384, 1_000_000)


class ElementCounter(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.count += 1


def elements(markup: str) -> int:
    """Elements of a fragment.

    >>> elements("<p>one <b>two</b><br>three</p>")
    3
    """
    counter = ElementCounter()
    counter.feed(markup)
    return counter.count


def fragment(client: TestClient, query: str) -> str:
    """What a drag fetches for one design."""
    answer = client.get(f"/?{query}", headers={"HX-Request": "true"})
    assert answer.status_code == 200, f"{query}: {answer.text}"
    return answer.text


def chosen_queries() -> Iterator[str]:
    """Every card, and every preset on few and on many GPUs, each also as the end of a drag from another design."""
    designs = [card.workload for card in all_cards()]
    designs += [Workload(model=model, gpus=gpus) for model in PRESETS for gpus in GPU_COUNTS]
    for before, now in zip(designs[-1:] + designs[:-1], designs, strict=True):
        yield now.query()
        yield f"{now.query()}&was={quote(was_query(before))}"


def measure(short: bool) -> str:
    count = 20 if short else 500
    sets = {
        "cards; presets on 1 to a million GPUs": list(chosen_queries()),
        "random stops, 8B on 64 GPUs": list(distinct_queries(Workload(), count, seed=1)),
        "random stops, any preset on 16,384 GPUs": [
            query
            for i, model in enumerate(PRESETS)
            for query in distinct_queries(Workload(model=model, gpus=16_384), count // len(PRESETS), seed=i)
        ],
    }
    with TestClient(create_app()) as client:
        rows = [row(name, [fragment(client, q) for q in queries]) for name, queries in sets.items()]
    return table(("designs", "count", "bytes, median", "bytes, most", "elements, median", "elements, most"), rows)


def row(name: str, found: list[str]) -> tuple[str, ...]:
    sizes = [len(text.encode()) for text in found]
    counts = [elements(text) for text in found]
    return (
        name,
        f"{len(found)}",
        f"{quantile(sizes, 0.5):,}",
        f"{max(sizes):,}, {held(max(sizes), MOST_BYTES)}",
        f"{quantile(counts, 0.5)}",
        f"{max(counts)}, {held(max(counts), MOST_ELEMENTS)}",
    )
