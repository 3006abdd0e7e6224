"""The facts of one interview case: drawn from a seed, or taken from a workload of the learner's own."""

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from app.model.compute import training_days, training_flop
from app.model.hardware import ACCELERATORS, Accelerator
from app.model.memory import bytes_per_param, state_bytes
from app.model.reliability import checkpoint_bytes, lost_fraction
from app.model.sizing import size
from app.model.workload import Workload

T = TypeVar("T")

SPARSE_OVER_DENSE = 2
"""Speed listed with 2:4 sparsity over the dense one, as vendors print both."""

PRACTICE_PIPELINE = (8, 32)
"""Stages and micro-batches asked about where the design itself has no pipeline. Teaching assumption."""

HIGHEST_SEED = 2**53 - 1
"""The largest whole number that every JSON reader keeps exactly."""


@dataclass(frozen=True)
class Given:
    """What the candidate is told.

    params, train_tokens, gpus, gpus_per_node, pipeline, microbatches: counts; memory_gb: 1e9 bytes of
    one accelerator; *_tflops: 1e12 FLOP/s of one accelerator; mfu: 0 to 1; mtbf_gpu_hours: GPU-hours
    between stops; checkpoint_minutes: minutes between checkpoints; checkpoint_gb_per_s: 1e9 bytes/s.
    """

    params: float
    train_tokens: float
    gpus: int
    gpus_per_node: int
    memory_gb: float
    dense_peak_tflops: float
    sparse_peak_tflops: float
    mfu: float
    pipeline: int
    microbatches: int
    mtbf_gpu_hours: float
    checkpoint_minutes: float
    checkpoint_gb_per_s: float


@dataclass(frozen=True)
class Case:
    """A case: its link's query, what it is about, and its facts. `note` says what was assumed."""

    query: str
    accelerator: str
    link_gb_per_s: float
    given: Given
    seed: int | None = None
    note: str = ""


_GPUS = (*(m * 2**k for k in range(6, 16) for m in (1, 1.5)), 65_536)
_PARAMS = (7e9, 8e9, 13e9, 20e9, 30e9, 34e9, 52e9, 70e9, 100e9, 130e9, 175e9, 280e9, 340e9, 405e9, 540e9, 1e12)
_TOKENS_PER_PARAM = (15, 20, 25, 40, 60, 100, 150)
_MOST_TOKENS = 20e12
_MFU = (0.32, 0.35, 0.38, 0.40, 0.42, 0.45, 0.48, 0.52)
_DAYS = (10, 15, 20, 30, 45, 60, 90)
_ACCELERATORS = ("a100-40gb", "a100-80gb", "h100-80gb", "h100-80gb", "h200-141gb", "b200-192gb", "mi300x-192gb")
_NODES = (8, 8, 8, 4)
_STAGES = (4, 8, 16)
_MICROBATCHES_PER_STAGE = (1, 2, 3, 4, 6, 8)
_MTBF = (20_000, 30_000, 40_000, 50_677, 60_000, 80_000, 100_000)
_CHECKPOINT_MINUTES = (10, 15, 20, 30, 45, 60, 90, 120, 180, 240)
_STORES = (2, 5, 10, 20, 40, 80, 160, 273, 500)
_LINKS = (12.5, 25.0, 50.0, 100.0)


