"""Geometry of the mesh drawing, as attributes of SVG elements; `mesh_plan` says what it counts.

x is in units of a stretched drawing (10 a column) or in percent, y in pixels. Thousands of marks are
one dashed line a column, so that the drawing stays a few elements.
"""

import math
from dataclasses import dataclass

from app.mesh_plan import Note, Plan, in_words, notes, plan, stops
from app.model.answer import Exchange, Layout
from app.model.units import grouped
from app.svg import box, num, pct

LEAST_WIDTH = 80
"""Units; keeps the columns of a small mesh narrow."""
USUAL_PIXELS = 560
"""Width of the drawing on a desk's screen, to turn pixels of a line into units."""
CELL_WIDTH = 4.8
TOP = 20.0
"""Room for the numbers of the stages."""
EDGE = 4.0
"""From the outline of a node to its first GPU."""
ROWS_GAP = 16.0
ROWS_HEIGHT = 258.0


@dataclass(frozen=True)
class Stroke:
    """A path with the width and the dashes of its line."""

    d: str
    width: str
    dash: str = ""
    offset: str = "0"


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
class Grid:
    """The drawing. Links: `inside` a node, `down` the replicas, `across` the lanes, `forward` the stages."""

    height: str
    inner_height: str
    view_box: str
    row_name: str
    column_name: str
    middle: str
    first_x: str
    columns: tuple[Label, ...]
    rows: tuple[RowLabel, ...]
    frames: str
    cells: Stroke
    holes: Stroke | None
    marks: Stroke | None
    inside: Stroke
    down: Stroke | None
    across: Stroke | None
    forward: Stroke | None
    stops: tuple[Stop, ...]
    notes: tuple[Note, ...]
    text: str


def link_pixels(sent_bytes: float) -> float:
    """Width of a link: it grows with the root of what a GPU sends in a step. [px]

    >>> link_pixels(100e9), link_pixels(0)
    (7.2, 1.5)
    """
    return min(12.0, max(1.5, 0.72 * math.sqrt(sent_bytes / 1e9)))


