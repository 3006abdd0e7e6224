"""Simulated stops against the closed form of goodput."""

import pytest

from app.model.failures import shares, simulate
from app.model.reliability import lost_fraction, parts

HOUR = 3600.0
RUNS = [
    pytest.param((1800.0, 4.0, 3.09 * HOUR, 600.0), id="16 384 GPUs"),
    pytest.param((7200.0, 4.0, 3.09 * HOUR, 600.0), id="a long interval"),
    pytest.param((300.0, 50.0, 3.09 * HOUR, 600.0), id="slow writes"),
    pytest.param((1800.0, 4.0, 792 * HOUR, 600.0), id="64 GPUs"),
    pytest.param((3600.0, 60.0, 2000.0, 600.0), id="hardly ever through"),
    pytest.param((1800.0, 0.0, 2 * HOUR, 0.0), id="nothing but repeating"),
]


@pytest.mark.parametrize("run", RUNS)
def test_goodput_lies_within_the_confidence_interval(run: tuple[float, float, float, float]) -> None:
    """What is played and what is solved cannot be told apart."""
    sample = simulate(*run)
    assert sample is not None
    found = shares(sample)

    assert found.low <= parts(*run)[0] <= found.high


@pytest.mark.parametrize("run", RUNS)
def test_every_share_is_the_closed_forms(run: tuple[float, float, float, float]) -> None:
    """Repeating, writing and restarting too, to a tenth or to a hundredth of all time."""
    sample = simulate(*run)
    assert sample is not None
    found = shares(sample)

    played = (found.training, found.repeated, found.writing, found.restarting)
    assert sum(played) == pytest.approx(1)
    assert played == pytest.approx(parts(*run), rel=0.1, abs=0.01)


def test_goodput_stays_in_the_interval_95_times_in_100() -> None:
    """Over a hundred seeds, give or take what chance allows."""
    run = (1800.0, 4.0, 3.09 * HOUR, 600.0)
    found = [shares(s) for seed in range(100) if (s := simulate(*run, seed=seed))]

    assert 88 <= sum(f.low <= parts(*run)[0] <= f.high for f in found) <= 100


def test_the_rule_of_half_an_interval_parts_from_it() -> None:
    """At intervals as long as the time between stops the rule says half; less is repeated, for less gets done."""
    run = (3 * HOUR, 0.0, 3 * HOUR, 0.0)
    sample = simulate(*run)
    assert sample is not None

    assert lost_fraction(run[0], run[2]) == 0.5
    assert shares(sample).repeated < 0.45


def test_a_run_that_never_starts_again_is_not_played() -> None:
    """Restarts of an hour under stops a minute apart."""
    assert simulate(1800.0, 4.0, 60.0, HOUR) is None


def test_a_seed_gives_one_run() -> None:
    """The page shows the same stops to everyone."""
    one, two = simulate(1800.0, 4.0, HOUR, 60.0), simulate.__wrapped__(1800.0, 4.0, HOUR, 60.0)

    assert one is not None
    assert two is not None
    assert (one.lengths == two.lengths).all()
