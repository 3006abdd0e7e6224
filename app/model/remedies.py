"""Single changes that mend a design, the smallest that do, and what the runner-up lost by."""

import math
from collections.abc import Callable, Iterator
from functools import lru_cache

from app.model.answer import Remedy, RunnerUp
from app.model.design import Candidate, Design
from app.model.fields import FIELDS
from app.model.hardware import ACCELERATORS
from app.model.layout import all_layouts
from app.model.phrases import share_pair
from app.model.reliability import goodput
from app.model.search import NOT_MEMORY, Scores, fullest_bytes
from app.model.transformer import transformer_for
from app.model.units import bytes_text, count, days_text, grouped, percent, seconds_text, significant
from app.model.workload import Workload

MOST_SHOWN = 4
WORTH_SAYING = 1.01
"""A change that saves less than one per cent of the days is not offered."""
LEAST_GOODPUT = 0.001
"""An interval that leaves less than this mends nothing."""
WITHOUT_THEM = {name: Workload.model_fields[name].default for name in (*NOT_MEMORY, "gpu")}
"""So that a drag of an input on which no byte depends asks for nothing anew."""


def remedies(design: Design, asked: Workload) -> tuple[Remedy, ...]:
    """Changes of one input, as queries: those that make it fit, else those that ease a bar that is over."""
    found = _to_fit(design, asked) if design.shape_id == "does_not_fit" else _to_ease(design, asked)
    return tuple(remedy for remedy, _ in zip(found, range(MOST_SHOWN), strict=False))


def _to_fit(design: Design, asked: Workload) -> Iterator[Remedy]:
    fixed = asked.fixed_layout()
    if fixed:
        yield from _try(asked, "Let the engine choose the layout", **dict.fromkeys(fixed, None))
    if not asked.split_model:
        yield from _try(asked, "Allow tensor + pipeline", split_model=True)
    if asked.recompute in ("none", "selective"):
        yield from _try(asked, "Recompute all activations", recompute="full")
    gpus = _first_that_fits(asked, _gpu_counts(asked), lambda n: {"gpus": n})
    if gpus:
        yield from _try(asked, f"{grouped(gpus)} GPUs", gpus=gpus)
    yield from _larger_accelerator(design, asked)
    for name, word in (("seq_tokens", "Sequences of {}"), ("params", "A model of {}")):
        yield from _smaller(design, asked, name, word)
    hundredth = float(round(design.workload.params / 100))
    yield from _try(asked, "Train 1 % of the weights", trained_params=hundredth)


def _gpu_counts(asked: Workload) -> list[float]:
    return [int(s) for s in FIELDS["gpus"].stops if s > asked.gpus]


def _larger_accelerator(design: Design, asked: Workload) -> Iterator[Remedy]:
    larger = sorted(
        (a for a in ACCELERATORS.values() if a.usable_bytes > design.accelerator.usable_bytes),
        key=lambda a: (a.vendor != design.accelerator.vendor, a.usable_bytes),
    )
    for accelerator in larger:
        offers = list(_try(asked, accelerator.name, gpu=accelerator.id))
        if offers:
            yield offers[0]
            return


def _smaller(design: Design, asked: Workload, name: str, word: str) -> Iterator[Remedy]:
    now = getattr(design.workload, name)
    below = [s for s in reversed(FIELDS[name].stops) if s < now]
    free = {"model": None, "own_model": None, "trained_params": None} if name == "params" else {}

    def change(value: float) -> dict[str, object]:
        return {name: int(value) if name == "seq_tokens" else value, **free}

    value = _first_that_fits(asked, below, change)
    if value:
        yield from _try(asked, word.format(count(value)), **change(value))


def _first_that_fits(
    asked: Workload, values: list[float], change: Callable[[float], dict[str, object]]
) -> float | None:
    """The first value that fits, by halving: further along the list is taken to need less memory."""
    low, high = 0, len(values)
    while low < high:
        middle = (low + high) // 2
        if _least(asked.model_copy(update=change(values[middle])))[1]:
            high = middle
        else:
            low = middle + 1
    return values[low] if low < len(values) else None


