"""app/model/bands.py: how far a figure of time may be off, from runs that no fit had seen."""

import numpy as np
import pytest

from app.model.bands import ERRORS, FEWEST, accuracy, apart, runs_like, spread
from app.model.own_run import OWN_RUN
from app.model.sizing import design, size
from app.model.workload import Workload

SEEN = Workload(stack="llm-foundry", gpu="a100-80gb", gpus=64, params=7e9, seq_tokens=2048)


def band(**changes):
    return accuracy(design(SEEN.changed(**changes)))


def test_a_setting_like_many_runs_takes_their_left_out_errors():
    """The band of a stack and generation that were seen is the spread of those very runs, each left out."""
    own = (ERRORS["kind"] == "dense") & (ERRORS["generation"] == "ampere") & (ERRORS["stack"] == "llm-foundry")
    errors = ERRORS["left_out"][own]
    found = band()

    assert found.seen
    assert found.runs == own.sum()
    assert found.nine_in_ten_fraction == pytest.approx(np.quantile(np.abs(errors), 0.9))


def test_nine_runs_in_ten_lie_within_the_width_that_is_said():
    """Counted one by one, at least nine left-out runs in ten of the kind keep to it."""
    like = runs_like("dense", "ampere", "llm-foundry").spread
    own = (ERRORS["generation"] == "ampere") & (ERRORS["stack"] == "llm-foundry") & (ERRORS["kind"] == "dense")
    within = np.abs(ERRORS["left_out"][own]) <= like.nine + 1e-12

    assert within.mean() >= 0.9 - 1 / own.sum()


@pytest.mark.parametrize(
    ("changes", "experiment", "words"),
    [
        ({"gpu": "mi300x-192gb"}, "generation", "few or no runs are on CDNA 3"),
        ({"gpus": 8192, "batch_tokens": 2**25}, "gpus", "8192 GPUs lie outside"),
        ({"params": 1e12, "gpus": 1024}, "params", "1T parameters lie outside"),
        ({"seq_tokens": 131_072}, "context", "few or no runs have sequences beyond"),
    ],
)
def test_what_was_never_seen_widens_the_band_and_is_named(changes, experiment, words):
    """The band holds the errors of the experiment that left such runs out, and says why it is wide."""
    found = band(**changes)

    assert not found.seen
    assert words in found.reason
    assert found.nine_in_ten_fraction >= apart(experiment).nine
    assert found.low_fraction <= apart(experiment).low
    assert found.high_fraction >= apart(experiment).high


def test_a_stack_without_a_fit_takes_the_errors_of_sources_left_out_whole():
    """The default stack was fitted on nothing: its band is that of runs whose source no fit had seen."""
    own = (ERRORS["kind"] == "dense") & (ERRORS["generation"] == "ampere")
    found = band(stack="standard")

    assert found.nine_in_ten_fraction == pytest.approx(np.quantile(np.abs(ERRORS["apart_source"][own]), 0.9))
    assert "no fitted run of the stack standard" in found.reason


def test_experts_and_fp8_have_bands_of_their_own():
    """Three kinds of arithmetic, three spreads."""
    widths = {runs_like(kind, "hopper", "nemo").spread for kind in ("dense", "fp8", "experts")}

    assert len(widths) == 3


def test_an_own_run_is_told_by_the_band():
    """Where a stack was never seen, the band is that of sources of which one run was given."""
    found = band(stack="standard", measured_step_seconds=3.0)

    assert "Your own run makes the stack's multiplier" in found.reason
    assert found.nine_in_ten_fraction >= OWN_RUN["nine_in_ten"]


def test_the_spread_is_of_measured_over_predicted():
    """Predictions twice too long mean that half the predicted time was measured."""
    assert spread(np.full(20, 1.0))[:3] == pytest.approx((-0.5, -0.5, 1.0))


def test_every_sizing_carries_its_band():
    """The record of an answer holds the band of its own design."""
    assert size(SEEN).accuracy == band()


def test_kinds_with_few_runs_count_as_not_seen():
    """A stack needs ten fitted runs to have a band of its own."""
    for stack in set(ERRORS["stack"]):
        own = (ERRORS["stack"] == stack) & (ERRORS["fitted"] == 1)
        seen = runs_like("dense", "ampere", str(stack)).on_stack

        assert seen == ((own & ((ERRORS["kind"] == "dense") | (ERRORS["kind"] == "sweep"))).sum() >= FEWEST)


def test_an_own_run_far_from_the_seen_ones_widens_their_band():
    """Where it departs from the runs of its stack by more than they scatter, they do not speak for it."""
    near, far = band(stack_time=1.01), band(stack_time=1.4)

    assert near.nine_in_ten_fraction == band().nine_in_ten_fraction
    assert far.nine_in_ten_fraction >= OWN_RUN["nine_in_ten"]
