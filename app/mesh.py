"""Geometry of the mesh drawing: columns are pipeline stages, rows are nodes, in true counts.

GPUs are laid out as launchers do it: tensor neighbours first, then context, replicas, stages. So a
node holds one stage of one or more replicas, a part of a replica's stage, or, in a small mesh,
several stages. Where a page has no room for every mark, one mark stands for several and says so.
x is in units of a stretched drawing (10 a column), y in pixels.
"""

import math
from dataclasses import dataclass
from fractions import Fraction

from app.model.answer import Exchange, Layout
from app.model.units import grouped, significant
from app.svg import box, num, pct

MOST_COLUMNS = 64
WRAP_COLUMNS = 16
MOST_MARKS = 128
"""Marks of one column below the first row."""
MOST_CELLS = 72
MOST_STOPS = 24
LEAST_WIDTH = 80
"""Units; keeps the columns of a small mesh narrow."""
USUAL_PIXELS = 560
"""Width of the drawing on a desk's screen, to turn pixels of a line into units."""
TOP = 20.0
ROWS_GAP = 16.0
ROWS_HEIGHT = 258.0


@dataclass(frozen=True)
class Plan:
    """What is drawn: counts alone.

    stages_a_column: stages that share a drawn column, because there are too many
    lanes: drawn columns of one stage (its nodes continue in the next lane)
    columns: drawn columns; stage_nodes: nodes of one stage; replica_nodes: of a replica's stage
    node_columns: columns that share one node; cells: GPUs drawn in a node and column
    gpus_a_cell, nodes_a_mark: what one drawn mark stands for
    rows: rows of nodes, the first included; marks: drawn below the first
    """

    stages_a_column: int
    lanes: int
    columns: int
    stage_nodes: int
    replica_nodes: int
    node_columns: int
    cells: int
    gpus_a_cell: int
    rows: int
    marks: int
    nodes_a_mark: int

    @property
    def row_is_replica(self) -> bool:
        return self.replica_nodes == self.lanes


