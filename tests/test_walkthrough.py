"""The six steps: their figures, their drawings, their number lines, their words."""

import math
import re
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings

from app.model.memory import state_bytes
from app.model.phrases import state_on_gpu
from app.model.pipeline import idle_fraction
from app.model.reliability import parts
from app.model.schedule import play
from app.model.sizing import design
from app.model.units import grouped
from app.model.workload import Workload
from app.walkthrough import EXAMPLES, NAMES, division, layer, shards, speaker, state, stops, summary, walk
from app.walkthrough.depth import MOST_PASSES, plan, rows_of
from app.walkthrough.depth import drawing as schedule_drawing
from app.walkthrough.line import line_of, outcome_of, prediction_of
from app.walkthrough.record import Ask
from tests.workloads import fixed_workloads

TEMPLATES = Path(__file__).parent.parent / "app" / "templates" / "walkthrough"
STEPS = range(1, len(NAMES) + 1)
SMALL = Workload(params=10e9, gpus=64, split_model=False, zero_stage=3)
LARGE = Workload(params=1e12, gpus=16_384, train_tokens=15e12, batch_tokens=2.0**24, mfu=0.4)
LLAMA = Workload(model="llama-3.1-405b", gpus=16_384, batch_tokens=2.0**24, seq_tokens=8192)
DEEP = {"params": 70e9, "gpus": 128, "tensor": 1, "zero_stage": 1, "micro_batch": 1, "recompute": "full"}
CASES = {
    "default": Workload(),
    "one GPU": Workload(params=1.2e9, gpus=1),
    "10B": SMALL,
    "1T": LARGE,
    "405B": LLAMA,
    "no fit": Workload(params=70e9, gpus=8, split_model=False),
    "experts": Workload(model="deepseek-v3", gpus=2048),
    "frozen": Workload(params=8e9, trained_params=1e8),
    "fp32": Workload(params=8e9, precision="fp32"),
    "never starts": Workload(gpus=1_000_000, restart_minutes=600),
}
every_case = pytest.mark.parametrize("workload", CASES.values(), ids=CASES.keys())


@settings(max_examples=60, deadline=None)
@given(fixed_workloads)
def test_every_workload_can_be_walked_through(workload: Workload) -> None:
    """Each step has a finding, a question with a finite answer, a line to mark it on, and a sum behind it."""
    for number in STEPS:
        step = walk(workload, number)

        assert step.name == NAMES[number - 1][0]
        assert step.title
        assert math.isfinite(step.ask.value)
        assert step.sums
        assert line_of(step.ask, "key").ticks


@every_case
@pytest.mark.parametrize("number", STEPS)
def test_the_arithmetic_shown_gives_the_figure(workload: Workload, number: int) -> None:
    """Of each sum that is a figure, the formula with its numbers in gives what the engine says."""
    to = speaker(workload)
    for d in walk(workload, number).sums:
        if not d.id.startswith("walkthrough."):
            assert d.reading.value == pytest.approx(to.value(d.id), rel=1e-9, abs=1e-300)


@pytest.mark.parametrize(
    ("workload", "number", "value", "unit"),
    [
        pytest.param(SMALL, 1, 160, "GB", id="S01"),
        pytest.param(LARGE, 1, 16, "TB", id="S02"),
        pytest.param(SMALL, 2, 2.5, "GB", id="S06"),
        pytest.param(EXAMPLES[1].workload, 5, 6.85, "days", id="S23"),
        pytest.param(LARGE, 5, 160.6, "days", id="S24"),
    ],
)
def test_the_articles_examples_come_out_as_printed(workload: Workload, number: int, value: float, unit: str) -> None:
    """10B and 1T, with the article's numbers."""
    ask = walk(workload, number).ask

    assert ask.value == pytest.approx(value, rel=0.001)
    assert ask.unit == unit


def test_both_ends_of_the_articles_range_are_examples() -> None:
    """Their links lead to 10B and 1T."""
    assert {SMALL.query(), LARGE.query()} <= {e.query for e in EXAMPLES}


# Step 1


@every_case
def test_the_parts_of_the_state_add_up_to_it(workload: Workload) -> None:
    """Nothing is left out, and nothing drawn twice."""
    to = speaker(workload)
    w = to.design.workload
    found = state.parts_of(to.facts.each, w.params, float(w.trained_params or 0))

    assert sum(p[3] for p in found) == pytest.approx(to.design.memory.state_bytes)
    assert to.design.memory.state_bytes == state_bytes(w.params, w.trained_params, to.facts.each)


