"""Which constants the fit may move, from where and how far."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from app.model.calibration import GENERATIONS, STACKS
from calibrate.fit import Constant

SHARES = {
    "ampere.matmul": (0.765, 0.01), "ampere.attention": (0.48, 0.15), "hopper.matmul": (0.675, 0.01),
    "hopper.attention": (0.26, 0.15), "hopper.attention_late": (0.54, 0.15), "hopper-500w.matmul": (0.61, 0.02),
    "hopper-500w.attention": (0.23, 0.15), "blackwell.matmul": (0.54, 0.01), "blackwell.attention_late": (0.64, 0.15),
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
FP8_SHARES = {"hopper": (0.72, 0.2), "hopper-500w": (0.65, 0.2), "blackwell": (0.58, 0.2)}
EXPERT_TIMES = {
    "launch_seconds_experts": (1e-3, 0.7), "routed_passes": (8, 0.5), "grouped_matmul": (0.8, 0.2),
    "expert_hidden": (0.4, 0.3),
}  # fmt: skip
STACK_GROUPS = (
    ("nemo",), ("megatron-core",), ("pytorch-eager",), ("llm-foundry",), ("internevo",),
    ("megatron-2021", "megatron-2022"), ("megatron-deepspeed",),
)  # fmt: skip
"""Stacks that share one multiplier; each is fitted on ten rows or more, else it stays 1."""
STACK_SPREAD = 0.10
LEAST_ROWS = 10


def dense(stacks_of_rows: Iterable[str]) -> list[Constant]:
    """All that dense 16-bit runs may move, given the stack of each row."""
    found = []
    for share, (start, spread) in SHARES.items():
        name, field = share.split(".")
        alike = ("attention", "attention_late")
        of = alike if name in ("ampere", "blackwell") and field in alike else (field,)
        found.append(Constant(tuple(("generations", name, f) for f in of), start, spread, 0.95))
    counts = Counter(stacks_of_rows)
    found += _times(TIMES)
    for group in STACK_GROUPS:
        if sum(counts[s] for s in group) >= LEAST_ROWS:
            found.append(Constant(tuple(("stacks", s, "time") for s in group), 1.0, STACK_SPREAD))
    return found


def fp8() -> list[Constant]:
    """What FP8 runs move beyond the dense constants."""
    found = [Constant((("generations", n, "matmul_fp8"),), *v, 0.95) for n, v in FP8_SHARES.items()]
    return [*found, Constant((("time", "quantise_bytes", ""),), 2.0, 0.7)]


def experts() -> list[Constant]:
    """What runs with experts move."""
    return _times(EXPERT_TIMES)


def sweep() -> list[Constant]:
    """What the sweep of one stack over many layouts moves: its multiplier and its pipeline's handover."""
    own = ("stacks", "nanotron")
    return [Constant(((*own, "time"),), 1.0, STACK_SPREAD), Constant(((*own, "handover_seconds"),), 0.03, 1.0)]


def _times(table: dict[str, tuple[float, float]]) -> list[Constant]:
    shares = ("hidden", "exposed", "grouped")
    return [
        Constant((("time", name, ""),), start, spread, 0.9 if any(s in name for s in shares) else np.inf)
        for name, (start, spread) in table.items()
    ]


def changes(chosen: Sequence[Constant], values: Iterable[float], reset: bool = False) -> dict[str, dict[str, Any]]:
    """The table's changed entries; `reset` puts all other stacks to a multiplier of 1 first."""
    tables: dict[str, dict[str, Any]] = {"generations": {}, "stacks": {}, "time": {}}
    if reset:
        tables["stacks"] = {name: replace(stack, time=1.0) for name, stack in STACKS.items()}
    now: dict[str, Any] = {"generations": GENERATIONS, "stacks": STACKS}
    for constant, value in zip(chosen, values, strict=True):
        for table, name, field in constant.tables:
            if field:
                old = tables[table].get(name, now[table][name])
                tables[table][name] = replace(old, **{field: float(value)})
            else:
                tables[table][name] = float(value)
    return tables
