"""How far a figure of time may be off: the errors that runs of the same kind had while they were kept out of the fit.

`app/data/errors.csv`, written by `make calibrate`, holds for each published run its error (predicted over
published, less one) under fits that did not see it: its near-copies left out, or all of its source, generation,
scale, size or context length. A setting that no run of the table resembles gets the errors of the experiment that
left such runs out.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import NamedTuple

import numpy as np

from app.model.answer import Accuracy
from app.model.design import Design
from app.model.own_run import OWN_RUN
from app.model.phrases import NBSP, listed, some
from app.model.sources import rows
from app.model.units import MINUS, count, grouped, significant

FEWEST = 10
"""Rows below which a kind counts as not seen."""
LONG_TOKENS = 32_768
KINDS = {"dense": "dense, 16 bit", "fp8": "dense, FP8", "experts": "experts"}
GENERATIONS = {"hopper-500w": "H100 of 500 W", "cdna3": "CDNA 3", "cdna4": "CDNA 4", "tpu": "TPU"}


class Spread(NamedTuple):
    """Of measured over predicted time, less one: 10th and 90th percentile; what nine runs in ten stay within. [-]"""

    low: float
    high: float
    nine: float
    runs: int


@dataclass(frozen=True)
class Like:
    """The runs that resemble a design; whether enough of them have its generation and its stack."""

    spread: Spread
    on_generation: bool
    on_stack: bool
    generations: tuple[str, ...]
    gpus: tuple[float, float]
    params: tuple[float, float]
    long_runs: int


def _columns() -> dict[str, np.ndarray]:
    table = rows("errors.csv")
    words = ("id", "source", "kind", "generation", "stack")
    read = {name: str if name in words else _number for name in table[0]}
    return {name: np.array([read[name](row[name]) for row in table]) for name in table[0]}


def _number(text: str) -> float:
    return float(text or "nan")


ERRORS = _columns()


def accuracy(design: Design) -> Accuracy:
    """The band of a design's figures of time, and why it is as wide as it is: the widest spread that applies."""
    w = design.workload
    kind = kind_of(design)
    like = runs_like(kind, design.accelerator.generation, w.stack)
    strange = unseen(design, like)
    width = widest(_told(like, w.stack_time), *(apart(column) for column, _ in strange))
    missing = [text for _, text in strange]
    if not like.on_stack:
        missing.insert(0, f"no fitted run of the stack {w.stack}")
    why = f", wide because {listed(missing)}" if missing else f": {_seen(kind, w.stack, like)}"
    told = (
        f" Your own run makes the stack's multiplier {significant(w.stack_time)}." if w.stack_time is not None else ""
    )
    return Accuracy(
        low_fraction=width.low,
        high_fraction=width.high,
        nine_in_ten_fraction=width.nine,
        runs=width.runs,
        seen=not missing,
        text=f"±{NBSP}{percent(width.nine)}{NBSP}% on nine published runs in ten",
        reason=f"Time ±{NBSP}{percent(width.nine)}{NBSP}% on nine runs in ten{why}. "
        f"Eight in ten took {signed(width.low)} to {signed(width.high)}{NBSP}% of what was predicted.{told}",
    )


def _told(like: Like, stack_time: float | None) -> Spread:
    """The spread of runs like this one; with an own run, that of stacks of which one run was given: in place of it
    where the stack was never seen, beside it where the own run departs from the seen ones by more than they do."""
    if stack_time is None:
        return like.spread
    if not like.on_stack:
        return OWN_SPREAD
    return widest(like.spread, OWN_SPREAD) if abs(stack_time - 1) > like.spread.nine else like.spread


def kind_of(design: Design) -> str:
    """Which rows of the table a design resembles: dense, fp8 or experts."""
    if design.model.experts:
        return "experts"
    return "fp8" if design.workload.precision == "fp8" and design.accelerator.fp8_flop_per_s else "dense"


