"""The constants that a fit may move, read once from `app/data/calibration.yaml`."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import yaml

PATH = Path(__file__).parent.parent / "data" / "calibration.yaml"


@dataclass(frozen=True)
class Generation:
    """Achieved shares of an accelerator generation's peaks, 0 to 1.

    attention: of fused kernels of 2023 and before; attention_late: of those from 2024 on
    """

    matmul: float
    matmul_fp8: float
    attention: float
    attention_late: float
    memory: float
    how: str


@dataclass(frozen=True)
class Stack:
    """A software stack: one multiplier of time, and facts about what it does.

    time: multiplier of computing and exchanges [-]
    attention: "unfused", "fused" (to 2023) or "late" (fused, from 2024 on)
    compiled: element-wise passes are fused, kernels launched in bulk
    fused_loss: logits are not kept in 32 bit
    tensor_overlap: "none", "async" (decomposed) or "buffers" (user buffers)
    data_overlap: gradients and weights travel behind computing
    gradient_bytes: of one gradient on the wire; 0: as it is stored
    shard_group: GPUs that share sharded state; 0: all of the data-parallel group
    blocking: every kernel launch waits for the one before
    rails: a collective across nodes uses the network ports of all GPUs of a node
    interleaving: its pipeline can run several chunks of layers on a stage
    sharding: replicas can share out state among them (ZeRO)
    expert_overlap: tokens travel to experts behind the computing of another micro-batch
    handover_seconds: what its pipeline loses at each micro-batch beyond bytes and latency [s]
    serial_broadcast: each member of a sharded optimizer hands its weights out in turn
    """

    name: str
    time: float
    attention: str
    sequence_parallel: bool
    compiled: bool
    fused_loss: bool
    tensor_overlap: str
    data_overlap: bool
    gradient_bytes: float
    how: str
    shard_group: int = 0
    blocking: bool = False
    rails: bool = True
    interleaving: bool = True
    sharding: bool = True
    handover_seconds: float = 0.0
    expert_overlap: bool = False
    serial_broadcast: bool = False

    @property
    def fused_attention(self) -> bool:
        return self.attention != "unfused"


@dataclass(frozen=True)
class MemoryKind:
    """What a figure of memory counts: planned here, or measured by some tool.

    activations: what a layer keeps over the textbook count [-]
    logit_bytes: for each logit of a micro-batch; context_bytes: driver, libraries and buffers
    fragmentation: share of activations and gathered weights lost between blocks [-]
    """

    activations: float
    logit_bytes: float
    context_bytes: float
    fragmentation: float
    how: str


def _values(table: dict[str, dict[str, Any]]) -> dict[str, float]:
    return {name: float(row["value"]) for name, row in table.items()}


_TABLE = yaml.safe_load(PATH.read_text(encoding="utf-8"))
_LIVE: dict[str, dict[str, Any]] = {
    "generations": {k: Generation(**v) for k, v in _TABLE["generations"].items()},
    "stacks": {k: Stack(**v) for k, v in _TABLE["stacks"].items()},
    "time": _values(_TABLE["time"]),
    "memory": {k: MemoryKind(**v) for k, v in _TABLE["memory"].items()},
}

GENERATIONS: MappingProxyType[str, Generation] = MappingProxyType(_LIVE["generations"])
STACKS: MappingProxyType[str, Stack] = MappingProxyType(_LIVE["stacks"])
TIME: MappingProxyType[str, float] = MappingProxyType(_LIVE["time"])
MEMORY: MappingProxyType[str, MemoryKind] = MappingProxyType(_LIVE["memory"])
DEFAULT_STACK = next(iter(STACKS))


@contextmanager
def tried(changes: dict[str, dict[str, Any]]) -> Iterator[None]:
    """Other constants for the length of a block: how a fit tries values out.

    changes: table ("generations", "stacks", "time", "memory") to name to value
    """
    before = {table: dict(_LIVE[table]) for table in changes}
    for table, values in changes.items():
        _LIVE[table].update(values)
    try:
        yield
    finally:
        for table, values in before.items():
            _LIVE[table].clear()
            _LIVE[table].update(values)
