"""From a derivation to what its template prints: MathML, texts and addresses, no new figures."""

from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urlencode

from markupsafe import Markup

from app.mathml import Printed, decimal, in_letters, in_numbers, symbol
from app.model.answer import Source
from app.model.derivations import FIGURES, Derivation, Term, derivation
from app.model.derivations.record import GIB
from app.model.design import Design
from app.model.phrases import joined, money, number, power, share, size
from app.model.units import scaled, seconds_text, significant

KINDS = {
    "verified": "verified",
    "setting": "your setting",
    "engine": "engine",
    "teaching": "teaching assumption",
}
LONGEST_TRAIL = 8


@dataclass(frozen=True)
class Row:
    """One line of the table of terms."""

    symbol: Markup
    meaning: str
    value: Markup
    unit: str
    kind: str
    kind_word: str
    note: str
    source: Source | None
    href: str


@dataclass(frozen=True)
class Choice:
    """One way to count, and what it gives."""

    label: str
    text: str
    href: str
    chosen: bool


@dataclass(frozen=True)
class Step:
    """A figure on the way to this one."""

    title: str
    href: str


@dataclass(frozen=True)
class View:
    title: str
    letter: Markup
    letters: Printed | None
    numbers: Printed
    result: str
    rows: tuple[Row, ...]
    question: str
    choices: tuple[Choice, ...]
    note: str
    limits: tuple[str, ...]
    source: Source | None
    trail: tuple[Step, ...]
    home: str


@dataclass(frozen=True)
class Place:
    """Where a reader stands: the design's query, and the figures opened before this one."""

    query: str
    trail: tuple[str, ...] = ()

    @property
    def home(self) -> str:
        return f"/?{self.query}" if self.query else "/"

    def address(self, figure: str, reading: str = "", trail: tuple[str, ...] = ()) -> str:
        own = {"id": figure, "reading": reading, "from": ",".join(trail[-LONGEST_TRAIL:])}
        return "/figure?" + "&".join(p for p in (urlencode({k: v for k, v in own.items() if v}), self.query) if p)


def derivation_view(design: Design, d: Derivation, place: Place) -> View:
    """What the panel and the page show of one figure."""
    reading = d.reading
    values = {t.name: t.value for t in reading.terms}
    letters = in_letters(reading.formula)
    numbers = in_numbers(reading.formula, values)
    below = (*place.trail, d.id)
    return View(
        title=d.title,
        letter=symbol(d.letter),
        letters=None if reading.formula == d.letter else letters,
        numbers=numbers,
        result=result_text(reading.value, reading.unit),
        rows=tuple(_row(t, place.address(t.figure, trail=below) if t.figure else "") for t in reading.terms),
        question=d.question,
        choices=tuple(
            Choice(r.label, result_text(r.value, r.unit), place.address(d.id, r.id, place.trail), r is reading)
            for r in d.readings
            if len(d.readings) > 1
        ),
        note=reading.note,
        limits=d.limits,
        source=d.source,
        trail=tuple(
            Step(derivation(design, id).title.split(":")[0], place.address(id, trail=place.trail[:i]))
            for i, id in enumerate(place.trail)
        ),
        home=place.home,
    )


def _row(t: Term, href: str) -> Row:
    return Row(
        symbol=symbol(t.name),
        meaning=t.meaning,
        value=_value(t.value),
        unit="" if t.unit == "share" else t.unit,
        kind=t.kind,
        kind_word=KINDS[t.kind],
        note=t.note,
        source=t.source,
        href=href,
    )


def _value(value: float) -> Markup:
    digits, exponent = decimal(value)
    if not exponent:
        return Markup("{}").format(digits)
    return Markup("{} × 10<sup>{}</sup>").format(digits, str(exponent).replace("-", "−"))


def _counted(unit: str) -> Callable[[float], str]:
    def text(value: float) -> str:
        amount, letter = scaled(value)
        return joined((amount, f"{letter} {unit}".strip()))

    return text


def _seconds(value: float) -> str:
    plain = 1e-3 <= value < 1e6 or value == 0
    return joined((significant(value), "s") if plain else seconds_text(value))


TEXTS: dict[str, Callable[[float], str]] = {
    "share": share,
    "bytes": size,
    "GB": size,
    "GiB": lambda v: joined((significant(v / GIB), "GiB")),
    "s": _seconds,
    "dollars": money,
    "FLOP": lambda v: joined((power(v), "FLOP")),
    "tokens": _counted("tokens"),
    "tokens/s": _counted("tokens/s"),
    "parameters": _counted("parameters"),
    "GPU-h": _counted("GPU-h"),
}


def result_text(value: float, unit: str) -> str:
    """A result with its unit, as the lab writes it."""
    if unit in TEXTS:
        return TEXTS[unit](value)
    one = value == 1 and unit.endswith("s")
    return joined((number(value), unit.removesuffix("s") if one else unit))


SECTIONS = {
    "run": "The run",
    "step": "One step",
    "memory": "Memory of a GPU",
    "layout": "The layout",
    "pipeline": "The pipeline",
    "data": "Data supply",
    "reliability": "Stops and checkpoints",
    "bottlenecks": "Loads",
}


@dataclass(frozen=True)
class Listed:
    title: str
    text: str
    href: str


def figure_list(design: Design, place: Place) -> dict[str, tuple[Listed, ...]]:
    """Every figure of a design with what it is, by the heading that it stands under."""
    found = [derivation(design, id) for id in FIGURES]
    return {
        title: tuple(
            Listed(d.title, result_text(d.reading.value, d.reading.unit), place.address(d.id))
            for d in found
            if d.id.split(".")[0] == section
        )
        for section, title in SECTIONS.items()
    }
