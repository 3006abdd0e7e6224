"""What the mesh drawing counts."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.mesh_plan import MOST_CELLS, MOST_COLUMNS, MOST_MARKS, MOST_STOPS, holds, in_words, notes, plan, stops
from tests.samples import layout

sizes = st.integers(1, 2048)


def test_a_fleet_is_drawn_one_to_one():
    """Tensor 8 × pipeline 16 × data 128 on nodes of 8: 16 columns of one node and 127 marks."""
    p = plan(layout(tensor=8, pipeline=16, data=128), 8)

    assert (p.columns, p.cells, p.marks, p.nodes_a_mark, p.stages_a_column) == (16, 8, 127, 1, 1)


@given(sizes, st.integers(1, 1024), st.integers(1, 64), st.integers(1, 1_000_000), st.integers(1, 1024))
def test_every_node_has_its_place(tensor, pipeline, context, data, node):
    """Rows, lanes and marks hold each stage's nodes, and no row is empty."""
    p = plan(layout(tensor=tensor, pipeline=pipeline, context=context, data=data), node)

    assert p.lanes * (p.rows - 1) < p.stage_nodes <= p.lanes * p.rows
    assert p.nodes_a_mark * (p.marks - 1) < max(1, p.rows - 1) <= p.nodes_a_mark * max(1, p.marks)


@given(sizes, st.integers(1, 1024), st.integers(1, 64), st.integers(1, 1_000_000), st.integers(1, 1024))
def test_the_drawing_stays_small(tensor, pipeline, context, data, node):
    """Whatever the mesh, columns, marks and cells stay within what a page can show."""
    p = plan(layout(tensor=tensor, pipeline=pipeline, context=context, data=data), node)

    assert p.columns <= MOST_COLUMNS
    assert p.marks <= MOST_MARKS
    assert p.cells <= MOST_CELLS


@given(st.integers(1, 16), st.integers(1, 500))
def test_marks_and_first_row_add_up_to_all_nodes(pipeline, data):
    """Where a mark is one node, the first row and the marks are exactly the nodes of the mesh."""
    p = plan(layout(tensor=8, pipeline=pipeline, data=data), 8)
    drawn = p.columns + sum(p.marks_of(i) for i in range(p.columns))

    assert p.nodes_a_mark > 1 or drawn == pipeline * data


def test_a_replica_over_many_nodes_fills_its_row():
    """Context 16 × tensor 8 on nodes of 8: a replica's 16 nodes stand side by side."""
    p = plan(layout(tensor=8, context=16, data=32), 8)

    assert (p.replica_nodes, p.lanes, p.rows) == (16, 16, 32)


def test_many_stages_share_columns_and_say_so():
    """1024 stages become 64 columns, and the note says 16 stages to a column."""
    deep = layout(tensor=8, pipeline=1024, data=2)
    p = plan(deep, 8)

    assert p.columns == 64
    assert any("one column for 16 stages" in n.text for n in notes(deep, 8, p, 0.0))


def test_many_nodes_share_marks_and_say_so():
    """7812 replicas become marks of 62 nodes, and the note says so."""
    large = layout(tensor=8, pipeline=16, data=7812)
    p = plan(large, 8)

    assert p.nodes_a_mark == math.ceil(7811 / MOST_MARKS)
    assert any(f"one mark for {p.nodes_a_mark}" in n.text for n in notes(large, 8, p, 0.0))


@pytest.mark.parametrize(
    ("sizes", "words"),
    [
        ({"data": 64}, "8 replicas"),
        ({"tensor": 8, "data": 64}, "one replica"),
        ({"tensor": 4, "pipeline": 4, "data": 62}, "a stage of 2 replicas"),
        ({"tensor": 8, "pipeline": 16, "data": 128}, "a stage of one replica"),
        ({"tensor": 4, "pipeline": 4}, "2 stages of one replica"),
        ({"tensor": 8, "context": 16, "data": 32}, "one of 16 that hold a replica"),
    ],
)
def test_a_node_says_what_it_holds(sizes, words):
    """GPUs fill a node tensor first, then context, replicas and stages."""
    assert holds(layout(**sizes), 8) == words


def test_stop_marks_are_as_many_as_stops():
    """7.76 stops a day are eight marks, 474 a day are 20 an hour."""
    assert (stops(7.76), stops(473.8)) == ((8, "a day"), (20, "an hour"))


def test_stops_beyond_counting_are_said_to_be():
    """At a stop a second the marks are fewer, and the note says so."""
    p = plan(layout(data=64), 8)
    note = notes(layout(data=64), 8, p, 86_400.0)[-1]

    assert stops(86_400.0)[0] == MOST_STOPS
    assert note.text == "a minute: far more than the marks"


def test_the_drawing_is_told_in_words():
    """Those who do not see it hear sizes, nodes and what a node holds."""
    words = in_words(layout(tensor=8, pipeline=16, data=128), 8)

    assert words == (
        "Mesh of 16\u202f384 GPUs in 2048 nodes: tensor 8, pipeline 16, data 128. "
        "A node of 8 GPUs holds a stage of one replica."
    )
