"""The three charts of a design: each with its finding as a title, a caption and a table behind it."""

from collections.abc import Iterable
from dataclasses import dataclass

from markupsafe import Markup

from app.model.answer import Memory
from app.model.design import Design
from app.model.phrases import days, joined, share, size, sold, some, span, upper
from app.model.sizing import design
from app.model.units import grouped, significant
from app.model.workload import Workload
from app.plot_parts import log_ticks
from app.plots import count_plot, interval_plot, interval_text, memory_plot
from app.sweeps import Count, Counts, Interval, Intervals, Piece, counts, interval_at, intervals, pieces

NAMES = {
    "weights": "weights",
    "gradients": "gradients",
    "optimizer": "optimizer",
    "activations": "activations",
    "overhead": "buffers, gaps",
    "free": "free",
    "over": "too much",
}
TAKES = {
    "weights": "weights take",
    "gradients": "gradients take",
    "optimizer": "optimizer state takes",
    "activations": "activations take",
    "overhead": "buffers and gaps take",
}
SAME = 0.0005
"""Shares of time closer than this read alike."""
ENDLESS_DAYS = 1e6


@dataclass(frozen=True)
class Table:
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Chart:
    """`measure` says what is drawn, `label` is its name for who cannot see it, `figure` Plotly's JSON."""

    id: str
    title: str
    measure: str
    caption: str
    label: str
    table: Table
    figure: Markup


def charts(workload: Workload) -> tuple[Chart, ...]:
    """Goodput, days and memory around this workload."""
    now = design(workload)
    return _goodput(intervals(now), now), _days(counts(workload, now)), _memory(pieces(now), now)


def _goodput(sweep: Intervals, now: Design) -> Chart:
    title = goodput_title(sweep)
    return Chart(
        "goodput",
        title,
        "Goodput, %, by minutes between checkpoints",
        _goodput_caption(sweep),
        f"Line chart of goodput by checkpoint interval. {title}.",
        _goodput_table(sweep, now),
        Markup(interval_plot(sweep)),
    )


def goodput_title(sweep: Intervals) -> str:
    """What the interval costs, in one sentence."""
    here, best = interval_text(sweep.now.minutes), sweep.best
    if max(p.goodput for p in (*sweep.curve, sweep.now)) < SAME:
        return f"No interval helps: a stop comes every {span(sweep.stop_seconds)}"
    if best is None:
        return f"Saved in the background, shorter is better; {joined((here, 'min'))} gives {share(sweep.now.goodput)}"
    lost = best.goodput - sweep.now.goodput
    if lost < SAME:
        return f"Every {joined((here, 'min'))} is as good as the best interval: {share(sweep.now.goodput)}"
    at = joined((interval_text(best.minutes), "min"))
    return f"Best at {at}; now {here} loses {significant(100 * lost, 2)} points more"


def _goodput_caption(sweep: Intervals) -> str:
    write, stop = span(sweep.write_seconds), span(sweep.stop_seconds)
    facts = f"A checkpoint takes {write} to write, and a stop comes every {stop}."
    if sweep.best is None:
        return f"{facts} Writing holds nothing up, but an interval cannot be shorter than it takes."
    return f"{facts} Too short: mostly writing. Too long: mostly repeating."


def _goodput_table(sweep: Intervals, now: Design) -> Table:
    ends = sweep.curve[0].minutes, sweep.curve[-1].minutes
    marks = {sweep.now.minutes: "now"} | ({sweep.best.minutes: "best"} if sweep.best else {})
    minutes = sorted({v for v, _ in log_ticks(*ends)} | set(marks))
    rows = (_interval_row(interval_at(now, m), marks.get(m, "")) for m in minutes)
    return Table(("Minutes", "Goodput, %", "Repeated, %", "Writing, %", "Restarting, %"), tuple(rows))


def _interval_row(p: Interval, mark: str) -> tuple[str, ...]:
    shares = (p.goodput, p.repeated, p.writing, p.restarting)
    return (f"{interval_text(p.minutes)} {mark}".strip(), *(f"{100 * s:.1f}" for s in shares))


def _days(sweep: Counts) -> Chart:
    title = days_title(sweep)
    return Chart(
        "days",
        title,
        "Days with stops, by GPU count",
        _days_caption(sweep),
        f"Line chart of days with stops by GPU count. {title}.",
        _days_table(sweep),
        Markup(count_plot(sweep)),
    )


