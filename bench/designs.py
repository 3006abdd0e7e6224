"""The designs that are measured, and queries as the form sends them."""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import quote

from app.cards import card_by_id
from app.form import was_query
from app.model.fields import SLIDERS
from app.model.workload import Workload

STOPS = {f.name: f.stops for f in SLIDERS}
FIXED = ("params", "gpus")
"""Sliders that stay where they are while the others move."""


@dataclass(frozen=True)
class Start:
    """A design from which a drag starts; `sliders` are dragged in the browser, one after the other."""

    name: str
    query: str
    sliders: tuple[str, ...]


def llama_query() -> str:
    """Llama 3 405B on 16,384 GPUs: the card's inputs."""
    card = card_by_id("llama-405b")
    assert card is not None
    assert card.workload.gpus == 16_384
    return card.workload.query()


def starts() -> tuple[Start, Start]:
    return (
        Start("default, 64 GPUs", "", ("gpus", "link_gb_per_s")),
        Start("Llama 3 405B, 16,384 GPUs", llama_query(), ("batch_tokens", "link_gb_per_s")),
    )


def distinct_queries(workload: Workload, count: int, seed: int) -> Iterator[str]:
    """Queries that no cache knows: each other slider on a stop of its own, the interval never twice.

    `was` is the design itself, as during one drag from it.
    """
    draw = random.Random(seed)
    was = quote(was_query(workload))
    for i in range(count):
        moved: dict[str, object] = {name: draw.choice(stops) for name, stops in STOPS.items() if name not in FIXED}
        moved["checkpoint_minutes"] = round(0.1 + i / 7, 3)
        yield f"{workload.query(**moved)}&was={was}"
