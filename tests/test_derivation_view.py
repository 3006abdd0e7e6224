"""What the panel prints: results with their units, rows with their kinds, addresses that lead on."""

import pytest

from app.derivation_view import LONGEST_TRAIL, Place, View, derivation_view, result_text
from app.model.derivations import FIGURES, derivation
from app.model.sizing import design
from app.model.units import bytes_text
from app.model.workload import Workload
from tests.samples import WORKLOADS


def view(figure: str, place: Place = Place(""), **workload: object) -> View:  # noqa: B008
    d = design(Workload(**workload))
    return derivation_view(d, derivation(d, figure), place)


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (0.4104, "share", "41.0 %"),
        (62.1e9, "bytes", "62.1 GB"),
        (2.0**30, "GiB", "1.00 GiB"),
        (6.1472, "s", "6.15 s"),
        (3e-5, "s", "30.0 µs"),
        (74.7e6, "dollars", "$74.7 M"),
        (128, "replicas", "128 replicas"),
        (1, "replicas", "1 replica"),
        (1, "", "1"),
    ],
)
def test_a_result_has_the_unit_that_the_lab_writes(value, unit, text):
    """Percent, bytes, seconds and dollars as elsewhere, counts with their noun."""
    assert " ".join(result_text(value, unit).split()) == text


@pytest.mark.parametrize("name", WORKLOADS)
def test_every_figure_can_be_shown(name):
    """Whatever the design, each has a formula, a result and the meaning of its terms."""
    d = design(Workload(**WORKLOADS[name]))
    for id in FIGURES:
        shown = derivation_view(d, derivation(d, id), Place(""))

        assert shown.numbers.above
        assert shown.result
        assert all(row.meaning and row.kind_word for row in shown.rows)


def test_memory_is_read_in_either_gigabyte():
    """One is the lab's, the other a switch away, and both say the same bytes."""
    d = design(Workload())
    gb, gib = view("memory.total_bytes").choices

    assert gb.text.split() == list(bytes_text(d.memory.total_bytes))
    assert float(gib.text.split()[0]) == pytest.approx(d.memory.total_bytes / 2**30, rel=5e-3)


def test_a_size_set_by_hand_is_a_setting():
    """What the search chose is the engine's, what the visitor fixed is his own."""
    kinds = [
        next(r.kind for r in view("layout.gpus_used", **w).rows if r.meaning == "tensor size")
        for w in ({}, {"tensor": 2})
    ]

    assert kinds == ["engine", "setting"]


def test_a_formula_of_one_letter_is_not_printed_twice():
    """What is chosen or set is its letter, then its value."""
    assert view("layout.tensor").letters is None
    assert view("run.mfu").letters is not None


def test_addresses_carry_workload_and_way():
    """A link leads to the figure of the same design, and knows where it was opened."""
    shown = view("run.days", Place("gpus=128", ("run.cost",)))
    hrefs = [row.href for row in shown.rows if row.href]

    assert all(href.endswith("&gpus=128") for href in hrefs)
    assert any("from=run.cost%2Crun.days" in href for href in hrefs)
    assert [step.href for step in shown.trail] == ["/figure?id=run.cost&gpus=128"]


def test_the_way_stays_short():
    """Whoever opens one figure after the other gets no endless address."""
    address = Place("").address("run.mfu", trail=("run.days",) * 50)

    assert address.count("run.days") == LONGEST_TRAIL
