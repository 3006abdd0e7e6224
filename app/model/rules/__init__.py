"""Source-backed rules: a claim, where it stands, and what it says at this very setting."""

from app.model.answer import Rule
from app.model.design import Design
from app.model.rules import memory, mesh, run
from app.model.rules.claim import Claim
from app.model.sources import source

CLAIMS: tuple[Claim, ...] = (*memory.CLAIMS, *mesh.CLAIMS, *run.CLAIMS)
_SOURCES = {claim.id: source(claim.source_id, claim.where) for claim in CLAIMS}


def rules(design: Design) -> tuple[Rule, ...]:
    """Every rule; those that act come first, the most decisive of them foremost."""
    said = [(*claim.says(design), claim) for claim in CLAIMS]
    said.sort(key=lambda s: -_weight(design, s[0], s[2]))
    return tuple(Rule(c.id, c.claim, _SOURCES[c.id], weight > 0, effect) for weight, effect, c in said)


def _weight(design: Design, weight: float, claim: Claim) -> float:
    """Where nothing fits, the rules on memory come before all others."""
    first = weight > 0 and not design.memory.fits and claim in memory.CLAIMS
    return weight + 1 if first else weight
