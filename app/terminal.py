"""The engine's answers as plain text for a terminal."""

from collections.abc import Sequence

from app.brought import Counts
from app.model.answer import Bottleneck, Layout, Sizing
from app.model.design import Candidate
from app.model.hardware import ACCELERATORS
from app.model.units import bytes_text, count, days_text, grouped, percent, seconds_text, significant
from app.model.workload import Workload

BAR_CELLS = 30
BAR_SPAN = 1.5
"""A full bar stands for 150 %, as on the page."""


def sizing_text(answer: Sizing) -> str:
    """A screenful: the shape, its key figures, the five bars, why, and what would mend it."""
    parts = [
        heading(answer),
        f"{answer.shape.title}\n{layout_text(answer.layout)}",
        "\n".join(f"{label:<12}{text}" for label, text in key_figures(answer)),
        "\n".join(bar_text(b) for b in answer.bottlenecks),
        "\n".join(f"· {reason}" for reason in answer.shape.reasons),
    ]
    if answer.remedies:
        parts.append("What would help:\n" + "\n".join(f"· {r.change}: {r.effect}" for r in answer.remedies))
    parts.append("\n".join(f"Note: {note}" for note in (answer.accuracy.reason, *answer.limits)))
    return "\n\n".join(parts)


def heading(answer: Sizing) -> str:
    asked = Workload.model_validate(answer.workload)
    model = f"{answer.model.name}, {count(answer.model.total_params)} parameters"
    return f"{model}, on {grouped(asked.gpus)} × {ACCELERATORS[asked.gpu].name}"


def key_figures(answer: Sizing) -> tuple[tuple[str, str], ...]:
    run, memory, stops = answer.run, answer.memory, answer.reliability
    full, usable = joined(bytes_text(memory.total_bytes)), joined(bytes_text(memory.usable_bytes))
    return (
        ("Time", f"{joined(days_text(run.days))}, {joined(days_text(run.wall_days))} with stops"),
        ("Step", f"{joined(seconds_text(answer.step.seconds))}, {percent(run.mfu)} % MFU"),
        ("Accuracy", f"time {answer.accuracy.text}"),
        ("Memory", f"{full} of {usable} usable on the fullest GPU"),
        ("Failures", f"{significant(stops.stops_per_day)} stops a day, {percent(stops.goodput)} % goodput"),
        ("Cost", f"{count(run.gpu_hours)} GPU-hours, ${count(run.cost)}"),
    )


def joined(figure: tuple[str, str]) -> str:
    return " ".join(figure)


def layout_text(x: Layout) -> str:
    sizes = [("tensor", x.tensor), ("pipeline", x.pipeline), ("context", x.context), ("expert", x.expert)]
    shown = [f"{name} {grouped(n)}" for name, n in sizes if n > 1] + [f"data {grouped(x.data)}"]
    shown += [f"chunks {x.chunks}"] if x.chunks > 1 else []
    shown += [f"ZeRO {x.zero_stage}", f"micro-batch {x.micro_batch} × {grouped(x.microbatches)}"]
    return " · ".join([*shown, f"recompute {x.recompute}", f"GPUs used {grouped(x.gpus_used)}"])


def bar_text(bar: Bottleneck) -> str:
    filled = min(BAR_CELLS, round(bar.load / BAR_SPAN * BAR_CELLS))
    drawn = "█" * filled + "·" * (BAR_CELLS - filled)
    return f"{bar.label:<30}{drawn} {percent(bar.load):>6} %  {bar.status:<6}{bar.figure.note}"


def counts_text(counts: Counts) -> str:
    """A model that is only counted: part by part, and why it is not timed."""
    rows = [f"{row.name:<16}{row.params:>20}{row.active:>20}" for row in counts.parts]
    table = "\n".join([f"{'':<16}{'parameters':>20}{'used by a token':>20}", *rows])
    taken = [f"· {text}" for text in (*counts.notes, *counts.filled)]
    return "\n\n".join(filter(None, [f"{counts.name} ({counts.kind})", table, "\n".join(taken), counts.untimed]))


def layouts_text(found: Sequence[Candidate]) -> str:
    """One line a layout, the best first."""
    lines = [
        f"{i:>3}  {joined(seconds_text(c.step_seconds)):>9}  {joined(bytes_text(c.memory_bytes)):>8}  "
        f"{'' if c.fits else 'does not fit  '}{layout_text(c.layout)}"
        for i, c in enumerate(found, 1)
    ]
    return "\n".join([f"{'':>3}  {'step':>9}  {'memory':>8}  layout", *lines])
