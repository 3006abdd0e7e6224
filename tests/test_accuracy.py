"""The page about accuracy: nothing left out, the worst shown with a reason, every cell from the check."""

import json
import re

import numpy as np
import pytest

from app.accuracy import HELD, check
from app.accuracy_page import page_of
from app.accuracy_tables import COLUMNS, SHOWN, band_rows, constant_tables, runs_table
from app.misses import BIG_MISS_PCT, reason_of, reasons
from app.model.bands import ERRORS
from app.model.calibration import GENERATIONS, MEMORY, STACKS, TIME
from app.model.runs import read_rows
from app.model.sources import DATA
from app.model.units import THIN
from app.model.workload import Workload, WorkloadError
from app.own_run_panel import panel_of

ROWS = {row["id"]: row for row in read_rows(DATA / "published_runs.csv")}
WORD = re.compile(r"var\(--[a-z0-9]+\)|rgba\(0,0,0,0\)")


def test_no_row_is_dropped_silently():
    """Each row of the table is a run with an error, or is listed with the reason why not."""
    found = check()

    assert {r.id for r in found.runs} | {id for id, _ in found.without} == set(ROWS)
    assert all(why for _, why in found.without)


def test_sources_together_are_all_runs():
    """Each run counts under one source."""
    assert sum(g.fitted.n for g in check().sources) == check().overall.fitted.n == len(check().runs)


def test_the_rival_stands_beside_every_group():
    """Wherever runs are counted, the rival was asked about the same ones."""
    for group in (*check().kinds, *check().sources, check().overall):
        assert group.rival.n == group.fitted.n


def test_the_table_of_errors_belongs_to_the_constants_as_they_are():
    """The errors that the fit reported are those of the engine now; if not, `make calibrate` has to run again."""
    apart = [r.error - 100 * ERRORS["seen"][HELD[r.id]] for r in check().runs if r.id in HELD]

    assert np.median(np.abs(apart)) < 1


def test_every_run_missed_by_much_has_a_reason():
    """What the engine lacks is said, or that it is not understood."""
    for run in check().runs:
        assert bool(run.why) == (abs(run.error) >= BIG_MISS_PCT)


@pytest.mark.parametrize("reason", reasons(), ids=lambda r: " ".join(r.when.values()))
def test_every_reason_explains_a_run_that_is_missed_by_much(reason):
    """A reason whose rows are predicted as well as others would be decoration."""
    median = check().overall.fitted.median_abs_error_pct
    own = [abs(r.error) for r in check().runs if reason_of(ROWS[r.id], 100) == reason.why]

    assert max(own) > 2 * median


def test_a_run_without_a_known_reason_says_so():
    """An unknown row is not explained away."""
    assert reason_of({"id": "x"}, 50) == "Not understood yet."


def test_the_worst_come_first():
    """Without a word about order the table starts with the largest error."""
    errors = [abs(r.error) for r in check().runs]
    first = runs_table(check(), {}).rows[0][0]

    assert first[0] == check().runs[errors.index(max(errors))].id


@pytest.mark.parametrize("column", COLUMNS, ids=lambda c: c.id)
def test_every_column_sorts_both_ways(column):
    """Up is down read backwards, as far as the values go."""
    keys = {r.id: column.key(r) for r in check().runs}
    up, down = (runs_table(check(), {"sort": column.id, "order": o, "show": "all"}).rows for o in ("asc", "desc"))

    assert [keys[cells[0]] for cells, _ in up] == sorted(keys.values())
    assert [keys[cells[0]] for cells, _ in down] == sorted(keys.values(), reverse=True)


def test_one_source_is_shown_alone():
    """A source of fewer runs than fit is shown whole."""
    table = runs_table(check(), {"source": "NVIDIA/NeMo"})

    assert table.total == len(table.rows) == sum(r.source == "NVIDIA/NeMo" for r in check().runs)


def test_the_table_opens_short():
    """All rows come on demand."""
    assert len(runs_table(check(), {}).rows) == SHOWN
    assert len(runs_table(check(), {"show": "all"}).rows) == len(check().runs)


def test_an_unknown_word_is_refused_with_the_known_ones():
    """The message lists the columns."""
    with pytest.raises(WorkloadError, match="give one of run, error, left_out"):
        runs_table(check(), {"sort": "colour"})


def test_both_charts_hold_every_run():
    """As many points as runs, in tokens of the theme alone."""
    for chart in page_of({}).charts:
        figure = json.loads(chart.figure)
        points = sum(len(t["x"]) for t in figure["data"] if t["mode"] == "markers")
        colors = re.findall(r'"(?:bg|border|grid)?color":"([^"]*)"', chart.figure)

        assert points == len(check().runs)
        assert [c for c in colors if not WORD.fullmatch(c)] == []
        assert not set("<>") & set(chart.figure)


def test_every_constant_is_listed_with_how_it_was_found():
    """Four tables hold all that a fit may move."""
    sizes = [len(table.rows) for table in constant_tables()]

    assert sizes == [len(GENERATIONS), len(STACKS), len(TIME), len(MEMORY)]
    assert all(row[-1] for table in constant_tables() for row in table.rows)


def test_bands_cover_what_was_seen_and_what_was_not():
    """Each line has runs behind it."""
    rows = band_rows()

    assert [r for r in rows if "never seen" in r[0]]
    assert all(int(r[1].replace(THIN, "")) >= 10 for r in rows)


def test_an_own_run_is_told_with_the_way_to_keep_it():
    """The panel says the ratio and leads to a lab that carries the multiplier, not the step."""
    panel = panel_of(Workload(measured_step_seconds=6.0))

    assert "Measured 6.00 s a step" in panel.said[0]
    assert panel.query.startswith("stack_time=")
    assert "measured_step_seconds" not in panel.query


def test_an_absurd_own_run_is_told_to_be_cut():
    """A step a hundred times too long counts as the farthest miss."""
    assert "the farthest miss" in panel_of(Workload(measured_step_seconds=6000)).said[0]
