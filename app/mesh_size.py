"""Lengths of the mesh drawing: x in units (10 a column), y in pixels."""

import math
from dataclasses import dataclass

from app.mesh_plan import Plan

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
BUS = 12.0
"""From the last row to the line that joins all columns."""
ROWS_HEIGHT = 258.0


def link_pixels(sent_bytes: float) -> float:
    """Width of a link: it grows with the root of what a GPU sends in a step. [px]

    >>> round(link_pixels(100e9), 3), link_pixels(0)
    (7.2, 1.5)
    """
    return min(12.0, max(1.5, 0.72 * math.sqrt(sent_bytes / 1e9)))


@dataclass(frozen=True)
class Size:
    """Lengths of one drawing, from its plan."""

    plan: Plan

    @property
    def apart(self) -> bool:
        """Stages of several lanes stand apart."""
        return 1 < self.plan.lanes < self.plan.columns

    def x(self, column: int) -> float:
        """Middle of a column."""
        return 10 * column + 5 + (6 * (column // self.plan.lanes) if self.apart else 0)

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
    def cell(self) -> float:
        return 0.64 * self.cell_pitch

    @property
    def block(self) -> float:
        return self.plan.cells * self.cell_pitch + 2 * EDGE

    @property
    def mark_pitch(self) -> int:
        return max(2, min(12, int(ROWS_HEIGHT / max(1, self.plan.marks))))

    @property
    def mark_gap(self) -> int:
        return max(1, round(0.35 * self.mark_pitch))

    @property
    def rows_top(self) -> float:
        return self.block + ROWS_GAP

    @property
    def bottom(self) -> float:
        return self.rows_top + self.plan.marks * self.mark_pitch if self.plan.marks else self.block
