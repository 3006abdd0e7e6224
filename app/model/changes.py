"""What moved between two designs: the lead sentence and the rows before and now."""

import math
from collections.abc import Callable

from app.model.answer import Why
from app.model.design import Design
from app.model.fields import FIELDS
from app.model.phrases import (
    ARROW,
    bytes_pair,
    days,
    days_pair,
    listed,
    money,
    moved,
    number,
    one_replica,
    part,
    round_factor,
    share_pair,
    size,
    some,
    span,
    span_pair,
    times,
    upper,
    whole,
)
from app.model.shapes import PARTS, excess_bytes, shape_name
from app.model.transformer import given_model
from app.model.units import bytes_text, count, days_text, grouped

MAIN = (
    "model", "own_model", "params", "gpu", "gpus", "batch_tokens", "seq_tokens", "link_gb_per_s", "data_tokens_per_s",
    "checkpoint_minutes", "split_model", "recompute",
)  # fmt: skip
DERIVED = ("data_tokens_per_s", "train_tokens", "checkpoint_gb_per_s", "trained_params", "gpus_per_node", "params")
"""Inputs that follow another one when the user leaves them empty: named only when nothing else moved."""
NOUNS = {
    "gpus": "GPUs",
    "batch_tokens": "batch",
    "seq_tokens": "sequence length",
    "link_gb_per_s": "link bandwidth",
    "data_tokens_per_s": "loader throughput",
    "checkpoint_minutes": "checkpoint interval",
    "train_tokens": "training tokens",
}
MOST_ROWS = 6
EVEN = 0.02
"""Days within this share of a perfect division count as perfect."""


def changed_inputs(design: Design, before: Design) -> list[str]:
    """Names of the inputs that moved, the main ones first; derived ones only where nothing else did."""
    old, new = before.workload.model_dump(), design.workload.model_dump()
    names = [n for n in (*MAIN, *(k for k in new if k not in MAIN)) if old[n] != new[n]]
    if "own_model" in names and "model" in names:
        names.remove("model")
    if {"model", "own_model"} & {*names} and "params" in names:
        names.remove("params")
    if "measured_step_seconds" in names and "stack_time" in names:
        names.remove("stack_time")
    causes = [n for n in names if n not in DERIVED or n == "params"]
    return causes or names


def lead(design: Design, before: Design) -> str:
    """One sentence: what moved and what that did."""
    names = changed_inputs(design, before)
    if len(names) == 1 and names[0] == "gpus" and design.memory.fits and before.memory.fits:
        return _gpu_lead(design, before)
    return f"{_what_moved(names, design, before)}: {_what_it_did(design, before)}."


def _what_moved(names: list[str], design: Design, before: Design) -> str:
    if len(names) > 3:
        return f"From {_summary(before)} to {_summary(design)}"
    return upper(listed([input_change(name, design, before) for name in names]))


def _summary(design: Design) -> str:
    name = design.model.name if given_model(design.workload) else f"{count(design.workload.params)} parameters"
    return f"{name} on {some(design.workload.gpus, 'GPU')}"


def input_change(name: str, design: Design, before: Design) -> str:
    """One input's change in words, as in 'twice the GPUs' or 'H200 instead of H100'."""
    old, new = getattr(before.workload, name), getattr(design.workload, name)
    if name in ("model", "own_model"):
        return f"{_model(design)} instead of {_model(before)}"
    if name == "gpu":
        return f"{design.accelerator.name} instead of {before.accelerator.name}"
    if name == "measured_step_seconds":
        return f"a measured step of {span(new)}" if new else "no measured step"
    if name == "stack_time":
        return f"stack multiplier {number(old or 1)}{ARROW}{number(new or 1)}"
    if name == "split_model":
        return "splitting layers and depth allowed" if new else "splitting switched off"
    if name == "params":
        return f"{count(new)} parameters instead of {count(old)}"
    if name in NOUNS and old and round_factor(new / old):
        return f"{times(new / old)} {NOUNS[name]}"
    if name == "gpus":
        return f"{some(new, 'GPU')} instead of {grouped(old)}"
    field = FIELDS[name]
    unit = field.unit.removesuffix("s") if new == 1 else field.unit
    label = NOUNS.get(name, field.label if field.label.isupper() else field.label.lower())
    return f"{label} {_value(old)}{ARROW}{_value(new)} {unit}".rstrip()


