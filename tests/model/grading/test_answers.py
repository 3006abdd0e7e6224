"""A table of answers, right, nearly right, wrong in every usual way and odd, with what each must get."""

from pathlib import Path

import pytest

from app.model.grading.diagnoses import DIAGNOSES
from app.model.grading.grader import grade
from tests.model.grading.worked import LARGE, SMALL

CASES = {"small": SMALL, "large": LARGE}


def rows() -> list[tuple[str, ...]]:
    """Case, key, answer, grade and diagnosis of each line."""
    found, case = [], ""
    for line in (Path(__file__).parent / "answers.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            case = line.strip("[]")
        elif not line.startswith("#"):
            found.append((case, *(part.strip() for part in line.split("|"))))
    return found


@pytest.mark.parametrize(("case", "key", "answer", "expected", "diagnosis"), rows())
def test_each_answer_gets_its_grade_and_diagnosis(case, key, answer, expected, diagnosis):
    """The table is the contract: grade and kind of mistake, answer by answer."""
    verdict = grade(CASES[case], {key: answer})[key]

    assert (verdict.grade, verdict.diagnosis) == (expected, diagnosis)


def test_the_table_is_long_and_covers_every_diagnosis():
    """At least 150 answers, and no diagnosis that no answer gets."""
    table = rows()

    assert len(table) >= 150
    assert {row[4] for row in table} == set(DIAGNOSES) - {"not_rounded_up"}
