"""Short numbers and paths for inline SVG."""


def num(value: float) -> str:
    """A coordinate with at most two decimals.

    >>> num(12.0), num(0.504), num(46.6667)
    ('12', '0.5', '46.67')
    """
    return f"{value:.2f}".rstrip("0").rstrip(".")


def pct(part: float, whole: float = 1.0) -> str:
    """A share of the width.

    >>> pct(0.7, 1.5)
    '46.67%'
    """
    return num(100 * part / whole) + "%"


def box(x: float, y: float, width: float, height: float) -> str:
    """A closed rectangle as part of a path.

    >>> box(1, 2, 8, 6)
    'M1 2h8v6h-8z'
    """
    return f"M{num(x)} {num(y)}h{num(width)}v{num(height)}h-{num(width)}z"
