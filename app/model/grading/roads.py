"""The usual wrong roads: for each number, formulas that people take for the right one."""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from app.model.grading.cases import Given
from app.model.grading.chain import CHECKPOINT_BYTES, STATE_BYTES
from app.model.grading.quantities import Reading

KIB = 1.024


@dataclass(frozen=True)
class Road:
    """A wrong formula and the diagnosis it stands for.

    value: from the case and the right value of the number itself
    earlier: the slip lies in the number before, so a right one there speaks against it
    """

    diagnosis: str
    value: Callable[[Given, float], float]
    earlier: bool = False


def times(diagnosis: str, factor: Callable[[Given], float]) -> Road:
    """A road that is off by a factor which the case gives."""
    return Road(diagnosis, lambda given, right: right * factor(given))


def _fixed(diagnosis: str, factor: float) -> Road:
    return times(diagnosis, lambda _: factor)


_BYTES = (
    ("weights_only", 2),
    ("no_optimizer", 4),
    ("bytes_12", 12),
    ("no_gradients", 14),
    ("bytes_16", 16),
    ("bytes_18", 18),
    ("bytes_20", 20),
)


def _by_bytes(right: int) -> tuple[Road, ...]:
    """Other bytes a parameter than the right ones."""
    return _earlier(*(_fixed(name, each / right) for name, each in _BYTES if each != right))


def _earlier(*roads: Road) -> tuple[Road, ...]:
    return tuple(replace(road, earlier=True) for road in roads)


def _cards(diagnosis: str, each: float) -> Road:
    """GPUs for a state of so many bytes a parameter."""
    return Road(diagnosis, lambda g, _: math.ceil(each * g.params / (g.memory_gb * 1e9)))


def _exact_cards(given: Given) -> float:
    return STATE_BYTES * given.params / (given.memory_gb * 1e9)


def _idle(given: Given) -> float:
    return (given.pipeline - 1) / (given.microbatches + given.pipeline - 1)


_WORK = (
    _fixed("recompute_counted", 8 / 6),
    _fixed("forward_only", 2 / 6),
    _fixed("backward_only", 4 / 6),
    _fixed("no_six", 1 / 6),
    times("no_tokens", lambda g: 1 / g.train_tokens),
)

ROADS: Mapping[str, tuple[Road, ...]] = {
    "state": _by_bytes(STATE_BYTES),
    "gpus_for_state": (
        *_earlier(*(_cards(name, each) for name, each in _BYTES if each != STATE_BYTES)),
        _cards("binary_for_decimal", STATE_BYTES / KIB**3),
        _cards("binary_for_decimal", STATE_BYTES * KIB**3),
        Road("not_rounded_up", lambda g, _: math.floor(_exact_cards(g))),
        Road("not_rounded_up", lambda g, _: _exact_cards(g)),
        Road("gpus_for_servers", lambda g, right: math.ceil(right / g.gpus_per_node)),
        Road("gpus_for_servers", lambda g, right: right / g.gpus_per_node),
        times("gpus_for_servers", lambda g: g.gpus_per_node),
    ),
    "sharded_state": (
        *_by_bytes(STATE_BYTES),
        times("not_sharded", lambda g: g.gpus),
        times("gpus_for_servers", lambda g: g.gpus_per_node),
        times("world_for_data_parallel", lambda g: g.gpus_per_node * g.pipeline),
        times("world_for_data_parallel", lambda g: g.pipeline),
        Road("zero_1", lambda g, _: g.params * (4 + 12 / g.gpus)),
        Road("zero_2", lambda g, _: g.params * (2 + 14 / g.gpus)),
    ),
    "tensor_size": (
        Road("across_servers", lambda g, _: g.gpus),
        Road("gpus_for_servers", lambda g, _: math.ceil(g.gpus / g.gpus_per_node)),
        Road("pipeline_for_tensor", lambda g, _: g.pipeline),
    ),
    "pipeline_bubble": (
        Road("bubble_base", lambda g, _: 100 * _idle(g)),
        Road("no_minus_one", lambda g, _: 100 * g.pipeline / g.microbatches),
        Road("turned_over", lambda g, _: 100 * g.microbatches / max(1, g.pipeline - 1)),
        Road("turned_over", lambda g, _: 100 * g.microbatches / g.pipeline),
    ),
    "idle_share": (
        Road("bubble_base", lambda g, _: 100 * (g.pipeline - 1) / g.microbatches),
        Road("no_minus_one", lambda g, _: 100 * g.pipeline / (g.microbatches + g.pipeline)),
        Road("busy_for_idle", lambda g, right: 100 - right),
    ),
    "work": _WORK,
    "days": (
        times("sparse_peak", lambda g: g.dense_peak_tflops / g.sparse_peak_tflops),
        times("no_mfu", lambda g: g.mfu),
        times("sparse_peak_no_mfu", lambda g: g.mfu * g.dense_peak_tflops / g.sparse_peak_tflops),
        *_earlier(*_WORK),
        times("gpus_for_servers", lambda g: g.gpus_per_node),
        times("one_gpu", lambda g: g.gpus),
        _fixed("hours_for_days", 24),
        _fixed("hours_for_days", 1 / 24),
    ),
    "stops_per_day": (
        Road("interval_for_rate", lambda g, _: g.mtbf_gpu_hours / g.gpus),
        _fixed("hours_for_days", 1 / 24),
        times("gpus_for_servers", lambda g: 1 / g.gpus_per_node),
        times("one_gpu", lambda g: 1 / g.gpus),
    ),
    "lost_share": (
        _fixed("whole_interval", 2),
        times("gpus_for_servers", lambda g: 1 / g.gpus_per_node),
        _fixed("hours_for_days", 1 / 24),
        times("one_gpu", lambda g: 1 / g.gpus),
    ),
    "checkpoint_write": (
        *_by_bytes(CHECKPOINT_BYTES),
        _fixed("bits_for_bytes", 8),
        _fixed("bits_for_bytes", 1 / 8),
        *(_fixed("binary_for_decimal", KIB**power) for power in (3, -3, 4, -4)),
        _fixed("minutes_for_seconds", 60),
        _fixed("minutes_for_seconds", 1 / 60),
    ),
}


def slips(kind: str, reading: Reading) -> Iterator[Road]:
    """Slips of the unit that the answer was written in."""
    if kind == "bytes":
        for power in {1, max(1, reading.thousands)}:
            yield _fixed("binary_for_decimal", KIB**power)
            yield _fixed("binary_for_decimal", KIB**-power)
        yield _fixed("bits_for_bytes", 8)
        yield _fixed("bits_for_bytes", 1 / 8)
