"""The charts' words: a title that states the finding, and a table that holds what the picture shows."""

import json
import re

import pytest
from hypothesis import given, settings

from app.charts import charts, days_title
from app.model.sizing import size
from app.model.units import percent, significant
from app.model.workload import Workload
from app.sweeps import Count, Counts
from tests.workloads import workloads

FLEET = Workload(model="llama-3.1-405b", gpus=16_384, batch_tokens=16_777_216, seq_tokens=8192)


def chart(id: str, workload: Workload):
    return next(c for c in charts(workload) if c.id == id)


def plain(text: str) -> str:
    return text.replace("\u00a0", " ").replace("\u202f", "")


def test_goodput_title_names_best_and_loss():
    """The first title gives the page's best interval and what the present one loses against it, in points."""
    stops = size(FLEET).reliability
    at_best = size(FLEET.changed(checkpoint_minutes=stops.optimal_checkpoint_minutes)).reliability.goodput

    title = plain(chart("goodput", FLEET).title)

    best = significant(stops.optimal_checkpoint_minutes, 2)
    lost = significant(100 * (at_best - stops.goodput), 2)
    assert title == f"Best at {best} min; now 30 loses {lost} points more"


def test_goodput_title_at_the_best_interval_loses_nothing():
    """At the best interval the title says so."""
    best = size(FLEET).reliability.optimal_checkpoint_minutes
    title = plain(chart("goodput", FLEET.changed(checkpoint_minutes=best)).title)

    assert "as good as the best interval" in title


def test_goodput_title_when_no_interval_helps():
    """Where stops come faster than a restart takes, no interval is recommended."""
    title = chart("goodput", Workload(gpus=1_000_000, mtbf_gpu_hours=100)).title

    assert title.startswith("No interval helps: a stop comes every")


def test_goodput_table_marks_now_with_the_page_figure():
    """The row of the present interval holds the goodput that the page shows."""
    rows = {row[0]: row[1] for row in chart("goodput", FLEET).table.rows}

    assert rows["30 now"] == percent(size(FLEET).reliability.goodput)


@pytest.mark.parametrize(
    ("double_days", "finding"),
    [
        (51, "Twice the GPUs take 51.0 days, close to half of the 100 days now"),
        (66, "Twice the GPUs take 66.0 days, not half of the 100 days now"),
        (95, "Twice the GPUs take 95.0 days, hardly less than the 100 days now"),
        (101, "Twice the GPUs save nothing: 100 days either way"),
        (150, "Twice the GPUs take 150 days, more than the 100 days now"),
    ],
)
def test_days_title_compares_twice_the_gpus_with_half_the_days(double_days, finding):
    """The second title sets the days of twice the GPUs against half of the present ones."""
    now, double = (Count(gpus, d, d, True, False, False, "") for gpus, d in ((64, 100.0), (128, double_days)))

    assert plain(days_title(Counts((now, double), now, now, 1024))) == finding


def test_days_title_names_a_count_that_can_hold_it():
    """A design that does not fit is told from which count on it does."""
    asked = Workload(params=70e9, gpus=8)
    found = re.match(r"8 GPUs cannot hold it; (\d+) can, in ", plain(chart("days", asked).title))

    assert found
    assert size(asked.changed(gpus=int(found[1]))).memory.fits


def test_days_caption_names_starved_loaders():
    """Where the data pipeline holds larger meshes up, the caption says from which count on."""
    caption = chart("days", Workload(gpus=64, data_tokens_per_s=2e6)).caption

    assert "on the loaders hold it up" in caption


def test_memory_title_names_the_largest_part_and_what_is_free():
    """Where one GPU holds a model and few activations, 12 bytes of optimizer a weight are the largest part."""
    asked = Workload(params=1e9, gpus=1, batch_tokens=512, seq_tokens=128)
    m = size(asked).memory
    total, free = f"{m.total_bytes / 1e9:.1f}", f"{(m.usable_bytes - m.total_bytes) / 1e9:.1f}"

    assert plain(chart("memory", asked).title) == f"Optimizer state takes 12.0 of {total} GB; {free} GB stay free"


def test_memory_title_names_what_is_too_much():
    """A design that does not fit is told by how much."""
    asked = Workload(params=70e9, gpus=8, split_model=False)
    m = size(asked).memory

    title = plain(chart("memory", asked).title)
    assert title.endswith(f"{(m.total_bytes - m.usable_bytes) / 1e9:.1f} GB are too much")


@pytest.mark.parametrize("id", ["goodput", "days", "memory"])
def test_every_table_row_fills_its_columns(id):
    """A table's rows are as long as its head."""
    table = chart(id, FLEET).table

    assert {len(row) for row in table.rows} == {len(table.head)}


@settings(max_examples=60, deadline=None)
@given(workloads)
def test_any_workload_gets_three_charts_of_finite_numbers(asked):
    """No workload breaks a chart, and its figure is JSON without NaN or infinity."""
    for drawn in charts(asked):
        json.loads(drawn.figure, parse_constant=lambda word: pytest.fail(f"a figure holds {word}"))
        assert drawn.title
        assert drawn.caption
        assert "nan" not in f"{drawn.title} {drawn.table}".split()
