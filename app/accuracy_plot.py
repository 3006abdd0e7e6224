"""Predicted against published as Plotly figures: every run a point that tells its figures."""

import math
from collections.abc import Callable, Iterable, Sequence

import plotly.graph_objects as go

from app.accuracy import Checked
from app.accuracy_tables import signed_pct
from app.model.bands import KINDS
from app.model.units import grouped, significant
from app.plot_parts import (
    FAINT,
    GRID,
    HOVER,
    INK,
    OK,
    OVER,
    axis,
    figure_json,
    line,
    linear_ticks,
    log_ticks,
    rounded,
)

SYMBOLS = {"dense": "circle", "fp8": "square-open", "experts": "diamond"}
COLORS = {"dense": OK, "fp8": INK, "experts": OVER}
MARGIN = {"l": 52, "r": 20, "t": 12, "b": 44}


def scatter_plot(runs: Sequence[Checked], within_pct: float) -> str:
    """Predicted over published step time; dashed lines hold nine runs in ten."""
    ends = _ends(r.published for r in runs)
    share = within_pct / 100
    traces = [
        line(ends, ends, color=FAINT, width=1.5, hoverinfo="skip"),
        line(ends, [v * (1 + share) for v in ends], color=FAINT, dash="dash", width=1, hoverinfo="skip"),
        line(ends, [v * (1 - share) for v in ends], color=FAINT, dash="dash", width=1, hoverinfo="skip"),
        *(_points(runs, kind, lambda r: r.predicted) for kind in KINDS),
    ]
    span = [math.log10(v) for v in ends]
    x = axis(log_ticks(*ends), type="log", range=span, title=_titled("published, s"))
    y = axis(log_ticks(*ends), **GRID, type="log", range=span, title=_titled("predicted, s"))
    return figure_json(traces, x, y, margin=MARGIN)


def error_plot(runs: Sequence[Checked], within_pct: float) -> str:
    """Error over GPU count; dashed lines hold nine runs in ten."""
    ends = _ends(r.gpus for r in runs)
    top = max(abs(r.error) for r in runs) * 1.1
    traces = [
        line(ends, [0, 0], color=FAINT, width=1.5, hoverinfo="skip"),
        line(ends, [within_pct] * 2, color=FAINT, dash="dash", width=1, hoverinfo="skip"),
        line(ends, [-within_pct] * 2, color=FAINT, dash="dash", width=1, hoverinfo="skip"),
        *(_points(runs, kind, lambda r: r.error, x=lambda r: r.gpus) for kind in KINDS),
    ]
    x = axis(log_ticks(*ends), type="log", range=[math.log10(v) for v in ends], title=_titled("GPUs"))
    y = axis(linear_ticks(-top, top), **GRID, range=[-top, top], title=_titled("error, %"))
    return figure_json(traces, x, y, margin=MARGIN)


def _points(
    runs: Sequence[Checked],
    kind: str,
    y: Callable[[Checked], float],
    x: Callable[[Checked], float] = lambda r: r.published,
) -> go.Scatter:
    some = [r for r in runs if r.kind == kind]
    marker = {"symbol": SYMBOLS[kind], "size": 7, "color": COLORS[kind], "opacity": 0.75}
    return go.Scatter(
        x=rounded(x(r) for r in some), y=rounded(y(r) for r in some), text=[_told(r) for r in some],
        mode="markers", marker=marker, hovertemplate=HOVER,
    )  # fmt: skip


def _told(r: Checked) -> str:
    """What a point says."""
    where = f"{grouped(r.gpus)} × {r.gpu}, {KINDS[r.kind]}, {r.source}"
    times = f"published {significant(r.published)} s, predicted {significant(r.predicted)} s"
    return f"{r.id}<br>{where}<br>{times}, {signed_pct(r.error)} %"


def _ends(values: Iterable[float]) -> list[float]:
    found = list(values)
    return [min(found) / 1.3, max(found) * 1.3]


def _titled(text: str) -> dict[str, object]:
    return {"text": text, "font": {"size": 12}}
