"""app/model/path.py: nine parts that carry this design's own figures."""

from dataclasses import asdict

import pytest
from hypothesis import given, settings

from app.model.path import path_parts
from app.model.sizing import design, size
from app.model.workload import Workload
from tests.workloads import fixed_workloads

many = settings(max_examples=60, deadline=None)
IDS = [
    "corpus", "loaders", "data_parallel", "tensor_parallel", "pipeline_parallel",
    "fabric", "checkpoint_store", "metrics", "recovery",
]  # fmt: skip
FLEET = Workload(model="llama-3.1-405b", gpus=16384, batch_tokens=16_777_216, seq_tokens=8192)


def parts(workload: Workload) -> dict:
    return {p.id: p for p in path_parts(design(workload))}


@many
@given(fixed_workloads)
def test_each_figure_is_the_value_at_its_path_in_the_answer(workload):
    """A figure's id leads to its value in the JSON."""
    answer = size(workload)
    whole = asdict(answer)

    for figure in (f for part in answer.path for f in part.figures):
        value = whole
        for key in figure.id.split("."):
            value = value[key]
        assert value == figure.value


@many
@given(fixed_workloads)
def test_the_nine_parts_come_in_order_each_with_a_figure_and_a_note(workload):
    """Also where a part is off."""
    found = path_parts(design(workload))

    assert [p.id for p in found] == IDS
    assert all(p.figures and p.notes for p in found)


@many
@given(fixed_workloads)
def test_a_split_is_lit_exactly_where_it_has_more_than_one_member(workload):
    """Data, tensor and pipeline parallel follow the layout."""
    found, layout = parts(workload), design(workload).layout

    assert found["data_parallel"].lit == (layout.data > 1)
    assert found["tensor_parallel"].lit == (layout.tensor > 1)
    assert found["pipeline_parallel"].lit == (layout.pipeline > 1)


@pytest.mark.parametrize(
    ("workload", "part", "reason"),
    [
        (Workload(params=1e9, gpus=1), "data_parallel", "one GPU: no gradients to exchange"),
        (Workload(params=1e9, gpus=1), "fabric", "one GPU: nothing to exchange"),
        (Workload(params=1e9, gpus=8), "tensor_parallel", "every layer fits one GPU"),
        (Workload(params=70e9, gpus=64, split_model=False), "pipeline_parallel", "splitting is switched off"),
        (Workload(params=1e9, gpus=8, tensor=1), "tensor_parallel", "set to 1 by hand"),
        (Workload(model="llama-3.1-405b", gpus=8), "metrics", "nothing to log: it does not fit"),
    ],
)
def test_an_unlit_part_says_why_it_is_off(workload, part, reason):
    """Its first note is the reason."""
    found = parts(workload)[part]

    assert not found.lit
    assert found.notes[0] == reason


def test_the_fleet_carries_its_numbers():
    """Tokens and terabytes, batches, stops a day: the figures that DESIGN asks for."""
    found = parts(FLEET)

    assert (found["corpus"].figures[0].text, found["corpus"].figures[0].unit) == ("15.6", "T tokens")
    assert found["corpus"].notes == ("62.4\u00a0TB at 4 bytes", "929\u202f832 batches")
    assert (found["recovery"].figures[0].text, found["recovery"].figures[0].unit) == ("7.76", "stops a day")
    assert found["checkpoint_store"].figures[0].text == "5.68"


def test_sequences_that_do_not_divide_are_said_as_two_counts():
    """100 sequences over 64 replicas are one or two each."""
    found = parts(Workload(params=1e9, gpus=64, batch_tokens=409_600, tensor=1, pipeline=1, data=64))

    assert "1 or 2 sequences each" in found["data_parallel"].notes