def days_title(sweep: Counts) -> str:
    """What twice the GPUs would bring, in one sentence; else which count can hold the design."""
    now, held = sweep.now, {c.gpus: c for c in sweep.fitting}
    if not held:
        return f"No GPU count from {grouped(sweep.all[0].gpus)} to {grouped(sweep.all[-1].gpus)} can hold it"
    if not now.fits:
        other = next((n for n in held if n > now.gpus), min(held))
        return f"{some(now.gpus, 'GPU')} cannot hold it; {grouped(other)} can, in {days(held[other].wall_days)}"
    double = held.get(2 * now.gpus)
    if double is None:
        return f"{some(now.gpus, 'GPU')} take {days(now.wall_days)}"
    ratio = double.wall_days / now.wall_days
    if 0.98 < ratio < 1.02:
        return f"Twice the GPUs save nothing: {days(now.wall_days)} either way"
    steps = ((0.55, "close to half of the"), (0.9, "not half of the"), (1.0, "hardly less than the"))
    against = next((words for most, words in steps if ratio <= most), "more than the")
    return f"Twice the GPUs take {days(double.wall_days)}, {against} {days(now.wall_days)} now"


def _days_caption(sweep: Counts) -> str:
    said = ["Same batch and settings, each count in the layout that suits it."]
    if (least := sweep.fullest_use) and len(sweep.fitting) > 1:
        said.append(f"Dashed: if every GPU were as useful as at {some(least.gpus, 'GPU')}.")
    if waits := first(c.gpus for c in sweep.fitting if c.waits):
        start = "At every count" if waits == sweep.fitting[0].gpus else f"From {some(waits, 'GPU')} on"
        said.append(f"{start} the loaders hold it up.")
    if idles := first(c.gpus for c in sweep.fitting if c.idles):
        said.append(f"At {grouped(idles)} some GPUs have no work: the batch is {some(sweep.sequences, 'sequence')}.")
    return " ".join(said)


def first(numbers: Iterable[int]) -> int:
    """The smallest, 0 where there is none."""
    return min(numbers, default=0)


def _days_table(sweep: Counts) -> Table:
    head = ("GPUs", "Days with stops", "Without", "If divisible", "Tensor × pipeline × data")
    return Table(head, tuple(_count_row(c, sweep) for c in sweep.all))


def _count_row(c: Count, sweep: Counts) -> tuple[str, ...]:
    name = f"{grouped(c.gpus)}{' now' if c is sweep.now else ''}"
    if not c.fits:
        return (name, "does not fit", "", "", "")
    return (name, _days_cell(c.wall_days), _days_cell(c.days), _days_cell(sweep.divided(c.gpus)), c.layout)


def _days_cell(value: float) -> str:
    return significant(value) if value < ENDLESS_DAYS else "over a million"


def _memory(found: tuple[Piece, ...], now: Design) -> Chart:
    title = memory_title(found, now.memory)
    decimals = _decimals(now.memory)
    return Chart(
        "memory",
        title,
        "Memory of the fullest GPU, GB",
        _memory_caption(now),
        f"Bar chart of what fills the fullest GPU. {title}.",
        _memory_table(found, now.memory, decimals),
        Markup(memory_plot(found, NAMES, now.memory.usable_bytes, decimals)),
    )


def memory_title(found: tuple[Piece, ...], memory: Memory) -> str:
    """What fills the GPU most, and what is left, in one sentence."""
    decimals = _decimals(memory)
    largest, rest = max(found[:-1], key=lambda p: p.bytes), found[-1]
    took = f"{TAKES[largest.id]} {_gb(largest.bytes, decimals)} of {joined((_gb(memory.total_bytes, decimals), 'GB'))}"
    left = joined((_gb(rest.bytes, decimals), "GB"))
    return f"{upper(took)}; {left} {'stay free' if rest.id == 'free' else 'are too much'}"


def _decimals(memory: Memory) -> int:
    """One kind of figure shares its decimals: enough for what a GPU holds to show three digits."""
    most = max(memory.total_bytes, memory.usable_bytes)
    return 0 if most >= 1000e9 else 1 if most >= 10e9 else 2


def _gb(value: float, decimals: int) -> str:
    return grouped(value / 1e9, decimals)


def _memory_caption(now: Design) -> str:
    sold_as = f"Usable is what a process can allocate on a GPU sold as {sold(now.memory.capacity_bytes)}."
    stages = now.memory.stages
    if len(stages) == 1:
        return f"{'Every GPU holds the same. ' if now.layout.gpus_used > 1 else ''}{sold_as}"
    least = min(stages, key=lambda s: s.total_bytes)
    fullest = f"Stage {now.memory.fullest_stage + 1} of {grouped(len(stages))} is the fullest"
    return f"{fullest}; the leanest, stage {least.stage + 1}, holds {size(least.total_bytes)}. {sold_as}"


def _memory_table(found: tuple[Piece, ...], memory: Memory, decimals: int) -> Table:
    kinds = [(NAMES[p.id], p.bytes) for p in found]
    ends = [("in all", memory.total_bytes), ("usable", memory.usable_bytes)]
    rows = ((name, _gb(v, decimals), grouped(100 * v / memory.usable_bytes, 1)) for name, v in (*kinds, *ends))
    return Table(("Part", "GB", "Of usable, %"), tuple(rows))
