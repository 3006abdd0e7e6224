"""Reads a number with its unit as a candidate writes it: '160 GB', '6.9 days', 'one every 3.1 h'."""

import math
import re
from dataclasses import dataclass

LONGEST = 80
"""Characters of an answer that are looked at; more is no number."""

SURE = 0.005
"""How near a value must lie to count as meant when the answer has three digits or more."""

_POWERS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4, "p": 5, "e": 6, "z": 7, "y": 8}
_WORDS = {"kilo": "k", "mega": "m", "giga": "g", "tera": "t", "peta": "p", "exa": "e", "zetta": "z", "yotta": "y"}
_SECONDS = {
    "ms": 1e-3,
    "millisecond": 1e-3,
    "s": 1.0,
    "sec": 1.0,
    "second": 1.0,
    "m": 60.0,
    "min": 60.0,
    "minute": 60.0,
    "h": 3600.0,
    "hr": 3600.0,
    "hour": 3600.0,
    "d": 86_400.0,
    "day": 86_400.0,
    "w": 604_800.0,
    "wk": 604_800.0,
    "week": 604_800.0,
    "month": 2_629_800.0,
    "y": 31_557_600.0,
    "yr": 31_557_600.0,
    "year": 31_557_600.0,
}
_NUMBER = re.compile(r"([+-]?(?:\d[\d,_ ]*(?:\.\d*)?|\.\d+)(?:e[+-]?\d{1,4})?)\s*([^\d+\-]*)", re.IGNORECASE | re.ASCII)
_LEAD = re.compile(r"(?:about|approximately|approx\.?|around|roughly|circa|ca\.?|some|nearly|almost|[~≈≃=])\s*", re.I)
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
_SIZE = re.compile(r"([kmgtpe]?)(i?)(b|bytes?|bits?)(?![a-z])", re.IGNORECASE)
_FLOP = re.compile(r"([kmgtpezy]?)(flops?|operations?|ops?)(?![a-z])", re.IGNORECASE)
_TIME = re.compile(r"(" + "|".join(sorted(_SECONDS, key=len, reverse=True)) + r")s?(?![a-z])", re.IGNORECASE)
_COUNT = re.compile(r"([kmt]?|ki|mi)[\s-]*(gpus?|cards?|chips?|accelerators?|devices?|ways?|x)?", re.IGNORECASE)
_SERVERS = re.compile(r"([km]?)\s*(servers?|nodes?|boxes|box|hosts?|machines?)\b", re.IGNORECASE)
_PERCENT = re.compile(r"(%|per\s?cent\b|pct\b)", re.IGNORECASE)
_SPEED = re.compile(r"(?:/|per)\s*(?:s|sec|seconds?|min|minutes?|h|hours?|d|days?)\b", re.IGNORECASE)
_THINGS = re.compile(r"(?:gpus?|cards?|servers?|nodes?)\b", re.IGNORECASE)
_PER = re.compile(r"(?:stops?|failures?|interruptions?)?\s*(?:/|per|an?|each|every)\s*([a-z]+)", re.IGNORECASE)
_EVERY = re.compile(r"(?:(?:one|once|1|a)\s*)?(?:(?:stop|failure|interruption)\s*)?(?:in|every)\s+(.+)", re.IGNORECASE)


@dataclass(frozen=True)
class Reading:
    """What was read. [base unit: bytes, FLOP, days, seconds, percent, stops a day, or a count]

    value: None when nothing could be read; `trouble` then says why
    tolerance: half a unit of the last digit as written, over the number, at least `SURE` [-]
    thousands: steps of 1000 in the unit as written (3 for GB), 0 where it has none
    bits, servers: the unit as written counted those
    """

    value: float | None = None
    trouble: str = ""
    tolerance: float = SURE
    thousands: int = 0
    bits: bool = False
    servers: bool = False


@dataclass(frozen=True)
class _Unit:
    scale: float
    thousands: int = 0
    bits: bool = False
    servers: bool = False


def read(answer: object, kind: str, gpus_per_node: int = 8) -> Reading:
    """The quantity in an answer. `kind` is bytes, flop, days, seconds, percent, per_day or count.

    >>> read("149 GiB", "bytes").value, read("165 h", "days").value, read("16k GPUs", "count").value
    (159987531776.0, 6.875, 16000.0)
    >>> read("160", "bytes").trouble, read("no idea", "bytes").trouble, read("3 days", "bytes").trouble
    ('unit_missing', 'not_a_number', 'wrong_unit')
    """
    if isinstance(answer, bool) or not isinstance(answer, (str, int, float)):
        return Reading(trouble="not_a_number")
    text = _tidy(str(answer))
    every = _EVERY.fullmatch(text) if kind == "per_day" else None
    if every:
        return _inverted(_read(every[1], "days", gpus_per_node))
    return _read(text, kind, gpus_per_node)


def _read(text: str, kind: str, gpus_per_node: int) -> Reading:
    if len(text) > LONGEST:
        return Reading(trouble="not_a_number")
    pairs = _NUMBER.findall(text)
    compound = kind in ("days", "seconds") and len(pairs) > 1
    if not pairs or not _NUMBER.match(text) or (len(pairs) > 1 and not compound):
        return Reading(trouble="not_a_number")
    readings = [_one(number, unit.strip(), kind, gpus_per_node) for number, unit in pairs]
    troubled = next((r for r in readings if r.value is None), None)
    if troubled:
        return troubled
    total = sum(r.value for r in readings)
    first = readings[0]
    tolerance = SURE if compound else first.tolerance
    return Reading(total, "", tolerance, first.thousands, first.bits, first.servers)


