"""One sized design: the numbers alone, before anything is put into words."""

from collections.abc import Callable
from dataclasses import dataclass

from app.model.answer import (
    Bottleneck,
    Data,
    Layout,
    Memory,
    Pipeline,
    Reliability,
    Run,
    Step,
)
from app.model.hardware import Accelerator
from app.model.transformer import Transformer
from app.model.workload import Workload


@dataclass(frozen=True)
class Design:
    """All numbers of one answer. `workload` is resolved: no derived value is None."""

    workload: Workload
    model: Transformer
    accelerator: Accelerator
    shape_id: str
    layout: Layout
    memory: Memory
    step: Step
    pipeline: Pipeline
    run: Run
    data: Data
    reliability: Reliability
    bottlenecks: tuple[Bottleneck, ...]


@dataclass(frozen=True)
class Candidate:
    """One scored layout of the search."""

    layout: Layout
    step_seconds: float
    memory_bytes: float
    fits: bool


Alternative = Callable[..., Candidate | None]
"""alternative(pipeline=8, zero_stage=3): the best scored layout with these parts fixed, fitting
ones first; None when the search has none."""
