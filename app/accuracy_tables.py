"""The tables of the page about accuracy: runs to sort, sources, bands, constants; every cell a text."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any
from urllib.parse import quote, urlencode

import yaml

from app.accuracy import Check, Checked, Group
from app.model.bands import (
    ERRORS,
    FEWEST,
    KINDS,
    LONG_TOKENS,
    OWN_SPREAD,
    Spread,
    apart,
    generation_name,
    percent,
    signed,
    spread,
)
from app.model.calibration import PATH
from app.model.phrases import NBSP, power
from app.model.units import MINUS, grouped, significant
from app.model.validation import Errors
from app.model.workload import Problem, WorkloadError
from app.query import short

SHOWN = 40
"""Runs in sight; all of them come on demand."""
NONE = "–"


@dataclass(frozen=True)
class Column:
    """A column of the table of runs; `falls`: sorted from the largest down at first."""

    id: str
    label: str
    key: Callable[[Checked], Any]
    text: Callable[[Checked], str]
    falls: bool = False


COLUMNS = (
    Column("run", "Run, and what the engine lacks", lambda r: r.id.lower(), lambda r: r.id),
    Column("error", "Error, %", lambda r: abs(r.error), lambda r: signed_pct(r.error), True),
    Column("left_out", "Left out, %", lambda r: abs(r.left_out or 0.0), lambda r: signed_pct(r.left_out), True),
    Column("published", "Published, s", lambda r: r.published, lambda r: significant(r.published), True),
    Column("predicted", "Predicted, s", lambda r: r.predicted, lambda r: significant(r.predicted), True),
    Column("kind", "Kind", lambda r: r.kind, lambda r: KINDS[r.kind]),
    Column("gpu", "GPU", lambda r: r.gpu, lambda r: r.gpu),
    Column("gpus", "GPUs", lambda r: r.gpus, lambda r: grouped(r.gpus), True),
    Column("stack", "Stack", lambda r: r.stack, lambda r: r.stack),
    Column("source", "Source", lambda r: r.source.lower(), lambda r: r.source),
)


@dataclass(frozen=True)
class Head:
    """A heading that sorts: `sorted` is '', 'ascending' or 'descending'."""

    label: str
    query: str
    sorted: str


@dataclass(frozen=True)
class Runs:
    """The table of runs as asked for."""

    heads: tuple[Head, ...]
    rows: tuple[tuple[tuple[str, ...], str], ...]
    total: int
    source: str
    all_query: str


def runs_table(found: Check, asked: Mapping[str, str]) -> Runs:
    """Runs of one source or of all, sorted as asked; raises WorkloadError for a word that is not known.

    asked: sort, order, source, show
    """
    column = _choice(asked, "sort", {c.id: c for c in COLUMNS}, "error")
    falls = _choice(asked, "order", {"": column.falls, "desc": True, "asc": False}, "")
    source = _choice(asked, "source", {"": "", **{g.name: g.name for g in found.sources}}, "")
    every = _choice(asked, "show", {"": False, "all": True}, "")
    chosen = [r for r in found.runs if source in ("", r.source)]
    chosen.sort(key=column.key, reverse=falls)
    kept = {"source": source, "show": "all" if every else ""}
    return Runs(
        heads=tuple(_head(c, column, falls, kept) for c in COLUMNS),
        rows=tuple((tuple(c.text(r) for c in COLUMNS), r.why) for r in chosen[: None if every else SHOWN]),
        total=len(chosen),
        source=source,
        all_query=query(sort=column.id, order="desc" if falls else "asc", source=source, show="all"),
    )


def _choice(asked: Mapping[str, str], name: str, choices: Mapping[str, Any], default: str) -> Any:
    word = asked.get(name, default)
    if word not in choices:
        message = f"is {short(word)!r}: give one of {', '.join(filter(None, choices))}"
        raise WorkloadError((Problem(name, short(word), message),))
    return choices[word]


def _head(column: Column, sorted_by: Column, falls: bool, kept: Mapping[str, str]) -> Head:
    """The link turns the order of the column that sorts already."""
    here = column is sorted_by
    turned = not falls if here else column.falls
    state = ("descending" if falls else "ascending") if here else ""
    return Head(column.label, query(sort=column.id, order="desc" if turned else "asc", **kept), state)


def query(**values: str) -> str:
    return urlencode({name: value for name, value in values.items() if value})


def signed_pct(value: float | None) -> str:
    """An error in percent with its sign and one decimal.

    >>> signed_pct(-54.31), signed_pct(4.0), signed_pct(None)
    ('−54.3', '+4.0', '–')
    """
    return NONE if value is None else f"{MINUS if value < 0 else '+'}{abs(value):.1f}"


def pct(value: float | None) -> str:
    """A size of error in percent with one decimal."""
    return NONE if value is None else f"{value:.1f}"


def pair(e: Errors) -> str:
    """Median and 90th percentile."""
    return f"{pct(e.median_abs_error_pct)} / {pct(e.p90_abs_error_pct)}" if e.n else NONE


@dataclass(frozen=True)
class GroupRow:
    """One line of the tables by kind and by source."""

    name: str
    query: str
    url: str
    cells: tuple[str, ...]


def group_row(g: Group, is_source: bool = False) -> GroupRow:
    cells = (grouped(g.fitted.n), pair(g.left_out), pair(g.apart), pair(g.fitted), signed_pct(g.fitted.bias_pct))
    where = source_url(g.name) if is_source else ""
    return GroupRow(g.name, query(source=g.name) if is_source else "", where, (*cells, pair(g.rival)))


def source_url(source: str) -> str:
    """Where a source of the table stands.

    >>> source_url("arXiv:2104.04473"), source_url("pytorch/torchtitan")
    ('https://arxiv.org/abs/2104.04473', 'https://github.com/pytorch/torchtitan')
    """
    if source.startswith("arXiv:"):
        return f"https://arxiv.org/abs/{quote(source.removeprefix('arXiv:'))}"
    return f"https://github.com/{quote(source)}"


def band_rows() -> tuple[tuple[str, ...], ...]:
    """Kinds of setting, each with the runs behind it, the band and what nine runs in ten keep to."""
    dense = ERRORS["kind"] == "dense"
    own = {str(g): dense & (ERRORS["generation"] == g) for g in sorted(set(ERRORS["generation"][dense]))}
    seen = [(f"Dense, 16 bit, {generation_name(g)}", _of(at)) for g, at in own.items() if at.sum() >= FEWEST]
    return tuple(
        _band(name, s)
        for name, s in (
            *seen,
            ("Dense, FP8", _of(ERRORS["kind"] == "fp8")),
            ("Experts", _of(ERRORS["kind"] == "experts")),
            ("Stack never seen: its whole source left out", apart("source")),
            ("The same, one of its runs given", OWN_SPREAD),
            ("Accelerator generation never seen", apart("generation")),
            ("GPU count outside: above 256 from below, and back", apart("gpus")),
            ("Model size outside: above 20B from below, and back", apart("params")),
            (f"Context beyond {grouped(LONG_TOKENS)}: such runs from the others, and back", apart("context")),
        )
    )


def _of(places: Any) -> Spread:
    return spread(ERRORS["left_out"][places])


def _band(name: str, s: Spread) -> tuple[str, ...]:
    eight = f"{signed(s.low)} to {signed(s.high)}{NBSP}%"
    return name, grouped(s.runs), eight, f"±{NBSP}{percent(s.nine)}{NBSP}%"


@dataclass(frozen=True)
class ConstantTable:
    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


GENERATION_HEAD = ("Generation", "Matmul", "In FP8", "Attention", "From 2024", "Memory", "Runs", "How")
GENERATION_FIELDS = ("matmul", "matmul_fp8", "attention", "attention_late", "memory")
MEMORY_FIELDS = ("activations", "logit_bytes", "context_bytes", "fragmentation")


@cache
def constant_tables() -> tuple[ConstantTable, ...]:
    """Every constant of the calibration file with its value, how it was found and on how many runs."""
    table = yaml.safe_load(PATH.read_text(encoding="utf-8"))
    generations = (
        (generation_name(id), *(number(g[f]) for f in GENERATION_FIELDS), _count("generation", id), g["how"])
        for id, g in table["generations"].items()
    )
    stacks = (
        (f"{id}: {s['name']}", number(s["time"]), _count("stack", id), _sources(id), s["how"])
        for id, s in table["stacks"].items()
    )
    times = ((name.replace("_", " "), number(row["value"]), row["how"]) for name, row in table["time"].items())
    kinds = ((id, *(number(k[f]) for f in MEMORY_FIELDS), k["how"]) for id, k in table["memory"].items())
    kind_head = ("Kind of figure", "Activations", "Bytes a logit", "Base, bytes", "Lost between", "How")
    return (
        ConstantTable("Share of the peak that a generation reaches", GENERATION_HEAD, tuple(generations)),
        ConstantTable("Software stacks", ("Stack", "Multiplier", "Runs", "Their sources", "How"), tuple(stacks)),
        ConstantTable("Time", ("Constant", "Value", "How"), tuple(times)),
        ConstantTable("Memory", kind_head, tuple(kinds)),
    )


def number(value: float) -> str:
    """A constant to three digits.

    >>> number(0.8631), number(7.13e-05), number(1.5e9), number(1)
    ('0.863', '7.13 × 10⁻⁵', '1.50 × 10⁹', '1')
    """
    plain = value == 0 or 1e-3 <= abs(value) < 1e5
    return f"{float(value):.3g}" if plain else power(value)


def _count(column: str, id: str) -> str:
    return grouped((ERRORS[column] == id).sum())


def _sources(stack: str) -> str:
    return ", ".join(sorted(set(map(str, ERRORS["source"][ERRORS["stack"] == stack])))) or NONE
