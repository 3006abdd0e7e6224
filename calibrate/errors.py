"""The error of every run under fits that did and did not see it, as the product reads it: `app/data/errors.csv`.

Bands come from these rows: what a kind of setting costs in accuracy is what it cost when runs of that kind were
kept out of the fit.
"""

import csv
import json
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from itertools import takewhile
from typing import Any

import numpy as np

from app.model.calibration import tried
from app.model.hardware import ACCELERATORS
from app.model.sources import DATA
from calibrate.constants import changes
from calibrate.rows import Sample
from calibrate.stages import Chooser, Fitted, choosers, left_out

FILE, OWN_FILE = DATA / "errors.csv", DATA / "own_run.json"
MANY_GPUS, LARGE_PARAMS, LONG_TOKENS = 256, 20e9, 32_768
APART: dict[str, Callable[[Sample], Any]] = {
    "source": lambda s: s.run.source,
    "generation": lambda s: ACCELERATORS[s.run.workload.gpu].generation,
    "gpus": lambda s: s.run.workload.gpus > MANY_GPUS,
    "params": lambda s: s.run.model.total_params > LARGE_PARAMS,
    "context": lambda s: s.run.workload.seq_tokens > LONG_TOKENS,
}
"""What keeps rows apart: each part is predicted by a fit on all the others."""
COLUMNS = ("id", "source", "kind", "generation", "stack", "fitted", "gpus", "params", "seq_tokens", "seen", "left_out")
SHRINKS = np.linspace(0, 1, 21)


def apart(some: list[Sample], choose: Chooser, key: Callable[[Sample], Any], reset: bool = True) -> np.ndarray:
    """Error of each row under a fit that saw none of its part."""
    names = [key(s) for s in some]
    parts = np.array([sorted(set(names)).index(n) for n in names])
    return left_out(some, choose, parts, reset)


def all_apart(dense: list[Sample]) -> dict[str, np.ndarray]:
    """Errors of the dense rows, for each thing that can keep them apart."""
    choose = choosers()["dense"]
    return {name: apart(dense, choose, key) for name, key in APART.items()}


def publish(found: dict[str, Fitted], parted: dict[str, np.ndarray]) -> None:
    """Writes every row's errors, and what one own run of a stack brings."""
    fitted = {name for f in found.values() for c in f.chosen for table, name, _ in c.tables if table == "stacks"}
    with FILE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([*COLUMNS, *(f"apart_{name}" for name in APART)])
        for kind, one in found.items():
            ratios = list((parted if kind == "dense" else source_apart(kind, found)).values())
            for i, s in enumerate(one.rows):
                errors = (one.seen[i], one.left_out[i], *(r[i] for r in ratios))
                writer.writerow([*_facts(s, kind, fitted), *("" if np.isnan(e) else f"{e:.4f}" for e in errors)])
    sources = [s.run.source for s in found["dense"].rows]
    OWN_FILE.write_text(json.dumps(own_run(sources, parted["source"]), indent=1) + "\n", encoding="utf-8")


def source_apart(kind: str, found: dict[str, Fitted]) -> dict[str, np.ndarray]:
    """Errors of FP8 and expert rows, their source left out of what they alone move; other experiments are empty."""
    rows = found[kind].rows
    empty = {name: np.full(len(rows), np.nan) for name in APART}
    if kind == "sweep":
        return empty
    with ExitStack() as before:
        for earlier in takewhile(lambda name: name != kind, found):
            fit = found[earlier]
            before.enter_context(tried(changes(fit.chosen, fit.values, earlier == "dense")))
        return {**empty, "source": apart(rows, choosers()[kind], APART["source"], reset=False)}


def _facts(s: Sample, kind: str, fitted: set[str]) -> tuple[object, ...]:
    w = s.run.workload
    generation = ACCELERATORS[w.gpu].generation
    size = f"{s.run.model.total_params:.4g}"
    return (
        s.run.id,
        s.run.source,
        kind,
        generation,
        s.run.stack_id,
        int(s.run.stack_id in fitted),
        w.gpus,
        size,
        w.seq_tokens,
    )


def own_run(sources: Sequence[str], errors: np.ndarray) -> dict[str, float]:
    """What one measured run of a source brings for its others, at the power of its ratio that serves best.

    errors: predicted over published less one, each source left out of the fit
    """
    groups = [np.array([e for e, s in zip(errors, sources, strict=True) if s == name]) for name in sorted(set(sources))]
    groups = [g for g in groups if len(g) > 1]
    scored = [_over_sources([_told(g, power) for g in groups]) for power in SHRINKS]
    best = int(np.argmin(scored))
    after = np.concatenate([_told(g, SHRINKS[best]) for g in groups])
    truth = 1 / (1 + after) - 1
    return {
        "shrink": round(float(SHRINKS[best]), 2),
        "sources": len(groups),
        "rows": sum(map(len, groups)),
        "before_pct": round(100 * scored[0], 2),
        "after_pct": round(100 * scored[best], 2),
        "low": round(float(np.quantile(truth, 0.1)), 4),
        "high": round(float(np.quantile(truth, 0.9)), 4),
        "nine_in_ten": round(float(np.quantile(np.abs(after), 0.9)), 4),
        "farthest": round(float(np.exp(np.abs(np.log(1 + errors)).max())), 2),
    }


def _told(errors: np.ndarray, power: float) -> np.ndarray:
    """Errors of the other rows once each row in turn was the measured one."""
    ratio = 1 + errors
    pairs = ratio[None, :] / ratio[:, None] ** power - 1
    return pairs[~np.eye(len(ratio), dtype=bool)]


def _over_sources(groups: list[np.ndarray]) -> float:
    return float(np.median([np.median(np.abs(g)) for g in groups]))
