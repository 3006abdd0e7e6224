"""Writes fitted values into `app/data/calibration.yaml`, leaving its words as they are."""

import re
from collections.abc import Iterable

from app.model.calibration import PATH, STACKS
from calibrate.memory import FACTORS, KindFit
from calibrate.stages import Fitted


def write(fits: Iterable[Fitted], kinds: dict[str, KindFit]) -> None:
    """Replaces each fitted value by its new one, to three digits; stacks without enough rows get 1."""
    text = PATH.read_text(encoding="utf-8")
    for name in STACKS:
        text = replaced(text, "stacks", name, "time", 1.0)
    for one in fits:
        for constant, value in zip(one.chosen, one.values, strict=True):
            for table, name, field in constant.tables:
                text = replaced(text, table, name, field or "value", float(value))
    for name, kind in kinds.items():
        for factor in FACTORS:
            text = replaced(text, "memory", name, factor, getattr(kind.kind, factor))
    PATH.write_text(text, encoding="utf-8")


def replaced(text: str, table: str, name: str, field: str, value: float) -> str:
    """The file with one number changed; refuses when it stands nowhere.

    >>> replaced("time:\\n  a: {value: 1.0, how: x}\\n", "time", "a", "value", 2.5)
    'time:\\n  a: {value: 2.5, how: x}\\n'
    """
    place = re.compile(rf"(^{table}:\n(?:.*\n)*?  {re.escape(name)}:\s*{{[^}}]*?\b{field}: )([0-9.eE+-]+)", re.M)
    changed, count = place.subn(lambda found: f"{found[1]}{number(value)}", text, count=1)
    if not count:
        raise KeyError(f"{table}.{name}.{field}")
    return changed


def number(value: float) -> str:
    """Three digits that YAML reads as a number.

    >>> number(0.81234), number(1.26e10), number(2.57e-5)
    ('0.812', '1.26e+10', '2.57e-05')
    """
    text = f"{value:.3g}"
    return text.replace("e", ".0e") if "e" in text and "." not in text else text
