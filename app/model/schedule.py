"""A pipeline schedule played tick by tick: one forward, one backward, chunks interleaved where there are several."""

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

FORWARD_TICKS, BACKWARD_TICKS = 1, 2
"""A backward pass takes twice a forward one: two gradients for each multiplication."""


@dataclass(frozen=True)
class Work:
    """One pass of one chunk of a stage over one micro-batch. [ticks]"""

    start: int
    micro_batch: int
    chunk: int
    backward: bool

    @property
    def ticks(self) -> int:
        return BACKWARD_TICKS if self.backward else FORWARD_TICKS


@dataclass(frozen=True)
class Schedule:
    """What every stage does, in order; `ticks` until the last one is done."""

    stages: tuple[tuple[Work, ...], ...]
    ticks: int

    @property
    def busy_ticks(self) -> int:
        """Of one stage: all work alike."""
        return sum(w.ticks for w in self.stages[0])

    @property
    def idle_ticks(self) -> int:
        return self.ticks - self.busy_ticks

    @property
    def idle_fraction(self) -> float:
        return self.idle_ticks / self.ticks


Pass = tuple[int, int, bool]
"""Micro-batch, chunk, backward."""
At = tuple[int, Pass]
"""A pass on a stage."""


@lru_cache(maxsize=8)
def play(stages: int, microbatches: int, chunks: int = 1) -> Schedule:
    """1F1B, interleaved for more than one chunk, each stage as early as its inputs allow. [ticks]

    stages: p [-]; microbatches: m [-]; chunks: blocks of layers on each stage v [-]

    Stage s runs some forward passes ahead, p − s − 1 of them or, interleaved,
    2(p − s − 1) + (v − 1)·p, then one forward and one backward in turn, then what is left.
    Source: Narayanan et al. 2021, arXiv:2104.04473, section 2.2 and figure 4.
    Limits: equal stages, sending takes no time. Interleaving needs whole groups of p micro-batches, as in
        Megatron; ValueError where p does not divide m.

    >>> play(4, 8).idle_ticks, play(4, 8).ticks
    (9, 33)
    """
    if chunks > 1 and microbatches % stages:
        raise ValueError(f"{microbatches} micro-batches are no whole groups of {stages}")
    orders = [_order(s, stages, microbatches, chunks) for s in range(stages)]
    done: dict[At, int] = {}
    free, at = [0] * stages, [0] * stages
    rows: list[list[Work]] = [[] for _ in range(stages)]
    awake = deque(range(stages))
    while awake:
        s = awake.popleft()
        before = at[s]
        for item, needed in _ready(orders[s], at, s, done, stages, chunks):
            work = Work(max(free[s], done[needed] if needed else 0), *item)
            rows[s].append(work)
            free[s] = done[s, item] = work.start + work.ticks
        if at[s] > before:
            awake.extend({(s - 1) % stages, (s + 1) % stages})
    return Schedule(tuple(map(tuple, rows)), max(free))


def _ready(
    order: list[Pass], at: list[int], stage: int, done: Mapping[At, int], stages: int, chunks: int
) -> Iterator[tuple[Pass, At | None]]:
    """The next passes of a stage whose inputs are known, each with its input."""
    while at[stage] < len(order):
        item = order[at[stage]]
        needed = _before(item, stage, stages, chunks)
        if needed and needed not in done:
            return
        at[stage] += 1
        yield item, needed


def _before(item: Pass, stage: int, stages: int, chunks: int) -> At | None:
    """The pass whose result this one works on: the neighbour's, or of the neighbouring chunk at the ends."""
    micro, chunk, backward = item
    last = stages - 1
    if not backward:
        if stage:
            return stage - 1, item
        return (last, (micro, chunk - 1, False)) if chunk else None
    if stage < last:
        return stage + 1, item
    return (0, (micro, chunk + 1, True)) if chunk < chunks - 1 else (last, (micro, chunk, False))


def _order(stage: int, stages: int, microbatches: int, chunks: int) -> list[Pass]:
    """The passes of one stage in the order in which it takes them."""
    forward = _sweep(stages, microbatches, chunks, backward=False)
    backward = _sweep(stages, microbatches, chunks, backward=True)
    ahead = stages - stage - 1 if chunks == 1 else 2 * (stages - stage - 1) + (chunks - 1) * stages
    ahead = min(ahead, len(forward))
    steady = [item for pair in zip(forward[ahead:], backward, strict=False) for item in pair]
    return [*forward[:ahead], *steady, *backward[len(forward) - ahead :]]


def _sweep(stages: int, microbatches: int, chunks: int, backward: bool) -> list[Pass]:
    """All passes of one kind: groups of p micro-batches go through chunk after chunk."""
    order = range(chunks - 1, -1, -1) if backward else range(chunks)
    groups = [range(g, min(g + stages, microbatches)) for g in range(0, microbatches, stages)]
    return [(m, c, backward) for group in groups for c in order for m in group]
