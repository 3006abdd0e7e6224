"""The numbers of an interview in their order, each going on from the one before."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from app.model.compute import training_days, training_flop
from app.model.grading.cases import Given
from app.model.memory import bytes_per_param, state_bytes
from app.model.pipeline import bubble_over_ideal
from app.model.reliability import checkpoint_bytes, lost_fraction, stops_per_day

STATE_BYTES, CHECKPOINT_BYTES = 16, 14
"""Bytes a parameter: mixed-precision Adam, and the same without its gradients."""

Formula = Callable[[Given, float], float]


@dataclass(frozen=True)
class Quantity:
    """One number that is asked for.

    kind: as `quantities.read` takes it, which sets the unit of `formula`
    comes_from: the earlier number that `formula` takes as its second argument, if any
    """

    key: str
    label: str
    kind: str
    formula: Formula
    comes_from: str = ""

    @property
    def unit(self) -> str:
        return UNITS[self.kind]


UNITS = {
    "bytes": "B",
    "flop": "FLOP",
    "days": "days",
    "seconds": "s",
    "percent": "%",
    "per_day": "per day",
    "count": "",
}


def _state(given: Given, _: float) -> float:
    each = bytes_per_param(STATE_BYTES, "bf16")
    return float(state_bytes(given.params, given.params, each))


def _gpus_for_state(given: Given, state: float) -> float:
    return float(math.ceil(state / (given.memory_gb * 1e9)))


def _sharded_state(given: Given, state: float) -> float:
    return state / given.gpus


def _tensor_size(given: Given, _: float) -> float:
    """Narayanan et al. 2021, arXiv:2104.04473, takeaway 1: up to the GPUs of one server."""
    return float(min(given.gpus_per_node, given.gpus))


def _pipeline_bubble(given: Given, _: float) -> float:
    return 100 * float(bubble_over_ideal(given.pipeline, given.microbatches))


def _idle_share(_: Given, bubble: float) -> float:
    return 100 * bubble / (100 + bubble)


def _work(given: Given, _: float) -> float:
    return training_flop(given.params, given.train_tokens)


def _days(given: Given, work: float) -> float:
    return training_days(work, given.gpus, given.dense_peak_tflops * 1e12 * given.mfu)


def _stops_per_day(given: Given, _: float) -> float:
    return stops_per_day(given.gpus, given.mtbf_gpu_hours)


def _lost_share(given: Given, stops: float) -> float:
    return 100 * lost_fraction(given.checkpoint_minutes * 60, 86_400 / stops)


def _checkpoint_write(given: Given, state: float) -> float:
    whole, kept = _state(given, 0), checkpoint_bytes(given.params, given.params, STATE_BYTES, 2)
    return state * (kept / whole) / (given.checkpoint_gb_per_s * 1e9)


QUANTITIES: Mapping[str, Quantity] = {
    q.key: q
    for q in (
        Quantity("state", "Training state of the whole model", "bytes", _state),
        Quantity("gpus_for_state", "GPUs that the state alone fills", "count", _gpus_for_state, "state"),
        Quantity("sharded_state", "State on each GPU, sharded over all of them", "bytes", _sharded_state, "state"),
        Quantity("tensor_size", "Largest tensor-parallel size on the fast link", "count", _tensor_size),
        Quantity("pipeline_bubble", "Bubble over the ideal computing time", "percent", _pipeline_bubble),
        Quantity("idle_share", "Share of a step that a stage sits idle", "percent", _idle_share, "pipeline_bubble"),
        Quantity("work", "Work of the whole run", "flop", _work),
        Quantity("days", "Days of training, stops aside", "days", _days, "work"),
        Quantity("stops_per_day", "Unexpected stops a day", "per_day", _stops_per_day),
        Quantity("lost_share", "Share of the run repeated after stops", "percent", _lost_share, "stops_per_day"),
        Quantity("checkpoint_write", "Time to write one full checkpoint", "seconds", _checkpoint_write, "state"),
    )
}


def truths(given: Given) -> dict[str, float]:
    """The right value of every number. [unit of each]

    >>> from app.model.grading.cases import case_of
    >>> round(truths(case_of(7).given)["days"], 1)
    18.6
    """
    return carried(given, {})


def carried(given: Given, own: Mapping[str, float]) -> dict[str, float]:
    """What each number ought to be when the earlier ones are the candidate's own. [unit of each]

    own: the values read; one that is not positive or leads nowhere finite is not carried on
    """
    found: dict[str, float] = {}
    for quantity in QUANTITIES.values():
        earlier = own.get(quantity.comes_from, 0.0)
        right = found.get(quantity.comes_from, 0.0)
        found[quantity.key] = _follow(quantity, given, earlier) or quantity.formula(given, right)
    return found


def _follow(quantity: Quantity, given: Given, earlier: float) -> float:
    """The value from an own earlier one; 0 where that one does not carry."""
    if earlier <= 0:
        return 0.0
    value = quantity.formula(given, earlier)
    return value if math.isfinite(value) and value > 0 else 0.0
