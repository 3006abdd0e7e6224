"""The charts as Plotly figures. Colours are names of CSS tokens; the browser puts in the theme's own."""

import math
from collections.abc import Iterable

import plotly.graph_objects as go

from app.model.phrases import NBSP, days, some
from app.model.units import count, grouped, percent, significant
from app.plot_parts import (
    ACCENT,
    CELL,
    FAINT,
    GRID,
    HOVER,
    INK,
    MARGIN,
    OK,
    OVER,
    PAPER,
    STRONG,
    axis,
    dot,
    figure_json,
    line,
    linear_ticks,
    log_ticks,
    rounded,
    words,
)  # fmt: skip
from app.sweeps import Count, Counts, Interval, Intervals, Piece

CLOSE = 0.35
"""Decades between two marks below which their labels would meet."""
FAR = 1.5
"""Decades beyond the best interval where a label would run out of a narrow frame."""
LEAST_SPAN = 0.01
"""Shares of time from top to bottom of the goodput chart at least, so that nothing flat looks steep."""
TALLEST = 100.0
"""Days shown at most, in multiples of the fewest; a count that takes longer runs out of the frame."""


def interval_plot(sweep: Intervals) -> str:
    """Goodput over the checkpoint interval, the best and the present one marked."""
    minutes = [p.minutes for p in sweep.curve]
    low = min(p.goodput for p in sweep.curve)
    high = max(low + LEAST_SPAN, *(p.goodput for p in sweep.curve))
    texts = [f"{interval_text(p.minutes)} min: {percent(p.goodput)} %" for p in sweep.curve]
    traces = [line(minutes, [100 * p.goodput for p in sweep.curve], text=texts, hovertemplate=HOVER)]
    if sweep.best:
        traces.append(_mark(sweep.best, "best", INK, _side_of_best(sweep)))
    traces.append(_mark(sweep.now, "now", ACCENT, _side_of_now(sweep)))
    bottom, top = 100 * (low - 0.08 * (high - low)), 100 * (high + 0.16 * (high - low))
    x = axis(log_ticks(minutes[0], minutes[-1]), type="log", range=[math.log10(minutes[0]), math.log10(minutes[-1])])
    y = axis(linear_ticks(max(bottom, 0), min(top, 100)), **GRID, range=[bottom, top])
    return figure_json(traces, x, y)


def interval_text(minutes: float) -> str:
    """Minutes in short: as set where that is a round number.

    >>> interval_text(30.0), interval_text(4.8831), interval_text(0.5), interval_text(0.0123456)
    ('30', '4.9', '0.5', '0.012')
    """
    return count(minutes) if float(f"{minutes:.3g}") == minutes else significant(minutes, 2)


def _decades_past_best(sweep: Intervals) -> float:
    """How far the present interval lies beyond the best one; background saving has its best at zero."""
    return math.log10(sweep.now.minutes / sweep.best.minutes) if sweep.best else CLOSE


def _side_of_best(sweep: Intervals) -> str:
    return "top left" if 0 <= _decades_past_best(sweep) < CLOSE else "top center"


def _side_of_now(sweep: Intervals) -> str:
    """Under the rising curve; over the falling one, as long as the frame has room to the right."""
    past = _decades_past_best(sweep)
    return "bottom right" if past < 0 else "top right" if past < FAR else "bottom left"


def _mark(point: Interval, word: str, color: str, side: str) -> go.Scatter:
    label = f"{word} {interval_text(point.minutes)}, {percent(point.goodput)}"
    return dot(point.minutes, 100 * point.goodput, label, color, side)


def count_plot(sweep: Counts) -> str:
    """Days with stops over the GPU count, beside what an even division would take."""
    gpus = [c.gpus for c in sweep.all]
    low, high = _day_range(sweep)
    traces = [*_even(sweep), *_held(sweep), *_here(sweep, low, high)]
    ends = [math.log10(gpus[0]) - 0.12, math.log10(gpus[-1]) + 0.12]
    x = axis(_count_ticks(gpus, sweep.now), type="log", range=ends)
    ticks = log_ticks(low, high) if sweep.fitting else []
    y = axis(ticks, **GRID, type="log", range=[math.log10(low), math.log10(high)])
    return figure_json(traces, x, y)


def _even(sweep: Counts) -> list[go.Scatter]:
    """The dashed line of an even division and its name."""
    gpus = [c.gpus for c in sweep.fitting]
    if len(gpus) < 2:
        return []
    ideal = [sweep.divided(n) for n in gpus]
    named = max(0, len(gpus) - 3)
    return [
        line(gpus, ideal, color=FAINT, dash="dash", width=1.5, hoverinfo="skip"),
        words(gpus[named], ideal[named], "if perfectly<br>divisible", "bottom left"),
    ]


def _held(sweep: Counts) -> list[go.Scatter]:
    """The line through every count that fits."""
    marker = {"color": INK, "size": 8, "line": {"color": PAPER, "width": 1.5}}
    texts = [f"{some(c.gpus, 'GPU')}: {days(c.wall_days)}" for c in sweep.fitting]
    x, y = [c.gpus for c in sweep.fitting], [c.wall_days for c in sweep.fitting]
    return [line(x, y, mode="lines+markers", marker=marker, text=texts, hovertemplate=HOVER)]


