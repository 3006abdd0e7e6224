"""Geometry of the mesh drawing, as attributes of SVG elements; `mesh_plan` says what it counts.

x is in units of a stretched drawing (10 a column) or in percent, y in pixels. Thousands of marks are
one line a column, dashed, so that the drawing stays a few elements and a few hundred bytes.
"""

import math
from dataclasses import dataclass

from app.mesh_plan import Note, in_words, notes, plan, stops
from app.mesh_size import BUS, CELL_WIDTH, EDGE, TOP, Size, link_pixels
from app.model.answer import Exchange, Layout
from app.model.units import grouped
from app.svg import box, num, pct


@dataclass(frozen=True)
class Stroke:
    """Width and dashes of a line; `d` where it is not the lines through all columns."""

    width: str
    dash: str = "none"
    offset: str = "0"
    d: str = ""


@dataclass(frozen=True)
class Label:
    x: str
    text: str
    strong: bool


@dataclass(frozen=True)
class RowLabel:
    y: str
    text: str


@dataclass(frozen=True)
class Stop:
    x: str
    y: str


@dataclass(frozen=True)
class Band:
    """A horizontal band of the drawing, in which the lines through all columns are drawn again."""

    y: str
    height: str
    view_box: str


@dataclass(frozen=True)
class Grid:
    """The drawing. `lines` runs through all columns; each band dashes it its own way.

    Links: `inside` a node, `down` the replicas to the `bus`, `across` lanes, `forward` to the next stage.
    """

    height: str
    first_row: Band
    nodes: Band
    below: Band
    rest: Band
    lines: str
    row_name: str
    column_name: str
    middle: str
    first_x: str
    columns: tuple[Label, ...]
    rows: tuple[RowLabel, ...]
    frames: tuple[Stroke, ...]
    cells: Stroke
    holes: Stroke | None
    inside: Stroke
    marks: Stroke
    missing: str
    down: Stroke | None
    bus: Stroke | None
    across: Stroke | None
    forward: Stroke | None
    stops: tuple[Stop, ...]
    notes: tuple[Note, ...]
    text: str


def grid(layout: Layout, gpus_per_node: int, sent: Exchange, stops_per_day: float) -> Grid:
    """The drawing of a mesh of several nodes. `sent`: bytes that a GPU sends in a step, by kind."""
    p = plan(layout, gpus_per_node)
    s = Size(p)
    shared = layout.data > 1
    beside = sent.context if p.replica_nodes > 1 else sent.data_parallel
    whole = p.replica_nodes == p.lanes or layout.tensor * layout.context == gpus_per_node
    return Grid(
        height=num(TOP + s.bottom + (BUS + 8 if shared else 2)),
        first_row=_band(s, 0, s.block),
        nodes=_band(s, EDGE, s.block - 2 * EDGE),
        below=_band(s, s.rows_top, s.bottom - s.rows_top),
        rest=_band(s, s.block, s.bottom + BUS - s.block),
        lines="".join(f"M{num(s.x(i))} 0v400" for i in range(p.columns)),
        row_name="replica" if whole else "node",
        column_name="stage" if layout.pipeline > 1 else "",
        middle=num(TOP + s.block / 2),
        first_x=pct(s.x(0), s.width) if shared else "",
        columns=_column_labels(layout, s),
        rows=_row_labels(s),
        frames=_frames(s),
        cells=Stroke(num(CELL_WIDTH), f"{num(s.cell)} {num(s.cell_pitch - s.cell)}"),
        holes=_holes(s),
        inside=_inside(layout, s, sent),
        marks=Stroke("7.6", f"{s.mark_pitch - s.mark_gap} {s.mark_gap}"),
        missing=_missing(s),
        down=_down(s, sent.data_parallel) if shared else None,
        bus=_bus(s, sent.data_parallel) if shared else None,
        across=_across(s, beside),
        forward=_forward(s, sent.pipeline),
        stops=tuple(_stop(i, s) for i in range(stops(stops_per_day)[0])),
        notes=notes(layout, gpus_per_node, p, stops_per_day),
        text=in_words(layout, gpus_per_node),
    )


def _band(s: Size, top: float, height: float) -> Band:
    return Band(num(TOP + top), num(max(0.0, height)), f"0 0 {num(s.width)} {num(max(0.0, height))}")


def _frames(s: Size) -> tuple[Stroke, ...]:
    """Outlines of the nodes of the first row: their full size, then their inside a pixel smaller."""
    p = s.plan
    d = f"M{num(s.x(0) - 4)} {num(s.block / 2)}H{num(s.x(p.columns - 1) + 4)}"
    span = 10.0 * p.node_columns - 2
    gaps = [2.0] * (p.lanes - 1) + [8.0] if s.apart else [2.0]
    outer = " ".join(f"{num(span)} {num(g)}" for g in gaps)
    inner = " ".join(f"{num(span - 2 * s.pixel)} {num(g + 2 * s.pixel)}" for g in gaps)
    return Stroke(num(s.block), outer, d=d), Stroke(num(s.block - 2), inner, num(-s.pixel), d)


