"""One step as a strip."""

from dataclasses import replace

import pytest

from app.strip import CHARACTER, PARTS, strip
from tests.samples import WORKLOADS, sized


@pytest.mark.parametrize("name", WORKLOADS)
def test_the_strip_shows_all_ten_parts(name):
    """Parts that take no time are named too."""
    assert len(strip(sized(name).step).parts) == len(PARTS) == 10


@pytest.mark.parametrize("name", WORKLOADS)
def test_segments_fill_the_strip(name):
    """The segments follow each other, and together are the step but for slivers too thin to see."""
    segments = strip(sized(name).step).segments

    assert sum(float(s.width[:-1]) for s in segments) == pytest.approx(100, abs=0.5)


@pytest.mark.parametrize("name", WORKLOADS)
def test_labels_do_not_touch(name):
    """Each label ends before the next begins, and the last before the end."""
    labels = strip(sized(name).step).labels
    starts = [float(label.x[:-1]) / 100 for label in labels]
    ends = [s + CHARACTER * len(label.text) for s, label in zip(starts, labels, strict=True)]

    assert all(end <= start for end, start in zip(ends, [*starts[1:], 1.001], strict=True))


def test_exchanges_are_merged_in_one_label():
    """Tensor, pipeline and data-parallel exchange are three segments under one label."""
    labels = [label.text for label in strip(sized("fleet").step).labels]

    assert sum("exchange" in text for text in labels) == 1


def test_a_short_step_is_told_in_milliseconds():
    """Below a second all parts are in ms; the raw values stay seconds."""
    step = replace(sized("default").step, seconds=0.25, compute_seconds=0.2)
    s = strip(step)

    assert (s.unit, s.seconds.text, s.seconds.value) == ("ms", "250", 0.25)


def test_a_small_part_is_not_said_to_be_nothing():
    """0.0004 of 6 seconds keeps one digit."""
    step = replace(sized("default").step, seconds=6.0, optimizer_seconds=0.0004)

    assert next(p.figure.text for p in strip(step).parts if p.name == "optimizer") == "0.0004"
