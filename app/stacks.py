"""Geometry of the memory drawing: what fills each GPU, against what a GPU can hold.

Shows the GPUs of a mesh of one node, and one GPU a stage of a design that does not fit.
x is in percent or in units of a stretched drawing (10 a bar), y in pixels.
"""

from dataclasses import dataclass

from app.model.answer import Layout, Memory, StageMemory
from app.model.units import grouped, significant
from app.svg import num, pct

PARTS = ("weights", "gradients", "optimizer", "activations", "overhead")
NAMES = {"overhead": "buffers, gaps"}
MOST_BARS = 12
ALIKE_BARS = 8
"""Bars that stand for more GPUs than are drawn, where every one holds the same; more bars show fewer details."""
FEW_BARS = 4
BAR_EDGE = 0.18
"""Room on either side of a bar, as a share of its place."""
HEIGHT = 232.0
TOP = 18.0
LABEL_PITCH = 17.0


@dataclass(frozen=True)
class Rect:
    x: str
    y: str
    width: str
    height: str


@dataclass(frozen=True)
class Kind:
    """One kind of memory in all bars."""

    id: str
    d: str


@dataclass(frozen=True)
class KindLabel:
    """Its bytes in the fullest GPU, beside the bars."""

    id: str
    value: float
    text: str
    name: str
    y: str


@dataclass(frozen=True)
class Tick:
    y: str
    line_y: str
    text: str


@dataclass(frozen=True)
class BarLabel:
    x: str
    text: str


@dataclass(frozen=True)
class Stacks:
    height: str
    inner_height: str
    view_box: str
    bar_width: str
    size: str
    kinds: tuple[Kind, ...]
    over: tuple[Rect, ...]
    gaps: str
    labels: tuple[KindLabel, ...]
    ticks: tuple[Tick, ...]
    line_y: str
    line_label_y: str
    line_text: str
    bar_name: str
    bars: tuple[BarLabel, ...]
    base_y: str
    names_y: str
    linked: bool
    caption: str
    text: str


def stacks(memory: Memory, layout: Layout, gpus_per_node: int) -> Stacks:
    """The drawing of the GPUs of one node, or of one GPU for each stage."""
    stages, by_stage = _drawn(memory, layout, gpus_per_node)
    width = 10.0 * len(stages)
    top = max(memory.usable_bytes * 1.06, memory.total_bytes * 1.02)
    scale = HEIGHT / top
    base = TOP + HEIGHT
    line = base - memory.usable_bytes * scale
    limit = significant(memory.usable_bytes / 1e9)
    return Stacks(
        height=num(base + 28),
        inner_height=num(base),
        view_box=f"0 0 {num(width)} {num(base)}",
        bar_width=num(10 - 20 * BAR_EDGE),
        size=f"bars-{len(stages)}" if len(stages) <= FEW_BARS else "",
        kinds=tuple(_kind(name, stages, base, scale) for name in PARTS),
        over=tuple(r for i in range(len(stages)) for r in _over(stages, i, memory.usable_bytes, scale)),
        gaps="".join(
            _gaps(stage, i, memory.usable_bytes, base, scale)
            for i, stage in enumerate(stages)
            if len(stages) <= ALIKE_BARS
        ),
        labels=_labels(memory, base, scale, line),
        ticks=_ticks(top, memory.usable_bytes, base, scale),
        line_y=num(line - 1),
        line_label_y=num(line + 4),
        line_text=limit,
        bar_name="stage" if by_stage else "GPU",
        bars=_bar_labels(stages, by_stage),
        base_y=num(base),
        names_y=num(base + 18),
        linked=not by_stage and layout.gpus_used > 1,
        caption=_caption(memory, layout, gpus_per_node, len(stages), by_stage),
        text=_text(memory, layout),
    )


