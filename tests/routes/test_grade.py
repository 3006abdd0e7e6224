"""The grader for programs."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.model.grading.chain import QUANTITIES

GIVEN = [
    "params",
    "train_tokens",
    "gpus",
    "gpus_per_node",
    "memory_gb",
    "dense_peak_tflops",
    "sparse_peak_tflops",
    "mfu",
    "pipeline",
    "microbatches",
    "mtbf_gpu_hours",
    "checkpoint_minutes",
    "checkpoint_gb_per_s",
]


def test_case_has_its_facts_and_what_is_asked(client):
    """GET /api/case answers the seed, the facts and the names of the numbers."""
    case = client.get("/api/case?seed=7").json()

    assert case["seed"] == 7
    assert list(case["given"]) == GIVEN
    assert case["asked"] == list(QUANTITIES)
    assert case["units"]["state"] == "B"


def test_grade_answers_each_key(client):
    """POST /api/grade answers for each key with exactly the five names."""
    body = {"seed": 7, "answers": {"state": "2.8 TB", "days": "9.3 days", "idle_share": "20"}}
    graded = client.post("/api/grade", json=body).json()

    assert graded["state"] == {
        "grade": "full",
        "factor": 1.0,
        "diagnosis": "none",
        "truth": 2.8e12,
        "truth_from_your_value": 2.8e12,
    }
    assert (graded["days"]["grade"], graded["days"]["diagnosis"]) == ("order", "sparse_peak")
    assert (graded["idle_share"]["grade"], graded["idle_share"]["diagnosis"]) == ("unread", "unit_missing")


def test_truths_are_full_marks_in_the_units_of_the_case(client):
    """What the grader calls true, written in the case's units, grades as full."""
    case = client.get("/api/case?seed=11").json()
    blank = client.post("/api/grade", json={"seed": 11, "answers": dict.fromkeys(case["asked"], "?")}).json()
    answers = {key: f"{blank[key]['truth']:.4g} {case['units'][key]}" for key in case["asked"]}
    graded = client.post("/api/grade", json={"seed": 11, "answers": answers}).json()

    assert {verdict["grade"] for verdict in graded.values()} == {"full"}


@pytest.mark.parametrize("seed", ["", "-1", "1.5", "seven", "9" * 30, "²"])
def test_a_wrong_seed_is_refused(client, seed):
    """A seed that is no whole number gets a 422 that says what to give."""
    answer = client.get("/api/case", params={"seed": seed})

    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"] == "seed"


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"seed": 7},
        {"seed": True, "answers": {}},
        {"seed": 7, "answers": []},
        {"seed": 7, "answers": {"colour": "red"}},
        {"seed": 7, "answers": {}, "more": 1},
        [],
    ],
)
def test_a_wrong_body_is_refused(client, body):
    """What is not a seed with answers gets problem details."""
    answer = client.post("/api/grade", json=body)

    assert answer.status_code == 422
    assert answer.json()["errors"][0]["message"]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda c: st.lists(c, max_size=3),
)


@settings(max_examples=100, deadline=None)
@given(st.dictionaries(st.sampled_from(sorted(QUANTITIES)), JSON))
def test_any_answer_is_answered(client, answers):
    """No answer, however odd, is an error of the server."""
    answer = client.post("/api/grade", json={"seed": 7, "answers": answers})

    assert answer.status_code == 200
    assert set(answer.json()) == set(answers)
