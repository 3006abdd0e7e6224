"""The arithmetic behind every figure: one record each, made from the design that the figure belongs to."""

from collections.abc import Callable, Mapping

from app.model.derivations import layout, loads, memory, reliability, replicas, run, seconds, stage, traffic
from app.model.derivations.facts import Facts
from app.model.derivations.record import Derivation, Reading, Term
from app.model.design import Design

__all__ = ["FIGURES", "INNER", "Derivation", "Reading", "Term", "derivation"]

INNER: Mapping[str, Callable[[Facts], Derivation]] = stage.INNER
"""Numbers that are no figures of the JSON, opened from the derivations of figures."""
FIGURES: dict[str, Callable[[Facts], Derivation]] = {
    **run.FIGURES,
    **seconds.FIGURES,
    **traffic.FIGURES,
    **replicas.FIGURES,
    **memory.FIGURES,
    **stage.FIGURES,
    **reliability.FIGURES,
    **layout.FIGURES,
    **loads.FIGURES,
}
"""Every figure of the lab by its path in the JSON."""


def derivation(design: Design, figure: str, reading: str = "") -> Derivation:
    """The arithmetic of one figure of a design, counted another way where a reading is named.

    KeyError where there is no such figure or reading.
    """
    found = {**FIGURES, **INNER}[figure](Facts(design))
    return found.read_as(reading) if reading else found
