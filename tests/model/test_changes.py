"""app/model/changes.py: what moved, and what that did."""

import pytest
from hypothesis import given, settings

from app.model.changes import MOST_ROWS, change_rows, changed_inputs, lead
from app.model.sizing import design
from app.model.units import significant
from app.model.workload import Workload
from tests.workloads import fixed_workloads

many = settings(max_examples=60, deadline=None)
SHARDED = Workload(params=8e9, gpus=64, data_tokens_per_s=1e9)
HALF_FLEET = Workload(
    model="llama-3.1-405b", gpus=8192, batch_tokens=16_777_216, seq_tokens=8192,
    tensor=8, pipeline=16, context=1, zero_stage=1, micro_batch=1, chunks=1, recompute="full",
)  # fmt: skip
TOO_BIG = Workload(model="llama-3.1-70b", gpus=8, split_model=False)


def lead_of(now: Workload, before: Workload) -> str:
    return lead(design(now), design(before))


def test_twice_the_gpus_is_held_against_half_the_days():
    """The lesson of Llama 3: the batch stays, so the days do not halve."""
    sentence = lead_of(HALF_FLEET.changed(gpus=16384), HALF_FLEET)
    before, now = design(HALF_FLEET).run.days, design(HALF_FLEET.changed(gpus=16384)).run.days

    assert now > before / 2
    assert sentence == f"Twice the GPUs, but not half the days: {significant(before)} → {significant(now)}\u00a0days."


@pytest.mark.parametrize(
    ("change", "start"),
    [
        ({"batch_tokens": 8_388_608}, "Twice the batch: "),
        ({"link_gb_per_s": 25}, "Half the link bandwidth: "),
        ({"seq_tokens": 16384}, "Four times the sequence length: "),
        ({"params": 9e9}, "9B parameters instead of 8B: "),
        ({"gpu": "h200-141gb"}, "NVIDIA H200 "),
        ({"split_model": False}, "Splitting switched off: "),
        ({"recompute": "full"}, "Activation checkpointing auto → full: "),
        ({"checkpoint_minutes": 5}, "A sixth of the checkpoint interval: "),
        ({"model": "llama-3.1-8b"}, "Llama 3.1 8B instead of a model of 8B: "),
        ({"link_gb_per_s": 7}, "Link bandwidth 50 → 7 GB/s: "),
        ({"mtbf_gpu_hours": 1000}, "GPU-hours between stops 50\u202f677 → 1000 GPU-h: "),
    ],
)
def test_the_lead_opens_with_the_input_that_moved(change, start):
    """In words where the factor has one, else from what to what."""
    sentence = lead_of(SHARDED.changed(**change), SHARDED)

    assert sentence.lower().startswith(start.lower())


def test_an_input_derived_from_another_is_not_named():
    """Without a value of their own the loaders grow with the GPUs."""
    before, now = Workload(gpus=64), Workload(gpus=128)

    assert changed_inputs(design(now), design(before)) == ["gpus"]


def test_a_card_that_changes_everything_is_told_by_its_two_ends():
    """More than three inputs: from which model and mesh to which."""
    sentence = lead_of(HALF_FLEET, SHARDED)

    assert sentence.startswith("From 8B parameters on 64 GPUs to Llama 3.1 405B on 8192 GPUs: ")


def test_what_no_longer_fits_says_by_how_much():
    """Fits before, not now."""
    before = TOO_BIG.changed(gpus=64)

    assert "it no longer fits, by " in lead_of(TOO_BIG, before)


def test_what_fits_again_says_in_how_much():
    """Not before, fits now."""
    assert "now it fits, in " in lead_of(TOO_BIG.changed(gpus=64), TOO_BIG)


def test_rows_show_only_what_moved():
    """A shorter interval moves goodput and the days with stops, not the step."""
    before = HALF_FLEET
    labels = {row.text for row in change_rows(design(before.changed(checkpoint_minutes=5)), design(before))}

    assert {"Goodput, %", "Days with stops"} <= labels
    assert not {"MFU, %", "Days without stops", "Memory of the fullest GPU, GB"} & labels


@many
@given(fixed_workloads, fixed_workloads)
def test_rows_differ_and_are_at_most_six(now, before):
    """Whatever is compared with what."""
    rows = change_rows(design(now), design(before))

    assert len(rows) <= MOST_ROWS
    assert all(row.kind == "change" and row.before != row.now for row in rows)


def test_the_rows_of_a_design_that_does_not_fit_are_memory():
    """Days of a run that cannot start are not shown as a change."""
    labels = [row.text for row in change_rows(design(TOO_BIG), design(TOO_BIG.changed(gpus=64)))]

    assert "Memory of the fullest GPU, GB" in labels
    assert not [label for label in labels if label.startswith(("Days", "MFU", "Cost"))]
