"""The rows that a fit may see, and folds of them that keep near-copies together."""

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from app.model.runs import Run, measured, read_rows, read_runs
from app.model.sources import DATA

FOLDS = 10


@dataclass(frozen=True)
class Sample:
    """One run with its published step time [s]."""

    run: Run
    seconds: float

    @property
    def family(self) -> tuple[object, ...]:
        """Rows alike in all but scale: same source, shape, tensor size, recompute and sharing."""
        run, x = self.run, self.run.layout
        shape = run.source, run.workload.gpu, run.model.layers, run.model.hidden
        return *shape, x.tensor, x.recompute, run.stack.shard_group


def samples(path: Path = DATA / "published_runs.csv") -> list[Sample]:
    """Dense 16-bit rows with a step time, layout and recompute stated, nothing from memory."""
    found = []
    for run, row in read_runs(read_rows(path))[0]:
        seconds = measured(row).step_seconds
        plain = run.workload.precision in ("bf16", "fp16") and not run.model.experts
        stated = "FROM MEMORY" not in row.get("notes", "") and not run.open_axes
        if seconds and plain and stated:
            found.append(Sample(run, seconds))
    return found


def folds(rows: Sequence[Sample]) -> np.ndarray:
    """Fold of each row, by family: the same on every machine."""
    return np.array([zlib.crc32(repr(r.family).encode()) % FOLDS for r in rows])


def weights(rows: Sequence[Sample]) -> np.ndarray:
    """Each row by one over the root of its source's number of rows, mean 1."""
    sources = [r.run.source for r in rows]
    raw = np.array([sources.count(s) ** -0.5 for s in sources])
    return raw / raw.mean()
