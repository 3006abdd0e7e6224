"""calibrate/: the fit on made-up rows, the split, and the file it writes."""

import numpy as np
import pytest

from app.model.calibration import GENERATIONS, STACKS, TIME, tried
from app.model.step import step_time
from calibrate.batches import batches, predict
from calibrate.constants import LEAST_ROWS, STACK_GROUPS, changes, dense
from calibrate.fit import Constant, fit
from calibrate.rows import folds, of_kind
from calibrate.table import replaced

ROWS = of_kind("dense")


def test_a_fit_finds_the_constants_that_made_the_data():
    """Times of a·x + b with a few wild ones: robust, so these pull little."""
    x = np.linspace(1, 50, 60)
    truth = 2.0 * x + 30.0
    truth[::15] *= 1.5
    chosen = [Constant((), 1.0, 2.0), Constant((), 10.0, 2.0)]
    found = fit(chosen, lambda v: v[0] * x + v[1], truth, np.ones(60))

    assert found == pytest.approx([2.0, 30.0], rel=0.03)


def test_a_constant_without_evidence_stays_where_it_started():
    """The data say nothing about it."""
    chosen = [Constant((), 1.0, 2.0), Constant((), 7.0, 0.1)]
    found = fit(chosen, lambda v: np.full(5, v[0]), np.full(5, 3.0), np.ones(5))

    assert found[1] == pytest.approx(7.0)


def test_near_copies_never_straddle_the_split():
    """A family lies in one fold."""
    place: dict[object, set[int]] = {}
    for row, fold in zip(ROWS, folds(ROWS), strict=True):
        place.setdefault(row.family, set()).add(int(fold))

    assert all(len(found) == 1 for found in place.values())
    assert len(set(folds(ROWS))) > 5


def test_columns_predict_what_single_runs_do():
    """Batching is a matter of speed alone."""
    some = [s.run for s in ROWS[::9]]
    together = predict(batches(some), len(some))
    alone = [float(step_time(r.workload, r.model, r.layout, r.stack).busy) for r in some]

    assert together == pytest.approx(alone)


def test_there_are_at_most_a_dozen_stacks():
    """A stack is a software name and release range, not a run."""
    assert len(STACKS) <= 12


def test_a_stack_with_few_rows_has_a_multiplier_of_one():
    """Each multiplier rests on ten rows or more."""
    chosen = {c.tables for c in dense([group[0] for group in STACK_GROUPS] * (LEAST_ROWS - 1))}

    assert not any(table == "stacks" for tables in chosen for table, _, _ in tables)


def test_stacks_that_the_fit_does_not_name_are_at_one():
    """Unfitted stacks keep 1; nanotron has a sweep of its own."""
    fitted = {name for group in STACK_GROUPS for name in group} | {"nanotron"}

    assert {STACKS[s].time for s in set(STACKS) - fitted} == {1.0}


def test_tried_constants_are_gone_afterwards():
    """The table is as it was once the block ends."""
    before = TIME["fast_link"], GENERATIONS["hopper"]
    constant = Constant((("time", "fast_link", ""), ("generations", "hopper", "matmul")), 0.5, 1.0)
    with tried(changes([constant], [0.123])):
        assert TIME["fast_link"] == GENERATIONS["hopper"].matmul == 0.123

    assert (TIME["fast_link"], GENERATIONS["hopper"]) == before


def test_a_number_that_stands_nowhere_is_not_written():
    """A misspelt constant is refused instead of lost."""
    with pytest.raises(KeyError):
        replaced("time:\n  a: {value: 1}\n", "time", "b", "value", 2.0)
