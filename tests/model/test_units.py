"""Numbers in and out."""

import pytest

from app.model.units import grouped, parse_number


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("4,194,304", 4194304),
        ("16 384", 16384),
        ("16\u202f384", 16384),
        ("16\u2009384", 16384),
        ("1_000.5", 1000.5),
        ("12,500 k", 12.5e6),
    ],
)
def test_thousands_may_stand_apart(text: str, number: float) -> None:
    """In groups of three, by comma, underscore or any space."""
    assert parse_number(text) == number


@pytest.mark.parametrize("text", ["1,2", "1, 2", "8,64", "1 2", "4,19,304", "1,2345", "1,000,", "0,000.1,5"])
def test_a_list_is_not_a_number(text: str) -> None:
    """What is not in groups of three is never glued together: 1,2 is not twelve."""
    with pytest.raises(ValueError, match="not a number"):
        parse_number(text)


def test_a_number_never_breaks_across_lines() -> None:
    """Its thousands stand apart by a space at which no line breaks."""
    assert grouped(1_048_576) == "1\u202f048\u202f576"
