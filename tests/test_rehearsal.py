"""A rehearsal from its form to its report."""

import json

import pytest

from app.model.grading.cases import case_of
from app.model.grading.chain import QUANTITIES, truths
from app.model.grading.lines import figure
from app.model.grading.steps import STEPS
from app.rehearsal import REPORT, act, facts, read_rehearsal, step_view
from app.rehearsal_report import json_text, markdown, report_of

CASE = case_of(7)
RIGHT = {key: figure(key, value) for key, value in truths(CASE.given).items()}
PICKS = {f"{part}_{s.id}": getattr(s, part).right(CASE.given) for s in STEPS for part in ("choice", "reason")}


def rehearsed(**fields: str):
    return read_rehearsal(CASE, fields)


def test_who_knows_everything_gets_everything():
    """Right figures, choices and reasons are full marks, and nothing is left to practise."""
    report = report_of(act(rehearsed(**RIGHT, **PICKS), REPORT))

    assert (report.numbers_full, report.picks_right, report.practise) == (11, 12, ())


def test_who_knows_names_alone_is_sent_to_the_arithmetic():
    """Right choices without numbers: all picks count, and three steps to practise are named."""
    report = report_of(act(rehearsed(**PICKS), REPORT))

    assert (report.numbers_full, report.picks_right) == (0, 12)
    assert report.practise[0] == "Plan for failure"
    assert len(report.practise) == 3


def test_who_writes_nonsense_is_told_what_to_write():
    """Each number that cannot be read has a sentence that says so, and nothing counts."""
    report = report_of(act(rehearsed(**dict.fromkeys(QUANTITIES, "banana"), choice_memory="banana"), REPORT))

    assert (report.numbers_full, report.picks_right) == (0, 0)
    assert all(n.sentence for view in report.steps for n in view.numbers)


def test_grading_waits_for_a_missing_unit():
    """A number without its unit is asked about before anything is given away."""
    asked = act(rehearsed(state="2800"), "grade")

    assert asked.graded == frozenset()
    assert "unit" in step_view(asked, "memory", asking=True).numbers[0].error


def test_grading_as_it_is_does_not_wait():
    """Who insists is graded."""
    assert act(rehearsed(state="2800"), "grade!").graded == {"memory"}


def test_a_later_number_goes_on_from_the_own_one():
    """The own value stands beside the question, the true one only after its step is graded."""
    before = step_view(rehearsed(state="350 GB", at="shard"), "shard").numbers[0]
    after = step_view(rehearsed(state="350 GB", at="shard", graded="memory"), "shard").numbers[0]

    assert before.carried == "Goes on from your 350 GB."
    assert after.carried == "Goes on from your 350 GB (true: 2.80 TB)."


def test_trying_again_clears_the_step_alone():
    """Numbers and picks of the step go; its note and the other steps stay."""
    again = act(rehearsed(state="1 GB", note_memory="mine", days="9 d", graded="memory,time"), "again")

    assert (again.said["state"], again.said["note_memory"], again.said["days"]) == ("", "mine", "9 d")
    assert again.graded == {"time"}


@pytest.mark.parametrize(
    ("do", "at"),
    [
        ("next", "shard"),
        ("back", "memory"),
        ("go:failure", "failure"),
        ("go:nowhere", "memory"),
        ("dance", "memory"),
        ("report", REPORT),
    ],
)
def test_buttons_lead_where_they_say(do, at):
    """An unknown button stays where it is."""
    assert act(rehearsed(), do).at == at


def test_markdown_keeps_signs_of_a_note_plain():
    """A note with markup is quoted, not obeyed."""
    text = markdown(rehearsed(note_memory="<b>bold</b>\n# head"))

    assert "> \\<b\\>bold\\</b\\>" in text
    assert "> \\# head" in text


def test_json_holds_what_was_said_and_each_verdict():
    """The file for programs carries case, answers, verdicts and picks."""
    kept = json.loads(json_text(rehearsed(state="2.8 TB", choice_memory="split")))

    assert kept["answers"] == {"state": "2.8 TB"}
    assert kept["verdicts"]["state"]["grade"] == "full"
    assert kept["picks"]["choice_memory"] == {"picked": "split", "right": True}


def test_facts_hold_every_given_number():
    """Nothing that a right line needs is kept from the candidate."""
    assert len(facts(CASE)) == 13


@pytest.mark.parametrize("seed", range(0, 400, 20))
def test_every_right_pick_is_an_option(seed):
    """The right choice and reason of each step can be picked in every case."""
    given = case_of(seed).given

    assert all(q.right(given) in q.options for step in STEPS for q in (step.choice, step.reason))
