"""The workload form as its template shows it: texts, slider positions, placeholders, messages."""

import math
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache

from app.model.answer import Sizing
from app.model.fields import EXPERT, FIELDS, LAYOUT, SLIDERS, Field
from app.model.hardware import ACCELERATORS
from app.model.model_code import decode
from app.model.transformer import PRESETS, given_model
from app.model.units import count, grouped, parse_number
from app.model.workload import Problem, Workload, WorkloadError, choices_of, read_workload
from app.query import short

DRAWER = (*LAYOUT, *EXPERT)
MAX_LABELS = 4
SWITCH_WORDS = {
    "split_model": (("true", "split"), ("false", "don’t split")),
    "recompute": (("auto", "auto"), ("none", "off"), ("selective", "selective"), ("full", "full")),
}


@dataclass(frozen=True)
class Tick:
    """A mark on a slider's scale; `percent` of its length from the left."""

    percent: str
    label: str


@dataclass(frozen=True)
class Scale:
    """What never changes of a slider: the texts of its stops, its marks."""

    texts: tuple[str, ...]
    ticks: tuple[Tick, ...]


@dataclass(frozen=True)
class Input:
    """One control: `text` stands in its box, `stop` is its slider's nearest stop, `ghost` the one
    before the drag, `hint` the derived value that an empty box stands for."""

    field: Field
    text: str
    error: str = ""
    hint: str = ""
    stop: int = 0
    ghost: int | None = None
    locked: bool = False
    words: tuple[tuple[str, str], ...] = ()

    @property
    def percent(self) -> str:
        return percent(self.stop, scale_of(self.field.name))

    @property
    def scale(self) -> Scale:
        return scale_of(self.field.name)


@dataclass(frozen=True)
class Fault:
    """A refused input; `known` where the form has a control for it."""

    name: str
    label: str
    message: str
    known: bool


@dataclass(frozen=True)
class Form:
    """Everything that the form shows for one workload; `own_name` is the name of a model that was brought."""

    model: Input
    own_model: str
    own_name: str
    gpu: Input
    sliders: tuple[Input, ...]
    switches: tuple[Input, ...]
    layout: tuple[Input, ...]
    experts: tuple[Input, ...]
    query: str
    here: str
    free_query: str
    free_params: str
    fixed: str
    faults: tuple[Fault, ...]

    @property
    def drawer_open(self) -> bool:
        """Whether the drawer holds something to see: a value set by hand, or a message."""
        return any(i.error or (i.text and not i.words) for i in (*self.layout, *self.experts))


def exact_text(value: object) -> str:
    """The shortest text that `parse_number` reads back as the same value.

    >>> exact_text(70.6e9), exact_text(4096), exact_text(0.5), exact_text(True)
    ('70.6B', '4096', '0.5', 'true')
    """
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return str(value).lower() if isinstance(value, bool) else str(value)
    for size, letter in ((1e12, "T"), (1e9, "B"), (1e6, "M")):
        if value >= size:
            short = f"{value / size:.6g}{letter}"
            if parse_number(short) == value:
                return short
            break
    return grouped(value) if value == int(value) else repr(float(value))


@cache
def scale_of(name: str) -> Scale:
    """The scale of a slider, from its field's stops."""
    stops = FIELDS[name].stops
    decades = [10.0**k for k in range(-2, 16) if stops[0] <= 10.0**k <= stops[-1]]
    stride = math.ceil(len(decades) / MAX_LABELS)
    last = len(decades) - 1
    labelled = {d for i, d in enumerate(decades) if (last - i) % stride == 0}
    ticks = (Tick(f"{_along(d, stops):.2f}%", tick_text(d) if d in labelled else "") for d in decades)
    return Scale(tuple(exact_text(s) for s in stops), tuple(ticks))


def tick_text(value: float) -> str:
    """A power of ten as a slider's scale writes it.

    >>> tick_text(0.1), tick_text(100), tick_text(1e4), tick_text(1e12)
    ('0.1', '100', '10k', '1T')
    """
    return f"{value / 1e3:g}k" if 1e3 <= value < 1e6 else count(value) if value >= 1e3 else f"{value:g}"


def _along(value: float, stops: tuple[float, ...]) -> float:
    """How far along the scale a value lies, its logarithm taken between two stops. [%]"""
    right = min(max(bisect_left(stops, value), 1), len(stops) - 1)
    low, high = stops[right - 1], stops[right]
    part = math.log(value / low) / math.log(high / low)
    return 100 * (right - 1 + part) / (len(stops) - 1)


def nearest_stop(value: float, stops: tuple[float, ...]) -> int:
    """Index of the stop nearest to a positive value, by ratio."""
    return min(range(len(stops)), key=lambda i: abs(math.log(stops[i] / value)))


def percent(stop: int, scale: Scale) -> str:
    """Where a stop lies along its slider, as a length of CSS."""
    return f"{100 * stop / (len(scale.texts) - 1):.2f}%"