def _one(number: str, unit: str, kind: str, gpus_per_node: int) -> Reading:
    value = _number(number)
    found = _unit(unit, kind, gpus_per_node)
    if value is None:
        return Reading(trouble="not_a_number")
    if isinstance(found, str):
        return Reading(trouble=found)
    scaled = value * found.scale
    if not math.isfinite(scaled):
        return Reading(trouble="not_a_number")
    return Reading(scaled, "", _tolerance(number), found.thousands, found.bits, found.servers)


def _inverted(reading: Reading) -> Reading:
    if not reading.value or not math.isfinite(1 / reading.value):
        return Reading(trouble=reading.trouble or "not_a_number")
    return Reading(1 / reading.value, "", reading.tolerance)


def _tidy(text: str) -> str:
    """One spelling of signs and powers: '6 × 10^22' and '6·10²²' become '6e22'."""
    text = re.sub(r"[\u2009\u202f\u00a0\s]+", " ", text[: LONGEST + 1]).strip().replace("−", "-")
    text = re.sub(r"10([⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+)", lambda m: "10^" + m[1].translate(_SUPERSCRIPTS), text)
    text = re.sub(r"(?<=\d)\s*[x×*·]\s*10\s*(?:\^|\*\*)\s*([+-]?\d)", r"e\1", text)
    text = re.sub(r"(?<![\d.])10\s*(?:\^|\*\*)\s*([+-]?\d)", r"1e\1", text)
    while match := _LEAD.match(text):
        text = text[match.end() :]
    text = re.sub(r"^[A-Za-z ]{1,20}[=:]\s*", "", text)
    return re.sub(r"(?:\s*[x×]\s*|\s+)[A-DF-Za-df-z][A-Za-z]?\d{2,3}X?s?\b", " gpus", text)


def _number(text: str) -> float | None:
    """The number; a comma before one, two or four digits and more is a decimal comma."""
    compact = re.sub(r"[ _]", "", text)
    if re.fullmatch(r"[+-]?(?:0|\d+,\d{1,2}|\d+,\d{4,}|0,\d+)(?:e.*)?", compact, re.IGNORECASE) and "," in compact:
        compact = compact.replace(",", ".")
    try:
        value = float(compact.replace(",", ""))
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _tolerance(number: str) -> float:
    """Half a unit of the last digit as written, over the number. [-]"""
    digits = re.sub(r"e.*|[^\d.,]", "", number, flags=re.IGNORECASE).replace(",", "").replace(".", "").lstrip("0")
    if not digits:
        return SURE
    return max(SURE, 0.5 / int(digits))


def _unit(text: str, kind: str, gpus_per_node: int) -> _Unit | str:
    """What one of the unit is in the base unit; or what is the trouble with it."""
    readers = {
        "bytes": _size,
        "flop": _flop,
        "days": lambda t: _duration(t, 86_400.0),
        "seconds": lambda t: _duration(t, 1.0),
        "percent": _percent,
        "per_day": _rate,
        "count": lambda t: _count(t, gpus_per_node),
    }
    found = readers[kind](text)
    if found is not None:
        return found
    if not text and kind in ("days", "flop", "per_day"):
        return _Unit(1.0)
    others = (read(text) for name, read in readers.items() if name != kind and name != "count")
    known = text and (any(others) or _is_speed(text) or _THINGS.match(text))
    return "wrong_unit" if known else "unit_missing"


def _is_speed(text: str) -> bool:
    return _SPEED.search(text) is not None


def _size(text: str) -> _Unit | None:
    text = _spelled(text)
    match = _SIZE.match(text)
    if match is None or _is_speed(text):
        return None
    thousands = _POWERS[match[1].lower()]
    bits = match[3].lower().startswith("bit") or (match[3] == "b" and match[1].isupper())
    base = 1024.0 if match[2] else 1000.0
    return _Unit(base**thousands / (8 if bits else 1), thousands, bits)


def _flop(text: str) -> _Unit | None:
    match = _FLOP.match(_spelled(text))
    if match is None or _is_speed(text):
        return None
    return _Unit(1000.0 ** _POWERS[match[1].lower()])


def _duration(text: str, base: float) -> _Unit | None:
    match = _TIME.match(text)
    return _Unit(_SECONDS[match[1].lower()] / base) if match and not _is_speed(text) else None


def _percent(text: str) -> _Unit | None:
    return _Unit(1.0) if _PERCENT.match(text) else None


def _rate(text: str) -> _Unit | None:
    match = _PER.match(text)
    unit = _duration(match[1], 86_400.0) if match else None
    if unit:
        return _Unit(1 / unit.scale)
    return _Unit(1.0) if re.fullmatch(r"(stops?|failures?|interruptions?)?", text, re.IGNORECASE) else None


def _count(text: str, gpus_per_node: int) -> _Unit | None:
    servers = _SERVERS.match(text)
    if servers:
        return _Unit(gpus_per_node * 1000.0 ** _POWERS[servers[1].lower()], servers=True)
    match = _COUNT.match(text)
    if match is None or (text and not match[0]) or re.match(r"[a-z]", text[match.end() :], re.IGNORECASE):
        return None
    prefix = match[1].lower()
    base = 1024.0 if prefix.endswith("i") else 1000.0
    return _Unit(base ** _POWERS[prefix[:1]])


def _spelled(text: str) -> str:
    """'gigabytes' as 'Gbytes'."""
    for word, letter in _WORDS.items():
        text = re.sub(rf"^{word}", letter.upper(), text, flags=re.IGNORECASE)
    return text
