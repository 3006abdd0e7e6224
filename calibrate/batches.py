"""Runs as columns: those that differ in numbers alone are predicted together, so that a fit takes seconds."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from app.model.calibration import STACKS, Stack
from app.model.layout import Layout
from app.model.runs import Run
from app.model.step import step_time
from app.model.transformer import Transformer
from app.model.workload import Workload

SHAPE = ("layers", "hidden", "heads", "kv_heads", "head_dim", "ffn", "vocab")
WORK = ("seq_tokens", "params", "trained_params", "gpus", "link_gb_per_s")


@dataclass(frozen=True)
class Batch:
    """Some runs as one: `rows` are their places in the list they came from."""

    rows: np.ndarray
    workload: Workload
    model: Transformer
    layout: Layout
    stack_id: str
    stack: Stack

    def seconds(self) -> np.ndarray:
        """Predicted step times, with the stack's multiplier as it is now. [s]"""
        stack = replace(self.stack, time=STACKS[self.stack_id].time)
        busy = step_time(self.workload, self.model, self.layout, stack).busy
        return np.broadcast_to(np.asarray(busy, dtype=float), self.rows.shape)


def batches(runs: Sequence[Run]) -> list[Batch]:
    """Runs grouped by everything that is no number."""
    groups: dict[Any, list[int]] = {}
    for i, run in enumerate(runs):
        groups.setdefault(_kind(run), []).append(i)
    return [_batch([runs[i] for i in places], places) for places in groups.values()]


def predict(groups: Sequence[Batch], count: int) -> np.ndarray:
    """Predicted step time of every run. [s]"""
    out = np.empty(count)
    for group in groups:
        out[group.rows] = group.seconds()
    return out


def _kind(run: Run) -> Any:
    w, model = run.workload, run.model
    shape = tuple(getattr(model, f.name) for f in fields(model) if f.name not in (*SHAPE, "id", "name"))
    return w.gpu, w.precision, w.gpus_per_node, shape, run.stack_id, run.stack


def _batch(runs: list[Run], places: list[int]) -> Batch:
    first = runs[0]
    shape = {name: np.array([getattr(r.model, name) for r in runs]) for name in SHAPE}
    work = {name: np.array([float(getattr(r.workload, name)) for r in runs]) for name in WORK}
    layout = {f.name: np.array([getattr(r.layout, f.name) for r in runs]) for f in fields(Layout)}
    return Batch(
        rows=np.array(places),
        workload=first.workload.model_copy(update=work),
        model=replace(first.model, **shape),
        layout=Layout(**layout),
        stack_id=first.stack_id,
        stack=first.stack,
    )
