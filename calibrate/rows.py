"""The rows that each fit may see, and folds of them that keep near-copies together."""

import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from app.model.runs import Run, measured, read_rows, read_runs
from app.model.sources import DATA
from app.model.validation import settled

FOLDS = 10
LARGEST_SWEEP = 64
"""The sweep is fitted up to this many GPUs: beyond it its cluster has a slow mode that is no physics."""


@dataclass(frozen=True)
class Sample:
    """One run with its published step time [s]; `stated`: layout and recompute are, nothing is from memory."""

    run: Run
    seconds: float
    stated: bool
    memory_bytes: float | None

    @property
    def family(self) -> tuple[object, ...]:
        """Rows alike in all but scale: same source, accelerator, shape, tensor size, recompute and sharing."""
        run, x = self.run, self.run.layout
        shape = run.source, run.workload.gpu, run.model.layers, run.model.hidden
        return *shape, x.tensor, x.recompute, run.stack.shard_group

    @property
    def kind(self) -> str:
        if self.run.model.experts:
            return "experts"
        return "fp8" if self.run.workload.precision == "fp8" else "dense"


@cache
def samples(name: str = "published_runs.csv") -> tuple[Sample, ...]:
    """All rows with a step time whose facts a source states, what it leaves open settled."""
    found = []
    for run, row in read_runs(read_rows(DATA / name))[0]:
        truth = measured(row)
        if truth.step_seconds and "FROM MEMORY" not in row.get("notes", ""):
            chosen = replace(run, layout=settled(run)[0])
            found.append(Sample(chosen, truth.step_seconds, not run.open_axes, truth.memory_bytes))
    return tuple(found)


def of_kind(kind: str) -> list[Sample]:
    """Rows of one kind: dense ones with everything stated, FP8 and experts with what the engine chose."""
    return [s for s in samples() if s.kind == kind and (s.stated or kind != "dense")]


def sweep() -> list[Sample]:
    """The measured sweep of one stack over many layouts of the same work."""
    return [s for s in samples("ultrascale_runs.csv") if s.run.workload.gpus <= LARGEST_SWEEP]


def folds(rows: Sequence[Sample]) -> np.ndarray:
    """Fold of each row, by family: the same on every machine."""
    return np.array([zlib.crc32(repr(r.family).encode()) % FOLDS for r in rows])


def weights(rows: Sequence[Sample]) -> np.ndarray:
    """Each row by one over the root of its source's number of rows, mean 1."""
    sources = [r.run.source for r in rows]
    raw = np.array([sources.count(s) ** -0.5 for s in sources])
    return raw / raw.mean()
