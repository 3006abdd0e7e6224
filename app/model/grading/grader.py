"""Grades a chain of numbers, and names the kind of mistake in each."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from app.model.grading.cases import Given
from app.model.grading.chain import QUANTITIES, Quantity, carried, truths
from app.model.grading.quantities import Reading, read
from app.model.grading.roads import ROADS, slips

FULL, CLOSE, ORDER = 0.10, 0.25, 3.0
"""Full marks within 10 %, close within 25 %, the right order of magnitude within a factor of 3."""

EXACT = 0.01
"""An answer this near to the right value is the right value rounded. Teaching assumption."""

ROUGH = 0.03
"""An answer farther than this from a wrong road did not take it, however few digits it has. Teaching assumption."""


@dataclass(frozen=True)
class Verdict:
    """What one answer is worth.

    grade: full, close, order, wrong, or unread
    factor: the answer over the value it was graded against, the nearer of the two below; None when unread
    diagnosis: an id of `diagnoses.DIAGNOSES`; none when no usual mistake was recognised
    truth, truth_from_your_value: [unit of the quantity], the second from the candidate's own earlier values
    value: what was read [unit of the quantity]
    """

    grade: str
    factor: float | None
    diagnosis: str
    truth: float
    truth_from_your_value: float
    value: float | None = None


def grade(given: Given, answers: Mapping[str, object]) -> dict[str, Verdict]:
    """A verdict for each answer, in the order of the chain. Keys that are not asked for are left out."""
    asked = [q for q in QUANTITIES.values() if q.key in answers]
    readings = {q.key: read(answers[q.key], q.kind, given.gpus_per_node) for q in asked}
    own = {key: r.value for key, r in readings.items() if r.value is not None}
    right, followed = truths(given), carried(given, own)
    verdicts: dict[str, Verdict] = {}
    for q in asked:
        before = verdicts.get(q.comes_from)
        sure = before is not None and before.grade == "full" and before.diagnosis == "none"
        verdicts[q.key] = _verdict(_Answer(q, given, readings[q.key], right[q.key], followed[q.key], sure))
    return verdicts


@dataclass(frozen=True)
class _Answer:
    """One answer with all that it is judged by; `sure` when the number before it was right."""

    quantity: Quantity
    given: Given
    reading: Reading
    truth: float
    own_truth: float
    sure: bool

    @property
    def rights(self) -> tuple[float, ...]:
        return (self.truth, self.own_truth) if self.own_truth != self.truth else (self.truth,)


def _verdict(answer: _Answer) -> Verdict:
    value, truths = answer.reading.value, (answer.truth, answer.own_truth)
    if value is None:
        return Verdict("unread", None, answer.reading.trouble, *truths)
    if value <= 0:
        return Verdict("wrong", _ratio(value, answer.truth), "not_positive", *truths, value)
    factor = _ratio(value, min(answer.rights, key=lambda right: _distance(value, right)))
    return Verdict(_grade(factor), factor, _diagnose(answer, value), *truths, value)


def _ratio(value: float, truth: float) -> float:
    """One over the other, held within what JSON can write."""
    return max(-1e300, min(1e300, value / truth))


def _distance(value: float, other: float) -> float:
    """How far apart two positive values are, as a logarithm of their ratio. [-]"""
    return abs(math.log(value) - math.log(other))


def _grade(factor: float) -> str:
    if abs(factor - 1) <= FULL + 1e-9:
        return "full"
    if abs(factor - 1) <= CLOSE + 1e-9:
        return "close"
    return "order" if 1 / ORDER - 1e-9 <= factor <= ORDER + 1e-9 else "wrong"


def _diagnose(answer: _Answer, value: float) -> str:
    """The road that comes nearest to the answer, if one comes near enough and the right value does not."""
    rounding = answer.reading.tolerance
    if min(_distance(value, right) for right in answer.rights) <= max(EXACT, min(FULL, rounding)):
        return "none"
    near = sorted(pair for pair in _roads(answer, value) if pair[0] <= min(ROUGH, rounding))
    names = [name for *_, name in near]
    for name, written in (("bits_for_bytes", answer.reading.bits), ("gpus_for_servers", answer.reading.servers)):
        if written and name in names:
            return name
    if names:
        return names[0]
    if answer.quantity.key == "tensor_size" and value > answer.truth:
        return "across_servers"
    return "power_of_ten" if any(_is_power_of_ten(value / right) for right in answer.rights) else "none"


def _roads(answer: _Answer, value: float) -> Iterator[tuple[float, bool, int, str]]:
    """Distance of each wrong road, whether an earlier right answer speaks against it, and its place in the table."""
    roads = (*ROADS[answer.quantity.key], *slips(answer.quantity.kind, answer.reading))
    for place, road in enumerate(roads):
        for right in answer.rights:
            at = road.value(answer.given, right)
            if at > 0 and math.isfinite(at):
                yield round(_distance(value, at), 4), road.earlier and answer.sure, place, road.diagnosis


def _is_power_of_ten(ratio: float) -> bool:
    if not 0 < ratio < math.inf:
        return False
    power = round(math.log10(ratio))
    return power != 0 and abs(math.log10(ratio) - power) <= math.log10(1 + ROUGH)
