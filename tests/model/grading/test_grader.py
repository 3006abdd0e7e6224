"""The grader: the chain from own values, full marks for the model answer, every road, any text."""

import math

import pytest
from hypothesis import given as drawn
from hypothesis import settings
from hypothesis import strategies as st

from app.model.grading.cases import case_of
from app.model.grading.chain import QUANTITIES, truths
from app.model.grading.diagnoses import DIAGNOSES, explained
from app.model.grading.grader import grade
from app.model.grading.lines import figure, right_line
from app.model.grading.roads import ROADS
from tests.model.grading.worked import SMALL

UNITS = {
    "bytes": {"B": 1, "MB": 1e6, "GB": 1e9, "TB": 1e12, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40, "Gbit": 1.25e8},
    "flop": {"FLOP": 1, "EFLOP": 1e18, "ZFLOPs": 1e21, "": 1},
    "days": {"days": 1, "d": 1, "h": 1 / 24, "minutes": 1 / 1440, "weeks": 7},
    "seconds": {"s": 1, "min": 60, "h": 3600, "ms": 1e-3},
    "percent": {"%": 1, "percent": 1},
    "per_day": {"": 1, "per day": 1, "/h": 24, "a week": 1 / 7},
    "count": {"": 1, "GPUs": 1},
}


def written(value: float, kind: str, unit: str) -> str:
    return f"{value / UNITS[kind][unit]:.4g} {unit}"


def test_the_model_answer_grades_itself_as_full_marks():
    """Over 2000 seeds, the figures of the right lines are full and free of any diagnosis."""
    for seed in range(2000):
        given = case_of(seed).given
        verdicts = grade(given, {key: figure(key, value) for key, value in truths(given).items()})

        assert {(v.grade, v.diagnosis) for v in verdicts.values()} == {("full", "none")}, seed


@settings(max_examples=150, deadline=None)
@drawn(st.integers(0, 10**6), st.data())
def test_right_answers_are_full_in_any_unit(seed, data):
    """Whatever unit a right value is written in, it is full and nothing is diagnosed."""
    given = case_of(seed).given
    units = {key: data.draw(st.sampled_from(sorted(UNITS[q.kind]))) for key, q in QUANTITIES.items()}
    right = truths(given)
    answers = {key: written(right[key], q.kind, units[key]) for key, q in QUANTITIES.items()}

    assert {(v.grade, v.diagnosis) for v in grade(given, answers).values()} == {("full", "none")}


@pytest.mark.parametrize("key", QUANTITIES)
def test_every_wrong_road_is_recognised(key):
    """Over 300 seeds, a road's value gets its id unless it lies by the right value or by another road.

    Not distinguishable: bytes ÷ 8 is 2 bytes a parameter; servers of 8 for GPUs is bits for bytes and,
    where the state was not answered, weights alone; single GPUs often round to the same count.
    """
    for seed in range(300):
        given = case_of(seed).given
        right = truths(given)[key]
        roads = [(road.diagnosis, road.value(given, right)) for road in ROADS[key]]
        for diagnosis, value in roads:
            rivals = {d for d, other in roads if abs(other / value - 1) < 0.011}
            if value > 0 and abs(value / right - 1) > 0.021 and rivals == {diagnosis}:
                answer = f"{value:.6g} {QUANTITIES[key].unit}"
                assert grade(given, {key: answer})[key].diagnosis == diagnosis, (seed, answer)


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        pytest.param({"state": "20 GB"}, {"sharded_state": "78.1 MB", "gpus_for_state": "1"}, id="state"),
        pytest.param({"pipeline_bubble": "48.4 %"}, {"idle_share": "32.6 %"}, id="bubble"),
        pytest.param({"work": "8e22 FLOP"}, {"days": "9.14 days"}, id="work"),
        pytest.param({"stops_per_day": "0.97"}, {"lost_share": "1.01 %"}, id="stops"),
        pytest.param({"state": "1.6 TB"}, {"checkpoint_write": "280 s"}, id="checkpoint"),
    ],
)
def test_one_slip_costs_once(earlier, later):
    """What follows rightly from a wrong number is full and has no diagnosis of its own."""
    verdicts = grade(SMALL, {**earlier, **later})

    assert all(verdicts[key].grade in ("order", "wrong") for key in earlier)
    assert {(verdicts[key].grade, verdicts[key].diagnosis) for key in later} == {("full", "none")}


def test_the_truth_is_no_slip_after_a_wrong_number():
    """Who corrects himself gets full marks too."""
    verdicts = grade(SMALL, {"state": "20 GB", "sharded_state": "625 MB"})

    assert verdicts["sharded_state"].grade == "full"
    assert verdicts["sharded_state"].truth_from_your_value == pytest.approx(78.125e6)


def test_a_right_state_tells_servers_from_weights():
    """25 for 200 GPUs is servers when the state before it was right."""
    large = case_of(7).given
    verdicts = grade(large, {"state": figure("state", truths(large)["state"]), "gpus_for_state": "5"})

    assert truths(large)["gpus_for_state"] == 35
    assert verdicts["gpus_for_state"].diagnosis == "gpus_for_servers"


@settings(max_examples=400, deadline=None)
@drawn(
    st.sampled_from(sorted(QUANTITIES)),
    st.text() | st.from_regex(r"[-+]?[0-9]{1,5}(\.[0-9]+)?(e[-+]?[0-9]{1,4})? ?\w{0,5}"),
)
def test_no_text_breaks_the_grader(key, text):
    """Any text gets a verdict that JSON can hold and a diagnosis that has a sentence."""
    every = dict.fromkeys(QUANTITIES, text)
    for verdict in (*grade(SMALL, every).values(), grade(case_of(3).given, {key: text})[key]):
        numbers = (verdict.factor or 0.0, verdict.truth, verdict.truth_from_your_value)

        assert all(math.isfinite(n) for n in numbers)
        assert verdict.diagnosis in DIAGNOSES
        assert isinstance(explained(verdict), str)


@pytest.mark.parametrize("value", [None, True, [], {}, 10**400, float("nan"), float("inf"), -0.0, "\x00", "\ud800"])
def test_no_value_breaks_the_grader(value):
    """JSON values that are no answer are unread or wrong, never a crash."""
    assert {v.grade for v in grade(SMALL, dict.fromkeys(QUANTITIES, value)).values()} <= {"unread", "wrong"}


def test_numbers_are_taken_as_text():
    """A JSON number is an answer without a unit."""
    verdicts = grade(SMALL, {"gpus_for_state": 2, "state": 160})

    assert verdicts["gpus_for_state"].grade == "full"
    assert verdicts["state"].diagnosis == "unit_missing"


def test_each_right_line_ends_in_its_figure():
    """The line that is shown leads to the value that is graded."""
    for key, value in truths(SMALL).items():
        assert right_line(key, SMALL).endswith(figure(key, value))
