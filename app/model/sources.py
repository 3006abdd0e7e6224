"""The bibliography: one row a source, read from data/sources.csv."""

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from pydantic import TypeAdapter

from app.model.answer import Source

DATA = Path(__file__).parent.parent / "data"


@dataclass(frozen=True)
class Reference:
    """A work that we cite. `label` is its short name; `arxiv` is empty where there is none."""

    id: str
    label: str
    authors: str
    title: str
    year: int
    venue: str
    arxiv: str
    url: str


def rows(name: str) -> list[dict[str, str]]:
    """The rows of one of our data files, column name to text."""
    with (DATA / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


SOURCES: Mapping[str, Reference] = MappingProxyType(
    {row["id"]: TypeAdapter(Reference).validate_python(row) for row in rows("sources.csv")}
)


def source(id: str, where: str = "") -> Source:
    """The record that a page shows for a citation of `id` at `where` (section, table, page)."""
    reference = SOURCES[id]
    return Source(id=id, label=reference.label, where=where, url=reference.url)
