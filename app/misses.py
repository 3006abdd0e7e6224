"""What the engine lacks for the runs it misses by most: the reasons of `app/data/misses.yaml`."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

import yaml

from app.model.sources import DATA

BIG_MISS_PCT = 10.0
"""Runs missed by less need no reason. [%]"""
UNKNOWN = "Not understood yet."


@dataclass(frozen=True)
class Reason:
    """Why rows that meet all conditions are missed; a condition names a column and the text in it."""

    when: Mapping[str, str]
    why: str

    def holds(self, row: Mapping[str, str]) -> bool:
        return all(_meets(wanted, row.get(column, "")) for column, wanted in self.when.items())


def _meets(wanted: str, cell: str) -> bool:
    if wanted in ("stated", "open"):
        return bool(cell) == (wanted == "stated")
    return wanted.lower() in cell.lower()


@cache
def reasons() -> tuple[Reason, ...]:
    """All reasons, the first that holds being the one."""
    return tuple(Reason(**entry) for entry in yaml.safe_load((DATA / "misses.yaml").read_text(encoding="utf-8")))


def reason_of(row: Mapping[str, str], error_pct: float) -> str:
    """What the engine lacks for this row; empty where it is not missed by much."""
    if abs(error_pct) < BIG_MISS_PCT:
        return ""
    return next((r.why for r in reasons() if r.holds(row)), UNKNOWN)
