"""How the API describes itself: made from the table of fields and the records of the answer, so that
it cannot drift from them."""

from collections import defaultdict
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, get_args, get_type_hints

from app.model.answer import ModelPart, Sizing
from app.model.design import Candidate
from app.model.fields import CHOICES, EXPERT, FIELDS, LAYOUT, SLIDERS, SWITCHES, Field
from app.model.model_code import MOST_CODE
from app.model.units import grouped
from app.model.workload import Workload, bound_text, choices_of


@dataclass(frozen=True)
class RefusedInput:
    field: str
    value: str
    message: str


@dataclass(frozen=True)
class Refusal:
    """Problem details (RFC 9457)."""

    type: str
    title: str
    status: int
    detail: str
    errors: tuple[RefusedInput, ...]


@dataclass(frozen=True)
class LayoutList:
    workload: dict[str, object]
    layouts: tuple[Candidate, ...]


@dataclass(frozen=True)
class CountedModel:
    """`own_model` is null where the lab does not size the model; `untimed` then says why."""

    name: str
    model_type: str
    total_params: float
    active_params: float
    parts: tuple[ModelPart, ...]
    filled: tuple[str, ...]
    notes: tuple[str, ...]
    time_predictable: bool
    untimed: str
    own_model: str | None


@dataclass(frozen=True)
class Input:
    """One row of the page about the API."""

    name: str
    meaning: str
    unit: str
    values: str
    default: str


def schema(field: Field) -> dict[str, Any]:
    choices = choices_of(field)
    if choices == ("true", "false"):
        return {"type": "boolean"}
    if choices:
        return {"type": "string", "enum": list(choices)}
    if field.name == "own_model":
        return {"type": "string", "maxLength": MOST_CODE}
    number = {"type": "integer" if field.whole else "number", "minimum": field.low, "maximum": field.high}
    return {"anyOf": [number, {"const": "model"}]} if field.name == "mfu" else number


def described(field: Field) -> str:
    unit = f" [{field.unit}]" if field.unit else ""
    return f"{field.label}{unit}. {field.help} {values_text(field)}. Default: {default_text(field)}."


def values_text(field: Field) -> str:
    words = choices_of(field)
    if words:
        return ", ".join(words)
    if field.name == "own_model":
        return "the text that POST /api/model answers under this name"
    bounds = f"{bound_text(field.low)} to {bound_text(field.high)}{', whole' if field.whole else ''}"
    return f"{bounds}, or {field.default}" if isinstance(field.default, str) else bounds


def default_text(field: Field) -> str:
    """What stands in for an input that is left out."""
    default = Workload.model_fields[field.name].default
    if default is None:
        return "none" if field.name in ("model", "own_model", "measured_step_seconds") else "derived"
    if isinstance(default, float):
        return grouped(default, 0 if default.is_integer() else 1)
    return str(default).lower()


def row(field: Field) -> Input:
    meaning = f"{field.label}. {field.help}"
    return Input(field.name, meaning, field.unit, values_text(field), default_text(field))


PLAIN = defaultdict(str, workload="the inputs, derived ones filled in", limits="sentences")
"""What stands under the keys of an answer that hold no record."""


def answer_names() -> dict[str, tuple[str, ...]]:
    """The keys of an answer, each with the names inside it."""
    hints = get_type_hints(Sizing)
    records = {
        name: next((t for t in (hint, *get_args(hint)) if is_dataclass(t)), None) for name, hint in hints.items()
    }
    return {name: tuple(f.name for f in fields(record)) if record else () for name, record in records.items()}


def parameter(name: str, description: str, shape: dict[str, Any]) -> dict[str, Any]:
    return {"name": name, "in": "query", "required": False, "description": description, "schema": shape}


WAS_HELP = "The query string of the design before a change: `why` then says what moved."
PARAMETERS = [parameter(f.name, described(f), schema(f)) for f in FIELDS.values()]
WAS = parameter("was", WAS_HELP, {"type": "string"})
TOP = parameter("top", "How many layouts.", {"type": "integer", "minimum": 1, "maximum": 100, "default": 10})
PROPERTIES = {p["name"]: {**p["schema"], "description": p["description"]} for p in (*PARAMETERS, WAS)}
BODY = {
    "required": True,
    "content": {
        "application/json": {
            "schema": {"type": "object", "additionalProperties": False, "properties": PROPERTIES},
            "example": {"params": 70e9, "gpus": 512},
        }
    },
}

CONFIG_BODY = {
    "required": True,
    "content": {"application/json": {"schema": {"type": "object"}, "example": {"model_type": "llama"}}},
}

INPUT_GROUPS = {
    "Model and accelerator": tuple(map(row, CHOICES)),
    "Workload": tuple(map(row, (*SLIDERS, *SWITCHES))),
    "Layout": tuple(map(row, LAYOUT)),
    "For experts": tuple(map(row, EXPERT)),
}
