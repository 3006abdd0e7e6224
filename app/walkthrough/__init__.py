"""The walkthrough: six steps from a count of bytes to a plan for stops, for any workload."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from app.model.sizing import design
from app.model.units import count, grouped
from app.model.workload import Workload
from app.predictions import input_text
from app.walkthrough import depth, division, layer, shards, state, stops
from app.walkthrough.record import Speaker, Step

__all__ = ["EXAMPLES", "NAMES", "Example", "Step", "speaker", "summary", "walk"]

MAKERS: tuple[Callable[[Speaker], Step], ...] = (
    state.step, shards.step, layer.step, depth.step, division.step, stops.step,
)  # fmt: skip
NAMES = (
    ("Count memory", "bytes of a parameter"),
    ("Shard state", "ZeRO"),
    ("Split layers", "tensor parallel"),
    ("Split depth", "pipeline parallel"),
    ("Estimate time", "work ÷ speed"),
    ("Checkpoint", "stops and restarts"),
)
"""Name of each step, and what it is about."""


@dataclass(frozen=True)
class Example:
    """A workload to walk through."""

    label: str
    workload: Workload

    @property
    def query(self) -> str:
        return self.workload.query()


def _small(gpus: int, **inputs: object) -> Workload:
    return Workload(params=10e9, gpus=gpus, split_model=False, **inputs)  # type: ignore[arg-type]


EXAMPLES = (
    Example("10B on 64", _small(64, zero_stage=3)),
    Example("10B on 256, planned", _small(256, train_tokens=1e12, mfu=0.4)),
    Example("405B on 16k", Workload(model="llama-3.1-405b", gpus=16_384, batch_tokens=2.0**24, seq_tokens=8192)),
    Example("1T on 16k, planned",
            Workload(params=1e12, gpus=16_384, train_tokens=15e12, batch_tokens=2.0**24, mfu=0.4)),
)  # fmt: skip
"""The workloads of the article that the walkthrough follows, and the largest published one."""


def speaker(workload: Workload) -> Speaker:
    return Speaker(design(workload), workload.query())


@lru_cache(maxsize=128)
def walk(workload: Workload, number: int) -> Step:
    """Step 1 to 6 of a workload."""
    return MAKERS[number - 1](speaker(workload))


def summary(workload: Workload) -> str:
    """The workload in one line; its design is what the steps find out."""
    w = workload.resolved()
    to = speaker(workload)
    name = f"{input_text('model', w)}, " if w.model else ""
    return (
        f"{name}{count(w.params)} parameters on {grouped(w.gpus)} × {to.gpu}, {count(w.train_tokens or 0)} tokens; "
        f"{count(w.batch_tokens)} tokens a step, sequences of {grouped(w.seq_tokens)}"
    )
