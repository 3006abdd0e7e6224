"""What the charts show, in numbers: one input swept, everything else as set."""

import math
from dataclasses import dataclass

from app.model.design import Design
from app.model.fields import FIELDS
from app.model.reliability import parts
from app.model.sizing import design
from app.model.workload import Workload

CURVE_POINTS = 61
COUNTS = 9
PARTS = ("weights", "gradients", "optimizer", "activations", "overhead")


@dataclass(frozen=True)
class Interval:
    """One checkpoint interval; the four shares of wall time sum to 1."""

    minutes: float
    goodput: float
    repeated: float
    writing: float
    restarting: float


@dataclass(frozen=True)
class Intervals:
    """`best` is None where saving goes on in the background: every shorter interval is better then."""

    curve: tuple[Interval, ...]
    now: Interval
    best: Interval | None
    write_seconds: float
    stop_seconds: float


@dataclass(frozen=True)
class Count:
    """One GPU count. `waits`: the loaders hold it up; `idles`: some of its GPUs have no work."""

    gpus: int
    days: float
    wall_days: float
    fits: bool
    waits: bool
    idles: bool
    layout: str


@dataclass(frozen=True)
class Counts:
    """`fullest_use` is the fitting count that takes the fewest GPU-days; None where none fits."""

    all: tuple[Count, ...]
    now: Count
    fullest_use: Count | None
    sequences: int

    @property
    def fitting(self) -> tuple[Count, ...]:
        return tuple(c for c in self.all if c.fits)

    def divided(self, gpus: int) -> float:
        """Days with stops if the fewest GPU-days were divided evenly. [days]"""
        assert self.fullest_use is not None
        return self.fullest_use.wall_days * self.fullest_use.gpus / gpus


@dataclass(frozen=True)
class Piece:
    """One kind of memory on the fullest GPU, from `start_bytes` on; the last is `free` or `over`."""

    id: str
    start_bytes: float
    bytes: float

    @property
    def end_bytes(self) -> float:
        return self.start_bytes + self.bytes


def intervals(now: Design) -> Intervals:
    """Goodput over checkpoint intervals around the best one and the one that is set."""
    stops = now.reliability
    here, best = now.workload.checkpoint_minutes, stops.optimal_checkpoint_minutes
    return Intervals(
        curve=tuple(interval_at(now, m) for m in spread(*sorted((here, best)))),
        now=interval_at(now, here),
        best=None if now.workload.checkpoint_async else interval_at(now, best),
        write_seconds=stops.checkpoint_write_seconds,
        stop_seconds=3600 * stops.hours_between_stops,
    )


def interval_at(now: Design, minutes: float) -> Interval:
    """What one checkpoint interval would give this design."""
    stops, w = now.reliability, now.workload
    stall = 0.0 if w.checkpoint_async else stops.checkpoint_write_seconds
    return Interval(minutes, *parts(60 * minutes, stall, 3600 * stops.hours_between_stops, 60 * w.restart_minutes))


def spread(low: float, high: float) -> list[float]:
    """Values from well below `low` to well above `high`, each the same factor from the next."""
    inside = math.log10(high / low)
    room = 0.6 + 0.2 * inside
    start, step = math.log10(low) - room, (inside + 2 * room) / (CURVE_POINTS - 1)
    return sorted({low, high, *(10 ** (start + i * step) for i in range(CURVE_POINTS))})


def counts(asked: Workload, now: Design) -> Counts:
    """Days over GPU counts, each with the layout that the engine chooses for it."""
    every = tuple(_count(design(asked.changed(gpus=n))) for n in doublings(asked.gpus))
    here = next(c for c in every if c.gpus == asked.gpus)
    fitting = [c for c in every if c.fits]
    return Counts(
        all=every,
        now=here,
        fullest_use=min(fitting, key=lambda c: c.wall_days * c.gpus, default=None),
        sequences=max(1, round(now.workload.batch_tokens / now.workload.seq_tokens)),
    )


def doublings(gpus: int) -> list[int]:
    """Nine GPU counts around this one, each twice the one before; fewer below it near the bounds.

    >>> doublings(64)
    [4, 8, 16, 32, 64, 128, 256, 512, 1024]
    >>> doublings(3)
    [1, 2, 3, 6, 12, 24, 48, 96, 192]
    """
    field = FIELDS["gpus"]
    possible = sorted(n for n in {round(gpus * 2.0**k) for k in range(-COUNTS, COUNTS)} if field.low <= n <= field.high)
    first = min(max(0, possible.index(gpus) - COUNTS // 2), len(possible) - COUNTS)
    return possible[first : first + COUNTS]


def _count(d: Design) -> Count:
    x = d.layout
    return Count(
        gpus=d.workload.gpus,
        days=d.run.days,
        wall_days=d.run.wall_days,
        fits=d.shape_id != "does_not_fit",
        waits=d.step.loader_wait_seconds > 0.05 * d.step.seconds,
        idles=x.gpus_used < 0.95 * d.workload.gpus,
        layout=f"{x.tensor} × {x.pipeline} × {x.data}",
    )


def pieces(now: Design) -> tuple[Piece, ...]:
    """What fills the fullest GPU, one kind after the other, and what is left or too much."""
    memory, found, start = now.memory, [], 0.0
    for part in PARTS:
        value = getattr(memory, f"{part}_bytes")
        found.append(Piece(part, start, value))
        start += value
    total, usable = memory.total_bytes, memory.usable_bytes
    rest = Piece("free", total, usable - total) if memory.fits else Piece("over", usable, total - usable)
    return (*found, rest)
