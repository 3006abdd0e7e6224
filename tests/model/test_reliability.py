"""app/model/reliability.py against a run played stop by stop."""

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.model.reliability import daly_interval, goodput, lost_fraction, parts, young_interval


def play(interval: float, write: float, mtbf: float, restart: float, segments: int, seed: int) -> float:
    """Wall time of a run of `segments` intervals whose stops fall at random times. [s]"""
    dice = random.Random(seed)
    wall, saved, need_restart = 0.0, 0, False
    while saved < segments:
        job = restart if need_restart else interval + write
        lasted = dice.expovariate(1 / mtbf)
        if lasted < job:
            wall, need_restart = wall + lasted, True
        else:
            wall += job
            saved, need_restart = saved + (not need_restart), False
    return wall


@pytest.mark.parametrize(
    ("interval", "write", "mtbf", "restart"),
    [(1800, 4, 11_136, 600), (7200, 60, 11_136, 600), (600, 120, 3600, 900), (300, 10, 600, 60)],
)
def test_goodput_agrees_with_a_run_played_stop_by_stop(interval, write, mtbf, restart):
    """Within four standard errors of twelve seeded runs."""
    segments, runs = 2000, 12
    played = [segments * interval / play(interval, write, mtbf, restart, segments, seed) for seed in range(runs)]

    mean = sum(played) / runs
    error = math.sqrt(sum((g - mean) ** 2 for g in played) / (runs - 1) / runs)
    assert abs(goodput(interval, write, mtbf, restart) - mean) < 4 * error


times = st.floats(1, 1e6)


@given(times, st.floats(0, 1e5), times, st.floats(0, 1e6))
def test_the_parts_of_wall_time_sum_to_one(interval, write, mtbf, restart):
    """Training, repeating, writing and restarting are all there is."""
    shares = parts(interval, write, mtbf, restart)

    assert sum(shares) == pytest.approx(1)
    assert all(0 <= share <= 1 for share in shares)


def test_goodput_that_overflows_is_nothing():
    """An interval of a thousand times the time between stops never ends."""
    assert goodput(1e6, 10, 1000, 10) == 0


def test_the_rule_and_the_exact_form_agree_for_short_intervals():
    """Repeated work tends to τ ÷ 2M as τ ÷ M goes to nothing."""
    exact = parts(36, 0, 36_000, 0)[1]

    assert exact == pytest.approx(lost_fraction(36, 36_000), rel=2e-3)


@pytest.mark.parametrize(("write", "mtbf"), [(4, 11_136), (60, 11_136), (600, 36_000)])
def test_dalys_interval_is_the_best_of_a_fine_sweep(write, mtbf):
    """No interval of the sweep beats it by more than one part in ten thousand."""
    best = max(goodput(10 * 1.01**k, write, mtbf, 600) for k in range(900))

    assert goodput(daly_interval(write, mtbf), write, mtbf, 600) >= best * (1 - 1e-4)


def test_youngs_interval_for_llama_3():
    """√(2·4 s·3.09 h) is five minutes."""
    assert young_interval(4, 11_136) / 60 == pytest.approx(5, abs=0.05)
