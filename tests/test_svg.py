"""Short numbers and paths."""

from app.svg import box, num, pct


def test_a_coordinate_never_ends_in_zeros():
    """Trailing zeros and points cost bytes and say nothing."""
    assert [num(v) for v in (10.0, 0.0, 0.126, -2.5)] == ["10", "0", "0.13", "-2.5"]


def test_a_share_is_written_in_percent():
    """A load of 0.78 on a scale to 1.5 stands at 52 %."""
    assert pct(0.78, 1.5) == "52%"


def test_a_box_returns_to_its_corner():
    """Width and height are walked there and back, and the path is closed."""
    assert box(1.5, 2, 3, 4) == "M1.5 2h3v4h-3z"
