"""Everything that the page about accuracy shows for one address."""

from collections.abc import Mapping
from dataclasses import dataclass

from markupsafe import Markup

from app.accuracy import Check, check, report
from app.accuracy_plot import error_plot, scatter_plot
from app.accuracy_tables import (
    ConstantTable,
    GroupRow,
    Runs,
    band_rows,
    constant_tables,
    group_row,
    pair,
    pct,
    runs_table,
)
from app.form import fault_of, readable
from app.model.phrases import NBSP
from app.model.units import grouped
from app.model.workload import WorkloadError
from app.own_run_panel import Panel, panel_of

TABLE_WORDS = ("sort", "order", "source", "show")


@dataclass(frozen=True)
class Chart:
    id: str
    title: str
    label: str
    caption: str
    figure: Markup


@dataclass(frozen=True)
class Page:
    """`lead` are sentences; `at_one`: errors left out with no stack's multiplier; `refused`: what could not be read."""

    lead: tuple[str, ...]
    charts: tuple[Chart, ...]
    groups: tuple[GroupRow, ...]
    sources: tuple[GroupRow, ...]
    bands: tuple[tuple[str, ...], ...]
    runs: Runs
    constants: tuple[ConstantTable, ...]
    memory: tuple[tuple[str, ...], ...]
    memory_known: bool
    at_one: str
    without: tuple[tuple[str, str], ...]
    own: Panel
    refused: tuple[str, ...]


def page_of(values: Mapping[str, str]) -> Page:
    """The page of one address: words of the table of runs, and the inputs of an own run."""
    found = check()
    words = {name: value for name, value in values.items() if name in TABLE_WORDS}
    refused: list[str] = []
    try:
        runs = runs_table(found, words)
    except WorkloadError as error:
        refused = [f"{p.field} {p.message}." for p in error.problems]
        runs = runs_table(found, {})
    workload, problems = readable({name: value for name, value in values.items() if name not in TABLE_WORDS})
    faults = [fault_of(p) for p in problems]
    return Page(
        lead=lead(found),
        charts=charts(found),
        groups=tuple(group_row(g) for g in (*found.kinds, found.overall)),
        sources=tuple(group_row(g, is_source=True) for g in found.sources),
        bands=band_rows(),
        runs=runs,
        constants=constant_tables(),
        memory=memory_rows(found),
        memory_known=report() is not None,
        at_one=_reported((report() or {}).get("stacks_at_one")),
        without=found.without,
        own=panel_of(workload, problems),
        refused=(*refused, *(f"{f.label} {f.message}." for f in faults)),
    )


def lead(found: Check) -> tuple[str, ...]:
    """The check in three sentences."""
    dense, n = found.kinds[0], found.overall.fitted.n
    out, rival = dense.left_out, dense.rival
    return (
        f"{grouped(n)} published runs, each predicted from its shape, batch, layout, hardware and software alone.",
        f"Dense models in 16 bit that the fit had not seen are missed by {pct(out.median_abs_error_pct)} % (median), "
        f"nine in ten by less than {pct(out.p90_abs_error_pct)} %; “always 40 % of peak” misses by "
        f"{pct(rival.median_abs_error_pct)} and {pct(rival.p90_abs_error_pct)} %.",
        "A stack that nobody measured, FP8 and experts are missed by far more: the tables say by how much.",
    )


def charts(found: Check) -> tuple[Chart, ...]:
    """The runs as points: predicted over published, and their errors over GPU counts."""
    within = found.overall.fitted.p90_abs_error_pct or 0.0
    told = "Circles: dense, 16 bit; squares: FP8; diamonds: experts."
    n = grouped(found.overall.fitted.n)
    return (
        Chart(
            "scatter",
            "Predicted over published step time",
            f"Scatter chart of predicted over published step time of {n} runs; the table of runs holds every one.",
            f"{told} Nine runs in ten lie within the dashed lines, ±{NBSP}{within:.0f}{NBSP}%.",
            Markup(scatter_plot(found.runs, within)),
        ),
        Chart(
            "errors",
            "Error by GPU count",
            f"Scatter chart of the errors of {n} runs by GPU count; the table of runs holds every one.",
            f"{told} Above zero: predicted longer than measured. Dashed: nine runs in ten lie between.",
            Markup(error_plot(found.runs, within)),
        ),
    )


def memory_rows(found: Check) -> tuple[tuple[str, ...], ...]:
    """Errors of memory by kind of figure: with the fitted factors, and left out of their fit."""
    held = (report() or {}).get("memory", {})
    return tuple((name, grouped(e.n), pair(e), _reported(held.get(name))) for name, e in found.memory)


def _reported(e: Mapping[str, float] | None) -> str:
    return f"{pct(e['median_abs_error_pct'])} / {pct(e['p90_abs_error_pct'])}" if e else "–"
