"""What a step of the walkthrough is made of, and how its sentences carry figures."""

import math
from dataclasses import dataclass
from operator import attrgetter

from markupsafe import Markup

from app.derivation_view import Place
from app.model.derivations import FIGURES, Derivation
from app.model.derivations.facts import Facts
from app.model.design import Design
from app.model.phrases import days, number, share, size, span
from app.model.units import significant


@dataclass(frozen=True)
class Input:
    """One of the numbers that a question starts from."""

    label: str
    text: Markup | str


@dataclass(frozen=True)
class Ask:
    """A question with a number for an answer. `value` is in `unit`; low and high are the ends of its
    number line where the step has its own, else both are 0."""

    text: str
    value: float
    unit: str
    low: float = 0.0
    high: float = 0.0


@dataclass(frozen=True)
class Bar:
    """One row of bars. `kind` gives its colour, `rest` a hatched part behind it; x and widths in percent."""

    label: str
    note: str
    x: str
    width: str
    text: Markup | str
    kind: str
    rest: str = ""
    strong: bool = False
    marks: tuple[str, ...] = ()


@dataclass(frozen=True)
class Bars:
    """Rows below each other on one scale; `line` is a limit across all of them."""

    rows: tuple[Bar, ...]
    line: str = ""
    line_text: str = ""


@dataclass(frozen=True)
class Table:
    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[Markup | str, ...], ...]


@dataclass(frozen=True)
class Step:
    """`setup` and `inputs` stand before the prediction; all that follows `ask` only after it.

    title: the finding; sums: its arithmetic; drawing: what the template `picture` draws, `label` in words
    known: what is known from here on; rules: ids of the rules whose sources stand behind it
    """

    id: str
    name: str
    setup: Markup
    inputs: tuple[Input, ...]
    ask: Ask
    title: str
    story: tuple[Markup, ...]
    sums: tuple[Derivation, ...]
    picture: str
    drawing: object
    label: str
    caption: str
    table: Table
    known: Markup
    rules: tuple[str, ...]


@dataclass(frozen=True)
class Speaker:
    """Puts figures of one design into sentences, each with its name, its value and the way to its arithmetic."""

    design: Design
    query: str

    @property
    def facts(self) -> Facts:
        return Facts(self.design)

    @property
    def gpu(self) -> str:
        """The accelerator without its vendor, as in 'H100 SXM5 80 GB'."""
        return self.design.accelerator.name.removeprefix(f"{self.design.accelerator.vendor} ")

    def value(self, id: str) -> float:
        return float(attrgetter(id)(self.design))

    def figure(self, id: str, text: str) -> Markup:
        if id not in FIGURES:
            return Markup('<b data-figure="{}" data-value="{}">{}</b>').format(id, self.value(id), text)
        return Markup('<a class="figure" href="{}" data-figure="{}" data-value="{}">{}</a>').format(
            Place(self.query).address(id), id, self.value(id), text
        )

    def size(self, id: str) -> Markup:
        return self.figure(id, size(self.value(id)))

    def share(self, id: str) -> Markup:
        return self.figure(id, share(self.value(id)))

    def span(self, id: str) -> Markup:
        """A figure in seconds."""
        return self.figure(id, span(self.value(id)))

    def days(self, id: str) -> Markup:
        return self.figure(id, days(self.value(id)))

    def count(self, id: str) -> Markup:
        return self.figure(id, number(self.value(id)))

    def power(self, id: str) -> Markup:
        return self.figure(id, powered(self.value(id)))


def powered(value: float) -> Markup:
    """A very large number, its power of ten raised.

    >>> str(powered(3.8e25))
    '3.80 × 10<sup>25</sup>'
    """
    exponent = math.floor(math.log10(value)) if value > 0 else 0
    return Markup("{} × 10<sup>{}</sup>").format(significant(value / 10.0**exponent), exponent)


def say(text: str, **parts: object) -> Markup:
    """A sentence of ours with figures in it."""
    return Markup(text).format(**parts)