def _try(asked: Workload, label: str, **changes: object) -> Iterator[Remedy]:
    """The remedy, when it makes the workload fit."""
    changed = asked.model_copy(update=changes)
    total, fits = _least(changed)
    if fits:
        usable = ACCELERATORS[changed.gpu].usable_bytes
        yield Remedy(label, changed.query(), f"at least {bytes_text(total)[0]} of {' '.join(bytes_text(usable))}")


def _least(asked: Workload) -> tuple[float, bool]:
    """Least memory of the fullest GPU over all layouts, and whether such a layout fits."""
    accelerator = ACCELERATORS[asked.gpu]
    leanest: dict[str, object] = {
        "micro_batch": asked.micro_batch or 1,
        "chunks": asked.chunks or 1,
        "recompute": "full" if asked.recompute == "auto" else asked.recompute,
        "gpus_per_node": asked.gpus_per_node or accelerator.gpus_per_node,
    }
    total = _least_bytes(asked.model_copy(update={**WITHOUT_THEM, **leanest}))
    return total, total <= accelerator.usable_bytes


@lru_cache(maxsize=2048)
def _least_bytes(asked: Workload) -> float:
    workload = asked.resolved()
    model = transformer_for(workload)
    mesh = all_layouts(workload, model)
    x = mesh.columns
    enough = mesh.legal & (x.model_parallel * x.data <= workload.gpus)
    return float(fullest_bytes(workload, model, x)[enough].min()) if enough.any() else math.inf


def _to_ease(design: Design, asked: Workload) -> Iterator[Remedy]:
    load = {b.id: b.load for b in design.bottlenecks}
    if load["failures"] >= 1:
        yield from _better_interval(design, asked)
    if load["data_pipeline"] >= 1:
        yield from _more_loaders(design, asked)


def _better_interval(design: Design, asked: Workload) -> Iterator[Remedy]:
    r, w = design.reliability, design.workload
    bounds = FIELDS["checkpoint_minutes"]
    minutes = min(max(float(f"{r.optimal_checkpoint_minutes:.2g}"), bounds.low), bounds.high)
    stall = 0.0 if w.checkpoint_async else r.checkpoint_write_seconds
    better = goodput(minutes * 60, stall, r.hours_between_stops * 3600, w.restart_minutes * 60)
    if better > max(WORTH_SAYING * r.goodput, LEAST_GOODPUT):
        yield Remedy(
            f"Checkpoint every {significant(minutes, 2)} min",
            asked.query(checkpoint_minutes=minutes),
            f"goodput {share_pair(r.goodput, better)}",
        )


def _more_loaders(design: Design, asked: Workload) -> Iterator[Remedy]:
    needed = next(s for s in FIELDS["data_tokens_per_s"].stops if s >= design.data.needed_tokens_per_s)
    step = design.step
    ratio = (step.seconds - step.loader_wait_seconds) / step.seconds
    if ratio * WORTH_SAYING < 1:
        days, _ = days_text(design.run.days)
        yield Remedy(
            f"Stream {count(needed)} tokens/s",
            asked.query(data_tokens_per_s=needed),
            f"{days} → {' '.join(days_text(design.run.days * ratio))}",
        )


def runner_up(design: Design, found: Scores, index: int | None) -> RunnerUp | None:
    """The best layout that splits the work otherwise, and what decided against it."""
    if index is None:
        return None
    other = found.candidate(index)
    return RunnerUp(other.layout, _lost_by(design, other))


def _lost_by(design: Design, other: Candidate) -> str:
    ratio = other.step_seconds / design.step.seconds
    seconds = " ".join(seconds_text(other.step_seconds))
    if ratio >= 1.0005:
        return f"{percent(ratio - 1)} % slower: {seconds} a step"
    if ratio <= 0.9995:
        return f"{percent(1 - ratio)} % faster at {seconds} a step, but split further"
    return f"as fast at {seconds} a step, but split further"
