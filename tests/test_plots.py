"""The figures: marks stand where the numbers are, and colours are names that a theme can fill."""

import json
import re

import pytest

from app.charts import charts
from app.model.sizing import size
from app.model.workload import Workload
from app.plot_parts import linear_ticks, log_ticks

FLEET = Workload(model="llama-3.1-405b", gpus=16_384, batch_tokens=16_777_216, seq_tokens=8192)
COLOR = re.compile(r"var\(--[a-z0-9]+\)|rgba\(0,0,0,0\)")


def figure(id: str, workload: Workload = FLEET) -> dict:
    return json.loads(next(c.figure for c in charts(workload) if c.id == id))


def trace(drawn: dict, label: str) -> dict:
    """The trace of which a text starts with a label."""
    return next(t for t in drawn["data"] if any(text.startswith(label) for text in t.get("text", ())))


def colors(value, key=""):
    """Every colour anywhere in a figure."""
    if isinstance(value, dict):
        for k, v in value.items():
            yield from colors(v, k)
    elif isinstance(value, list):
        for v in value:
            yield from colors(v, key)
    elif "color" in key and isinstance(value, str):
        yield value


def test_now_is_marked_at_the_design_in_goodput():
    """The mark of now stands at the interval and the goodput of the design."""
    mark = trace(figure("goodput"), "now 30")

    assert mark["x"] == [30.0]
    assert mark["y"] == [pytest.approx(100 * size(FLEET).reliability.goodput)]


def test_now_is_marked_at_the_design_in_days():
    """The mark of now stands at the GPU count and the days with stops of the design."""
    mark = trace(figure("days"), "now ")

    assert mark["x"] == [16_384]
    assert mark["y"] == [pytest.approx(size(FLEET).run.wall_days)]


def test_a_design_that_does_not_fit_is_marked_without_days():
    """A count that cannot hold the design gets a line that says so, and no point on the curve."""
    drawn = figure("days", Workload(params=70e9, gpus=8))

    assert "does not fit" in trace(drawn, "\u00a0now 8")["text"][0]
    assert 8 not in next(t for t in drawn["data"] if t["mode"] == "lines+markers")["x"]


def test_memory_bars_add_up_to_the_total():
    """The lengths of the bars of a fitting design, the free one left out, make up its memory."""
    bars = [t for t in figure("memory")["data"] if t["type"] == "bar"]

    assert sum(bars[0]["x"]) == pytest.approx(size(FLEET).memory.total_bytes / 1e9, rel=1e-4)


def test_memory_beyond_the_usable_is_hatched():
    """Of a design that does not fit, all that is beyond what a GPU can hold stands in hatched bars."""
    asked = Workload(params=70e9, gpus=8, split_model=False)
    m = size(asked).memory
    *parts, over = next(t for t in figure("memory", asked)["data"] if "over" in str(t.get("marker", "")))["x"]

    assert over == pytest.approx((m.total_bytes - m.usable_bytes) / 1e9, rel=1e-4)
    assert sum(parts) == pytest.approx(over, rel=1e-4)


@pytest.mark.parametrize("id", ["goodput", "days", "memory"])
def test_every_colour_is_a_token(id):
    """No figure fixes a colour of its own, so that light and dark both fit."""
    found = list(colors(figure(id)))

    assert found
    assert [c for c in found if not COLOR.fullmatch(c)] == []


@pytest.mark.parametrize("id", ["goodput", "days", "memory"])
def test_figure_cannot_close_its_script_element(id):
    """The JSON holds no < or >, so that it is safe inside a page."""
    raw = next(c.figure for c in charts(FLEET) if c.id == id)

    assert not set("<>") & set(raw)


@pytest.mark.parametrize(("low", "high"), [(0.0001, 1e6), (0.8, 1.3), (1, 1e12), (29, 31)])
def test_log_axis_never_gets_crowded(low, high):
    """Six labels at most on a logarithmic axis, however long."""
    assert len(log_ticks(low, high)) <= 6


@pytest.mark.parametrize(("low", "high"), [(0, 100), (99.2, 99.9), (50.2, 92.3), (0, 1)])
def test_linear_axis_has_some_labels(low, high):
    """Two to six labels, all inside the axis."""
    ticks = [value for value, _ in linear_ticks(low, high)]

    assert 2 <= len(ticks) <= 6
    assert low <= min(ticks)
    assert max(ticks) <= high
