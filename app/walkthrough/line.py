"""The number line of a step's question, and a prediction on it beside the result."""

import math
from zlib import crc32

from app.cards import Prediction
from app.form import exact_text, tick_text
from app.model.units import parse_number, significant
from app.predictions import RIGHT_WITHIN, Mark, Outcome, Question, along_line, line_stops, line_ticks
from app.walkthrough.record import Ask

DECADES = 3
"""Of a line without ends of its own."""
MOST_LABELLED = 1000
"""A line that ends above this has labels at powers of ten alone."""
LEAST = 1e-6


def prediction_of(ask: Ask, key: str) -> Prediction:
    """The line: three decades, the result in any of them, so that its middle says nothing. `key` decides."""
    low, high = ask.low, ask.high
    if not high:
        low = 10.0 ** (math.floor(math.log10(max(ask.value, LEAST))) - crc32(key.encode()) % DECADES)
        high = low * 10.0**DECADES
    return Prediction(question=ask.text, kind="number", figure="any", unit=ask.unit, low=low, high=high)


def line_of(ask: Ask, key: str) -> Question:
    """Stops and ticks of the line."""
    asked = prediction_of(ask, key)
    ticks = tuple(Mark(_label(t, asked), along_line(t, asked)) for t in line_ticks(asked))
    return Question(tuple(exact_text(stop) for stop in line_stops(asked)), ticks, None, ())


def _label(tick: float, asked: Prediction) -> str:
    power = math.log10(tick)
    wide = asked.high > MOST_LABELLED
    return "" if wide and abs(power - round(power)) > 1e-9 else tick_text(tick)


def outcome_of(ask: Ask, key: str, guess: str) -> Outcome:
    """The prediction beside the result. Raises ValueError where it is no positive number."""
    asked = prediction_of(ask, key)
    value = parse_number(guess.strip().removesuffix(ask.unit))
    if value <= 0:
        raise ValueError("Give a number above 0.")
    ratio = value / max(ask.value, LEAST)
    right = 1 / RIGHT_WITHIN <= ratio <= RIGHT_WITHIN
    side = "too high" if ratio > 1 else "too low"
    factor = "" if right else f"{significant(max(ratio, 1 / ratio))} × {side}"
    mark, result = (Mark(significant(v), along_line(v, asked)) for v in (value, ask.value))
    return Outcome(mark, result, ask.unit, right, factor)