def case_of(seed: int) -> Case:
    """The same case for the same seed, on any machine: only `random()` is drawn, whose values Python keeps."""
    draw = random.Random(seed)
    gpu = ACCELERATORS[_pick(draw, _ACCELERATORS)]
    node = _pick(draw, _NODES)
    params = _pick(draw, tuple(n for n in _PARAMS if _cards(n, gpu) >= 2))
    tokens = min(_MOST_TOKENS, float(f"{params * _pick(draw, _TOKENS_PER_PARAM):.1e}"))
    mfu = _pick(draw, _MFU)
    gpus = _fleet(params, tokens, gpu, mfu, _pick(draw, _DAYS))
    stages = _pick(draw, tuple(p for p in _STAGES if gpus % (p * node) == 0 and gpus >= 2 * p * node))
    mtbf = _pick(draw, _MTBF)
    minutes = _pick(draw, _intervals(gpus, mtbf))
    given = Given(
        params=params,
        train_tokens=tokens,
        gpus=gpus,
        gpus_per_node=node,
        **_silicon(gpu),
        mfu=mfu,
        pipeline=stages,
        microbatches=stages * _pick(draw, _MICROBATCHES_PER_STAGE),
        mtbf_gpu_hours=mtbf,
        checkpoint_minutes=minutes,
        checkpoint_gb_per_s=_pick(draw, _stores(params, minutes)),
    )
    return Case(f"seed={seed}", gpu.name, _pick(draw, _LINKS), given, seed)


def case_of_workload(workload: Workload) -> Case:
    """The learner's own run as a case; where its design has no pipeline, a practice one is asked about."""
    full, sized = workload.resolved(), size(workload)
    gpu = ACCELERATORS[full.gpu]
    piped = sized.layout.pipeline > 1
    stages = (sized.layout.pipeline, sized.layout.microbatches) if piped else PRACTICE_PIPELINE
    mfu = full.mfu if isinstance(full.mfu, float) else max(0.01, round(sized.run.mfu, 2))
    given = Given(
        params=full.params,
        train_tokens=full.train_tokens,
        gpus=full.gpus,
        gpus_per_node=full.gpus_per_node,
        **_silicon(gpu),
        mfu=mfu,
        pipeline=stages[0],
        microbatches=stages[1],
        mtbf_gpu_hours=full.mtbf_gpu_hours,
        checkpoint_minutes=full.checkpoint_minutes,
        checkpoint_gb_per_s=full.checkpoint_gb_per_s,
    )
    note = "" if piped else "The design of this workload needs no pipeline; step 4 asks about a practice one."
    return Case(workload.query() or f"gpus={full.gpus}", gpu.name, full.link_gb_per_s, given, note=note)


def _pick(draw: random.Random, choices: Sequence[T]) -> T:
    return choices[int(draw.random() * len(choices))]


def _silicon(gpu: Accelerator) -> dict[str, float]:
    dense = gpu.peak_flop_per_s("bf16") / 1e12
    return {
        "memory_gb": gpu.memory_bytes / 1e9,
        "dense_peak_tflops": dense,
        "sparse_peak_tflops": dense * SPARSE_OVER_DENSE,
    }


def _cards(params: float, gpu: Accelerator) -> int:
    """Accelerators that the state alone fills."""
    state = float(state_bytes(params, params, bytes_per_param(16, "bf16")))
    return math.ceil(state / gpu.memory_bytes)


def _fleet(params: float, tokens: float, gpu: Accelerator, mfu: float, days: float) -> int:
    """The number of GPUs on the ladder that comes nearest to so many days, with room beside the state."""
    flop = training_flop(params, tokens)
    sizes = [int(g) for g in _GPUS if g >= 2 * _cards(params, gpu)]
    speed = mfu * gpu.peak_flop_per_s("bf16")
    return min(sizes, key=lambda g: abs(math.log(training_days(flop, g, speed) / days)))


def _intervals(gpus: int, mtbf: float) -> tuple[float, ...]:
    """Checkpoint intervals that lose something worth counting, and not most of the run."""
    return tuple(m for m in _CHECKPOINT_MINUTES if 0.001 <= lost_fraction(m * 60, mtbf * 3600 / gpus) <= 0.4)


def _stores(params: float, minutes: float) -> tuple[float, ...]:
    """Stores that write a checkpoint in seconds to minutes, well within the interval."""
    size = checkpoint_bytes(params, params, 16, 2)
    return tuple(s for s in _STORES if 3 <= size / (s * 1e9) <= minutes * 60 / 3)
