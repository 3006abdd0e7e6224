"""A formula as MathML: what is printed means what is worked out."""

import math
import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest

from app.mathml import Printed, decimal, in_letters, in_numbers
from app.model.derivations import FIGURES, Reading, derivation
from app.model.derivations.expression import evaluate
from app.model.sizing import design
from app.model.units import THIN
from app.model.workload import Workload
from tests.samples import WORKLOADS

SIGNS = {"×": "*", "·": "*", "−": "-", "/": "/", "⌊": "floor(", "⌈": "ceil(", "⌋": ")", "⌉": ")"}


def read(node: ET.Element) -> str:
    """Printed arithmetic back as a line that Python can work out."""
    parts = [read(child) for child in node]
    match node.tag:
        case "mfrac":
            return f"(({parts[0]})/({parts[1]}))"
        case "msup":
            return f"exp({parts[1]})" if parts[0] == "e" else f"({parts[0]})**({parts[1]})"
        case "msqrt":
            return f"sqrt({''.join(parts)})"
        case "msub":
            return "log2" if node[0].tag == "mtext" else f"{parts[0]}_{parts[1]}"
        case "mn":
            return (node.text or "").replace(THIN, "").replace("−", "-")
        case "mo":
            return SIGNS.get(node.text or "", node.text or "")
        case _:
            return "".join(parts) or (node.text or "")


def line(printed: Printed) -> str:
    """All pieces of a formula in one line."""
    above, below = ("".join(pieces) for pieces in (printed.above, printed.below))
    text = read(ET.fromstring(f"<math>{above}</math>"))
    return f"({text})/({read(ET.fromstring(f'<math>{below}</math>'))})" if below else text


def rounded(value: float) -> float:
    """A number as it is printed."""
    digits, exponent = decimal(value)
    return float(digits.replace(THIN, "").replace("−", "-")) * 10.0**exponent


def readings() -> list[tuple[str, Reading]]:
    designs = [design(Workload(**WORKLOADS[name])) for name in ("default", "fleet", "experts", "long", "too big")]
    return [(id, r) for d in designs for id in FIGURES for r in derivation(d, id).readings]


def test_the_printed_numbers_give_what_the_formula_gives():
    """Reading the page's arithmetic back and working it out gives the formula's value for these numbers."""
    for id, r in readings():
        values = {t.name: t.value for t in r.terms}
        printed = evaluate(line(in_numbers(r.formula, values)), {})
        meant = evaluate(r.formula, {name: rounded(value) for name, value in values.items()})

        assert printed == pytest.approx(meant, rel=1e-9, abs=1e-12), id


def test_the_printed_letters_are_the_formula():
    """With the same numbers for its letters the printed formula gives the same."""
    for id, r in readings():
        values = {t.name: t.value for t in r.terms}

        assert evaluate(line(in_letters(r.formula)), values) == pytest.approx(evaluate(r.formula, values)), id


def test_the_printed_numbers_give_the_figure():
    """Worked out by hand, with the digits on the page, the result is right to three digits."""
    d = design(Workload(**WORKLOADS["fleet"]))
    for id in FIGURES:
        r = derivation(d, id).reading
        printed = replace(r, formula=line(in_numbers(r.formula, {t.name: t.value for t in r.terms})))

        assert printed.value == pytest.approx(r.value, rel=2e-3, abs=1e-9), id


@pytest.mark.parametrize(
    ("value", "printed"),
    [
        (8192, "8192"),
        (16_777_216, f"16{THIN}777{THIN}216"),
        (405.85e9, "405.85e9"),
        (6.14723, "6.147"),
        (0.5, "0.5"),
        (0.00042, "420e-6"),
        (99_999_999.6, "100e6"),
        (0, "0"),
        (-3, "−3"),
        (math.inf, "∞"),
    ],
)
def test_numbers_are_printed_to_be_typed_in(value, printed):
    """Whole numbers as they are, others to four digits, very large and small ones with a power of ten."""
    digits, exponent = decimal(value)

    assert (f"{digits}e{exponent}" if exponent else digits) == printed


def test_brackets_stand_where_they_are_needed():
    """A sum that is a factor keeps its brackets, a sum that is subtracted too."""
    assert line(in_letters("a*(b + c) / (d - (e - f))")) == "(a*(b+c))/(d-(e-f))"


def test_long_sums_break_between_their_terms():
    """Each term is a piece of its own, with the sign before it."""
    assert len(in_letters("a + b + c - d").above) == 4
    assert len(in_letters("x*(a + b) / c").above) == 3
