"""app/model/phrases.py, and what holds for every text that is made from it."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.model.answer import Sizing
from app.model.phrases import listed, money, pair, set_span, share, some, times
from app.model.sizing import size
from tests.workloads import fixed_workloads

many = settings(max_examples=100, deadline=None)
BROKEN = re.compile(r"nan|None|\binf\b|e[+−-]\d|[{}]|\s\s|\s[,.;]|\.\.|−0\b|\d{25}")
ONE_OF_MANY = re.compile(
    r"(?<![\d.,])1 (GPUs|replicas|stages|layers|sequences|micro-batches|nodes|batches|heads|chunks|parameters)\b"
)


def all_texts(answer: Sizing) -> list[str]:
    """Every text that the page shows of an answer."""
    figures = [f for part in answer.path for f in part.figures]
    return [
        answer.shape.title,
        *answer.shape.reasons,
        *(t for f in figures for t in (f.text, f.unit, f.note)),
        *(note for part in answer.path for note in part.notes),
        *(t for w in answer.why for t in (w.text, w.before, w.now)),
        *(t for d in answer.tradeoffs for t in (d.chose, d.paid, d.instead)),
        *(t for r in answer.rules for t in (r.claim, r.effect)),
        *(a.text for a in answer.assumptions),
        *answer.limits,
    ]


@many
@given(fixed_workloads, st.one_of(st.none(), fixed_workloads))
def test_no_text_shows_a_broken_number(workload, was):
    """No NaN, None, infinity, exponent of the machine, brace or double space, whatever is compared with what."""
    found = [t for t in all_texts(size(workload, was)) if BROKEN.search(t.replace("\u202f", "").replace("\u00a0", " "))]

    assert found == []


@many
@given(fixed_workloads, st.one_of(st.none(), fixed_workloads))
def test_one_of_a_thing_is_singular(workload, was):
    """'1 GPU', never '1 GPUs'."""
    found = [t for t in all_texts(size(workload, was)) if ONE_OF_MANY.search(t.replace("\u202f", ""))]

    assert found == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (some(1, "micro-batch", "micro-batches"), "1 micro-batch"),
        (some(16384, "GPU"), "16\u202f384 GPUs"),
        (listed(["a", "b", "c"]), "a, b and c"),
        (times(0.25), "a quarter of the"),
        (times(2.5), "2.50 times the"),
        (share(0.1172), "11.7\u00a0%"),
        (share(1e-9), "under 0.05\u00a0%"),
        (set_span(30), "30\u00a0min"),
        (set_span(0.5), "30\u00a0s"),
        (money(74.7e6), "$74.7\u00a0M"),
        (pair(("5", "GB"), ("1.2", "TB")), "5\u00a0GB → 1.2\u00a0TB"),
    ],
)
def test_numbers_read_as_a_person_writes_them(text, expected):
    """One example for each kind of phrase."""
    assert text == expected