def _day_range(sweep: Counts) -> tuple[float, float]:
    taken = [c.wall_days for c in sweep.fitting] or [1.0]
    ideal = [sweep.divided(c.gpus) for c in sweep.fitting] or [1.0]
    top = min(max(taken), TALLEST * min(taken))
    here = [sweep.now.wall_days] if sweep.now.fits else []
    return min(*taken, *ideal) / 1.6, max(top, *here, *ideal) * 1.6


def _here(sweep: Counts, low: float, high: float) -> list[go.Scatter]:
    """The mark of the present count, or a dotted line where it does not fit."""
    now = sweep.now
    if now.fits:
        return [dot(now.gpus, now.wall_days, f"now {days(now.wall_days)}", ACCENT, _side_of_count(sweep))]
    here = line([now.gpus, now.gpus], [low, high], color=ACCENT, dash="dot", width=1.5, hoverinfo="skip")
    side = "bottom left" if now.gpus > sweep.all[len(sweep.all) // 2].gpus else "bottom right"
    text = f"{NBSP}now {grouped(now.gpus)}:{NBSP}<br>{NBSP}does not fit{NBSP}"
    return [here, words(now.gpus, high, text, side, strong=True)]


def _side_of_count(sweep: Counts) -> str:
    """Over the line where it falls on; under it where it rises or the frame ends."""
    place = sweep.all.index(sweep.now)
    taken = [c.wall_days for c in sweep.fitting if c.gpus >= sweep.now.gpus][:3]
    rises = taken[-1] > 1.02 * min(taken) and taken[-1] > 0.9 * taken[0]
    if rises or place >= len(sweep.all) - 2:
        return "bottom left" if place > 1 else "bottom right"
    return "top right"


def _count_ticks(gpus: list[int], now: Count) -> list[tuple[float, str]]:
    """Every second count, so that the labels stay apart on a phone; the present one is among them."""
    start = gpus.index(now.gpus) % 2
    return [(n, grouped(n)) for n in gpus[start::2]]


def memory_plot(pieces: tuple[Piece, ...], names: dict[str, str], usable: float, decimals: int) -> str:
    """What fills the fullest GPU, from left to right, against what it can hold."""
    rows = list(range(len(pieces)))
    largest = max(pieces[:-1], key=lambda p: p.bytes)
    used = [p if p.id not in ("free", "over") else Piece(p.id, p.start_bytes, 0.0) for p in pieces]
    within = [max(0.0, min(p.end_bytes, usable) - p.start_bytes) for p in used]
    beyond = [max(0.0, p.end_bytes - max(p.start_bytes, usable)) if p.id != "free" else 0.0 for p in pieces]
    free = [p.bytes if p.id == "free" else 0.0 for p in pieces]
    starts = [p.start_bytes for p in pieces]
    foot = rows[-1] + 0.5
    traces = [
        _steps([p.end_bytes / 1e9 for p in pieces[:-1]]),
        _bars(rows, starts, within, {"color": [OK if p is largest else CELL for p in pieces]}),
        _bars(rows, [max(s, usable) for s in starts], beyond, _hatch(OVER)),
        _bars(rows, starts, free, _hatch(FAINT)),
        _sizes(pieces, usable, decimals),
        line([usable / 1e9] * 2, [-0.6, foot], hoverinfo="skip"),
        words(usable / 1e9, foot + 0.2, f"usable {grouped(usable / 1e9, decimals)} GB", "bottom center", strong=True),
    ]
    top = max(usable, *(p.end_bytes for p in pieces)) / 1e9
    x = axis([], range=[0, 1.2 * top])
    y = axis([(i, names[p.id]) for i, p in enumerate(pieces)], range=[foot + 1, -0.6], automargin=True)
    return figure_json(traces, x, y, hovermode=False, barmode="overlay", margin={**MARGIN, "b": 4})


def _sizes(pieces: tuple[Piece, ...], usable: float, decimals: int) -> go.Scatter:
    """Each size right of its bar; left of it where the line of what a GPU can hold would cut through."""
    left = [0.8 * usable < p.end_bytes <= usable and 0.2 * usable < p.start_bytes and p.id != "free" for p in pieces]
    x = [(p.start_bytes if to_left else p.end_bytes) / 1e9 for p, to_left in zip(pieces, left, strict=True)]
    text = [f"{NBSP}{grouped(p.bytes / 1e9, decimals)}{NBSP}" for p in pieces]
    sides = ["middle left" if to_left else "middle right" for to_left in left]
    return go.Scatter(x=rounded(x), y=list(range(len(x))), text=text, mode="text", textposition=sides, textfont=STRONG,
                      cliponaxis=False, hoverinfo="skip")  # fmt: skip


def _steps(ends: list[float]) -> go.Scatter:
    """Thin lines that lead from the end of each piece to the start of the next."""
    x = [v for end in ends for v in (end, end, None)]
    y = [v for i in range(len(ends)) for v in (i, i + 1, None)]
    return go.Scatter(x=x, y=y, mode="lines", line={"color": FAINT, "width": 1}, hoverinfo="skip")


def _bars(rows: list[int], starts: Iterable[float], lengths: Iterable[float], marker: dict[str, object]) -> go.Bar:
    base, width = rounded(s / 1e9 for s in starts), rounded(v / 1e9 for v in lengths)
    return go.Bar(y=rows, base=base, x=width, orientation="h", width=0.6, marker=marker, hoverinfo="skip")


def _hatch(color: str) -> dict[str, object]:
    pattern = {"shape": "/", "fgcolor": color, "bgcolor": PAPER, "size": 5, "solidity": 0.35}
    return {"color": color, "pattern": pattern, "line": {"color": color, "width": 1}}
