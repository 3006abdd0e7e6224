"""Which constants the fit may move, from where and how far."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from app.model.calibration import GENERATIONS, STACKS
from calibrate.fit import Constant

SHARES = {
    "ampere.matmul": (0.81, 0.025), "ampere.attention": (0.48, 0.15), "hopper.matmul": (0.71, 0.025),
    "hopper.attention": (0.26, 0.15), "hopper.attention_late": (0.54, 0.15), "hopper-500w.matmul": (0.64, 0.025),
    "hopper-500w.attention": (0.23, 0.15), "blackwell.matmul": (0.57, 0.025), "blackwell.attention_late": (0.64, 0.15),
}  # fmt: skip
"""Share of a peak: (what microbenchmarks and earlier exploration suggest, spread of its logarithm)."""
TIMES = {
    "operand_traffic": (1.37, 0.2), "fast_link": (0.44, 0.3), "slow_link": (0.85, 0.05), "hop_seconds": (5e-6, 0.7),
    "latency_seconds": (1.2e-5, 0.7), "broadcast_seconds": (2.6e-3, 0.5), "attention_backward_rate": (0.57, 0.15),
    "elementwise": (0.72, 0.3), "elementwise_compiled": (0.28, 0.3), "elementwise_backward": (1.6, 0.1),
    "launch_seconds": (7e-4, 0.3), "launch_seconds_compiled": (2.5e-4, 0.2), "blocking_seconds": (1e-3, 0.7),
    "score_bytes": (15, 0.3), "tensor_hidden_async": (0.41, 0.2), "tensor_hidden_buffers": (0.57, 0.2),
    "data_hidden": (0.44, 0.3), "fsdp_exposed": (0.29, 0.3), "logit_bytes": (24, 0.2), "logit_bytes_fused": (14, 0.15),
    "optimizer": (0.71, 0.3), "fixed_seconds": (0.021, 0.3), "straggler": (0.0037, 0.4),
    "selective_linear": (0.15, 0.3),
}  # fmt: skip
STACK_GROUPS = (
    ("nemo",), ("megatron-core",), ("pytorch-eager",), ("llm-foundry",),
    ("internevo",), ("megatron-2021",), ("megatron-deepspeed",),
)  # fmt: skip
"""Stacks that share one multiplier; each is fitted on ten rows or more, else it stays 1."""
STACK_SPREAD = 0.10
LEAST_ROWS = 10


def constants(stack_rows: dict[str, int]) -> list[Constant]:
    """All that may move, given how many rows each stack has in the fit."""
    found = []
    for share, (start, spread) in SHARES.items():
        name, field = share.split(".")
        alike = ("attention", "attention_late")
        of = alike if name in ("ampere", "blackwell") and field in alike else (field,)
        found.append(Constant(tuple(("generations", name, f) for f in of), start, spread, 0.95))
    for name, (start, spread) in TIMES.items():
        most = 0.9 if "hidden" in name or "exposed" in name else np.inf
        found.append(Constant((("time", name, ""),), start, spread, most))
    for group in STACK_GROUPS:
        if sum(stack_rows.get(s, 0) for s in group) >= LEAST_ROWS:
            found.append(Constant(tuple(("stacks", s, "time") for s in group), 1.0, STACK_SPREAD))
    return found


def changes(chosen: Sequence[Constant], values: np.ndarray) -> dict[str, dict[str, Any]]:
    """The table with these values, all other stacks at 1."""
    tables: dict[str, dict[str, Any]] = {
        "generations": dict(GENERATIONS),
        "stacks": {name: replace(stack, time=1.0) for name, stack in STACKS.items()},
        "time": {},
    }
    for constant, value in zip(chosen, values, strict=True):
        for table, name, field in constant.tables:
            old = tables[table].get(name)
            tables[table][name] = replace(old, **{field: float(value)}) if field else float(value)
    return tables