def _drawn(memory: Memory, layout: Layout, node: int) -> tuple[tuple[StageMemory, ...], bool]:
    """The stage of each bar: of each GPU in the node, or one bar a stage where there are more nodes."""
    if layout.gpus_used <= min(node, MOST_BARS) or layout.pipeline == 1:
        all_of_them = min(layout.gpus_used, node)
        bars = all_of_them if all_of_them <= MOST_BARS else ALIKE_BARS
        share = layout.gpus_used // layout.pipeline
        return tuple(memory.stages[min(i // share, layout.pipeline - 1)] for i in range(bars)), False
    count = min(layout.pipeline, MOST_BARS)
    if count == layout.pipeline:
        return memory.stages, True
    chosen = {round(i * (layout.pipeline - 1) / (count - 1)) for i in range(count)} | {memory.fullest_stage}
    return tuple(memory.stages[i] for i in sorted(chosen)), True


def part_bytes(memory: Memory | StageMemory, part: str) -> float:
    """One of the five kinds. [bytes]"""
    return float(getattr(memory, f"{part}_bytes"))


def _kind(part: str, stages: tuple[StageMemory, ...], base: float, scale: float) -> Kind:
    """One kind in all bars, as upright strokes as wide as a bar: half the bytes of boxes."""
    below = PARTS[: PARTS.index(part)]
    d = ""
    for i, stage in enumerate(stages):
        height = part_bytes(stage, part) * scale
        foot = base - sum(part_bytes(stage, p) for p in below) * scale
        if height >= 0.5:
            d += _upright(i, foot - height, max(height - 1, 0.5))
    return Kind(part, d)


def _upright(index: int, top: float, height: float) -> str:
    """A stroke through the middle of a bar."""
    return f"M{num(10 * index + 5)} {num(round(top, 1))}v{num(round(height, 1))}"


def _over(stages: tuple[StageMemory, ...], index: int, usable: float, scale: float) -> list[Rect]:
    """What of one bar lies above the line of what a GPU can hold: one hatched box, however many kinds."""
    height = (stages[index].total_bytes - usable) * scale
    if height < 0.5:
        return []
    top = TOP + HEIGHT - stages[index].total_bytes * scale
    width = pct(1 - 2 * BAR_EDGE, len(stages))
    return [Rect(pct(index + BAR_EDGE, len(stages)), num(round(top, 1)), width, num(round(height, 1)))]


def _gaps(stage: StageMemory, index: int, usable: float, base: float, scale: float) -> str:
    """Lines between the kinds of one bar above the line, each a pixel high."""
    total = 0.0
    d = ""
    for part in PARTS[:-1]:
        total += part_bytes(stage, part)
        if usable < total and part_bytes(stage, part) * scale >= 1 and (stage.total_bytes - total) * scale >= 1:
            d += _upright(index, base - total * scale, 1)
    return d


def _labels(memory: Memory, base: float, scale: float, line: float) -> tuple[KindLabel, ...]:
    """One label a kind at the height of its part, moved apart where they would touch each other or the line."""
    wanted: list[tuple[float, str]] = []
    foot = base
    for part in PARTS:
        height = part_bytes(memory, part) * scale
        if part_bytes(memory, part) >= 0.0005 * memory.total_bytes:
            wanted.append((foot - height / 2 + 4, part))
        foot -= height
    heights = _apart([y for y, _ in wanted], line + 4, base + 4)
    return tuple(_label(memory, part, y) for (_, part), y in zip(wanted, heights, strict=True))


def _apart(ys: list[float], reserved: float, floor: float) -> list[float]:
    """Heights from the bottom up, each at least a line above the one before and clear of `reserved`."""
    result: list[float] = []
    limit = floor
    for y in ys:
        y = min(y, limit)
        if abs(y - reserved) < LABEL_PITCH:
            y = reserved + LABEL_PITCH if y > reserved and reserved + LABEL_PITCH <= limit else reserved - LABEL_PITCH
        result.append(y)
        limit = y - LABEL_PITCH
    lift = max(0.0, 12 - min(result, default=12))
    return [y + lift for y in result]


def _label(memory: Memory, part: str, y: float) -> KindLabel:
    value = part_bytes(memory, part)
    text = f"{value / 1e9:.1f}" if value >= 1e8 else significant(value / 1e9, 1)
    return KindLabel(f"memory.{part}_bytes", value, text, NAMES.get(part, part), num(y))


def _ticks(top: float, usable: float, base: float, scale: float) -> tuple[Tick, ...]:
    """Round gigabytes on the left, clear of the line of what a GPU can hold."""
    step = next(s * 10**k for k in range(-1, 9) for s in (1, 2, 4, 5) if top / 1e9 / (s * 10**k) <= 5)
    values = [i * step for i in range(int(top / 1e9 / step) + 1)]
    return tuple(
        Tick(num(base - v * 1e9 * scale + 4), num(base - v * 1e9 * scale), grouped(v, 1 if step < 1 else 0))
        for v in values
        if abs(v * 1e9 - usable) * scale >= 14
    )


def _bar_labels(stages: tuple[StageMemory, ...], by_stage: bool) -> tuple[BarLabel, ...]:
    count = len(stages)
    every = 1 if count <= 8 else 4
    numbers = [s.stage + 1 for s in stages] if by_stage else list(range(1, count + 1))
    shown = [i for i in range(count) if i in (0, count - 1) or ((i + 1) % every == 0 and count - 1 - i >= every / 2)]
    return tuple(BarLabel(pct(10 * i + 5, 10 * count), grouped(numbers[i])) for i in shown)


def _caption(memory: Memory, layout: Layout, node: int, bars: int, by_stage: bool) -> str:
    used = layout.gpus_used
    if by_stage:
        share = "" if bars >= layout.pipeline else f"{bars} of {grouped(layout.pipeline)} stages; "
        return f"{share}one GPU of each stage, stage {memory.fullest_stage + 1} the fullest"
    if used == 1:
        return "one GPU: nothing to exchange"
    if used > bars:
        return f"{bars} of {grouped(used)} GPUs; every one holds the same"
    alike = "all alike" if layout.pipeline == 1 else f"stage {memory.fullest_stage + 1} the fullest"
    return f"one node: {used} GPUs on a fast link, {alike}"


def _text(memory: Memory, layout: Layout) -> str:
    """The drawing in words."""
    parts = ", ".join(
        f"{NAMES.get(p, p)} {significant(part_bytes(memory, p) / 1e9)} GB" for p in PARTS if part_bytes(memory, p)
    )
    total, usable = significant(memory.total_bytes / 1e9), significant(memory.usable_bytes / 1e9)
    return f"Memory of the fullest of {grouped(layout.gpus_used)} GPUs: {parts}; {total} GB of {usable} GB usable."
