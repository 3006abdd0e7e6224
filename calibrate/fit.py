"""Robust least squares on the logarithm of step time, each constant held near where it started."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Constant:
    """One constant of the table: where it stands, its start, and how far it may be expected to move.

    tables: (table, name, field) that take its value; field "" where the table holds plain numbers
    spread: standard deviation of its logarithm that is held for likely
    """

    tables: tuple[tuple[str, str, str], ...]
    start: float
    spread: float
    most: float = np.inf


HUBER = 0.04
"""Errors beyond this count by their size, not its square."""
STEP = 1e-4


def fit(
    constants: Sequence[Constant],
    predict: Callable[[np.ndarray], np.ndarray],
    published: np.ndarray,
    weights: np.ndarray,
    rounds: int = 12,
) -> np.ndarray:
    """Values of the constants that make predictions agree best with what was published.

    predict: values to step times [s]; published [s]; weights: of each row, mean near 1
    """
    start = np.log([c.start for c in constants])
    spread, most = np.array([c.spread for c in constants]), np.log([c.most for c in constants])
    noise = HUBER / 2
    x = start.copy()

    def errors(at: np.ndarray) -> np.ndarray:
        return np.log(predict(np.exp(at)) / published)

    def loss(at: np.ndarray) -> float:
        e = np.abs(errors(at))
        huber = np.where(e <= HUBER, e**2, 2 * HUBER * e - HUBER**2)
        return float((weights * huber).sum() / noise**2 + (((at - start) / spread) ** 2).sum())

    now, damping = loss(x), 1e-2
    for _ in range(rounds):
        e = errors(x)
        jacobian = np.stack([(errors(x + STEP * row) - e) / STEP for row in np.eye(len(x))], axis=1)
        robust = weights * np.minimum(1.0, HUBER / np.maximum(np.abs(e), 1e-12)) / noise**2
        gradient = jacobian.T @ (robust * e) + (x - start) / spread**2
        curvature = (jacobian.T * robust) @ jacobian + np.diag(1 / spread**2)
        for _ in range(6):
            trial = np.minimum(x - np.linalg.solve(curvature + damping * np.diag(np.diag(curvature)), gradient), most)
            after = loss(trial)
            if after < now:
                gain, x, now, damping = now - after, trial, after, damping / 5
                break
            damping *= 5
        else:
            break
        if gain < 1e-3 * now:
            break
    return np.exp(x)
