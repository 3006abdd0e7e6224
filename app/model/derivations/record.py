"""The records of a derivation: a formula, what its letters stand for, and other ways to count."""

from dataclasses import dataclass, replace

from app.model.answer import Source
from app.model.derivations.expression import evaluate
from app.model.sources import source

GB, GIB = 1e9, 2.0**30


@dataclass(frozen=True)
class Term:
    """One letter or number of a formula.

    name: as in the formula; digits explain a number that stands in it
    kind: "verified" (a source), "setting" (the visitor's), "engine" or "teaching" (our assumption)
    figure: id of the figure that it is, whose arithmetic can be opened in turn; "" where there is none
    """

    name: str
    meaning: str
    value: float
    unit: str = ""
    kind: str = "engine"
    note: str = ""
    source: Source | None = None
    figure: str = ""


Terms = tuple[Term, ...]


@dataclass(frozen=True)
class Reading:
    """One way to count a figure; what it gives times `scale` is the figure in the units of the JSON."""

    id: str
    label: str
    formula: str
    terms: tuple[Term, ...]
    unit: str
    scale: float = 1.0
    note: str = ""

    @property
    def value(self) -> float:
        """In the units of the JSON."""
        return self.scale * evaluate(self.formula, {t.name: t.value for t in self.terms})


@dataclass(frozen=True)
class Derivation:
    """Where one figure comes from. Of several readings the first is the one that the lab shows.

    letter: what stands left of the formula; question: what the readings differ in
    """

    id: str
    title: str
    letter: str
    readings: tuple[Reading, ...]
    limits: tuple[str, ...] = ()
    source: Source | None = None
    question: str = ""
    chosen: int = 0

    @property
    def reading(self) -> Reading:
        return self.readings[self.chosen]

    def read_as(self, id: str) -> "Derivation":
        """The same figure counted another way; KeyError where there is no such reading."""
        ids = [r.id for r in self.readings]
        if id not in ids:
            raise KeyError(id)
        return replace(self, chosen=ids.index(id))


def derived(
    id: str,
    title: str,
    letter: str,
    formula: str,
    unit: str,
    *terms: Term,
    limits: tuple[str, ...] = (),
    cites: tuple[str, str] | None = None,
    scale: float = 1.0,
    note: str = "",
) -> Derivation:
    """A figure that everyone counts alike."""
    reading = Reading("", "", formula, terms, unit, scale, note)
    return Derivation(id, title, letter, (reading,), limits, source(*cites) if cites else None)


def setting(name: str, meaning: str, value: float, unit: str = "", note: str = "") -> Term:
    return Term(name, meaning, float(value), unit, "setting", note)


def engine(name: str, meaning: str, value: float, unit: str = "", figure: str = "", note: str = "") -> Term:
    return Term(name, meaning, float(value), unit, "engine", note, figure=figure)


def teaching(name: str, meaning: str, value: float, unit: str = "", note: str = "") -> Term:
    return Term(name, meaning, float(value), unit, "teaching", note)


def verified(name: str, meaning: str, value: float, unit: str, id: str, where: str) -> Term:
    """A value that a work of the bibliography gives."""
    return Term(name, meaning, float(value), unit, "verified", source=source(id, where))


def listed_value(name: str, meaning: str, value: float, unit: str, note: str) -> Term:
    """A value whose source is told in words, of several the shortest: a model's configuration, a data sheet."""
    shortest = min(note.split(";"), key=len).strip()
    return Term(name, meaning, float(value), unit, "verified", shortest)


def sum_of(parts: tuple[Term, ...]) -> str:
    """The sum of terms as a formula; those that are nothing are left out, unless all are.

    >>> sum_of((engine("a", "", 1), engine("b", "", 0), engine("c", "", 2)))
    'a + c'
    """
    return " + ".join(t.name for t in some_of(parts))


def some_of(parts: tuple[Term, ...]) -> tuple[Term, ...]:
    """The terms that are more than nothing; the first where none is."""
    return tuple(t for t in parts if t.value) or parts[:1]


def in_gigabytes(id: str, title: str, letter: str, formula: str, terms: tuple[Term, ...], **more: object) -> Derivation:
    """A sum of sizes, in GB or in GiB: the terms are given in bytes."""
    readings = tuple(
        Reading(unit, label, formula, tuple(_in(t, each, unit) for t in terms), unit, each)
        for unit, label, each in (("GB", "GB = 10⁹ bytes", GB), ("GiB", "GiB = 2³⁰ bytes", GIB))
    )
    made = Derivation(id, title, letter, readings, question="Which gigabyte")
    return replace(made, **more)  # type: ignore[arg-type]


def gigabytes(*terms: Term) -> Terms:
    """Terms in GB instead of bytes, for a ratio that reads better so."""
    return tuple(_in(t, GB, "GB") for t in terms)


def _in(term: Term, each: float, unit: str) -> Term:
    return replace(term, value=term.value / each, unit=unit) if term.unit == "bytes" else term
