"""Geometry of the memory drawing."""

from itertools import pairwise

import pytest

from app.model.answer import Memory, StageMemory
from app.stacks import HEIGHT, MOST_BARS, TOP, stacks
from tests.samples import layout, sized


def memory(*totals: float, usable: float = 80e9) -> Memory:
    """Stages of that many bytes, half of it optimizer state, the rest in equal parts."""
    rows = tuple(StageMemory(i, 1, t / 8, t / 8, t / 2, t / 8, t / 8, t) for i, t in enumerate(totals))
    full = max(rows, key=lambda r: r.total_bytes)
    parts = (
        full.weights_bytes,
        full.gradients_bytes,
        full.optimizer_bytes,
        full.activations_bytes,
        full.overhead_bytes,
    )
    return Memory(*parts, full.total_bytes, 80e9, usable, 1e12, 13, full.total_bytes <= usable, full.stage, rows)


def test_every_gpu_of_a_node_is_a_bar():
    """Eight replicas on one node are eight bars."""
    k = stacks(memory(60e9), layout(data=8), 8)

    assert [kind.d.count("M") for kind in k.kinds] == [8] * 5
    assert k.linked


def test_what_is_too_much_is_hatched():
    """Of 160 GB on an 80 GB GPU the upper half of the bar is hatched, as one box."""
    k = stacks(memory(160e9), layout(), 8)
    line = float(k.line_y) + 1

    (over,) = k.over
    assert float(over.height) == pytest.approx(TOP + HEIGHT - line, abs=0.1)
    assert float(over.y) + float(over.height) == pytest.approx(line, abs=0.1)


def test_kinds_stay_apart_above_the_line():
    """Of 160 GB on an 80 GB GPU, optimizer, activations and buffers are told apart above the line."""
    assert stacks(memory(160e9), layout(), 8).gaps.count("M") == 2


def test_what_fits_is_not_hatched():
    """Below the line nothing is over."""
    assert stacks(memory(79e9), layout(), 8).over == ()


def test_a_mesh_of_many_nodes_shows_a_gpu_of_each_stage():
    """Four stages over 64 GPUs are four bars, named as stages."""
    k = stacks(memory(90e9, 70e9, 70e9, 80e9), layout(tensor=8, pipeline=4, data=2), 8)

    assert (k.bar_name, len(k.bars)) == ("stage", 4)
    assert "stage 1 the fullest" in k.caption


def test_too_many_stages_are_sampled_and_said_to_be():
    """Of 100 stages as many as there is room for are drawn, the fullest among them."""
    totals = [70e9] * 100
    totals[37] = 99e9
    k = stacks(memory(*totals), layout(tensor=8, pipeline=100), 8)

    assert k.kinds[0].d.count("M") <= MOST_BARS + 1
    assert k.caption.endswith("of 100 stages; one GPU of each stage, stage 38 the fullest")


def test_labels_do_not_touch():
    """Names beside the bars keep a line's distance from each other and from the line."""
    k = stacks(sized("too big").memory, sized("too big").layout, 8)
    heights = sorted([*(float(label.y) for label in k.labels), float(k.line_label_y)])

    assert all(b - a >= 15 for a, b in pairwise(heights))


def test_labels_carry_the_figures_of_the_fullest_gpu():
    """Each label is a figure of `memory`."""
    m = sized("one").memory
    k = stacks(m, sized("one").layout, 8)

    assert {label.id: label.value for label in k.labels}["memory.activations_bytes"] == m.activations_bytes


def test_the_drawing_is_told_in_words():
    """Those who do not see it hear every part and the limit."""
    assert stacks(memory(80e9), layout(), 8).text == (
        "Memory of the fullest of 1 GPUs: weights 10.0 GB, gradients 10.0 GB, optimizer 40.0 GB, "
        "activations 10.0 GB, buffers, gaps 10.0 GB; 80.0 GB of 80.0 GB usable."
    )
