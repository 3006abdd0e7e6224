"""Predicted beside published: what the page about accuracy shows, computed once."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any

from app.misses import reason_of
from app.model.bands import ERRORS, KINDS
from app.model.runs import Row, read_rows, read_runs
from app.model.sources import DATA
from app.model.validation import Compared, Errors, Validation, errors, validate

HELD = {str(id): i for i, (id, kind) in enumerate(zip(ERRORS["id"], ERRORS["kind"], strict=True)) if kind != "sweep"}
"""Run to its place in the table of errors under fits that did not see it."""


@dataclass(frozen=True)
class Checked:
    """One run with a published step time; errors in percent of it, `left_out` None where no fit had the run."""

    id: str
    name: str
    source: str
    gpu: str
    gpus: int
    kind: str
    stack: str
    published: float
    predicted: float
    error: float
    left_out: float | None
    apart: float | None
    rival: float
    why: str


@dataclass(frozen=True)
class Group:
    """Errors of some runs: with all constants fitted, and under fits that had not seen the run, or its source."""

    name: str
    fitted: Errors
    left_out: Errors
    apart: Errors
    rival: Errors


@dataclass(frozen=True)
class Check:
    """The whole check: runs, groups of them, and rows that give no error, with the reason."""

    runs: tuple[Checked, ...]
    overall: Group
    kinds: tuple[Group, ...]
    sources: tuple[Group, ...]
    memory: tuple[tuple[str, Errors], ...]
    without: tuple[tuple[str, str], ...]


@cache
def check() -> Check:
    """All published runs predicted and compared: about half a second, once for each process."""
    rows = read_rows(DATA / "published_runs.csv")
    found = validate(rows)
    by_id = {row["id"]: row for row in rows}
    runs = tuple(_checked(r, by_id[r.id]) for r in found.runs if r.published_step_seconds)
    sources = sorted({r.source for r in runs}, key=lambda s: (-sum(r.source == s for r in runs), s))
    return Check(
        runs=runs,
        overall=_group("All runs", runs),
        kinds=tuple(_group(KINDS[k], [r for r in runs if r.kind == k]) for k in KINDS),
        sources=tuple(_group(s, [r for r in runs if r.source == s]) for s in sources),
        memory=_memory(found, rows),
        without=_without(found),
    )


def _checked(run: Compared, row: Row) -> Checked:
    place = HELD.get(run.id)
    assert run.published_step_seconds is not None
    assert run.error_pct is not None
    assert run.rival_error_pct is not None
    return Checked(
        id=run.id,
        name=run.name,
        source=run.source,
        gpu=row["gpu"],
        gpus=int(float(row["gpus"])),
        kind="experts" if float(row["moe_experts"] or 0) else "fp8" if row["dtype"] == "fp8" else "dense",
        stack=run.stack,
        published=run.published_step_seconds,
        predicted=run.predicted_step_seconds,
        error=run.error_pct,
        left_out=_held(place, "left_out"),
        apart=_held(place, "apart_source"),
        rival=run.rival_error_pct,
        why=reason_of(row, run.error_pct),
    )


def _held(place: int | None, column: str) -> float | None:
    """An error of the table in percent; None where that experiment did not have the run."""
    if place is None:
        return None
    value = 100 * float(ERRORS[column][place])
    return value if value == value else None


def _group(name: str, runs: Iterable[Checked]) -> Group:
    some = list(runs)
    return Group(
        name,
        errors(r.error for r in some),
        errors(r.left_out for r in some),
        errors(r.apart for r in some),
        errors(r.rival for r in some),
    )


def _memory(found: Validation, rows: list[dict[str, str]]) -> tuple[tuple[str, Errors], ...]:
    """Errors of memory by what a source's figure counts."""
    kind = {run.id: run.memory_kind for run, _ in read_runs(rows)[0]}
    told = [r for r in found.runs if r.memory_error_pct is not None]
    names = sorted({kind[r.id] for r in told})
    return tuple((n, errors(r.memory_error_pct for r in told if kind[r.id] == n)) for n in names)


def _without(found: Validation) -> tuple[tuple[str, str], ...]:
    """Rows of the table that give no error of time, and why."""
    untimed = [(r.id, "states no step time and no tokens a second") for r in found.runs if not r.published_step_seconds]
    return (*((s["id"], s["why"]) for s in found.skipped), *untimed)


@cache
def report() -> dict[str, Any] | None:
    """What `make calibrate` last reported; None before it has run."""
    path = DATA / "accuracy.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None
