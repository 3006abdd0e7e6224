"""calibrate/errors.py: what one own run is worth, on made-up errors."""

import numpy as np
import pytest

from calibrate.errors import APART, own_run


def test_a_stack_that_is_off_by_one_factor_is_mended_by_one_run():
    """Where all runs of a source miss by the same ratio, the whole ratio is believed."""
    sources, errors = [*"aaabbb"], np.array([0.2] * 3 + [-0.1] * 3)
    found = own_run(sources, errors)

    assert found["shrink"] == 1
    assert found["after_pct"] == pytest.approx(0, abs=1e-9)


def test_runs_that_scatter_alone_are_not_believed():
    """Where a source's misses are noise around the truth, one run tells little."""
    noise = np.random.default_rng(3).normal(0, 0.1, 400)
    found = own_run(["a"] * 200 + ["b"] * 200, np.exp(noise) - 1)

    assert found["shrink"] <= 0.2


def test_a_source_of_one_run_says_nothing():
    """It has no other run to predict."""
    found = own_run([*"aab"], np.array([0.1, 0.1, 0.9]))

    assert (found["sources"], found["rows"]) == (1, 2)


def test_every_experiment_keeps_something_apart():
    """Each key has at least two values among the dense rows."""
    from calibrate.rows import of_kind

    for key in APART.values():
        assert len({key(s) for s in of_kind("dense")}) > 1
