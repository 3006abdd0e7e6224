"""app/model/own_run.py: one measured step moves the stack's multiplier, shrunk towards 1."""

import pytest

from app.model.own_run import OWN_RUN, learnt
from app.model.sizing import design, size
from app.model.workload import Workload

PLAIN = Workload(gpus=64)


def predicted() -> float:
    return design(PLAIN).step.seconds


def test_a_step_as_predicted_changes_nothing():
    """The multiplier stays 1."""
    same = design(PLAIN.changed(measured_step_seconds=predicted()))

    assert same.step.seconds == pytest.approx(predicted())


@pytest.mark.parametrize("ratio", [0.8, 0.95, 1.1, 1.3])
def test_a_measured_step_draws_the_prediction_towards_it(ratio):
    """The new step lies between the first prediction and what was measured."""
    now = design(PLAIN.changed(measured_step_seconds=ratio * predicted())).step.seconds

    assert min(1, ratio) < now / predicted() < max(1, ratio)


def test_one_run_is_not_believed_whole():
    """The power of the ratio is below 1, and it left less error than believing nothing."""
    assert 0 < OWN_RUN["shrink"] < 1
    assert OWN_RUN["after_pct"] < OWN_RUN["before_pct"]


def test_an_absurd_step_is_cut():
    """A ratio beyond the farthest miss of any left-out run counts as that miss."""
    assert learnt(1e6, 1.0) == learnt(OWN_RUN["farthest"], 1.0)
    assert learnt(1e-4, 1.0) == pytest.approx(1 / learnt(1e6, 1.0))


def test_remedies_keep_the_multiplier_and_drop_the_step():
    """A measured step holds for one design; what it says of the stack holds for its neighbours."""
    tight = Workload(params=70e9, gpus=64, data_tokens_per_s=1e4, measured_step_seconds=400)
    answer = size(tight)

    assert answer.remedies
    for remedy in answer.remedies:
        assert "measured_step_seconds" not in remedy.query
        assert "stack_time" in remedy.query


def test_a_multiplier_by_hand_is_the_tables_times_it():
    """Computing takes that many times as long."""
    twice = design(PLAIN.changed(stack_time=1.5, **fixed())).step

    assert twice.compute_seconds == pytest.approx(1.5 * design(PLAIN.changed(**fixed())).step.compute_seconds)


def fixed() -> dict[str, int]:
    x = design(PLAIN).layout
    return {"tensor": x.tensor, "pipeline": x.pipeline, "data": x.data, "zero_stage": x.zero_stage,
            "micro_batch": x.micro_batch, "chunks": x.chunks}  # fmt: skip


def test_why_tells_the_measured_step():
    """The lead names the step, not the multiplier that follows from it."""
    lead = size(PLAIN.changed(measured_step_seconds=8.0), PLAIN).why[0].text

    assert lead.startswith("A measured step of 8.00\u00a0s: ")
