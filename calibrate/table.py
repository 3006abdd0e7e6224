"""Writes fitted values into `app/data/calibration.yaml`, leaving its words as they are."""

import re
from collections.abc import Sequence

import numpy as np

from app.model.calibration import PATH
from calibrate.fit import Constant


def write(chosen: Sequence[Constant], values: np.ndarray) -> None:
    """Replaces each fitted value by its new one, to three digits."""
    text = PATH.read_text(encoding="utf-8")
    for constant, value in zip(chosen, values, strict=True):
        for table, name, field in constant.tables:
            text = replaced(text, table, name, field or "value", float(f"{value:.3g}"))
    PATH.write_text(text, encoding="utf-8")


def replaced(text: str, table: str, name: str, field: str, value: float) -> str:
    """The file with one number changed; refuses when it stands nowhere.

    >>> replaced("time:\\n  a: {value: 1.0, how: x}\\n", "time", "a", "value", 2.5)
    'time:\\n  a: {value: 2.5, how: x}\\n'
    """
    place = re.compile(rf"(^{table}:\n(?:.*\n)*?  {re.escape(name)}:\s*{{[^}}]*?\b{field}: )([0-9.eE+-]+)", re.M)
    changed, count = place.subn(lambda found: f"{found[1]}{value:g}", text, count=1)
    if not count:
        raise KeyError(f"{table}.{name}.{field}")
    return changed
