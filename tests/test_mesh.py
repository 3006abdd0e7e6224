"""Geometry of the mesh drawing."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.mesh import grid
from app.mesh_size import link_pixels
from app.model.answer import Exchange
from tests.samples import layout

SENT = Exchange(tensor=241e9, context=0.0, expert=0.0, pipeline=4e9, data_parallel=25e9)


def fleet(**sizes: int):
    return grid(layout(**{"tensor": 8, "pipeline": 16, "data": 128, **sizes}), 8, SENT, 7.76)


def dashes(stroke) -> list[float]:
    return [float(d) for d in stroke.dash.split()]


def test_each_stage_has_a_line():
    """Sixteen stages are sixteen lines down the drawing."""
    assert fleet().lines.count("M") == 16


def test_each_gpu_of_a_node_is_a_dash():
    """The dashes of a line fill the node with exactly its eight GPUs."""
    g = fleet()

    assert round(float(g.nodes.height) / sum(dashes(g.cells))) == 8


def test_each_further_replica_is_a_dash():
    """The rows below hold 127 dashes, one a replica."""
    g = fleet()

    assert float(g.below.height) / sum(dashes(g.marks)) == 127


def test_links_join_tensor_groups_alone():
    """With tensor 4 in a node of 8 the link breaks once: a dash over three gaps, then a gap."""
    g = fleet(tensor=4)
    pitch = sum(dashes(g.cells))

    assert dashes(g.inside) == pytest.approx([3 * pitch, pitch])


def test_marks_that_are_not_there_are_covered():
    """124 nodes in four lanes a stage leave one of each stage's last row empty."""
    assert fleet(tensor=4, pipeline=4, data=62).missing.count("M") == 4


def test_a_link_grows_with_the_root_of_its_bytes():
    """Four times the bytes are twice the width, from 1.5 up to 12 pixels."""
    assert link_pixels(100e9) == pytest.approx(2 * link_pixels(25e9))
    assert (link_pixels(0), link_pixels(1e15)) == (1.5, 12.0)


def test_one_replica_has_no_links_between_replicas():
    """Without data parallelism nothing runs down to the fabric."""
    g = fleet(data=1)

    assert (g.down, g.bus, g.first_x) == (None, None, "")


def test_one_stage_has_no_links_forward():
    """Without a pipeline the first row is joined by the replicas' links alone."""
    g = grid(layout(data=64), 8, SENT, 0.0)

    assert g.forward is None
    assert g.across is not None


def test_first_and_last_stage_are_named():
    """However many stages share a column, the first and the last number stand above it."""
    labels = fleet(pipeline=128).columns

    assert (labels[0].text, labels[-1].text) == ("1", "128")
    assert len(labels) <= 17


def test_last_row_is_named():
    """The number beside the last row is the number of replicas."""
    assert fleet().rows[-1].text == "128"


def test_stop_marks_stay_in_place():
    """More stops add marks and move none, so that nothing jumps under a drag."""
    few, many = (grid(layout(tensor=8, pipeline=16, data=128), 8, SENT, n).stops for n in (5.0, 9.0))

    assert many[:5] == few


@given(st.integers(1, 8), st.integers(1, 1024), st.integers(1, 200_000), st.floats(0, 1e5))
def test_everything_stays_inside_the_drawing(tensor, pipeline, data, per_day):
    """No column, mark or label leaves the picture, at any size."""
    g = grid(layout(tensor=tensor, pipeline=pipeline, data=data), 8, SENT, per_day)
    width = float(g.below.view_box.split()[2])

    assert all(0 < float(x) < width for x in re.findall(r"M([\d.]+)", g.lines))
    assert all(0 <= float(s.x[:-1]) <= 100 and 0 <= float(s.y) <= float(g.height) for s in g.stops)
    assert all(0 <= float(c.x[:-1]) <= 100 for c in g.columns)


@given(st.integers(1, 1024), st.integers(1, 1024), st.integers(1, 64), st.integers(1, 1_000_000))
def test_the_drawing_stays_a_few_bytes(tensor, pipeline, context, data):
    """A million GPUs are drawn with at most 64 lines."""
    g = grid(layout(tensor=tensor, pipeline=pipeline, context=context, data=data), 8, SENT, 1.0)

    assert len(g.lines) + len(g.missing) < 2400
