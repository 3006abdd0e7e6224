"""The key figures under the recommended shape, each beside what it was."""

from collections.abc import Callable
from dataclasses import dataclass

from app.model.answer import Sizing
from app.model.units import bytes_text, days_text, grouped, percent, scaled, significant

LEAST_SHARE = 0.001
"""A smaller goodput is said to be below 0.1 %."""


@dataclass(frozen=True)
class Shown:
    """A figure of the current design: its path in the JSON, its raw value and its text."""

    id: str
    value: float
    text: str


@dataclass(frozen=True)
class Key:
    """One large figure. `sign` stands before it; `note` is a smaller figure below, within words."""

    label: str
    sign: str
    figure: Shown
    unit: str
    note_before: str
    note: Shown
    note_after: str
    was: str


Text = Callable[[Sizing], tuple[float, str, str]]
"""Raw value, text and unit of a figure."""


def shown(id: str, value: float) -> Shown:
    """A count."""
    return Shown(id, value, grouped(value))


def keys(s: Sizing, was: Sizing | None) -> tuple[Key, ...]:
    """Days, MFU, memory, goodput and cost; or how far a design is from fitting."""
    return _fitting(s, was) if s.shape.id != "does_not_fit" else _not_fitting(s, was)


def _fitting(s: Sizing, was: Sizing | None) -> tuple[Key, ...]:
    bare, unit = _days(s.run.days)
    hours, letter = scaled(s.run.gpu_hours)
    best = s.reliability.optimal_checkpoint_minutes
    wall = "Days with stops" if _wall_days(s)[2] == "d" else "Time with stops"
    without = "without stops" if unit == _wall_days(s)[2] else f"{unit} without stops"
    step = Shown("step.seconds", s.step.seconds, significant(s.step.seconds))
    interval = Shown("reliability.optimal_checkpoint_minutes", best, significant(best, 2))
    return (
        _key(wall, "run.wall_days", _wall_days, s, was, "", Shown("run.days", s.run.days, bare), without),
        _key("MFU", "run.mfu", _mfu, s, was, "step", step, "s"),
        _memory_key(s, was),
        _key("Goodput", "reliability.goodput", _goodput, s, was, "best at", interval, "min"),
        _key(
            "Cost",
            "run.cost",
            _cost,
            s,
            was,
            "",
            Shown("run.gpu_hours", s.run.gpu_hours, hours),
            f"{letter} GPU-h",
            "$",
        ),
    )


def _not_fitting(s: Sizing, was: Sizing | None) -> tuple[Key, ...]:
    each, gpus = (float(str(s.workload[n])) for n in ("bytes_per_param", "gpus"))
    stage = Shown("layout.zero_stage", s.layout.zero_stage, str(s.layout.zero_stage))
    cut = s.layout.tensor * s.layout.pipeline
    share = f"model cut in {grouped(cut)}, ZeRO" if cut > 1 else "ZeRO"
    mfu = Shown("run.mfu", s.run.mfu, percent(s.run.mfu))
    return (
        _memory_key(s, was),
        _key("Whole state", "memory.state_bytes", _state, s, was, "", Shown("", each, grouped(each)), "bytes a weight"),
        _key("State on a GPU", "", _gpu_state, s, was, share, stage, ""),
        _key("GPUs for state", "memory.gpus_for_state", _gpus, s, was, "there are", Shown("", gpus, grouped(gpus)), ""),
        _key("Time, if it did", "run.days", _plain_days, s, was, "at", mfu, "% MFU"),
    )


def _memory_key(s: Sizing, was: Sizing | None) -> Key:
    usable, unit = bytes_text(s.memory.usable_bytes)
    after = "usable" if bytes_text(s.memory.total_bytes)[1] == unit else f"{unit} usable"
    note = Shown("memory.usable_bytes", s.memory.usable_bytes, usable)
    return _key("Memory a GPU", "memory.total_bytes", _memory, s, was, "of", note, after)


def _key(
    label: str, id: str, text: Text, s: Sizing, was: Sizing | None, before: str, note: Shown, after: str, sign: str = ""
) -> Key:
    value, shown_text, unit = text(s)
    return Key(label, sign, Shown(id, value, shown_text), unit, before, note, after, _was(text, was, unit))


def _was(text: Text, was: Sizing | None, unit: str) -> str:
    if was is None:
        return ""
    _, before, before_unit = text(was)
    return f"was {before}" if before_unit == unit else f"was {before} {before_unit or 'whole'}"


def _days(value: float) -> tuple[str, str]:
    """Days as 'd', then years, then millions of years and more."""
    text, unit = days_text(value)
    if unit == "days":
        return text, "d"
    number, letter = scaled(value / 365.25)
    return number, f"{letter} years".strip()


def _wall_days(s: Sizing) -> tuple[float, str, str]:
    return (s.run.wall_days, *_days(s.run.wall_days))


def _plain_days(s: Sizing) -> tuple[float, str, str]:
    return (s.run.days, *_days(s.run.days))


def _mfu(s: Sizing) -> tuple[float, str, str]:
    return s.run.mfu, percent(s.run.mfu), "%"


def _memory(s: Sizing) -> tuple[float, str, str]:
    return (s.memory.total_bytes, *bytes_text(s.memory.total_bytes))


def _goodput(s: Sizing) -> tuple[float, str, str]:
    share = s.reliability.goodput
    return share, percent(share) if share >= LEAST_SHARE else "< 0.1", "%"


def _cost(s: Sizing) -> tuple[float, str, str]:
    return (s.run.cost, *scaled(s.run.cost))


def _state(s: Sizing) -> tuple[float, str, str]:
    return (s.memory.state_bytes, *bytes_text(s.memory.state_bytes))


def _gpu_state(s: Sizing) -> tuple[float, str, str]:
    value = s.memory.weights_bytes + s.memory.gradients_bytes + s.memory.optimizer_bytes
    return (value, *bytes_text(value))


def _gpus(s: Sizing) -> tuple[float, str, str]:
    return s.memory.gpus_for_state, grouped(s.memory.gpus_for_state), ""
