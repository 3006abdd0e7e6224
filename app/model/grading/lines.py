"""The right line for each number, with the figures of the case in it."""

from collections.abc import Callable, Mapping

from app.model.grading.cases import Given
from app.model.grading.chain import CHECKPOINT_BYTES, QUANTITIES, STATE_BYTES, truths
from app.model.units import bytes_text, count, days_text, grouped, significant

_EXPONENTS = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")


def figure(key: str, value: float) -> str:
    """A value of that number as a person writes it, unit included.

    >>> figure("state", 160e9), figure("work", 6e22), figure("idle_share", 48.387)
    ('160 GB', '6.00 × 10²² FLOP', '48.4 %')
    """
    return _WRITERS[QUANTITIES[key].kind](value)


def right_line(key: str, given: Given) -> str:
    """Formula, numbers and result."""
    right = truths(given)
    shown = {name: figure(name, value) for name, value in right.items()}
    return f"{_LINES[key](given, shown)} = {shown[key]}"


def plain_number(value: float) -> str:
    """A number without decimals where it is whole.

    >>> plain_number(80.0), plain_number(12.5)
    ('80', '12.5')
    """
    return grouped(value) if value == int(value) and value < 1e12 else significant(value)


def _flop(value: float) -> str:
    """Scientific, since no prefix is usual there."""
    mantissa, exponent = f"{value:.2e}".split("e")
    return f"{mantissa} × 10{str(int(exponent)).translate(_EXPONENTS)} FLOP"


_WRITERS: Mapping[str, Callable[[float], str]] = {
    "bytes": lambda v: " ".join(bytes_text(v)) if v < 1e18 else f"{v:.2e} B",
    "flop": _flop,
    "days": lambda v: " ".join(days_text(v)) if 0.01 <= v < 1e9 else f"{v:.2e} days",
    "seconds": lambda v: f"{significant(v)} s" if v < 1e9 else f"{v:.2e} s",
    "percent": lambda v: f"{significant(v)} %" if v < 1e9 else f"{v:.2e} %",
    "per_day": lambda v: f"{significant(v)} a day" if v < 1e9 else f"{v:.2e} a day",
    "count": lambda v: plain_number(v) if v < 1e12 else f"{v:.2e}",
}

_LINES: Mapping[str, Callable[[Given, Mapping[str, str]], str]] = {
    "state": lambda g, _: f"{STATE_BYTES} bytes × {count(g.params)} parameters",
    "gpus_for_state": lambda g, s: f"{s['state']} ÷ {plain_number(g.memory_gb)} GB, rounded up",
    "sharded_state": lambda g, s: f"{s['state']} ÷ {plain_number(g.gpus)} GPUs",
    "tensor_size": lambda g, _: f"all GPUs of one server, {g.gpus_per_node}: the fast link ends there; size",
    "pipeline_bubble": lambda g, _: f"(p − 1) ÷ m = ({g.pipeline} − 1) ÷ {g.microbatches}",
    "idle_share": lambda g, _: f"(p − 1) ÷ (m + p − 1) = {g.pipeline - 1} ÷ {g.microbatches + g.pipeline - 1}",
    "work": lambda g, _: f"6 × {count(g.params)} parameters × {count(g.train_tokens)} tokens",
    "days": lambda g, s: (
        f"{s['work']} ÷ ({plain_number(g.gpus)} GPUs × {significant(g.dense_peak_tflops, 4)} TFLOP/s"
        f" × {significant(g.mfu, 2)})"
    ),
    "stops_per_day": lambda g, _: f"24 h × {plain_number(g.gpus)} GPUs ÷ {plain_number(g.mtbf_gpu_hours)} GPU-hours",
    "lost_share": lambda g, s: f"{s['stops_per_day']} × half of {plain_number(g.checkpoint_minutes)} min ÷ 1440 min",
    "checkpoint_write": lambda g, _: (
        f"{CHECKPOINT_BYTES} bytes × {count(g.params)} parameters ÷ {plain_number(g.checkpoint_gb_per_s)} GB/s"
    ),
}
