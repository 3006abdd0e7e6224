"""app/model/validation.py: errors and their summary."""

import numpy as np
import pytest

from app.model.hardware import ACCELERATORS
from app.model.runs import read_rows
from app.model.sources import DATA
from app.model.validation import error_pct, errors, validate

FOUND = validate(read_rows(DATA / "published_runs.csv"))


def runs(prefix: str) -> list[float]:
    return [r.error_pct for r in FOUND.runs if r.id.startswith(prefix) and r.error_pct is not None]


def test_an_error_is_relative_to_what_was_published():
    """11 s predicted for 10 s is 10 % too slow; without a published value there is no error."""
    assert error_pct(11, 10) == pytest.approx(10)
    assert error_pct(11, None) is None


def test_a_summary_counts_only_rows_with_a_result():
    """Median and 90th percentile of the size, bias with its sign."""
    found = errors([-10, 2, None, 4])

    assert (found.n, found.median_abs_error_pct, found.bias_pct) == (3, 4, 2)


def test_nothing_measured_has_no_error():
    """No median of no rows."""
    assert errors([None]).median_abs_error_pct is None


def test_the_engine_beats_the_plain_rival_several_times_over():
    """'Always 40 % of peak' misses by a fifth at the median; so does not the engine."""
    s = FOUND.summary

    assert s.always_40_pct.median_abs_error_pct > 4 * s.median_abs_error_pct


@pytest.mark.parametrize(("prefix", "median", "worst"), [("nar21-t1", 4, 10), ("kor22", 4, 10)])
def test_runs_of_megatrons_papers_are_met_whole(prefix, median, worst):
    """Narayanan et al. 2021, table 1, and Korthikanti et al. 2022, table 5: step times in percent."""
    sizes = sorted(abs(e) for e in runs(prefix))

    assert sizes[len(sizes) // 2] <= median
    assert sizes[-1] <= worst


def test_sources_add_up_to_the_whole():
    """Each run belongs to one source."""
    assert sum(e.n for e in FOUND.summary.by_source.values()) == FOUND.summary.n


@pytest.mark.parametrize(
    ("table", "fitting", "least"), [("ultrascale_runs", True, 0.95), ("ultrascale_failed", False, 0.78)]
)
def test_what_ran_is_called_fitting_and_what_failed_is_not(table, fitting, least):
    """The Ultra-Scale sweep; some of its failures are crashes of another kind."""
    found = validate(read_rows(DATA / f"{table}.csv")).runs
    usable = ACCELERATORS["h100-80gb"].usable_bytes

    assert np.mean([(r.predicted_memory_bytes <= usable) == fitting for r in found]) >= least
