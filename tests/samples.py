"""Designs of every kind that the page must draw, sized by the engine."""

from functools import cache

from app.model.answer import Layout, Sizing
from app.model.sizing import size
from app.model.workload import Workload

FLEET = {"model": "llama-3.1-405b", "batch_tokens": 2**24, "seq_tokens": 8192, "data_tokens_per_s": 5e6}
WORKLOADS: dict[str, dict[str, object]] = {
    "one": {"params": 1.2e9, "gpus": 1, "batch_tokens": 2**19},
    "node": {"params": 1.2e9, "gpus": 8, "batch_tokens": 2**19},
    "default": {},
    "thousand": {"params": 175e9, "gpus": 1000},
    "prime": {"gpus": 1009},
    "fleet": {**FLEET, "gpus": 16_384, "tensor": 8, "pipeline": 16},
    "largest": {"params": 1e12, "gpus": 131_072, "batch_tokens": 2**26},
    "million": {"params": 1e12, "gpus": 1_000_000, "batch_tokens": 2**28},
    "experts": {"model": "deepseek-v3", "gpus": 2048, "batch_tokens": 62_914_560},
    "long": {**FLEET, "gpus": 16_384, "seq_tokens": 131_072},
    "deep": {"params": 5e12, "gpus": 4096, "pipeline": 128},
    "too big": {"model": "llama-3.1-70b", "gpus": 8, "split_model": False},
    "far too big": {"params": 1e13, "gpus": 64},
}
BEFORE: dict[str, dict[str, object]] = {
    "default": {"gpus": 32},
    "fleet": {**FLEET, "gpus": 8192, "tensor": 8, "pipeline": 16},
    "too big": {"params": 8e9, "gpus": 16},
}


@cache
def sized(name: str) -> Sizing:
    """A sample, compared with the design before it where there is one."""
    before = Workload(**BEFORE[name]) if name in BEFORE else None
    return size(Workload(**WORKLOADS[name]), before)


@cache
def sized_before(name: str) -> Sizing | None:
    return size(Workload(**BEFORE[name])) if name in BEFORE else None


def layout(**sizes: int) -> Layout:
    """A layout by its sizes alone."""
    parts = {"tensor": 1, "pipeline": 1, "context": 1, "expert": 1, "data": 1, "zero_stage": 0, "micro_batch": 1,
             "chunks": 1, "microbatches": 1, **sizes}  # fmt: skip
    used = parts["tensor"] * parts["pipeline"] * parts["context"] * parts["data"]
    return Layout(**parts, recompute="none", gpus_used=used)