def _model(design: Design) -> str:
    return design.model.name if given_model(design.workload) else f"a model of {count(design.workload.params)}"


def _value(value: object) -> str:
    if value is None:
        return "chosen by the engine"
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, str):
        return value
    return count(value) if value >= 1e6 else number(value)  # type: ignore[operator,arg-type]


def _what_it_did(design: Design, before: Design) -> str:
    if not design.memory.fits:
        return _no_longer_fits(design, before)
    if not before.memory.fits:
        return f"now it fits, in {size(design.memory.total_bytes)} of {size(design.memory.usable_bytes)} usable"
    old_name, new_name = shape_name(before), shape_name(design)
    effect = _time_effect(design, before)
    if old_name != new_name:
        return f"{old_name} becomes {new_name}, {effect}"
    return effect


def _no_longer_fits(design: Design, before: Design) -> str:
    over = excess_bytes(design)
    if over <= 0:
        return f"the layout asks for {some(design.layout.gpus_used, 'GPU')}, more than there are"
    if before.memory.fits:
        return f"it no longer fits, by {size(over)} on the fullest GPU"
    return f"still too big for a GPU, by {bytes_pair(excess_bytes(before), over)}"


def _time_effect(design: Design, before: Design) -> str:
    """The first of days, days with stops, cost of memory and loads that moved."""
    run, was = design.run, before.run
    if moved(was.days, run.days):
        return days_pair(was.days, run.days)
    if moved(was.wall_days, run.wall_days):
        return f"the work takes as long, with stops {days_pair(was.wall_days, run.wall_days)}"
    if moved(before.memory.total_bytes, design.memory.total_bytes):
        held = bytes_pair(before.memory.total_bytes, design.memory.total_bytes)
        return f"no day gained or lost, {held} on the fullest GPU"
    load = _moved_load(design, before)
    return load or "no figure that decides moves"


def _moved_load(design: Design, before: Design) -> str:
    """The load that moved most, in words; empty when none did."""
    pairs = list(zip(before.bottlenecks, design.bottlenecks, strict=True))
    old, new = max(pairs, key=lambda p: abs(p[1].load - p[0].load))
    if not moved(old.load, new.load):
        return ""
    label = new.label.lower().replace("gpu", "GPU")
    return f"no day gained or lost, {label} {share_pair(old.load, new.load)}"


def _gpu_lead(design: Design, before: Design) -> str:
    """More or fewer GPUs: the days beside a perfect division of the work."""
    ratio = design.workload.gpus / before.workload.gpus
    took = design.run.days / before.run.days
    head = upper(input_change("gpus", design, before))
    verdict = _against_perfect(ratio, took)
    old_name, new_name = shape_name(before), shape_name(design)
    if old_name != new_name:
        verdict = f"{verdict}, and {old_name} becomes {new_name}"
    return f"{head}, {verdict}: {days_pair(before.run.days, design.run.days)}."


def _against_perfect(ratio: float, took: float) -> str:
    ideal = f"{times(1 / ratio)} days"
    if not whole(ratio) and not whole(1 / ratio):
        ideal = "the days in proportion"
    slower = took * ratio
    if abs(slower - 1) <= EVEN:
        return ideal
    if ratio > 1:
        if slower < 1:
            return f"and less than {ideal}"
        return f"but not {ideal}" if took < 0.995 else "and not a day less"
    if slower > 1:
        return f"and more than {ideal}"
    return f"but less than {ideal}" if took > 1.005 else "and not a day more"


