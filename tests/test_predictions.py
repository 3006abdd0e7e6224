"""A card's question and the prediction beside the result."""

from dataclasses import replace

import pytest

from app.cards import Card, Prediction, card_by_id
from app.model.sizing import size
from app.model.workload import Workload
from app.predictions import along_line, cause_of, changes, line_stops, line_ticks, outcome, question_of

DAYS = Prediction(question="How long?", kind="number", figure="run.wall_days", unit="days", low=50, high=140)
WIDE = DAYS.model_copy(update={"low": 1.0, "high": 100.0})
NOW = size(Workload())
NOW = replace(NOW, run=replace(NOW.run, wall_days=66.2))


def card(prediction: Prediction) -> Card:
    chosen = card_by_id("sharded")
    assert chosen is not None
    return chosen.model_copy(update={"prediction": prediction})


def test_a_narrow_line_is_even() -> None:
    """Between 50 and 140 days a centimetre is a number of days."""
    assert along_line(95, DAYS) == "50.00%"


def test_a_wide_line_is_logarithmic() -> None:
    """Between 1 and 100 the middle is 10."""
    assert along_line(10, WIDE) == "50.00%"


def test_a_guess_beyond_the_line_is_drawn_at_its_end() -> None:
    """A wild guess stays on the page."""
    assert along_line(1e6, DAYS) == "100.00%"


def test_ticks_are_round_numbers() -> None:
    """They are there to read positions by."""
    assert line_ticks(DAYS) == (60, 80, 100, 120, 140)
    assert line_ticks(WIDE) == (1, 2, 5, 10, 20, 50, 100)


def test_stops_run_from_end_to_end() -> None:
    """Both ends of the line can be chosen."""
    assert (line_stops(WIDE)[0], line_stops(WIDE)[-1]) == (1, 100)


@pytest.mark.parametrize(
    ("guess", "factor"),
    [("61", "1.09 × too low"), ("132.4", "2.00 × too high"), ("66", "")],
)
def test_a_number_is_compared_by_its_factor(guess: str, factor: str) -> None:
    """The factor says how far off a prediction was; within 5 % it was right."""
    assert outcome(card(DAYS), guess, NOW).factor == factor


def test_a_guess_may_be_written_like_any_number() -> None:
    """The box of a question reads what the boxes of the form read."""
    assert outcome(card(DAYS), "0.1k", NOW).guess.text == "100"


def test_the_fullest_bar_is_the_right_answer() -> None:
    """A question about bars is settled by the loads."""
    asked = card(Prediction(question="Which?", kind="bar"))
    fullest = max(NOW.bottlenecks, key=lambda b: b.load).id
    other = min(NOW.bottlenecks, key=lambda b: b.load).id

    assert outcome(asked, fullest, NOW).right
    assert not outcome(asked, other, NOW).right


@pytest.mark.parametrize(("guess", "message"), [("soon", "not a number"), ("-4", "above 0"), ("0", "above 0")])
def test_a_guess_that_is_no_number_is_refused(guess: str, message: str) -> None:
    """The message says what to do about it."""
    with pytest.raises(ValueError, match=message):
        outcome(card(DAYS), guess, NOW)


def test_an_unknown_bar_is_refused() -> None:
    """A guess that names no bar is none."""
    with pytest.raises(ValueError, match="Choose one of the five bars"):
        outcome(card(Prediction(question="Which?", kind="bar")), "luck", NOW)


def test_the_question_marks_the_design_before() -> None:
    """Whoever guesses sees where the design started."""
    question = question_of(card(DAYS), NOW)

    assert question is not None
    assert question.before is not None
    assert question.before.text == "66.2"


def test_only_what_differs_is_a_change() -> None:
    """A card that departs from another says in what."""
    found = changes(Workload(gpus=8, data_tokens_per_s=1e6), Workload(gpus=16, data_tokens_per_s=1e6))

    assert [(c.label, c.before, c.now) for c in found if c.label == "GPU count"] == [("GPU count", "8", "16")]


def test_the_cause_comes_from_the_engine() -> None:
    """No card explains a result in words of its own."""
    assert cause_of(NOW, DAYS) in {w.text for w in NOW.why if w.kind == "cause"}


def test_the_cause_of_a_full_bar_is_what_fills_it() -> None:
    """A question about bars is answered by what binds, not by what moved the days."""
    asked = Prediction(question="Which?", kind="bar")

    assert cause_of(NOW, asked) in {w.text for w in NOW.why if w.kind == "binds"}