def _holes(s: Size) -> Stroke | None:
    """The insides of the GPUs, a pixel smaller all round, where there is room for an outline."""
    if s.cell < 4 or s.plan.columns > 32:
        return None
    dash = f"{num(s.cell - 2)} {num(s.cell_pitch - s.cell + 2)}"
    return Stroke(num(CELL_WIDTH - 2.6 * s.pixel), dash, "-1")


def _inside(layout: Layout, s: Size, sent: Exchange) -> Stroke:
    """Links between the GPUs of a node: one dash a tensor group, or the replicas' link through all."""
    split = layout.tensor > 1
    width = min(0.9 * CELL_WIDTH, link_pixels(sent.tensor if split else sent.data_parallel) * s.pixel)
    group = min(s.plan.cells, max(1, layout.tensor // s.plan.gpus_a_cell)) if split else s.plan.cells
    return Stroke(num(width), f"{num((group - 1) * s.cell_pitch)} {num(s.cell_pitch)}", num(-s.cell / 2))


def _missing(s: Size) -> str:
    """Where the last row of a stage ends early: what covers the marks that are not there."""
    p = s.plan
    short = (i for i in range(p.columns) if p.marks_of(i) < p.marks)
    return "".join(box(s.x(i) - 4, s.mark_pitch * p.marks_of(i), 8, s.mark_pitch) for i in short)


def _down(s: Size, sent: float) -> Stroke:
    """Links of the replicas: never so wide that the columns run together."""
    most = 3.5 if s.plan.columns <= 32 else 2.2
    return Stroke(num(min(most, link_pixels(sent) * s.pixel)))


def _bus(s: Size, sent: float) -> Stroke:
    """The line that joins all columns to the fabric."""
    y = num(s.bottom + BUS - s.block)
    return Stroke(num(link_pixels(sent)), d=f"M{num(s.x(0))} {y}H{num(s.x(s.plan.columns - 1))}")


def _across(s: Size, sent: float) -> Stroke | None:
    """Links between the lanes of a stage; nodes cover them but for the gaps."""
    p = s.plan
    if p.lanes == 1:
        return None
    dash = f"{10 * (p.lanes - 1)} {num(s.x(p.lanes) - s.x(p.lanes - 1))}" if s.apart else "none"
    return Stroke(num(link_pixels(sent)), dash, d=_first_row_line(s, 0))


def _forward(s: Size, sent: float) -> Stroke | None:
    """Links from each stage to the next; nodes cover them but for the gaps."""
    p = s.plan
    if p.columns == p.lanes:
        return None
    dash = f"{num(s.x(p.lanes) - s.x(p.lanes - 1))} {10 * (p.lanes - 1)}" if s.apart else "none"
    return Stroke(num(link_pixels(sent)), dash, d=_first_row_line(s, p.lanes - 1))


def _first_row_line(s: Size, start: int) -> str:
    return f"M{num(s.x(start))} {num(s.block / 2)}H{num(s.x(s.plan.columns - 1))}"


def _column_labels(layout: Layout, s: Size) -> tuple[Label, ...]:
    """First, last and round stage numbers, as many as there is room for."""
    p = s.plan
    stages = p.columns // p.lanes
    if layout.pipeline == 1:
        return ()
    every = 1 if stages <= 16 else 2 ** math.ceil(math.log2(stages / 16))
    rounds = range(every - 1, stages - every, every) if every > 1 else range(stages)
    strong = {0, stages - 1, *range(stages // 4 - 1, stages, max(1, stages // 4))}
    labels = []
    for i in sorted({0, stages - 1, *rounds}):
        middle = (s.x(i * p.lanes) + s.x((i + 1) * p.lanes - 1)) / 2
        number = 1 if i == 0 else min(layout.pipeline, (i + 1) * p.stages_a_column)
        labels.append(Label(pct(middle, s.width), grouped(number), i in strong))
    return tuple(labels)


def _row_labels(s: Size) -> tuple[RowLabel, ...]:
    """The first of the second row, and the last."""
    p = s.plan
    if not p.marks:
        return ()
    whole = p.replica_nodes == p.lanes
    first, last = (2, p.rows) if whole else (p.lanes + 1, p.stage_nodes)
    labels = [RowLabel(num(TOP + s.rows_top + 11), grouped(first))]
    if last > first and p.marks * s.mark_pitch > 30:
        labels.append(RowLabel(num(TOP + s.bottom), grouped(last)))
    return tuple(labels)


def _stop(index: int, s: Size) -> Stop:
    """Where mark number `index` stands: scattered, and at the same place each time."""
    across = (0.5 + index * 0.6180339887498949) % 1
    along = (0.5 + index * index * 0.6180339887498949) % 1
    column = int(across * s.plan.columns)
    marks = s.plan.marks_of(column)
    if marks:
        y = s.rows_top + (int(along * marks) + 0.35) * s.mark_pitch
    else:
        y = EDGE + int(along * s.plan.cells) * s.cell_pitch + s.cell / 2
    return Stop(pct(s.x(column), s.width), num(TOP + y))
