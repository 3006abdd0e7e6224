"""Cases from seeds and from workloads."""

import math

import pytest

from app.model.grading.cases import PRACTICE_PIPELINE, case_of, case_of_workload
from app.model.grading.chain import truths
from app.model.workload import Workload

SEEDS = range(2000)


def test_a_seed_names_one_case_for_ever():
    """What seed 7 stood for when links with it were first sent."""
    given = case_of(7).given

    assert case_of(7) == case_of(7)
    assert (given.params, given.train_tokens, given.gpus, given.pipeline, given.microbatches) == (
        175e9,
        2.6e12,
        4096,
        4,
        12,
    )


def test_every_case_is_sensible():
    """Over 2000 seeds: state beyond one GPU, a layout that divides, days to months, seconds to minutes."""
    for seed in SEEDS:
        given, right = case_of(seed).given, truths(case_of(seed).given)

        assert right["gpus_for_state"] >= 2, seed
        assert given.gpus >= 2 * right["gpus_for_state"], seed
        assert given.gpus % (given.gpus_per_node * given.pipeline) == 0, seed
        assert 1 < right["days"] < 250, seed
        assert 0.1 <= right["lost_share"] <= 40, seed
        assert 3 <= right["checkpoint_write"] <= given.checkpoint_minutes * 60 / 3, seed
        assert given.microbatches >= given.pipeline, seed


def test_cases_differ():
    """A hundred seeds are a hundred cases."""
    assert len({case_of(seed).given for seed in range(100)}) == 100


def test_own_workload_keeps_its_numbers():
    """A case made of a workload asks about that workload."""
    workload = Workload(model="llama-3.1-405b", gpus=16384, batch_tokens=16_777_216, mfu=0.4)
    given = case_of_workload(workload).given

    assert (given.gpus, given.mfu, given.train_tokens) == (16384, 0.4, 15.6e12)
    assert given.pipeline > 1


def test_own_workload_without_pipeline_practises_one():
    """A design of sharded data parallelism still has a step about pipelines, and says whence it is."""
    case = case_of_workload(Workload())

    assert (case.given.pipeline, case.given.microbatches) == PRACTICE_PIPELINE
    assert "practice" in case.note


@pytest.mark.parametrize("workload", [Workload(params=1e6, gpus=1), Workload(params=1e13, gpus=1_000_000)])
def test_extreme_workloads_have_finite_answers(workload):
    """The smallest and the largest run can be asked about."""
    assert all(math.isfinite(v) and v > 0 for v in truths(case_of_workload(workload).given).values())
