"""Factors of each kind of memory figure: least squares on what was measured, outliers counted by their size."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from app.model.calibration import MEMORY, MemoryKind
from app.model.memory import gpu_memory, stages
from app.model.runs import Run
from calibrate.rows import Sample, folds, samples

KINDS = ("allocated", "allocated-nanotron", "reserved", "process")
FACTORS = ("activations", "logit_bytes", "context_bytes")
EXPECTED = np.array([1.0, 12.0, 1.5e9])
LIKELY = np.array([0.4, 5.0, 5e9])
"""Before any row is seen: each factor and its standard deviation."""
NOISE = 0.05
ROUNDS = 20
LEAST_ERROR = 0.02


@dataclass(frozen=True)
class KindFit:
    """One kind: factors, rows, and error ratios of rows left out by family."""

    kind: MemoryKind
    rows: int
    left_out: np.ndarray


def kind_fits() -> dict[str, KindFit]:
    """Fits each kind on its rows: dense, with recompute stated."""
    found = {}
    for name in KINDS:
        some = [s for s in _rows() if s.run.memory_kind == name]
        parts = folds(some)
        out = np.empty(len(some))
        for part in np.unique(parts):
            kind = factors(name, [s for s, p in zip(some, parts, strict=True) if p != part])
            own = [s for s, p in zip(some, parts, strict=True) if p == part]
            out[parts == part] = [total(s.run, kind) / s.memory_bytes - 1 for s in own]
        found[name] = KindFit(factors(name, some), len(some), out)
    return found


def _rows() -> list[Sample]:
    everything = [*samples(), *samples("ultrascale_runs.csv")]
    return [s for s in everything if s.memory_bytes and s.kind == "dense" and s.stated]


def factors(name: str, some: Sequence[Sample]) -> MemoryKind:
    """The kind's factors, each at least 0."""
    kind = replace(MEMORY[name], fragmentation=0.0)
    measured = np.array([s.memory_bytes for s in some])
    weight = np.ones(len(some))
    for _ in range(ROUNDS):
        fixed, parts = map(np.array, zip(*(_parts(s.run, kind) for s in some), strict=True))
        scale = weight / NOISE
        left = np.vstack([(scale / measured)[:, None] * parts * LIKELY, np.eye(len(FACTORS))])
        right = np.concatenate([scale * (1 - fixed / measured), EXPECTED / LIKELY])
        values = np.linalg.lstsq(left, right, rcond=None)[0] * LIKELY
        kind = replace(kind, **{f: max(0.0, float(v)) for f, v in zip(FACTORS, values, strict=True)})
        error = np.abs(np.array([total(s.run, kind) for s in some]) / measured - 1)
        weight = (np.maximum(error, LEAST_ERROR) / LEAST_ERROR) ** -0.5
    return kind


def total(run: Run, kind: MemoryKind) -> float:
    """Memory of the run's rank under a kind. [bytes]"""
    fixed, parts = _parts(run, kind)
    return float(fixed + parts @ [getattr(kind, f) for f in FACTORS])


def _parts(run: Run, kind: MemoryKind) -> tuple[float, np.ndarray]:
    """What the factors do not touch, and what each multiplies, on the rank that the source logs."""
    none = replace(kind, activations=0.0, logit_bytes=0.0, context_bytes=0.0)
    best: tuple[float, np.ndarray] = (0.0, np.zeros(len(FACTORS)))
    loads = stages(run.model, run.layout.pipeline)
    chosen = {"first": loads[:1], "last": loads[-1:], "fullest": loads}[run.memory_rank]
    most = -1.0
    for load in chosen:
        of = [gpu_memory(run.workload, run.model, load, run.layout, run.stack, k) for k in (none, *_ones(none))]
        fixed = float(of[0].total)
        parts = np.array([float(g.total) - fixed for g in of[1:]])
        now = fixed + parts @ [getattr(kind, f) for f in FACTORS]
        if now > most:
            most, best = now, (fixed, parts)
    return best


def _ones(none: MemoryKind) -> list[MemoryKind]:
    return [replace(none, **{factor: 1.0}) for factor in FACTORS]
