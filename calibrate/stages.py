"""The fits, one after the other, each with its error on rows left out."""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass

import numpy as np

from app.model.calibration import tried
from calibrate import constants, rows
from calibrate.batches import batches, predict
from calibrate.fit import Constant, fit
from calibrate.rows import Sample

Chooser = Callable[[Sequence[Sample]], list[Constant]]


@dataclass(frozen=True)
class Fitted:
    """Constants with their values, and what they predict for all rows of their kind, as error ratios."""

    chosen: list[Constant]
    values: np.ndarray
    rows: list[Sample]
    seen: np.ndarray
    left_out: np.ndarray


def choosers() -> dict[str, Chooser]:
    """Kind of row to the constants that a fit on such rows may move."""
    return {
        "dense": lambda some: constants.dense(s.run.stack_id for s in some),
        "fp8": lambda some: constants.fp8(),
        "experts": lambda some: constants.experts(),
        "sweep": lambda some: constants.sweep(),
    }


def fitted(some: Sequence[Sample], chosen: list[Constant], reset: bool) -> np.ndarray:
    """Values of the constants for some rows."""
    groups = batches([s.run for s in some])

    def at(values: np.ndarray) -> np.ndarray:
        with tried(constants.changes(chosen, values, reset)):
            return predict(groups, len(some))

    return fit(chosen, at, np.array([s.seconds for s in some]), rows.weights(some))


def error_ratios(some: Sequence[Sample], chosen: list[Constant], values: np.ndarray, reset: bool) -> np.ndarray:
    """Predicted over published, less one."""
    with tried(constants.changes(chosen, values, reset)):
        found = predict(batches([s.run for s in some]), len(some))
    return found / np.array([s.seconds for s in some]) - 1


def stage(some: list[Sample], choose: Chooser, reset: bool = False) -> Fitted:
    """Fits all rows, then each fold from the others."""
    chosen = choose(some)
    values = fitted(some, chosen, reset)
    seen = error_ratios(some, chosen, values, reset)
    return Fitted(chosen, values, some, seen, left_out(some, choose, rows.folds(some), reset))


def left_out(some: list[Sample], choose: Chooser, parts: np.ndarray, reset: bool) -> np.ndarray:
    """Error of each row under a fit that saw no row of its part."""
    out = np.empty(len(some))
    for part in np.unique(parts):
        others = [s for s, p in zip(some, parts, strict=True) if p != part]
        own = [s for s, p in zip(some, parts, strict=True) if p == part]
        chosen = choose(others)
        out[parts == part] = error_ratios(own, chosen, fitted(others, chosen, reset), reset)
    return out


def without_stacks(some: list[Sample]) -> np.ndarray:
    """Error of each row left out, with every stack's multiplier at 1 in the fit as well."""
    return left_out(some, lambda others: constants.dense(()), rows.folds(some), reset=True)


def all_stages() -> dict[str, Fitted]:
    """Every fit; each sees the constants of those before it."""
    found: dict[str, Fitted] = {}
    with ExitStack() as now:
        for kind, choose in choosers().items():
            some = rows.sweep() if kind == "sweep" else rows.of_kind(kind)
            found[kind] = stage(some, choose, reset=kind == "dense")
            now.enter_context(tried(constants.changes(found[kind].chosen, found[kind].values, kind == "dense")))
    return found