@lru_cache(maxsize=256)
def runs_like(kind: str, generation: str, stack: str) -> Like:
    """The runs of this kind, generation and stack; of a wider circle where there are too few."""
    of_kind = ERRORS["kind"] == kind
    pool = of_kind & (ERRORS["generation"] == generation)
    on_generation = pool.sum() >= FEWEST
    own = (ERRORS["stack"] == stack) & (ERRORS["fitted"] == 1)
    fitted = own & (of_kind | (ERRORS["kind"] == "sweep") if kind == "dense" else of_kind)
    choices = (fitted & (ERRORS["generation"] == generation), fitted, pool if on_generation else of_kind)
    found = np.flatnonzero(next(c for c in choices if c.sum() >= FEWEST))
    on_stack = bool(fitted.sum() >= FEWEST)
    gpus, params = ERRORS["gpus"][found], ERRORS["params"][found]
    return Like(
        spread=spread(_errors(found, "left_out" if on_stack else "apart_source")),
        on_generation=bool(on_generation),
        on_stack=on_stack,
        generations=tuple(sorted(set(ERRORS["generation"][found].tolist()))),
        gpus=(float(gpus.min()), float(gpus.max())),
        params=(float(params.min()), float(params.max())),
        long_runs=int((ERRORS["seq_tokens"][found] > LONG_TOKENS).sum()),
    )


def unseen(design: Design, like: Like) -> list[tuple[str, str]]:
    """What no run of the table has of this design: (experiment that left such runs out, words)."""
    gpus, params, found = design.layout.gpus_used, design.model.total_params, []
    if not like.on_generation:
        found.append(("generation", f"few or no runs are on {generation_name(design.accelerator.generation)}"))
    if not like.gpus[0] <= gpus <= like.gpus[1]:
        found.append(
            ("gpus", f"{some(gpus, 'GPU')} {'lies' if gpus == 1 else 'lie'} outside {_range(like.gpus, grouped)}")
        )
    if not 0.9 * like.params[0] <= params <= 1.1 * like.params[1]:
        found.append(("params", f"{_size(params)} parameters lie outside {_range(like.params, _size)}"))
    if design.workload.seq_tokens > LONG_TOKENS and like.long_runs < FEWEST:
        found.append(("context", f"few or no runs have sequences beyond {grouped(LONG_TOKENS)} tokens"))
    return found


def _errors(places: np.ndarray, column: str) -> np.ndarray:
    """Errors in a column; where that experiment was not made, those with near-copies left out."""
    found = ERRORS[column][places]
    return np.asarray(np.where(np.isnan(found), ERRORS["left_out"][places], found))


def spread(errors: np.ndarray) -> Spread:
    """Percentiles of errors given as predicted over published, less one; empty places are left out."""
    found = errors[~np.isnan(errors)]
    low, high = np.quantile(1 / (1 + found) - 1, [0.1, 0.9])
    return Spread(float(low), float(high), float(np.quantile(np.abs(found), 0.9)), len(found))


def widest(first: Spread, *others: Spread) -> Spread:
    """What holds all of them; the runs are those of the first."""
    every = (first, *others)
    return Spread(min(s.low for s in every), max(s.high for s in every), max(s.nine for s in every), first.runs)


@cache
def apart(what: str) -> Spread:
    """Errors of all dense runs while their source, generation, scale, size or context length was left out."""
    return spread(ERRORS[f"apart_{what}"])


OWN_SPREAD = Spread(OWN_RUN["low"], OWN_RUN["high"], OWN_RUN["nine_in_ten"], int(OWN_RUN["rows"]))
"""Errors of a stack never seen, once one run of it was measured."""


def _seen(kind: str, stack: str, like: Like) -> str:
    where = listed([generation_name(g) for g in like.generations])
    scale = f"{_range(like.gpus, grouped)} GPUs and {_range(like.params, _size)} parameters"
    return f"{KINDS[kind]}, {where}, {stack}, {scale} seen in {some(like.spread.runs, 'run')}"


def _range(ends: tuple[float, float], text: Callable[[float], str]) -> str:
    return f"{text(ends[0])} to {text(ends[1])}" if ends[0] != ends[1] else text(ends[0])


def generation_name(id: str) -> str:
    """An accelerator generation as a person writes it.

    >>> generation_name("hopper"), generation_name("cdna3")
    ('Hopper', 'CDNA 3')
    """
    return GENERATIONS.get(id, id.capitalize())


def percent(fraction: float) -> str:
    """A band's width in percent, whole from 10 on.

    >>> percent(0.1389), percent(0.0412)
    ('14', '4.1')
    """
    return grouped(100 * fraction) if fraction >= 0.095 else significant(100 * fraction, 2)


def signed(fraction: float) -> str:
    """A difference in percent with its sign.

    >>> signed(0.142), signed(-0.0213)
    ('+14', '−2.1')
    """
    return f"{MINUS if fraction < 0 else '+'}{percent(abs(fraction))}"


def _size(params: float) -> str:
    return count(float(f"{params:.2g}"))
