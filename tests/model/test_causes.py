"""app/model/causes.py: which term moved most, and which limit binds."""

import pytest
from hypothesis import given, settings

from app.model.causes import binds, binds_alone, cause, cause_alone, highest_load, term_costs
from app.model.phrases import share, share_pair
from app.model.sizing import design
from app.model.workload import Workload
from tests.workloads import fixed_workloads

many = settings(max_examples=60, deadline=None)
SHARDED = Workload(params=8e9, gpus=64, data_tokens_per_s=1e9)
HALF_FLEET = Workload(
    model="llama-3.1-405b", gpus=8192, batch_tokens=16_777_216, seq_tokens=8192,
    tensor=8, pipeline=16, context=1, zero_stage=1, micro_batch=1, chunks=1, recompute="full",
)  # fmt: skip
TOO_BIG = Workload(model="llama-3.1-70b", gpus=8, split_model=False)


@many
@given(fixed_workloads)
def test_costs_of_all_terms_sum_to_one_over_mfu(workload):
    """The cause is found in a decomposition that adds up, idle GPUs aside."""
    now = design(workload)
    working = now.layout.gpus_used / workload.gpus

    assert sum(term_costs(now).values()) * now.run.mfu / working == pytest.approx(1)


def test_more_gpus_at_a_fixed_batch_are_explained_by_the_bubble():
    """Half the sequences a replica: the same stages fill and drain for half the micro-batches."""
    before, now = HALF_FLEET, HALF_FLEET.changed(gpus=16384)
    sentence = cause(design(now), design(before))

    assert sentence.startswith(
        f"MFU falls {share_pair(design(before).run.mfu, design(now).run.mfu)}: the pipeline bubble"
    )
    assert "16 stages fill and drain for 16 micro-batches instead of 32." in sentence


def test_starved_loaders_are_explained_by_both_rates():
    """What the mesh asks for and what the loaders give."""
    sentence = cause(design(SHARDED.changed(data_tokens_per_s=1e5)), design(SHARDED))

    assert "waiting for data takes" in sentence
    assert "the loaders give 100\u00a0k tokens/s." in sentence


def test_a_larger_model_is_explained_by_its_work_first():
    """6·N·D grows with both factors: twice the parameters, four times the work."""
    sentence = cause(design(SHARDED.changed(params=16e9)), design(SHARDED))

    assert sentence.startswith("The work, 6·N·D, is 4 times what it was: 3.07 × 10²² FLOP.")


def test_a_shorter_interval_is_explained_by_repeated_work():
    """The step stays; the share of repeated work moves."""
    now, before = design(HALF_FLEET.changed(checkpoint_minutes=5)), design(HALF_FLEET)
    old, new = before.reliability.repeated_fraction, now.reliability.repeated_fraction

    assert cause(now, before).startswith(f"Repeated work takes {share(new)} of the time instead of {share(old)}")


def test_what_no_longer_fits_is_explained_by_the_part_that_grew_most():
    """Fewer GPUs to shard over: the optimizer's slice."""
    assert cause(design(TOO_BIG), design(TOO_BIG.changed(gpus=64))).startswith(
        "On the fullest GPU optimizer state goes"
    )


def test_memory_binds_wherever_nothing_fits():
    """Whatever other load is higher."""
    assert highest_load(design(TOO_BIG)).id == "memory"


def test_binds_names_the_limit_before_and_now():
    """Doubling the fleet moves it from one limit to another, or keeps it and says so."""
    now, before = design(HALF_FLEET.changed(gpus=16384)), design(HALF_FLEET)
    sentence = binds(now, before)

    assert share(highest_load(now).load) in sentence
    assert share(highest_load(before).load) in sentence
    assert sentence.startswith("Now failures bind")


def test_when_no_load_is_near_its_limit_the_largest_loss_of_time_is_named():
    """All five ok."""
    quiet = design(Workload(params=1e9, gpus=8, data_tokens_per_s=1e9, batch_tokens=524_288, micro_batch=1))

    assert all(load.status == "ok" for load in quiet.bottlenecks)
    assert binds_alone(quiet).startswith("No limit is near: ")


@many
@given(fixed_workloads)
def test_alone_a_design_names_what_its_step_or_its_memory_is_made_of(workload):
    """One sentence with the share of the larger part."""
    now = design(workload)
    sentence = cause_alone(now)

    if now.memory.fits:
        assert share(now.step.compute_seconds / now.step.seconds) in sentence
    else:
        assert "would hold" in sentence


def test_a_slower_link_is_named_where_the_bytes_stay():
    """The exchange shows longer although each GPU sends as much."""
    fixed = {"tensor": 1, "pipeline": 1, "context": 1, "zero_stage": 1, "micro_batch": 1, "recompute": "none"}
    before, now = SHARDED.changed(**fixed), SHARDED.changed(link_gb_per_s=1, **fixed)
    sentence = cause(design(now), design(before))

    assert "data-parallel exchange takes" in sentence
    assert sentence.endswith("The link across nodes goes 50 → 1 GB/s.")


def test_recompute_is_named_where_it_makes_computing_slower():
    """Full instead of none: a second forward pass."""
    fixed = {"tensor": 1, "pipeline": 1, "context": 1, "zero_stage": 1, "micro_batch": 1}
    before, now = (SHARDED.changed(recompute=level, **fixed) for level in ("none", "full"))

    assert cause(design(now), design(before)).endswith("with full recompute instead of nothing recomputed.")