@dataclass(frozen=True)
class _Size:
    """Lengths of one drawing, from its plan."""

    plan: Plan

    def x(self, column: int) -> float:
        """Middle of a column; stages with several lanes stand apart."""
        several = self.plan.lanes > 1 and self.plan.columns > self.plan.lanes
        return 10 * column + 5 + (6 * (column // self.plan.lanes) if several else 0)

    @property
    def width(self) -> float:
        return max(self.x(self.plan.columns - 1) + 5, LEAST_WIDTH)

    @property
    def pixel(self) -> float:
        """A pixel on a desk's screen, in units."""
        return self.width / USUAL_PIXELS

    @property
    def cell_pitch(self) -> float:
        p = self.plan
        return max(1.5, min(12.0, 78 / p.cells)) if p.marks else max(2.0, min(20.0, 150 / p.cells))

    @property
    def block(self) -> float:
        return self.plan.cells * self.cell_pitch + 2 * EDGE

    @property
    def mark_pitch(self) -> int:
        return max(2, min(12, int(ROWS_HEIGHT / max(1, self.plan.marks))))

    @property
    def rows_top(self) -> float:
        return self.block + ROWS_GAP

    @property
    def bottom(self) -> float:
        return self.rows_top + self.plan.marks * self.mark_pitch if self.plan.marks else self.block

    @property
    def bus(self) -> float:
        """The line that joins all columns to the fabric."""
        return self.bottom + 12


def grid(layout: Layout, gpus_per_node: int, sent: Exchange, stops_per_day: float) -> Grid:
    """The drawing of a mesh of several nodes. `sent`: bytes that a GPU sends in a step, by kind."""
    p = plan(layout, gpus_per_node)
    s = _Size(p)
    height = s.bus + 8 if layout.data > 1 else s.bottom + 2
    beside = sent.context if p.replica_nodes > 1 else sent.data_parallel
    whole = p.replica_nodes == p.lanes or layout.tensor * layout.context == gpus_per_node
    return Grid(
        height=num(TOP + height),
        inner_height=num(height),
        view_box=f"0 0 {num(s.width)} {num(height)}",
        row_name="replica" if whole else "node",
        column_name="stage" if layout.pipeline > 1 else "",
        middle=num(TOP + s.block / 2),
        first_x=pct(s.x(0), s.width) if layout.data > 1 else "",
        columns=_column_labels(layout, s),
        rows=_row_labels(s),
        frames=_frames(s),
        cells=_cells(s),
        holes=_holes(s),
        marks=_marks(s),
        inside=_inside(layout, s, sent),
        down=_down(s, sent.data_parallel) if layout.data > 1 else None,
        across=_sideways(s, True, beside),
        forward=_sideways(s, False, sent.pipeline),
        stops=tuple(_stop(i, s) for i in range(stops(stops_per_day)[0])),
        notes=notes(layout, gpus_per_node, p, stops_per_day),
        text=in_words(layout, gpus_per_node),
    )


def _verticals(s: _Size, top: float, length: float) -> str:
    return "".join(f"M{num(s.x(i))} {num(top)}v{num(length)}" for i in range(s.plan.columns))


def _cell(s: _Size) -> float:
    return 0.64 * s.cell_pitch


def _cells(s: _Size) -> Stroke:
    """Every GPU of the first row of nodes as one dash."""
    dash = f"{num(_cell(s))} {num(s.cell_pitch - _cell(s))}"
    return Stroke(_verticals(s, EDGE, s.block - 2 * EDGE), num(CELL_WIDTH), dash)


def _holes(s: _Size) -> Stroke | None:
    """The insides of the cells, a pixel smaller all round, where there is room for an outline."""
    if _cell(s) < 4 or s.plan.columns > 32:
        return None
    dash = f"{num(_cell(s) - 2)} {num(s.cell_pitch - _cell(s) + 2)}"
    width = num(CELL_WIDTH - 2.6 * s.pixel)
    return Stroke(_verticals(s, EDGE, s.block - 2 * EDGE), width, dash, num(s.cell_pitch - 1))


def _inside(layout: Layout, s: _Size, sent: Exchange) -> Stroke:
    """Links between the GPUs of a node: one dash a tensor group, or the replicas' link through all."""
    split = layout.tensor > 1
    width = min(0.9 * CELL_WIDTH, link_pixels(sent.tensor if split else sent.data_parallel) * s.pixel)
    group = max(1, layout.tensor // s.plan.gpus_a_cell)
    dash = f"{num((group - 1) * s.cell_pitch)} {num(s.cell_pitch)}" if split and group < s.plan.cells else ""
    d = _verticals(s, EDGE + _cell(s) / 2, s.block - 2 * EDGE - s.cell_pitch)
    return Stroke(d, num(width), dash)


def _marks(s: _Size) -> Stroke | None:
    """The nodes below the first row, one dash each."""
    p = s.plan
    if not p.marks:
        return None
    lengths = ((s.x(i), p.marks_of(i) * s.mark_pitch) for i in range(p.columns))
    gap = max(1, round(0.35 * s.mark_pitch))
    d = "".join(f"M{num(x)} {num(s.rows_top)}v{num(length)}" for x, length in lengths if length)
    return Stroke(d, "7.6", f"{s.mark_pitch - gap} {gap}")


def _down(s: _Size, sent: float) -> Stroke:
    """From the nodes of a column down to the line that joins all columns."""
    d = _verticals(s, s.block, s.bus - s.block)
    width = min(link_pixels(sent), 3.5 / s.pixel)
    return Stroke(f"{d}M{num(s.x(0))} {num(s.bus)}H{num(s.x(s.plan.columns - 1))}", num(width))


def _sideways(s: _Size, same_stage: bool, sent: float) -> Stroke | None:
    """Links of the first row between the lanes of a stage, or to the next stage."""
    pairs = (i for i in range(s.plan.columns - 1) if same_stage == ((i + 1) % s.plan.lanes > 0))
    reach = CELL_WIDTH / 2 if s.plan.node_columns > 1 else 4.0
    y = num(s.block / 2)
    d = "".join(f"M{num(s.x(i) + reach)} {y}H{num(s.x(i + 1) - reach)}" for i in pairs)
    return Stroke(d, num(link_pixels(sent))) if d else None


def _frames(s: _Size) -> str:
    """Outlines of the nodes of the first row."""
    step, columns = s.plan.node_columns, s.plan.columns
    spans = ((i, min(i + step, columns) - 1) for i in range(0, columns, step))
    return "".join(box(s.x(a) - 4, 0.5, s.x(b) - s.x(a) + 8, s.block - 1) for a, b in spans)


def _column_labels(layout: Layout, s: _Size) -> tuple[Label, ...]:
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
        number = layout.pipeline if i == stages - 1 else i * p.stages_a_column + 1
        labels.append(Label(pct(middle, s.width), grouped(number), i in strong))
    return tuple(labels)


def _row_labels(s: _Size) -> tuple[RowLabel, ...]:
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


def _stop(index: int, s: _Size) -> Stop:
    """Where mark number `index` stands: scattered, and at the same place each time."""
    across = (0.5 + index * 0.6180339887498949) % 1
    along = (0.5 + index * index * 0.6180339887498949) % 1
    column = int(across * s.plan.columns)
    marks = s.plan.marks_of(column)
    if marks:
        y = s.rows_top + (int(along * marks) + 0.35) * s.mark_pitch
    else:
        y = EDGE + int(along * s.plan.cells) * s.cell_pitch + _cell(s) / 2
    return Stop(pct(s.x(column), s.width), num(TOP + y))
