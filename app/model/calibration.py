"""The constants that a fit may move, read once from `app/data/calibration.yaml`."""

from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import yaml

PATH = Path(__file__).parent.parent / "data" / "calibration.yaml"


@dataclass(frozen=True)
class Generation:
    """Achieved shares of an accelerator generation's peaks, 0 to 1."""

    matmul: float
    attention: float
    memory: float
    how: str


@dataclass(frozen=True)
class Stack:
    """A software stack: one multiplier of time, and what its kernels do."""

    name: str
    time: float
    fused_attention: bool
    sequence_parallel: bool
    tensor_hidden: float
    data_hidden: float
    elementwise: float
    kernel_seconds: float
    how: str


def _values(table: dict[str, dict[str, Any]]) -> MappingProxyType[str, float]:
    return MappingProxyType({name: float(row["value"]) for name, row in table.items()})


_TABLE = yaml.safe_load(PATH.read_text(encoding="utf-8"))

GENERATIONS = MappingProxyType({k: Generation(**v) for k, v in _TABLE["generations"].items()})
STACKS = MappingProxyType({k: Stack(**v) for k, v in _TABLE["stacks"].items()})
TIME = _values(_TABLE["time"])
MEMORY = _values(_TABLE["memory"])
DEFAULT_STACK = next(iter(STACKS))
