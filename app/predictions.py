"""A card's question: its number line, and the prediction beside the result."""

import math
from dataclasses import dataclass
from typing import Any

from app.cards import Card, Prediction
from app.form import exact_text
from app.model.answer import Bottleneck, Sizing
from app.model.fields import FIELDS
from app.model.model_code import decode
from app.model.transformer import PRESETS
from app.model.units import parse_number, significant
from app.model.workload import Workload

STOPS = 91
LOG_SCALE_FROM = 20
RIGHT_WITHIN = 1.05
BARS = (
    ("memory", "Per-GPU memory pressure"),
    ("collectives", "Collective comms load"),
    ("data_pipeline", "Data pipeline load"),
    ("activations", "Activation memory"),
    ("failures", "Checkpoint / failure exposure"),
)


@dataclass(frozen=True)
class Mark:
    """A value on the number line; `anchor` keeps its label inside the line's ends."""

    text: str
    percent: str

    @property
    def anchor(self) -> str:
        part = float(self.percent.rstrip("%") or 50)
        return "start" if part < 8 else "end" if part > 92 else "middle"


@dataclass(frozen=True)
class Question:
    """What a card asks. `middle` is the stop at which the mark starts."""

    texts: tuple[str, ...]
    ticks: tuple[Mark, ...]
    before: Mark | None
    bars: tuple[tuple[str, str], ...]

    @property
    def middle(self) -> int:
        return len(self.texts) // 2


@dataclass(frozen=True)
class Change:
    """One input that a card changes."""

    label: str
    unit: str
    before: str
    now: str


@dataclass(frozen=True)
class Outcome:
    """A prediction beside the result; `factor` is empty for a bar and for a guess that is right."""

    guess: Mark
    result: Mark
    unit: str
    right: bool
    factor: str
    bars: tuple[Bottleneck, ...] = ()


def changes(before: Workload | None, now: Workload) -> tuple[Change, ...]:
    """The inputs in which two workloads differ."""
    if before is None:
        return ()
    old, new = before.resolved(), now.resolved()
    names = [n for n, f in FIELDS.items() if getattr(old, n) != getattr(new, n)]
    return tuple(Change(FIELDS[n].label, FIELDS[n].unit, input_text(n, old), input_text(n, new)) for n in names)


def input_text(name: str, workload: Workload) -> str:
    """An input's value as a sentence would write it."""
    value = getattr(workload, name)
    if name == "model" and value in PRESETS:
        return PRESETS[value].transformer.name
    if name == "own_model" and value:
        return decode(str(value)).name
    return "as derived" if value is None else exact_text(value)


def question_of(card: Card, before: Sizing | None) -> Question | None:
    """The question of a card, with the figure of the design before it where there is one."""
    asked = card.prediction
    if asked is None:
        return None
    if asked.kind == "bar":
        return Question((), (), None, BARS)
    mark = _mark(figure_value(before, asked.figure), asked) if before else None
    texts = tuple(exact_text(stop) for stop in line_stops(asked))
    return Question(texts, tuple(Mark(exact_text(t), along_line(t, asked)) for t in line_ticks(asked)), mark, ())


def _is_log(asked: Prediction) -> bool:
    return asked.high / asked.low >= LOG_SCALE_FROM


def line_stops(asked: Prediction) -> tuple[float, ...]:
    """The stops of the number line on which a prediction is marked, three digits each."""
    low, high, last = asked.low, asked.high, STOPS - 1
    if _is_log(asked):
        exact = [low * (high / low) ** (i / last) for i in range(STOPS)]
    else:
        exact = [low + (high - low) * i / last for i in range(STOPS)]
    return tuple(sorted({float(f"{value:.3g}") for value in exact}))


def line_ticks(asked: Prediction) -> tuple[float, ...]:
    """Round values along the line: five to ten of them where it is even, 1 2 5 where it is not."""
    if _is_log(asked):
        first, last = math.floor(math.log10(asked.low)), math.ceil(math.log10(asked.high))
        wide = asked.high / asked.low > 1000
        marks = [m * 10.0**k for k in range(first, last + 1) for m in ((1,) if wide else (1, 2, 5))]
    else:
        span = asked.high - asked.low
        raw = span / 8
        size = 10.0 ** math.floor(math.log10(raw))
        step = next(m * size for m in (1, 2, 5, 10) if m * size >= raw)
        marks = [step * i for i in range(math.ceil(asked.low / step), math.floor(asked.high / step) + 1)]
    return tuple(m for m in marks if asked.low <= m <= asked.high)


def along_line(value: float, asked: Prediction) -> str:
    """Where a value lies on the number line; beyond an end, that end. [%]"""
    inside = min(max(value, asked.low), asked.high)
    if _is_log(asked):
        return f"{100 * math.log(inside / asked.low) / math.log(asked.high / asked.low):.2f}%"
    return f"{100 * (inside - asked.low) / (asked.high - asked.low):.2f}%"


def _mark(value: float, asked: Prediction) -> Mark:
    return Mark(significant(value), along_line(value, asked))


def figure_value(now: Sizing, path: str) -> float:
    """A figure of an answer by its name in the JSON, such as run.wall_days."""
    value: Any = now
    for name in path.split("."):
        value = getattr(value, name)
    return float(value)


def cause_of(now: Sizing, asked: Prediction | None) -> str:
    """The one cause behind the result, in the words of the engine: of a figure what moved it, of a
    bar what fills it."""
    first = ("binds", "cause") if asked and asked.kind == "bar" else ("cause", "binds")
    order = (*first, "lead", "change")
    return min(now.why, key=lambda w: order.index(w.kind)).text


def outcome(card: Card, guess: str, now: Sizing) -> Outcome:
    """What was predicted beside what the engine says. Raises ValueError where the guess is neither
    a positive number nor the id of a bar."""
    asked = card.prediction
    if asked is None:
        raise ValueError("This card asks nothing.")
    return _bar_outcome(guess, now) if asked.kind == "bar" else _number_outcome(asked, guess, now)


def _bar_outcome(guess: str, now: Sizing) -> Outcome:
    labels = {b.id: b.label for b in now.bottlenecks}
    if guess not in labels:
        raise ValueError("Choose one of the five bars.")
    fullest = max(now.bottlenecks, key=lambda b: b.load)
    chosen, result = Mark(labels[guess], ""), Mark(fullest.label, "")
    return Outcome(chosen, result, "", guess == fullest.id, "", now.bottlenecks)


def _number_outcome(asked: Prediction, guess: str, now: Sizing) -> Outcome:
    value, result = parse_number(guess), figure_value(now, asked.figure)
    if value <= 0:
        raise ValueError("Give a number above 0.")
    ratio = value / result if result > 0 else math.inf
    right = 1 / RIGHT_WITHIN <= ratio <= RIGHT_WITHIN
    side = "too high" if ratio > 1 else "too low"
    factor = "" if right else f"{significant(max(ratio, 1 / ratio))} × {side}"
    return Outcome(_mark(value, asked), _mark(result, asked), asked.unit, right, factor)