def form_of(
    workload: Workload,
    now: Sizing | None = None,
    was: Workload | None = None,
    problems: Iterable[Problem] = (),
) -> Form:
    """The form of a workload; `now` gives the placeholders that the engine derives."""
    faults = {p.field: p for p in problems}
    make = _Maker(workload, now, was, faults)
    total = workload.resolved().params
    return Form(
        model=make.choice("model", (("", "any, by size"), *((k, p.transformer.name) for k, p in PRESETS.items()))),
        own_model=workload.own_model or "",
        own_name=decode(workload.own_model).name if workload.own_model else "",
        gpu=make.choice("gpu", tuple((k, a.name) for k, a in ACCELERATORS.items())),
        sliders=tuple(make.slider(f) for f in SLIDERS),
        switches=tuple(make.choice(name, words) for name, words in SWITCH_WORDS.items()),
        layout=tuple(make.box(f) for f in LAYOUT),
        experts=tuple(make.expert(f) for f in EXPERT),
        query=workload.query(),
        here=was_query(workload),
        free_query=workload.query(model=None, own_model=None, params=total),
        free_params=f"{total:.0f}" if workload.model or workload.own_model else "",
        fixed=fixed_text(workload),
        faults=tuple(fault_of(p) for p in faults.values()),
    )


def was_query(workload: Workload) -> str:
    """A query to compare with: never empty, for an empty one would mean that nothing came before."""
    return workload.query() or f"gpus={workload.gpus}"


def fault_of(problem: Problem) -> Fault:
    known = problem.field in FIELDS
    label = FIELDS[problem.field].label if known else problem.field
    return Fault(problem.field, label, problem.message, known and problem.field != "own_model")


def fixed_text(workload: Workload) -> str:
    """How many inputs of the drawer were set by hand."""
    defaults = Workload()
    fixed = sum(getattr(workload, f.name) != getattr(defaults, f.name) for f in DRAWER)
    return {0: "nothing fixed", 1: "1 part fixed"}.get(fixed, f"{fixed} parts fixed")


@dataclass(frozen=True)
class _Maker:
    """Makes the inputs of one form."""

    workload: Workload
    now: Sizing | None
    was: Workload | None
    faults: Mapping[str, Problem]

    def _error(self, name: str) -> str:
        problem = self.faults.get(name)
        return f"{FIELDS[name].label} {problem.message}." if problem else ""

    def slider(self, f: Field) -> Input:
        value = getattr(self.workload.resolved(), f.name)
        locked = f.name == "params" and given_model(self.workload) is not None
        before = getattr(self.was.resolved(), f.name) if self.was else value
        problem = self.faults.get(f.name)
        text = count(value) if locked else exact_text(value)
        return Input(
            f,
            problem.value if problem else text,
            self._error(f.name),
            stop=nearest_stop(value, f.stops),
            ghost=None if before == value else nearest_stop(before, f.stops),
            locked=locked,
        )

    def choice(self, name: str, words: tuple[tuple[str, str], ...]) -> Input:
        value = getattr(self.workload, name)
        return Input(FIELDS[name], "" if value is None else exact_text(value), self._error(name), words=words)

    def box(self, f: Field) -> Input:
        value = getattr(self.workload, f.name)
        default = Workload.model_fields[f.name].default
        problem = self.faults.get(f.name)
        text = "" if value == default else exact_text(value)
        return Input(f, problem.value if problem else text, self._error(f.name), hint_of(f, self.workload, self.now))

    def expert(self, f: Field) -> Input:
        words = choices_of(f)
        return self.choice(f.name, tuple((w, word_text(f.name, w)) for w in words)) if words else self.box(f)


def word_text(name: str, word: str) -> str:
    """A choice as the form shows it."""
    yes_no = {"true": "yes", "false": "no"}
    return yes_no.get(word, word) if name == "checkpoint_async" else word.replace("-", " ").replace("_", " ")


def hint_of(f: Field, workload: Workload, now: Sizing | None) -> str:
    """The value that an empty box stands for, in short."""
    source: object = workload.resolved()
    if f in LAYOUT:
        if now is None:
            return "chosen"
        source = now.layout
    value = getattr(source, f.name)
    if value is None:
        return "1" if f.name == "stack_time" else "none"
    return count(value) if isinstance(value, (int, float)) else str(value)


def readable(typed: Mapping[str, str]) -> tuple[Workload, tuple[Problem, ...]]:
    """The workload without the inputs that cannot be read, and what is wrong with those."""
    kept = dict(typed)
    problems: list[Problem] = []
    while True:
        try:
            return read_workload(kept), tuple(problems)
        except WorkloadError as error:
            problems += error.problems
            bad = {p.field for p in error.problems}
            kept = {k: v for k, v in kept.items() if short(k) not in bad}


def readings(form: Form, card: str) -> dict[str, object]:
    """What the script copies into the controls after each answer, as JSON-ready values."""
    boxes = (*form.layout, *(i for i in form.experts if not i.words))
    everything = (form.model, form.gpu, *form.sliders, *form.switches, *form.layout, *form.experts)
    return {
        "query": form.query,
        "here": form.here if form.here != form.query else "",
        "free": form.free_params,
        "card": card,
        "fixed": form.fixed,
        "sliders": {i.field.name: [i.text, i.stop, i.ghost] for i in form.sliders},
        "boxes": {i.field.name: [i.text, i.hint] for i in boxes},
        "errors": {i.field.name: i.error for i in everything if i.error},
    }
