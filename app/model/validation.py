"""Predicted beside published: errors of every run, by source and overall, and those of the plain rival."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from app.model.calibration import MEMORY
from app.model.hardware import ACCELERATORS
from app.model.layout import RECOMPUTE, Layout, open_mesh
from app.model.memory import gpu_memory, stages
from app.model.runs import Run, measured, read_runs
from app.model.software import Row
from app.model.step import step_time

RIVAL_SHARE = 0.40
"""The rival predicts that every run reaches this share of the peak."""


@dataclass(frozen=True)
class Compared:
    """One run: predicted and published. Errors in percent of what was published; None where nothing was."""

    id: str
    source: str
    name: str
    stack: str
    predicted_step_seconds: float
    published_step_seconds: float | None
    error_pct: float | None
    predicted_memory_bytes: float
    published_memory_bytes: float | None
    memory_error_pct: float | None
    rival_error_pct: float | None
    chosen: dict[str, int | str]


@dataclass(frozen=True)
class Errors:
    """Of n runs, in percent. None where there is no run."""

    n: int
    median_abs_error_pct: float | None
    p90_abs_error_pct: float | None
    bias_pct: float | None


@dataclass(frozen=True)
class Summary:
    n: int
    median_abs_error_pct: float | None
    p90_abs_error_pct: float | None
    bias_pct: float | None
    by_source: dict[str, Errors]
    memory: Errors
    always_40_pct: Errors


@dataclass(frozen=True)
class Validation:
    runs: tuple[Compared, ...]
    summary: Summary
    skipped: tuple[dict[str, str], ...]

    def as_dict(self) -> dict[str, Any]:
        """The JSON of the command line; a source's name leads its errors."""
        return asdict(self)


def validate(rows: Iterable[Row]) -> Validation:
    """Predicts every run of a table and compares it with its results."""
    runs, skipped = read_runs(rows)
    compared = tuple(compare(run, row) for run, row in runs)
    return Validation(compared, summary(compared), tuple({"id": id, "why": why} for id, why in skipped))


def compare(run: Run, row: Row) -> Compared:
    """One run beside its results, which only the comparison sees."""
    layout, chosen = settled(run)
    seconds = float(step_time(run.workload, run.model, layout, run.stack).busy)
    total = float(counted(run, layout))
    truth = measured(row)
    tokens = run.workload.batch_tokens
    reached = RIVAL_SHARE * run.workload.gpus * ACCELERATORS[run.workload.gpu].peak_flop_per_s(run.workload.precision)
    rival = run.model.flop_per_token(run.workload.seq_tokens) * tokens / reached
    return Compared(
        id=run.id,
        source=run.source,
        name=run.name,
        stack=run.stack_id,
        predicted_step_seconds=seconds,
        published_step_seconds=truth.step_seconds,
        error_pct=error_pct(seconds, truth.step_seconds),
        predicted_memory_bytes=total,
        published_memory_bytes=truth.memory_bytes,
        memory_error_pct=error_pct(total, truth.memory_bytes),
        rival_error_pct=error_pct(rival, truth.step_seconds),
        chosen=chosen,
    )


def settled(run: Run) -> tuple[Layout, dict[str, int | str]]:
    """The layout with what the source leaves open chosen: the fastest that fits, else the leanest."""
    if not run.open_axes:
        return run.layout, {}
    axes = dict(zip(run.open_axes, open_mesh(run.open_axes.values()), strict=True))
    layout = replace(run.layout, **axes)
    if "micro_batch" in axes:
        per_replica = run.layout.micro_batch * run.layout.microbatches
        layout = replace(layout, microbatches=np.ceil(per_replica / axes["micro_batch"]).astype(int))
    shape = np.broadcast_shapes(*(np.shape(a) for a in axes.values()))
    seconds = np.broadcast_to(step_time(run.workload, run.model, layout, run.stack).busy, shape)
    total = np.broadcast_to(fullest(run, layout), shape)
    fits = total <= ACCELERATORS[run.workload.gpu].usable_bytes
    value = np.where(fits, seconds, np.inf) if fits.any() else total
    best = layout.at(int(np.argmin(value)), shape)
    best = replace(best, micro_batch=run.layout.micro_batch) if "micro_batch" not in axes else best
    return best, {name: _word(name, getattr(best, name)) for name in axes}


def _word(name: str, value: int) -> int | str:
    return RECOMPUTE[value] if name == "recompute" else value


def counted(run: Run, layout: Layout) -> float:
    """Memory as the source counts it: its kind of figure, on its rank. [bytes]"""
    loads = stages(run.model, layout.pipeline)
    kind = MEMORY[run.memory_kind]
    totals = [float(gpu_memory(run.workload, run.model, s, layout, run.stack, kind).total) for s in loads]
    return {"first": totals[0], "last": totals[-1], "fullest": max(totals)}[run.memory_rank]


def fullest(run: Run, layout: Layout) -> Any:
    """Memory of the fullest GPU of any stage, numbers or columns, counted as its source does. [bytes]"""
    loads, kind = stages(run.model, layout.pipeline), MEMORY[run.memory_kind]
    totals = [gpu_memory(run.workload, run.model, load, layout, run.stack, kind).total for load in loads]
    return np.maximum(np.maximum(totals[0], totals[1]), totals[2])


def error_pct(predicted: float, published: float | None) -> float | None:
    """Predicted over published, less one, in percent; None without a published value."""
    return 100 * (predicted / published - 1) if published else None


def errors(values: Iterable[float | None]) -> Errors:
    """Median, 90th percentile and bias of errors given in percent."""
    found = np.array([v for v in values if v is not None])
    if not len(found):
        return Errors(0, None, None, None)
    size = np.abs(found)
    return Errors(len(found), float(np.median(size)), float(np.quantile(size, 0.9)), float(np.median(found)))


def summary(runs: Sequence[Compared]) -> Summary:
    """Errors overall, by source, of memory and of the rival."""
    sources = dict.fromkeys(run.source for run in runs)
    return Summary(
        **asdict(errors(r.error_pct for r in runs)),
        by_source={s: errors(r.error_pct for r in runs if r.source == s) for s in sources},
        memory=errors(r.memory_error_pct for r in runs),
        always_40_pct=errors(r.rival_error_pct for r in runs),
    )