def plan(layout: Layout, gpus_per_node: int) -> Plan:
    """How many columns, rows, marks and cells stand for a layout."""
    group = layout.tensor * layout.context
    stage_gpus = group * layout.data
    nodes = math.ceil(stage_gpus / gpus_per_node)
    replica = max(1, math.ceil(group / gpus_per_node))
    merged = math.ceil(layout.pipeline / MOST_COLUMNS)
    stages = math.ceil(layout.pipeline / merged)
    lanes = _lanes(stages, nodes, replica)
    gpus = min(gpus_per_node, stage_gpus)
    a_cell = math.ceil(gpus / MOST_CELLS)
    rows = math.ceil(nodes / lanes)
    a_mark = max(1, math.ceil((rows - 1) / MOST_MARKS))
    return Plan(
        stages_a_column=merged,
        lanes=lanes,
        columns=stages * lanes,
        stage_nodes=nodes,
        replica_nodes=replica,
        node_columns=min(stages, max(1, gpus_per_node // (stage_gpus * merged))),
        cells=math.ceil(gpus / a_cell),
        gpus_a_cell=a_cell,
        rows=rows,
        marks=math.ceil((rows - 1) / a_mark),
        nodes_a_mark=a_mark,
    )


def _lanes(stages: int, nodes: int, replica: int) -> int:
    """Lanes of a stage: a replica's nodes side by side where they fit, else what fills the width."""
    if replica > 1 and stages * replica <= MOST_COLUMNS:
        return replica
    return max(1, min(WRAP_COLUMNS // stages, nodes))


def link_pixels(sent_bytes: float) -> float:
    """Width of a link: it grows with the root of what a GPU sends in a step. [px]

    >>> link_pixels(100e9), link_pixels(0)
    (7.2, 1.5)
    """
    return min(12.0, max(1.5, 0.72 * math.sqrt(sent_bytes / 1e9)))


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
class Note:
    strong: str
    text: str
    stop: bool = False


@dataclass(frozen=True)
class Grid:
    """The drawing as SVG attributes; `d_…` are paths, `w_…` widths of lines, `dash_…` patterns."""

    height: str
    inner_height: str
    view_box: str
    row_name: str
    column_name: str
    middle: str
    flow: str
    columns: tuple[Label, ...]
    rows: tuple[RowLabel, ...]
    d_frames: str
    d_cells: str
    w_cells: str
    w_holes: str
    dash_cells: str
    dash_holes: str
    hole_offset: str
    d_inside: str
    w_inside: str
    dash_inside: str
    d_marks: str
    dash_marks: str
    d_down: str
    w_down: str
    d_across: str
    w_across: str
    d_next: str
    w_next: str
    stops: tuple[Stop, ...]
    notes: tuple[Note, ...]
    text: str


@dataclass(frozen=True)
class _Size:
    """Lengths of one drawing, from its plan."""

    plan: Plan
    width: float
    cell_pitch: float
    block: float
    mark_pitch: float

    @property
    def rows_top(self) -> float:
        return self.block + ROWS_GAP

    @property
    def bottom(self) -> float:
        return self.rows_top + self.plan.marks * self.mark_pitch if self.plan.marks else self.block

    def x(self, column: int) -> float:
        """Middle of a column; stages with several lanes stand apart."""
        several = self.plan.lanes > 1 and self.plan.columns > self.plan.lanes
        return 10 * column + 5 + (6 * (column // self.plan.lanes) if several else 0)

    def marks(self, column: int) -> int:
        """Marks below the first row in this lane; the last row may end early."""
        short = column % self.plan.lanes >= self.plan.stage_nodes - (self.plan.rows - 1) * self.plan.lanes
        return math.ceil((self.plan.rows - 1 - short) / self.plan.nodes_a_mark)


def _size(p: Plan) -> _Size:
    last = _Size(p, 0, 0, 0, 0).x(p.columns - 1) + 5
    pitch = max(1.5, min(12.0, 78 / p.cells)) if p.marks else max(2.0, min(20.0, 150 / p.cells))
    block = p.cells * pitch + 8
    marks = max(2, min(12, int(ROWS_HEIGHT / max(1, p.marks))))
    return _Size(p, max(last, LEAST_WIDTH), pitch, block, marks)


def grid(layout: Layout, gpus_per_node: int, sent: Exchange, stops_per_day: float) -> Grid:
    """The drawing of a mesh of several nodes.

    sent: bytes that a GPU sends in a step, by kind
    """
    p = plan(layout, gpus_per_node)
    s = _size(p)
    xs = [s.x(i) for i in range(p.columns)]
    bus = s.bottom + 12
    height = bus + 8 if layout.data > 1 else s.bottom + 2
    down = [s.bottom if not s.marks(i) and p.marks else bus for i in range(p.columns)]
    count, period = stops(stops_per_day)
    cell = 0.64 * s.cell_pitch
    inside = layout.tensor > 1
    per_unit = s.width / USUAL_PIXELS
    return Grid(
        height=num(TOP + height),
        inner_height=num(height),
        view_box=f"0 0 {num(s.width)} {num(height)}",
        row_name="replica" if p.row_is_replica else "node",
        column_name="stage" if layout.pipeline > 1 else "",
        middle=num(TOP + s.block / 2),
        flow=f"M6 0V{num(TOP + s.block / 2)}H58",
        columns=_column_labels(layout, s),
        rows=_row_labels(s),
        d_frames=_frames(s),
        d_cells="".join(f"M{num(x)} 4v{num(s.block - 8)}" for x in xs),
        w_cells="4.8",
        w_holes="4" if cell >= 4 and p.columns <= 32 else "0",
        dash_cells=f"{num(cell)} {num(s.cell_pitch - cell)}",
        dash_holes=f"{num(max(0.1, cell - 2))} {num(s.cell_pitch - cell + 2)}",
        hole_offset=num(s.cell_pitch - 1),
        d_inside="".join(f"M{num(x)} {num(4 + cell / 2)}v{num(s.block - 8 - s.cell_pitch)}" for x in xs),
        w_inside=num(min(4.5, link_pixels(sent.tensor if inside else sent.data_parallel) * per_unit)),
        dash_inside=_link_dash(layout.tensor, p, s.cell_pitch) if inside else "",
        d_marks="".join(
            f"M{num(x)} {num(s.rows_top)}v{num(s.marks(i) * s.mark_pitch)}" for i, x in enumerate(xs) if s.marks(i)
        ),
        dash_marks=_mark_dash(s.mark_pitch),
        d_down="".join(f"M{num(x)} {num(s.block)}V{num(y)}" for x, y in zip(xs, down, strict=True))
        + f"M{num(xs[0])} {num(bus)}H{num(xs[-1])}"
        if layout.data > 1
        else "",
        w_down=num(min(link_pixels(sent.data_parallel), 3.5 / per_unit)),
        d_across=_across(s, same_stage=True),
        w_across=num(link_pixels(sent.context if p.replica_nodes > 1 else sent.data_parallel)),
        d_next=_across(s, same_stage=False),
        w_next=num(link_pixels(sent.pipeline)),
        stops=tuple(_stop(i, s) for i in range(count)),
        notes=_notes(layout, gpus_per_node, p, stops_per_day, period),
        text=_text(layout, gpus_per_node, p),
    )


def _link_dash(tensor: int, p: Plan, pitch: float) -> str:
    """Links join the tensor neighbours alone: one dash a group."""
    group = max(1, min(tensor // p.gpus_a_cell, p.cells))
    return "" if group >= p.cells else f"{num((group - 1) * pitch)} {num(pitch)}"


def _mark_dash(pitch: float) -> str:
    gap = max(1, round(0.35 * pitch))
    return f"{num(pitch - gap)} {gap}"


def _frames(s: _Size) -> str:
    """Outlines of the nodes of the first row."""
    step = s.plan.node_columns
    spans = ((i, min(i + step, s.plan.columns) - 1) for i in range(0, s.plan.columns, step))
    return "".join(box(s.x(a) - 4, 0.5, s.x(b) - s.x(a) + 8, s.block - 1) for a, b in spans)


def _across(s: _Size, same_stage: bool) -> str:
    """Links of the first row between neighbouring lanes of a stage, or to the next stage."""
    pairs = ((i, i + 1) for i in range(s.plan.columns - 1) if same_stage == ((i + 1) % s.plan.lanes > 0))
    reach = 2.4 if s.plan.node_columns > 1 else 4.0
    y = num(s.block / 2)
    return "".join(f"M{num(s.x(a) + reach)} {y}H{num(s.x(b) - reach)}" for a, b in pairs)


def _column_labels(layout: Layout, s: _Size) -> tuple[Label, ...]:
    """First, last and round stage numbers, as many as there is room for."""
    p = s.plan
    stages = p.columns // p.lanes
    if layout.pipeline == 1:
        return ()
    every = max(1, 2 ** math.ceil(math.log2(stages / 16))) if stages > 16 else 1
    labels = []
    for i in range(stages):
        number = i * p.stages_a_column + 1
        last = i == stages - 1
        if not (i == 0 or last or ((i + 1) % every == 0 and i + every < stages + every // 2)):
            continue
        middle = (s.x(i * p.lanes) + s.x((i + 1) * p.lanes - 1)) / 2
        strong = i == 0 or last or (i + 1) % max(every, stages // 4) == 0
        labels.append(Label(pct(middle, s.width), grouped(layout.pipeline if last else number), strong))
    return tuple(labels)


def _row_labels(s: _Size) -> tuple[RowLabel, ...]:
    p = s.plan
    if not p.marks:
        return ()
    first, last = (2, p.rows) if p.row_is_replica or p.lanes == 1 else (p.lanes + 1, p.stage_nodes)
    labels = [RowLabel(num(TOP + s.rows_top + 11), grouped(first))]
    if last > first and p.marks * s.mark_pitch > 30:
        labels.append(RowLabel(num(TOP + s.bottom), grouped(last)))
    return tuple(labels)


PERIODS = (("a day", 1.0), ("an hour", 24.0), ("a minute", 1440.0))


def stops(stops_per_day: float) -> tuple[int, str]:
    """How many stop marks to draw, and for which time: the longest with few enough of them.

    >>> stops(7.76), stops(473.8), stops(0.2)
    ((8, 'a day'), (20, 'an hour'), (0, 'a day'))
    """
    for name, parts in PERIODS:
        if round(stops_per_day / parts) <= MOST_STOPS:
            return round(stops_per_day / parts), name
    return MOST_STOPS, "a minute"


def _stop(index: int, s: _Size) -> Stop:
    """Where mark number `index` stands: scattered, and at the same place each time."""
    across = (0.5 + index * 0.7548776662466927) % 1
    along = (0.5 + index * 0.5698402909980532) % 1
    column = int(across * s.plan.columns)
    marks = s.marks(column)
    if marks:
        y = s.rows_top + (int(along * marks) + 0.35) * s.mark_pitch
    else:
        y = 4 + (int(along * s.plan.cells) + 0.32) * s.cell_pitch
    return Stop(pct(s.x(column), s.width), num(TOP + y))


def _notes(layout: Layout, node: int, p: Plan, stops_per_day: float, period: str) -> tuple[Note, ...]:
    total = math.ceil(layout.gpus_used / node)
    notes = [Note("1 node", f"{grouped(node)} GPUs on a fast link: {_holds(layout, node)}")]
    marks = "one mark for each" if p.nodes_a_mark == 1 else f"one mark for {grouped(p.nodes_a_mark)}"
    columns = "" if p.stages_a_column == 1 else f", one column for {p.stages_a_column} stages"
    if total > 1:
        notes.append(Note(f"{grouped(total)} nodes", (marks if p.marks else "each drawn with its GPUs") + columns))
    parts = dict(PERIODS)[period]
    if round(stops_per_day / parts):
        count = significant(stops_per_day / parts)
        drawn = "a mark each, placed at random" if stops_per_day / parts < MOST_STOPS + 0.5 else "far more than drawn"
        notes.append(Note(f"{count} stops", f"{period}: {drawn}", True))
    return tuple(notes)


def _holds(layout: Layout, node: int) -> str:
    """What one node has of the mesh."""
    group = layout.tensor * layout.context
    if group == node:
        return "a stage of one replica" if layout.pipeline > 1 else "one replica"
    if group > node:
        part = Fraction(node, group)
        whole = "a replica's stage" if layout.pipeline > 1 else "a replica"
        return f"1 of {grouped(math.ceil(1 / part))} that hold {whole}"
    replicas = min(node // group, layout.data)
    stages = min(layout.pipeline, node // (group * replicas))
    many = f"{replicas} replicas" if replicas > 1 else "one replica"
    if stages > 1:
        return f"{stages} stages of {many}"
    return f"a stage of {many}" if layout.pipeline > 1 else many


def _text(layout: Layout, node: int, p: Plan) -> str:
    """The drawing in words."""
    used, nodes = grouped(layout.gpus_used), grouped(math.ceil(layout.gpus_used / node))
    sizes = f"{grouped(layout.pipeline)} pipeline stages, {grouped(layout.data)} replicas, tensor {layout.tensor}"
    context = f", context {layout.context}" if layout.context > 1 else ""
    return f"Mesh of {used} GPUs in {nodes} nodes: {sizes}{context}. A node of {node} holds {_holds(layout, node)}."
