"""One step as a strip of seconds: ten parts in a row, with labels that do not touch."""

from dataclasses import dataclass

from app.figures import Shown
from app.model.answer import Step
from app.model.units import grouped, significant
from app.svg import num, pct

PARTS = (
    ("compute_seconds", "compute", "compute"),
    ("bubble_seconds", "bubble", "idle"),
    ("tensor_exposed_seconds", "tensor", "exchange"),
    ("context_exposed_seconds", "context", "exchange"),
    ("expert_exposed_seconds", "expert", "exchange"),
    ("pipeline_exposed_seconds", "pipeline", "exchange"),
    ("data_parallel_exposed_seconds", "data parallel", "exchange"),
    ("loader_wait_seconds", "waiting for data", "idle"),
    ("optimizer_seconds", "optimizer", "rest"),
    ("overhead_seconds", "fixed costs", "rest"),
)
"""Field of Step, name, and the kind that gives its colour."""
MERGED = {"exchange": "exchange in sight", "rest": "rest"}
LEAST_LABEL = 0.01
"""Smallest share of a step that gets a label on the strip."""
CHARACTER = 0.0098
"""Width of a character as a share of the strip on a desk's screen."""


@dataclass(frozen=True)
class Segment:
    kind: str
    x: str
    width: str


@dataclass(frozen=True)
class StripLabel:
    x: str
    text: str


@dataclass(frozen=True)
class StripPart:
    name: str
    figure: Shown


@dataclass(frozen=True)
class Strip:
    """All seconds are written in `unit`."""

    seconds: Shown
    unit: str
    segments: tuple[Segment, ...]
    labels: tuple[StripLabel, ...]
    parts: tuple[StripPart, ...]


def strip(step: Step) -> Strip:
    """The parts of a step in proportion."""
    factor, unit = (1.0, "s") if step.seconds >= 1 else (1e3, "ms")
    total = significant(step.seconds * factor)
    decimals = len(total.partition(".")[2])
    values = [(field, name, kind, float(getattr(step, field))) for field, name, kind in PARTS]
    parts = tuple(StripPart(n, Shown(f"step.{f}", v, _text(v * factor, decimals))) for f, n, _, v in values)
    segments, spans, x = [], [], 0.0
    for _, name, kind, value in values:
        share = value / step.seconds
        if share > 0.0005:
            segments.append(Segment(kind, pct(x), pct(share)))
        spans.append((MERGED.get(kind, name), x, value))
        x += share
    return Strip(
        seconds=Shown("step.seconds", step.seconds, total),
        unit=unit,
        segments=tuple(segments),
        labels=_labels(_merged(spans), step.seconds, factor, unit, decimals),
        parts=parts,
    )


def _text(value: float, decimals: int) -> str:
    """With the decimals of the whole step; small values keep one digit, nothing is 0."""
    if value <= 0:
        return "0"
    return grouped(value, decimals) if value >= 0.5 * 10**-decimals else significant(value, 1)


def _merged(spans: list[tuple[str, float, float]]) -> list[tuple[str, float, float]]:
    """Neighbours of one name as one span: (name, start, seconds)."""
    merged: list[tuple[str, float, float]] = []
    for name, start, seconds in spans:
        if merged and merged[-1][0] == name:
            merged[-1] = (name, merged[-1][1], merged[-1][2] + seconds)
        else:
            merged.append((name, start, seconds))
    return merged


def _labels(
    spans: list[tuple[str, float, float]], total: float, factor: float, unit: str, decimals: int
) -> tuple[StripLabel, ...]:
    """Each label at the start of its span, or as far left as the labels after it need."""
    shown = [(s, f"{_text(v * factor, decimals)} {name}") for name, s, v in spans if v >= LEAST_LABEL * total]
    if shown:
        first = shown[0][1].split(" ", 1)
        shown[0] = (shown[0][0], f"{first[0]} {unit} {first[1]}")
    placed: list[StripLabel] = []
    limit = 1.0
    for start, text in reversed(shown):
        start = max(0.0, min(start, limit - CHARACTER * len(text)))
        placed.append(StripLabel(num(100 * start) + "%", text))
        limit = start - 2 * CHARACTER
    return tuple(reversed(placed))
