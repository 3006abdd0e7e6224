"""Which accelerator, stack and network a row of a table of runs names: the rules of `app/data/software.yaml`."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import yaml

from app.model.calibration import DEFAULT_STACK, STACKS, Stack
from app.model.hardware import ACCELERATORS
from app.model.sources import DATA

_RULES = yaml.safe_load((DATA / "software.yaml").read_text(encoding="utf-8"))
Row = Mapping[str, str]


def accelerator_of(row: Row) -> str | None:
    """Id of the accelerator that the row names; None where the lab has no such one."""
    id: str | None = _RULES["gpus"].get(row.get("gpu", "").strip())
    return id if id in ACCELERATORS else None


def stack_of(row: Row) -> tuple[str, Stack]:
    """Id of the row's stack, and the stack with the row's own facts in it.

    A column `stack` wins over the rules; a stack that nobody knows is the default one.
    """
    named = row.get("stack", "")
    id = named if named in STACKS else _first("stacks", row).get("stack", DEFAULT_STACK)
    facts = _gathered("facts", row)
    if row.get("sequence_parallel", "").strip():
        facts["sequence_parallel"] = float(row["sequence_parallel"]) > 0
    return id, replace(STACKS[id], **facts)


def memory_of(row: Row) -> dict[str, Any]:
    """How the row's state is kept and its memory was measured: bytes_per_param, kind, unit_bytes, rank."""
    return _gathered("memory", row)


def link_gb_per_s(row: Row) -> float:
    """Network of one GPU across nodes; a column of that name wins over the rules. [1e9 bytes/s]"""
    return float(row.get("link_gb_per_s") or _first("fabrics", row)["link_gb_per_s"])


def _gathered(table: str, row: Row) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for rule in _RULES[table]:
        if _holds(rule, row):
            found |= rule["set"]
    return found


def _first(table: str, row: Row) -> dict[str, Any]:
    return next((rule for rule in _RULES[table] if _holds(rule, row)), {})


def _holds(rule: dict[str, Any], row: Row) -> bool:
    return _all(rule["when"], row) and not ("unless" in rule and _all(rule["unless"], row))


def _all(conditions: dict[str, Any], row: Row) -> bool:
    return all(_matches(column, wanted, row.get(column) or "") for column, wanted in conditions.items())


def _matches(column: str, wanted: Any, value: str) -> bool:
    if column == "year":
        return bool(value) and float(value) <= wanted
    return str(wanted).lower() in value.lower()
