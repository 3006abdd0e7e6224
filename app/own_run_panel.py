"""The panel for a measured run of one's own: a form, and what the run says of its stack."""

from collections.abc import Iterable
from dataclasses import dataclass

from app.form import Form, Input, form_of
from app.model.own_run import OWN_RUN
from app.model.phrases import NBSP, days_pair, pair, some, span_pair
from app.model.sizing import size
from app.model.units import grouped, significant
from app.model.workload import Problem, Workload

ASKED = (
    "model", "params", "gpu", "gpus", "batch_tokens", "seq_tokens", "precision", "stack", "recompute",
    "tensor", "pipeline", "context", "data", "zero_stage", "micro_batch", "chunks", "measured_step_seconds",
)  # fmt: skip
"""Inputs that the panel asks for; others travel along unseen."""


@dataclass(frozen=True)
class Panel:
    """`said` are sentences, empty before a run was given; `query` opens the lab with the multiplier."""

    inputs: tuple[Input, ...]
    hidden: tuple[tuple[str, str], ...]
    said: tuple[str, ...]
    query: str
    evidence: str


def panel_of(workload: Workload, problems: Iterable[Problem] = ()) -> Panel:
    """The panel of one workload; `problems` stand at their inputs."""
    found = tuple(problems)
    form = form_of(workload, None if found else size(workload), None, found)
    inputs = _by_name(form)
    said, query = ((), "") if found or workload.measured_step_seconds is None else _learnt(workload)
    rest = {name: value for name, value in workload.model_dump().items() if name not in (*ASKED, "stack_time")}
    kept = Workload(**rest)
    return Panel(
        inputs=tuple(inputs[name] for name in ASKED if name in inputs),
        hidden=tuple((n, str(getattr(kept, n))) for n in rest if rest[n] != Workload.model_fields[n].default),
        said=said,
        query=query,
        evidence=evidence(),
    )


def _by_name(form: Form) -> dict[str, Input]:
    every = (form.model, form.gpu, *form.sliders, *form.switches, *form.layout, *form.experts)
    return {i.field.name: i for i in every}


def _learnt(workload: Workload) -> tuple[tuple[str, ...], str]:
    """What the measured step says, and the query that carries it to other designs."""
    plain = size(workload.changed(measured_step_seconds=None, stack_time=None))
    now = size(workload)
    measured, factor = float(workload.measured_step_seconds or 0), float(str(now.workload["stack_time"]))
    ratio, most = measured / plain.step.seconds, OWN_RUN["farthest"]
    cut = f" It counts as {significant(most if ratio > 1 else 1 / most)}, the farthest miss of any run left out."
    said = (
        f"Measured {significant(measured)} s a step where {significant(plain.step.seconds)} s was predicted: "
        f"{significant(ratio)} times as long.{cut if not 1 / most <= ratio <= most else ''}",
        f"The multiplier of {workload.stack} becomes {significant(factor)} times the table's: the step goes "
        f"{pair(span_pair(plain.step.seconds), span_pair(now.step.seconds))}, the run "
        f"{days_pair(plain.run.days, now.run.days)} without stops.",
        now.accuracy.reason,
    )
    return said, workload.query(measured_step_seconds=None, stack_time=float(f"{factor:.4g}"))


def evidence() -> str:
    """Why a run is believed in part, with the numbers of the experiment."""
    sources, rows = some(OWN_RUN["sources"], "source"), grouped(OWN_RUN["rows"])
    before, after = (significant(OWN_RUN[f"{when}_pct"], 2) for when in ("before", "after"))
    return (
        f"Of {sources} with {rows} runs, each was left out of the fit whole and then given one of its runs, every one "
        f"in turn. The median error over sources went {before} → {after}{NBSP}% with the ratio to the power "
        f"{significant(OWN_RUN['shrink'], 1)}, the best of all powers from 0 to 1. Where the runs of a stack scatter, "
        "one run can mislead: the band keeps that in."
    )
