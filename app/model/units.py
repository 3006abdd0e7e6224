"""Numbers in and out: reads '70B', writes '70.6 B'. The one place that knows prefixes."""

import math
import re

THIN = "\u202f"
MINUS = "\u2212"
_SUPERSCRIPTS = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")

_SUFFIXES = {
    "": 1.0,
    "k": 1e3,
    "m": 1e6,
    "g": 1e9,
    "b": 1e9,
    "t": 1e12,
    "ki": 2.0**10,
    "mi": 2.0**20,
    "gi": 2.0**30,
    "ti": 2.0**40,
}
_GROUPED = re.compile(r"(?<![\d.])\d{1,3}(?:[\s,_\u2009\u202f]\d{3})+(?!\d)")
_NUMBER = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d{1,4})?)([a-z]{0,2})", re.IGNORECASE | re.ASCII)


def parse_number(text: str) -> float:
    """The number that a person typed. [-]

    Reads 70e9, 70B, 16k (16 000), 16Ki (16 384), 4,194,304 and 16 384.
    Raises ValueError for anything else, infinity, NaN and a list such as 1,2 included.

    >>> parse_number("70B"), parse_number("16Ki"), parse_number("4,194,304")
    (70000000000.0, 16384.0, 4194304.0)
    """
    compact = _GROUPED.sub(lambda m: re.sub(r"\D", "", m[0]), text.strip())
    match = _NUMBER.fullmatch(re.sub(r"\s+(?=[a-zA-Z]{1,2}$)", "", compact))
    if match is None or match[2].lower() not in _SUFFIXES:
        raise ValueError(f"{text[:40]!r} is not a number")
    number = float(match[1]) * _SUFFIXES[match[2].lower()]
    if not math.isfinite(number):
        raise ValueError(f"{text[:40]!r} is not a finite number")
    return number


def significant(value: float, digits: int = 3) -> str:
    """The value to that many significant digits, thousands set apart by narrow spaces that never break.

    >>> significant(16384), significant(2.7263), significant(76.04), significant(0.00412)
    ('16\u202f384', '2.73', '76.0', '0.00412')
    """
    if value == 0:
        return "0"
    decimals = max(0, digits - 1 - math.floor(math.log10(abs(value))))
    rounded = round(value, decimals)
    if rounded and math.floor(math.log10(abs(rounded))) > math.floor(math.log10(abs(value))):
        decimals = max(0, decimals - 1)
    return grouped(rounded, decimals)


def grouped(value: float, decimals: int = 0) -> str:
    """The value with that many decimals, thousands set apart by narrow spaces from 10 000 on.

    >>> grouped(8192), grouped(16384), grouped(-5.25, 1)
    ('8192', '16\u202f384', '\u22125.2')
    """
    text = f"{abs(value):,.{decimals}f}"
    text = text.replace(",", THIN if abs(value) >= 9999.5 else "")
    return (MINUS if value < 0 and float(text.replace(THIN, "")) else "") + text


def power(value: float) -> str:
    """A very large number, as in '3.80 × 10²⁵'.

    >>> power(3.8e25)
    '3.80 × 10²⁵'
    """
    exponent = math.floor(math.log10(value)) if value > 0 else 0
    return f"{significant(value / 10.0**exponent)} × 10{str(exponent).translate(_SUPERSCRIPTS)}"


_SCALES = ((1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))


def scaled(value: float, digits: int = 3, giga: str = "B") -> tuple[str, str]:
    """Number and decimal prefix, as in ('70.6', 'B') for a count.

    giga: what stands for 10^9: 'B' for counts, 'G' before a unit.

    >>> scaled(70.6e9), scaled(16384), scaled(2.73e6), scaled(3.8e25)
    (('70.6', 'B'), ('16.4', 'k'), ('2.73', 'M'), ('3.80 × 10²⁵', ''))
    """
    if abs(value) >= 0.9995e18:
        return power(value), ""
    for scale, letter in _SCALES:
        if abs(value) >= 0.9995 * scale:
            return significant(value / scale, digits), giga if letter == "G" else letter
    return significant(value, digits), ""


def count(value: float) -> str:
    """A count of parameters or tokens in one word: '70.6B', '16.8M', '4096'.

    >>> count(70.6e9), count(4096), count(16777216)
    ('70.6B', '4096', '16.8M')
    """
    if abs(value) < 1e6 and value == int(value):
        return grouped(value)
    number, letter = scaled(value)
    if "." in number:
        number = number.rstrip("0").rstrip(".")
    return number + letter


def bytes_text(value: float) -> tuple[str, str]:
    """Bytes in decimal units (GB = 10^9): ('62.1', 'GB').

    >>> bytes_text(62.1e9), bytes_text(5.68e12)
    (('62.1', 'GB'), ('5.68', 'TB'))
    """
    number, letter = scaled(value, giga="G")
    return number, f"{letter}B"


def seconds_text(value: float) -> tuple[str, str]:
    """A duration in the unit a person would use.

    >>> seconds_text(6.15), seconds_text(0.0041), seconds_text(11000)
    (('6.15', 's'), ('4.10', 'ms'), ('3.06', 'h'))
    """
    for limit, divisor, unit in (
        (1e-3, 1e-6, "µs"),
        (1.0, 1e-3, "ms"),
        (300.0, 1.0, "s"),
        (7200.0, 60.0, "min"),
        (172800.0, 3600.0, "h"),
    ):
        if abs(value) < limit:
            return significant(value / divisor), unit
    return days_text(value / 86400)


def days_text(value: float) -> tuple[str, str]:
    """Days, or years where days stop meaning anything.

    >>> days_text(76.04), days_text(40_000)
    (('76.0', 'days'), ('110', 'years'))
    """
    if value < 3652.5:
        return significant(value), "days"
    return significant(value / 365.25), "years"


def percent(fraction: float) -> str:
    """A fraction in percent to three digits, without the sign.

    >>> percent(0.1172), percent(0.0807), percent(1.29)
    ('11.7', '8.07', '129')
    """
    return significant(100 * fraction)
