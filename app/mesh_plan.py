"""What the mesh drawing counts: columns are pipeline stages, rows are nodes, marks may stand for several.

GPUs are laid out as launchers do it: tensor neighbours first, then context, replicas, stages. So a
node holds one stage of one or more replicas, a part of a replica's stage, or, in a small mesh,
several stages. Where a page has no room for every mark, one mark stands for several and says so.
"""

import math
from dataclasses import dataclass

from app.model.answer import Layout
from app.model.units import grouped, significant

MOST_COLUMNS = 64
WRAP_COLUMNS = 16
"""A stage continues in further columns (lanes) up to about this many in all."""
MOST_MARKS = 128
"""Marks of one column below the first row."""
MOST_CELLS = 72
MOST_STOPS = 24
PERIODS = (("a day", 1.0), ("an hour", 24.0), ("a minute", 1440.0))


@dataclass(frozen=True)
class Plan:
    """Counts of one drawing.

    stages_a_column: stages that share a drawn column, because there are too many
    lanes: drawn columns of one stage; columns: all drawn columns
    stage_nodes: nodes of one stage; replica_nodes: of one replica's stage
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

    def marks_of(self, column: int) -> int:
        """Marks below the first row in this column; the last row of a stage may end early."""
        full = self.stage_nodes - (self.rows - 1) * self.lanes
        short = column % self.lanes >= full
        return math.ceil((self.rows - 1 - short) / self.nodes_a_mark)


def plan(layout: Layout, gpus_per_node: int) -> Plan:
    """How many columns, rows, marks and cells stand for a layout."""
    group = layout.tensor * layout.context
    stage_gpus = group * layout.data
    nodes = math.ceil(stage_gpus / gpus_per_node)
    replica = math.ceil(group / gpus_per_node)
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


@dataclass(frozen=True)
class Note:
    """Words beside the drawing; `stop` marks the one about failures."""

    strong: str
    text: str
    stop: bool = False


def stops(stops_per_day: float) -> tuple[int, str]:
    """How many stop marks to draw, and for which time: the longest with few enough of them.

    >>> stops(7.76), stops(473.8), stops(0.2)
    ((8, 'a day'), (20, 'an hour'), (0, 'a day'))
    """
    for name, parts in PERIODS:
        if round(stops_per_day / parts) <= MOST_STOPS:
            return round(stops_per_day / parts), name
    return MOST_STOPS, PERIODS[-1][0]


def notes(layout: Layout, node: int, p: Plan, stops_per_day: float) -> tuple[Note, ...]:
    """What a node, a mark and a diamond stand for."""
    total = math.ceil(layout.gpus_used / node)
    cell = "" if p.gpus_a_cell == 1 else f", {p.gpus_a_cell} to a cell"
    beside = [Note("1 node", f"{grouped(node)} GPUs on a fast link{cell}: {holds(layout, node)}")]
    marks = "one mark for each" if p.nodes_a_mark == 1 else f"one mark for {grouped(p.nodes_a_mark)}"
    columns = "" if p.stages_a_column == 1 else f", one column for {p.stages_a_column} stages"
    beside.append(Note(f"{grouped(total)} nodes", (marks if p.marks else "each with its GPUs") + columns))
    return (*beside, *_stop_note(stops_per_day))


def _stop_note(stops_per_day: float) -> tuple[Note, ...]:
    count, period = stops(stops_per_day)
    if not count:
        return ()
    real = stops_per_day / dict(PERIODS)[period]
    drawn = "a mark each, placed at random" if round(real) == count else "far more than the marks"
    word = "stop" if significant(real) == "1.00" else "stops"
    return (Note(f"{significant(real)} {word}", f"{period}: {drawn}", True),)


def holds(layout: Layout, node: int) -> str:
    """What one node has of the mesh."""
    group = layout.tensor * layout.context
    if group > node:
        whole = "a replica's stage" if layout.pipeline > 1 else "a replica"
        return f"one of {grouped(math.ceil(group / node))} that hold {whole}"
    replicas = min(node // group, layout.data)
    stages = min(layout.pipeline, node // (group * replicas))
    many = f"{grouped(replicas)} replicas" if replicas > 1 else "one replica"
    if stages > 1:
        return f"{grouped(stages)} stages of {many}"
    return f"a stage of {many}" if layout.pipeline > 1 else many


def in_words(layout: Layout, node: int) -> str:
    """The drawing for those who do not see it."""
    used, nodes = grouped(layout.gpus_used), grouped(math.ceil(layout.gpus_used / node))
    names = (
        ("tensor", layout.tensor),
        ("context", layout.context),
        ("pipeline", layout.pipeline),
        ("data", layout.data),
    )
    sizes = ", ".join(f"{name} {grouped(size)}" for name, size in names if size > 1)
    return f"Mesh of {used} GPUs in {nodes} nodes: {sizes}. A node of {node} GPUs holds {holds(layout, node)}."
