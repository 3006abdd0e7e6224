"""The numbers behind the charts: each sweep passes through the design itself."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.model.sizing import design
from app.model.workload import Workload
from app.sweeps import counts, doublings, intervals, pieces
from tests.workloads import workloads

FLEET = Workload(model="llama-3.1-405b", gpus=16_384, batch_tokens=16_777_216, seq_tokens=8192)


def test_interval_sweep_passes_through_the_design():
    """At the interval that is set, the curve gives the goodput of the design."""
    now = design(FLEET)

    assert intervals(now).now.goodput == now.reliability.goodput


def test_marked_best_interval_is_the_top_of_the_curve():
    """No point of the curve beats the interval that is marked as best by 0.05 points or more."""
    sweep = intervals(design(FLEET))

    assert max(p.goodput for p in sweep.curve) - sweep.best.goodput < 0.0005


@pytest.mark.parametrize("minutes", [0.1, 30, 100_000])
def test_curve_holds_the_present_interval(minutes):
    """However far from the best, the interval that is set lies inside the curve."""
    sweep = intervals(design(FLEET.changed(checkpoint_minutes=minutes)))

    assert sweep.curve[0].minutes < minutes < sweep.curve[-1].minutes


def test_background_saving_has_no_best_interval():
    """With asynchronous saving every shorter interval is better, so none is marked."""
    sweep = intervals(design(FLEET.changed(checkpoint_async=True)))

    assert sweep.best is None
    assert [p.goodput for p in sweep.curve] == sorted((p.goodput for p in sweep.curve), reverse=True)


def test_count_sweep_passes_through_the_design():
    """At the present count, the sweep gives the days of the design."""
    now = design(FLEET)

    assert counts(FLEET, now).now.wall_days == now.run.wall_days


def test_no_count_beats_the_even_division():
    """The dashed line is the thriftiest count divided evenly, so every count lies on it or above."""
    sweep = counts(FLEET, design(FLEET))

    assert all(c.wall_days >= sweep.divided(c.gpus) * (1 - 1e-9) for c in sweep.fitting)


def test_counts_name_what_does_not_fit():
    """70B whole on one GPU fits nowhere below the memory that its state takes."""
    asked = Workload(params=70e9, gpus=8)
    sweep = counts(asked, design(asked))

    assert not sweep.now.fits
    assert {c.gpus for c in sweep.all if not c.fits} >= {1, 2, 4, 8}


def test_counts_name_starved_loaders():
    """With a fixed data pipeline, many GPUs wait for tokens and few do not."""
    asked = Workload(gpus=64, data_tokens_per_s=2e6)
    sweep = counts(asked, design(asked))

    assert not sweep.now.waits
    assert sweep.all[-1].waits


@given(st.integers(1, 1_000_000))
def test_every_count_has_nine_doublings_around_it(gpus):
    """Any GPU count, prime or at a bound, stands in nine rising counts within the bounds."""
    found = doublings(gpus)

    assert len(found) == len(set(found)) == 9
    assert found == sorted(found)
    assert gpus in found
    assert found[0] >= 1
    assert found[-1] <= 1_000_000


@settings(max_examples=40, deadline=None)
@given(workloads)
def test_pieces_end_where_the_gpu_is_full(asked):
    """The pieces of memory add up to the total, and with what is free to the usable memory."""
    now = design(asked)
    *parts, rest = pieces(now)

    assert parts[-1].end_bytes == pytest.approx(now.memory.total_bytes)
    assert rest.id == ("free" if now.memory.fits else "over")
    assert rest.end_bytes == pytest.approx(max(now.memory.usable_bytes, now.memory.total_bytes))
