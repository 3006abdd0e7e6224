"""Scores every legal layout at once and picks one, with the runner-up beside it."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from app.model.design import Candidate
from app.model.hardware import ACCELERATORS
from app.model.layout import RECOMPUTE, Layout, Mesh, all_layouts, cells, sequences
from app.model.memory import gpu_memory, stages
from app.model.own_run import own_stack
from app.model.step import loader_wait, step_time
from app.model.transformer import Transformer
from app.model.workload import Workload

WITHIN = 1.05
"""goal=simplest takes the simplest layout at most this much slower than the fastest."""
HEADROOM = 0.95
"""Layouts that fill more of the usable memory are taken only when no other fits: planners leave
5 to 10 % free for fragmentation and retries (a teaching assumption)."""
NOT_TIME = (
    "data_tokens_per_s", "checkpoint_minutes", "checkpoint_gb_per_s", "checkpoint_async", "train_tokens", "mfu",
    "goal", "mtbf_gpu_hours", "restart_minutes", "gpu_hour_price", "measured_step_seconds",
)  # fmt: skip
"""Inputs on which the time of a busy step does not depend: a drag of one scores nothing anew."""
NOT_MEMORY = (*NOT_TIME, "link_gb_per_s", "stack_time")
"""Inputs on which no byte on a GPU depends."""


@dataclass(frozen=True)
class Scores:
    """Every layout of one workload with its step time and fullest GPU."""

    workload: Workload
    model: Transformer
    mesh: Mesh
    seconds: np.ndarray
    bytes: np.ndarray
    fits: np.ndarray

    def candidate(self, index: int) -> Candidate:
        """The layout at a flat index, as the record that texts use."""
        layout = self.mesh.columns.at(index, self.mesh.shape).answer()
        return Candidate(
            layout,
            float(self.seconds.flat[index]),
            float(self.bytes.flat[index]),
            bool(self.fits.flat[index]),
        )

    def alternative(self, **fixed: int | str) -> Candidate | None:
        """The best layout with these parts fixed, fitting ones first; None when there is none."""
        wanted = self.mesh.legal
        for part, value in fixed.items():
            number = RECOMPUTE.index(value) if isinstance(value, str) else value
            wanted = wanted & (getattr(self.mesh.columns, part) == number)
        index = least(self.seconds, wanted & self.fits)
        if index is None:
            index = least(self.bytes, wanted)
        return None if index is None else self.candidate(index)


def least(values: np.ndarray, wanted: np.ndarray) -> int | None:
    """Flat index of the least value among the wanted cells; None when none is wanted."""
    index = int(np.argmin(np.where(wanted, values, np.inf)))
    return index if wanted.flat[index] else None


def fullest_bytes(workload: Workload, model: Transformer, x: Layout) -> Any:
    """Memory of the fullest GPU of any stage. [bytes]

    Source: `memory.gpu_memory` of the first, a middle and the last stage.
    Limits: as there.
    """
    first, middle, last = (gpu_memory(workload, model, load, x).total for load in stages(model, x.pipeline))
    return np.maximum(np.maximum(first, middle), last)


@lru_cache(maxsize=8)
def scores(workload: Workload, model: Transformer) -> Scores:
    """Every legal layout of a resolved workload, scored. Cached for the last few: one can hold 10 MB."""
    mesh = all_layouts(workload, model)
    total = _all_bytes(workload.model_copy(update=dict.fromkeys(NOT_MEMORY)), model)
    busy = _all_busy(workload.model_copy(update=dict.fromkeys(NOT_TIME)), model)
    tokens = sequences(workload) * workload.seq_tokens
    seconds = busy + loader_wait(workload, tokens, busy)
    usable = ACCELERATORS[workload.gpu].usable_bytes
    return Scores(workload, model, mesh, seconds, total, mesh.legal & (total <= usable))


@lru_cache(maxsize=8)
def _all_bytes(workload: Workload, model: Transformer) -> np.ndarray:
    mesh = all_layouts(workload, model)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.broadcast_to(fullest_bytes(workload, model, mesh.columns), mesh.shape)


@lru_cache(maxsize=8)
def _all_busy(workload: Workload, model: Transformer) -> np.ndarray:
    mesh = all_layouts(workload, model)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.broadcast_to(step_time(workload, model, mesh.columns, own_stack(workload)).busy, mesh.shape)


def choose(found: Scores) -> tuple[int, int | None]:
    """Flat indices of the chosen layout and of the runner-up.

    Among the layouts that fit: the fastest, or the simplest within `WITHIN` of it. The runner-up is
    the best that splits the work otherwise. When none fits: the one nearest to fitting.
    """
    if not found.fits.any():
        nearest = least(found.bytes, found.mesh.legal)
        return (0 if nearest is None else nearest), None
    roomy = found.fits & (found.bytes <= HEADROOM * ACCELERATORS[found.workload.gpu].usable_bytes)
    wanted = roomy if roomy.any() else found.fits
    best = _pick(found, wanted)
    other = wanted & ~_same_split(found, best)
    return best, _pick(found, other) if other.any() else None


def _pick(found: Scores, wanted: np.ndarray) -> int:
    quickest = int(np.argmin(np.where(wanted, found.seconds, np.inf)))
    if found.workload.goal == "fastest":
        return quickest
    near = np.flatnonzero(wanted & (found.seconds <= WITHIN * found.seconds.flat[quickest]))
    where = np.unravel_index(near, found.mesh.shape)
    keys = _simplicity(found.mesh.columns, found.workload.gpus)
    order = [np.broadcast_to(cells(key, where), near.shape) for key in keys]
    return int(near[np.lexsort((found.seconds.flat[near], *reversed(order)))[0]])


def _simplicity(x: Layout, gpus: int) -> tuple[Any, ...]:
    """What makes a layout simple, the weightiest first; less is simpler.

    Spreading experts is not counted against a layout: a model has experts in order to be spread.
    """
    idle = x.model_parallel * x.data < gpus
    sizes = (x.tensor > 1) * 1 + (x.pipeline > 1) + (x.context > 1) + (x.data > 1)
    return sizes, idle, x.model_parallel, x.zero_stage, x.recompute, x.chunks, -x.micro_batch


def _same_split(found: Scores, index: int) -> np.ndarray:
    x = found.mesh.columns
    one = x.at(index, found.mesh.shape)
    same = (x.tensor == one.tensor) & (x.pipeline == one.pipeline) & (x.context == one.context)
    same = same & (x.expert == one.expert) & ((x.zero_stage > 0) == (one.zero_stage > 0))
    return np.broadcast_to(same, found.mesh.shape)


def top_layouts(workload: Workload, model: Transformer, n: int = 10) -> tuple[Candidate, ...]:
    """The n fastest layouts that fit, or nearest to fitting when none does."""
    found = scores(workload, model)
    wanted, value = (found.fits, found.seconds) if found.fits.any() else (found.mesh.legal, found.bytes)
    order = np.argsort(np.where(wanted, value, np.inf), axis=None)[: max(0, n)]
    return tuple(found.candidate(int(i)) for i in order if wanted.flat[i])