def change_rows(design: Design, before: Design) -> tuple[Why, ...]:
    """Figures before and now, at most six: those that moved most, in a fixed order."""
    fit = design.memory.fits and before.memory.fits
    rows = [row for make in (_TIME_ROWS if fit else _MEMORY_ROWS) if (row := make(design, before)) is not None]
    ranked = sorted(range(len(rows)), key=lambda i: -rows[i][0])[:MOST_ROWS]
    return tuple(rows[i][1] for i in sorted(ranked))


Row = tuple[float, Why] | None


def _row(label: str, old: float, new: float, show: Callable[[float], str], weight: float = 1.0) -> Row:
    before, now = show(old), show(new)
    if before == now:
        return None
    far = abs(math.log(new / old)) if old > 0 and new > 0 else 9.0
    return weight * far, Why("change", label, before, now)


def _united(label: str, old: float, new: float, pair: Callable[[float], tuple[str, str]], weight: float = 1.0) -> Row:
    """A row whose unit is chosen with its size; it stands in the label where both share it."""
    before, now = pair(old), pair(new)
    if before[1] == now[1]:
        return _row(f"{label}, {now[1]}", old, new, lambda v: pair(v)[0], weight)
    return _row(label, old, new, lambda v: " ".join(pair(v)), weight)


def _time_row(label: str, old: float, new: float, weight: float) -> Row:
    if days(old).endswith("days") and days(new).endswith("days"):
        return _row(f"Days {label}", old, new, lambda v: days_text(v)[0], weight)
    return _united(f"Time {label}", old, new, lambda v: span_pair(86_400 * v), weight)


def _split(design: Design) -> str:
    layout = design.layout
    sizes = (layout.tensor, layout.pipeline, layout.data)
    return " × ".join(grouped(n) for n in sizes)


def _layout_row(design: Design, before: Design) -> Row:
    old, new = _split(before), _split(design)
    if old == new:
        return None
    return 1.0, Why("change", "Tensor × pipeline × data", old, new)


def _zero_row(design: Design, before: Design) -> Row:
    old, new = before.layout.zero_stage, design.layout.zero_stage
    if old == new or one_replica(design) != one_replica(before):
        return None
    return 0.9, Why("change", "ZeRO stage", str(old), str(new))


def _total_row(design: Design, before: Design, weight: float) -> Row:
    return _united(
        "Memory of the fullest GPU", before.memory.total_bytes, design.memory.total_bytes, bytes_text, weight
    )


_TIME_ROWS: tuple[Callable[[Design, Design], Row], ...] = (
    _layout_row,
    _zero_row,
    lambda d, b: _time_row("without stops", b.run.days, d.run.days, 9.0),
    lambda d, b: _row("MFU, %", b.run.mfu, d.run.mfu, part, 4.0),
    lambda d, b: _total_row(d, b, 2.0),
    lambda d, b: _row("Pipeline bubble, %", b.pipeline.bubble_over_ideal, d.pipeline.bubble_over_ideal, part),
    lambda d, b: _row("Stops a day", b.reliability.stops_per_day, d.reliability.stops_per_day, number, 0.5),
    lambda d, b: _row("Goodput, %", b.reliability.goodput, d.reliability.goodput, part, 6.0),
    lambda d, b: _time_row("with stops", b.run.wall_days, d.run.wall_days, 8.0),
    lambda d, b: _row("Cost", b.run.cost, d.run.cost, money, 0.2),
)


def _part_row(field: str, label: str) -> Callable[[Design, Design], Row]:
    return lambda d, b: _united(f"{label} a GPU", getattr(b.memory, field), getattr(d.memory, field), bytes_text)


_MEMORY_ROWS: tuple[Callable[[Design, Design], Row], ...] = (
    _layout_row,
    _zero_row,
    *(_part_row(field, upper(word)) for field, word in PARTS.items()),
    lambda d, b: _total_row(d, b, 9.0),
)
