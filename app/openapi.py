"""How the API describes its inputs: made from the table of fields, so that it cannot drift from it."""

from dataclasses import dataclass
from typing import Any

from app.model.design import Candidate
from app.model.fields import FIELDS, Field
from app.model.workload import bound_text, choices_of


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


def schema(field: Field) -> dict[str, Any]:
    choices = choices_of(field)
    if choices == ("true", "false"):
        return {"type": "boolean"}
    if choices:
        return {"type": "string", "enum": list(choices)}
    number = {"type": "integer" if field.whole else "number", "minimum": field.low, "maximum": field.high}
    return {"anyOf": [number, {"const": "model"}]} if field.name == "mfu" else number


def described(field: Field) -> str:
    unit = f" [{field.unit}]" if field.unit else ""
    bounds = "" if choices_of(field) else f" From {bound_text(field.low)} to {bound_text(field.high)}."
    default = "" if field.default is None else f" Default: {str(field.default).lower()}."
    return f"{field.label}{unit}. {field.help}{bounds}{default}"


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
