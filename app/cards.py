"""Scenario cards: one YAML file each, inputs only. The engine decides what they come out as."""

import os
from collections.abc import Mapping
from dataclasses import is_dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Literal, get_type_hints

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from app.model.answer import Sizing
from app.model.fields import LAYOUT
from app.model.workload import Workload, WorkloadError, read_workload

SCENARIOS = Path(__file__).parent.parent / "scenarios"
FOLDER_VARIABLE = "PRETRAINING_LAB_SCENARIOS"
PATH_CARDS = 6
LEAST_END, MOST_END = 1e-6, 1e15
"""Ends of a question's number line."""
ENGINE_CHOOSES = {f.name for f in LAYOUT}


class CardError(ValueError):
    """Some card cannot be used; the text has one line 'file: field: cause' for each fault."""


class Prediction(BaseModel):
    """One question asked before a card applies: a number on a line, or which bar is fullest."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    question: str = Field(min_length=1)
    kind: Literal["number", "bar"]
    figure: str = ""
    unit: str = ""
    low: float = Field(0.0, allow_inf_nan=False)
    high: float = Field(0.0, allow_inf_nan=False)

    @model_validator(mode="after")
    def _number_has_a_line(self) -> "Prediction":
        if self.kind == "bar":
            return self
        if not self.figure:
            raise ValueError("a number needs a figure, such as run.wall_days")
        if not LEAST_END <= self.low < self.high <= MOST_END:
            raise ValueError(f"a number needs low and high, with {LEAST_END:g} ≤ low < high ≤ {MOST_END:g}")
        return self


class Card(BaseModel):
    """A named workload. `before` holds the inputs from which the card departs, if any."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str = Field(pattern=r"^[a-z0-9-]{1,40}$")
    order: int = Field(ge=1)
    title: str = Field(min_length=1, max_length=40)
    subtitle: str = Field(min_length=1, max_length=60)
    watch: str = Field(min_length=1)
    inputs: dict[str, Any]
    before: dict[str, Any] = {}
    story: str = ""
    prediction: Prediction | None = None

    @cached_property
    def workload(self) -> Workload:
        return read_workload(self.inputs)

    @cached_property
    def before_workload(self) -> Workload | None:
        return read_workload({**self.inputs, **self.before}) if self.before else None

    @cached_property
    def query(self) -> str:
        return self.workload.query()


@cache
def all_cards() -> tuple[Card, ...]:
    """The cards in use, in their order: those of the lab, or those of an own folder."""
    return load_cards(Path(os.environ.get(FOLDER_VARIABLE) or SCENARIOS))


def card_by_id(card_id: str) -> Card | None:
    return next((c for c in all_cards() if c.id == card_id), None)


def card_of(workload: Workload) -> Card | None:
    """The card whose inputs give this very workload."""
    return _by_workload().get(workload.resolved())


@cache
def _by_workload() -> dict[Workload, Card]:
    return {c.workload.resolved(): c for c in reversed(all_cards())}


def load_cards(folder: Path) -> tuple[Card, ...]:
    """Every *.yaml of a folder as a card. Raises CardError that names file, field and cause."""
    files = sorted(folder.glob("*.yaml"))
    if not files:
        raise CardError(f"{folder}: has no *.yaml file; {FOLDER_VARIABLE} names the folder of the cards")
    cards: list[Card] = []
    faults: list[str] = []
    for file in files:
        try:
            cards.append(_read_card(file))
        except CardError as error:
            faults.append(str(error))
    faults += _clashes(cards)
    if faults:
        raise CardError("\n".join(faults))
    return tuple(sorted(cards, key=lambda c: c.order))


def _read_card(file: Path) -> Card:
    where = f"{file.parent.name}/{file.name}"
    try:
        values = yaml.safe_load(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise CardError(f"{where}: cannot be read: {error.strerror}") from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise CardError(f"{where}: is not YAML: {' '.join(str(error).split())[:300]}") from None
    if not isinstance(values, dict):
        raise CardError(f"{where}: is not a list of fields: start with 'id: …'")
    try:
        card = Card(**{str(k): v for k, v in values.items()})
    except ValidationError as error:
        raise CardError("\n".join(f"{where}: {_cause(e)}" for e in error.errors())) from None
    started = {**card.inputs, **card.before} if card.before else {}
    faults = [f"{where}: {f}" for f in (*_input_faults("inputs", card.inputs), *_input_faults("before", started))]
    faults += [f"{where}: {f}" for f in _figure_faults(card.prediction)]
    if faults:
        raise CardError("\n".join(faults))
    return card


def _cause(error: Any) -> str:
    name = ".".join(str(part) for part in error["loc"])
    return f"{name}: {error['msg'].removeprefix('Value error, ')}"


def _input_faults(part: str, inputs: Mapping[str, Any]) -> list[str]:
    faults = [
        f"{part}.{name}: fixes a part of the layout, which the engine chooses: a card gives inputs only"
        for name in inputs
        if name in ENGINE_CHOOSES
    ]
    try:
        read_workload({k: v for k, v in inputs.items() if k not in ENGINE_CHOOSES})
    except WorkloadError as error:
        faults += [f"{part}.{p.field}: {p.message}" for p in error.problems]
    return faults


def _figure_faults(prediction: Prediction | None) -> list[str]:
    if prediction is None or prediction.kind == "bar":
        return []
    record: Any = Sizing
    for name in prediction.figure.split("."):
        record = get_type_hints(record).get(name) if is_dataclass(record) else None
    known = record in (int, float)
    return (
        []
        if known
        else [f"prediction.figure: {prediction.figure} is no figure of an answer; take one such as run.wall_days"]
    )


def _clashes(cards: list[Card]) -> list[str]:
    ids = [c.id for c in cards]
    return [f"{i}: id: two cards have it; each needs its own" for i in sorted({i for i in ids if ids.count(i) > 1})]
