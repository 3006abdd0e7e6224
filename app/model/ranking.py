"""How well predictions rank measured layouts of the same work: regret of the first choice, rank correlation."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from app.model.runs import Run, measured, read_runs
from app.model.software import Row
from app.model.step import step_time
from app.model.validation import settled

FEWEST = 3
"""Groups of fewer layouts say nothing about a ranking."""


@dataclass(frozen=True)
class Group:
    """Layouts of one model, sequence, batch and GPU count.

    regret: measured time of the layout predicted fastest over the best measured, minus 1 [-]
    rank_correlation: Spearman's, of predicted and measured times [-]
    """

    model: str
    gpus: int
    n: int
    regret: float
    rank_correlation: float


@dataclass(frozen=True)
class Summary:
    groups: int
    median_regret: float | None
    worst_regret: float | None
    median_rank_correlation: float | None


@dataclass(frozen=True)
class Ranking:
    groups: tuple[Group, ...]
    summary: Summary
    skipped: tuple[dict[str, str], ...]

    def as_dict(self) -> dict[str, Any]:
        """The JSON of the command line."""
        return asdict(self)


def rank(rows: Iterable[Row]) -> Ranking:
    """Ranks the layouts of each group by prediction and compares with the measured order."""
    runs, unreadable = read_runs(rows)
    skipped = [{"id": id, "why": why} for id, why in unreadable]
    together: dict[Any, list[tuple[float, float]]] = {}
    names: dict[Any, tuple[str, int]] = {}
    for run, row in runs:
        truth = measured(row).step_seconds
        if truth is None:
            skipped.append({"id": run.id, "why": "states no step time to rank"})
            continue
        together.setdefault(_work(run), []).append((_seconds(run), truth))
        names[_work(run)] = (run.name, run.workload.gpus)
    found = tuple(group(*names[key], times) for key, times in together.items() if len(times) >= FEWEST)
    lone = sum(len(times) < FEWEST for times in together.values())
    if lone:
        skipped.append({"id": f"{lone} groups", "why": f"hold fewer than {FEWEST} layouts of the same work"})
    return Ranking(found, summary(found), tuple(skipped))


def group(model: str, gpus: int, times: Sequence[tuple[float, float]]) -> Group:
    """One group from its (predicted, measured) times.

    >>> group("8B", 8, [(1.0, 2.0), (2.0, 1.0), (3.0, 3.0)])
    Group(model='8B', gpus=8, n=3, regret=1.0, rank_correlation=0.5)
    """
    predicted, truth = np.array(times).T
    regret = truth[np.argmin(predicted)] / truth.min() - 1
    return Group(model, gpus, len(times), float(regret), spearman(predicted, truth))


def spearman(a: Any, b: Any) -> float:
    """Spearman's rank correlation, ties at their mean rank. [-]

    Source: Spearman 1904: Pearson's correlation of the ranks.
    Limits: 0 where one side is all ties.

    >>> round(spearman([1, 2, 3, 4], [1, 3, 2, 4]), 9)
    0.8
    """
    ranks = [_ranks(np.asarray(x, dtype=float)) for x in (a, b)]
    spread = [r.std() for r in ranks]
    if not min(spread):
        return 0.0
    return float(np.mean((ranks[0] - ranks[0].mean()) * (ranks[1] - ranks[1].mean())) / (spread[0] * spread[1]))


def summary(groups: Sequence[Group]) -> Summary:
    """Medians over groups, and the worst regret."""
    if not groups:
        return Summary(0, None, None, None)
    regrets = [g.regret for g in groups]
    correlation = float(np.median([g.rank_correlation for g in groups]))
    return Summary(len(groups), float(np.median(regrets)), max(regrets), correlation)


def _ranks(values: np.ndarray) -> np.ndarray:
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return (last - (counts - 1) / 2)[inverse]


def _work(run: Run) -> Any:
    w, m = run.workload, run.model
    return (run.name, m.layers, m.hidden, w.seq_tokens, w.batch_tokens, w.gpus, w.gpu, run.source)


def _seconds(run: Run) -> float:
    layout, _ = settled(run)
    return float(step_time(run.workload, run.model, layout, run.stack).busy)