def test_bars_of_the_state_follow_each_other() -> None:
    """Each begins where the one before it ends; the last ends where the whole does."""
    bars = walk(SMALL, 1).drawing
    assert isinstance(bars, state.Bars)
    spans = [(float(b.x.rstrip("%")), float(b.width.rstrip("%"))) for b in bars.rows]

    assert all(x + w == pytest.approx(spans[i + 1][0], abs=0.02) for i, (x, w) in enumerate(spans[:4]))
    assert sum(spans[4]) == pytest.approx(spans[5][1], abs=0.02) == 100
    assert bars.line == "50%"


# Step 2


@pytest.mark.parametrize("name", ["default", "one GPU", "10B", "1T", "405B", "no fit", "frozen", "fp32"])
def test_the_point_lies_on_the_curve_of_this_design(name: str) -> None:
    """The state of a design is the curve of its stage, at its number of sharers."""
    to = speaker(CASES[name])
    layout = to.design.layout
    found = shards.state_of(to, shards.np.array([float(layout.data)]), layout.zero_stage)

    assert found[0] == pytest.approx(state_on_gpu(to.design))


def test_full_sharding_is_a_straight_line() -> None:
    """Twice the sharers, half the state."""
    one, two = shards.state_of(speaker(SMALL), shards.np.array([32.0, 64.0]), 3)

    assert one == pytest.approx(2 * two)


@every_case
def test_names_of_the_curves_do_not_touch(workload: Workload) -> None:
    """A line apart, and inside the chart."""
    chart = walk(workload, 2).drawing
    assert isinstance(chart, shards.Curves)
    ys = [float(c.label_y) for c in chart.curves]

    assert all(b - a >= shards.LABEL_PITCH - 0.1 for a, b in pairwise(ys))
    assert max(ys) <= shards.TOP + shards.HEIGHT + 1


# Step 3


@every_case
def test_the_slow_link_is_the_longer_way(workload: Workload) -> None:
    """The question's answer is never below 1 for links as they are."""
    e = layer.exchange(speaker(workload))

    assert e.ratio > 1
    assert walk(workload, 3).ask.value == e.ratio


def test_the_exchange_of_a_layer_is_the_engines() -> None:
    """Its bytes times the number of sums are what the engine has a GPU send in a step."""
    to = speaker(LLAMA)
    facts, e = to.facts, layer.exchange(to)
    sums = 2 * facts.passes * facts.x.microbatches * facts.layers

    assert e.sent * sums * facts.time == pytest.approx(to.design.step.communication_bytes.tensor)
    assert e.inside * sums * facts.time == pytest.approx(to.design.step.communication_seconds.tensor, rel=0.001)


def test_a_wide_server_is_drawn_in_part_and_says_so() -> None:
    """72 GPUs on one link: 16 of them are drawn."""
    step = walk(Workload(gpu="gb200-192gb", gpus=72, gpus_per_node=72), 3)
    assert isinstance(step.drawing, layer.Drawing)

    assert len(step.drawing.cells) == layer.MOST_CELLS
    assert "16 of 72 GPUs" in step.caption


# Step 4


@pytest.mark.parametrize(
    "workload",
    [LARGE, LLAMA, Workload(**DEEP, pipeline=8), Workload(**DEEP, pipeline=4, chunks=4), *CASES.values()],
)
def test_the_idle_share_drawn_is_the_closed_form(workload: Workload) -> None:
    """Played, lengthened by the micro-batches left out, and told by the engine: one number."""
    to = speaker(workload)
    shown, step = plan(to), walk(workload, 4)
    closed = float(idle_fraction(shown.stages, shown.microbatches, shown.chunks))

    assert step.ask.value == pytest.approx(100 * closed)
    assert step.table.rows[-2][1] == step.table.rows[-1][1]
    if shown.real:
        assert closed == pytest.approx(to.design.pipeline.idle_fraction)


@pytest.mark.parametrize("pipeline", [2, 16, 64])
@pytest.mark.parametrize("chunks", [1, 4])
def test_a_large_schedule_is_drawn_in_part(pipeline: int, chunks: int) -> None:
    """A bounded number of passes, the first and the last stage among them."""
    to = speaker(Workload(params=70e9, gpus=1024, pipeline=pipeline, chunks=chunks, batch_tokens=2.0**26))
    shown = plan(to)
    played = play(shown.stages, shown.played, shown.chunks)
    drawn = rows_of(played)
    picture = schedule_drawing(played, shown)

    assert (drawn[0], drawn[-1]) == (0, shown.stages - 1)
    assert len(drawn) * len(played.stages[0]) <= max(MOST_PASSES, 4 * len(played.stages[0]))
    assert picture.forward.count("m") == picture.backward.count("m")
    assert bool(picture.broken) == (shown.played < shown.microbatches)


