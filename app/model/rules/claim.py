"""What a rule is made of."""

from collections.abc import Callable
from dataclasses import dataclass

from app.model.design import Design

Said = tuple[float, str]
"""Weight and effect: 0 does not act; up to 1 by how much of the design the rule decides."""


@dataclass(frozen=True)
class Claim:
    """A claim that a source confirms, and what it says of a design."""

    id: str
    claim: str
    source_id: str
    where: str
    says: Callable[[Design], Said]