@pytest.mark.parametrize("pipeline", [128, 1024])
def test_the_deepest_schedules_are_told_and_not_drawn(pipeline: int) -> None:
    """A page never waits for a million passes to be played."""
    w = Workload(params=1e12, gpus=4096, pipeline=pipeline, chunks=16, batch_tokens=2.0**28)
    step = walk(w, 4)

    assert step.drawing is None
    assert "closed form" in step.caption


# Step 5


@every_case
def test_the_division_gives_the_days(workload: Workload) -> None:
    """Work over GPUs, peak and the share used, whether planned or the engine's."""
    to = speaker(workload)
    d = to.design
    seconds = d.run.flop / (d.workload.gpus * to.facts.peak().value * division.used_share(to))

    assert seconds / 86_400 == pytest.approx(d.run.days)


# Step 6


@every_case
def test_the_simulated_run_agrees_with_goodput(workload: Workload) -> None:
    """The engine's figure lies where the sample of stops cannot tell it apart."""
    to = speaker(workload)
    sample = stops.sample_of(to)
    if sample is None:
        assert to.design.reliability.goodput < 0.01
        return
    found = stops.shares(sample)

    assert found.low - 1e-4 <= to.design.reliability.goodput <= found.high + 1e-4


@every_case
def test_the_strip_is_filled_from_end_to_end(workload: Workload) -> None:
    """Training, lost work and restarts leave no gap."""
    drawing = walk(workload, 6).drawing
    if drawing is None:
        return
    assert isinstance(drawing, stops.Drawing)
    for strip in (drawing.run, drawing.near):
        widths = [float(p.width.rstrip("%")) for p in strip.pieces if p.kind != "write"]

        assert sum(widths) == pytest.approx(100, abs=0.5)


def test_goodput_is_the_closed_form() -> None:
    """The question's answer is the engine's, in percent."""
    r = design(LLAMA).reliability
    exact = parts(1800, r.checkpoint_write_seconds, 3600 * r.hours_between_stops, 600)[0]

    assert walk(LLAMA, 6).ask.value == pytest.approx(100 * exact)


# Number lines


@pytest.mark.parametrize("value", [0.02, 1.6, 128.0, 999.0])
@pytest.mark.parametrize("key", ["a", "b", "c", "d"])
def test_the_answer_lies_on_the_line(value: float, key: str) -> None:
    """Wherever the line begins."""
    asked = prediction_of(Ask("How much?", value, "GB"), key)

    assert asked.low <= value <= asked.high


def test_the_line_does_not_betray_the_answer() -> None:
    """It lies in the first, the second or the third decade, by the workload."""
    lows = {prediction_of(Ask("How much?", 128.0, "GB"), key).low for key in "abcdefghij"}

    assert lows == {1.0, 10.0, 100.0}


@pytest.mark.parametrize("guess", ["128", "128 GB", " 0.128k"])
def test_a_right_guess_is_right(guess: str) -> None:
    """With or without its unit."""
    found = outcome_of(Ask("How much?", 128.0, "GB"), "key", guess)

    assert found.right
    assert found.factor == ""


@pytest.mark.parametrize(("guess", "factor"), [("64", "2.00 × too low"), ("256", "2.00 × too high")])
def test_a_wrong_guess_is_told_by_its_factor(guess: str, factor: str) -> None:
    """Which way, and how far."""
    assert outcome_of(Ask("How much?", 128.0, "GB"), "key", guess).factor == factor


@pytest.mark.parametrize("guess", ["0", "-3", "many", "nan", "1e999"])
def test_a_guess_that_is_no_positive_number_is_refused(guess: str) -> None:
    """With a message for the person."""
    with pytest.raises(ValueError, match=r"number"):
        outcome_of(Ask("How much?", 128.0, "GB"), "key", guess)


# Words

ALLOWED: set[str] = set()
"""Digits that the templates' own words may hold."""


def words_of(template: str) -> str:
    """What a template prints itself: no statements, no expressions, no tags."""
    bare = re.sub(r"\{#.*?#\}|\{%.*?%\}|\{\{.*?\}\}", " ", template, flags=re.S)
    return re.sub(r"<[^>]*>", " ", bare, flags=re.S)


@pytest.mark.parametrize("path", sorted(TEMPLATES.glob("*.html")), ids=lambda p: p.stem)
def test_no_template_types_a_number(path: Path) -> None:
    """Every number on a page comes from the engine."""
    found = set(re.findall(r"\d[\d.,]*", words_of(path.read_text(encoding="utf-8"))))

    assert found <= ALLOWED


def test_the_summary_names_model_and_gpus() -> None:
    """One line of what is walked through."""
    assert summary(LLAMA).startswith(f"Llama 3.1 405B, 406B parameters on {grouped(16_384)} × H100")
