"""What all charts are made of: strokes, marks, axes, ticks. Colours are names of CSS tokens."""

import math
from collections.abc import Iterable

import plotly.graph_objects as go

from app.model.units import count, grouped

INK, QUIET, FAINT, LINE = "var(--ink)", "var(--ink3)", "var(--tick)", "var(--line)"
ACCENT, CELL, OK, OVER, PAPER = "var(--accent)", "var(--cell)", "var(--ok)", "var(--over)", "var(--paper)"
STRONG = {"weight": 600, "color": INK}
GRID = {"gridcolor": LINE, "showgrid": True, "automargin": True}
SANS = "Inter, system-ui, sans-serif"
NEAR_PX = 1000
"""Wherever the mouse is in a chart, the nearest point tells its figures."""
MARGIN = {"l": 44, "r": 20, "t": 8, "b": 28}
MOST_TICKS = 6
HOVER = "%{text}<extra></extra>"


def line(
    x: Iterable[float], y: Iterable[float], color: str = INK, dash: str = "solid", width: float = 2,
    mode: str = "lines", **more: object,
) -> go.Scatter:  # fmt: skip
    stroke = {"color": color, "dash": dash, "width": width}
    return go.Scatter(x=rounded(x), y=rounded(y), mode=mode, line=stroke, **more)


def dot(x: float, y: float, label: str, color: str, side: str) -> go.Scatter:
    marker = {"color": color, "size": 10, "line": {"color": PAPER, "width": 1.5}}
    return go.Scatter(x=[x], y=[y], text=[label], mode="markers+text", textposition=side, textfont=STRONG,
                      marker=marker, cliponaxis=False, hoverinfo="skip")  # fmt: skip


def words(x: float, y: float, text: str, side: str, strong: bool = False) -> go.Scatter:
    font = STRONG if strong else {"color": QUIET}
    return go.Scatter(x=[x], y=[y], text=[text], mode="text", textposition=side, textfont=font, cliponaxis=False,
                      hoverinfo="skip")  # fmt: skip


def axis(ticks: list[tuple[float, str]], **more: object) -> dict[str, object]:
    values, texts = [t[0] for t in ticks], [t[1] for t in ticks]
    plain = {"tickvals": values, "ticktext": texts, "showgrid": False, "zeroline": False, "fixedrange": True}
    return {**plain, "showline": False, "ticks": "", "ticklabelstandoff": 6, **more}


def figure_json(traces: list[go.Scatter | go.Bar], x: dict[str, object], y: dict[str, object], **layout: object) -> str:
    """The figure as JSON that is safe inside a script element: Plotly escapes <, > and /."""
    shared = {
        "template": "none",
        "font": {"family": SANS, "size": 12, "color": QUIET},
        "hovermode": "closest",
        "hoverdistance": NEAR_PX,
        "hoverlabel": {"bgcolor": INK, "bordercolor": INK, "font": {"family": SANS, "size": 12, "color": PAPER}},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "margin": MARGIN,
        "showlegend": False,
        "dragmode": False,
    }
    return str(go.Figure(traces, go.Layout(xaxis=x, yaxis=y, **{**shared, **layout})).to_json())


def rounded(values: Iterable[float]) -> list[float]:
    return [float(f"{v:.6g}") for v in values]


def log_ticks(low: float, high: float) -> list[tuple[float, str]]:
    """Round numbers on a logarithmic axis: 1-2-5, else 1-3, else powers of ten.

    >>> [text for _, text in log_ticks(0.8, 300)]
    ['1', '3', '10', '30', '100', '300']
    """
    for digits in ((1, 2, 5), (1, 3), (1,)):
        ticks = [(v, count(v)) for v in _round_numbers(low, high, digits)]
        if len(ticks) <= MOST_TICKS:
            return ticks
    return ticks[:: -(-len(ticks) // MOST_TICKS)]


def _round_numbers(low: float, high: float, digits: Iterable[int]) -> list[float]:
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    found = (float(f"{d}e{k}") for k in decades for d in digits)
    return [v for v in found if 0.999 * low <= v <= 1.001 * high]


def linear_ticks(low: float, high: float) -> list[tuple[float, str]]:
    """Three to six round numbers between two ends.

    >>> [text for _, text in linear_ticks(50.2, 92.3)]
    ['60', '70', '80', '90']
    """
    wanted = max(high - low, 0.2) / 5
    power = 10.0 ** math.floor(math.log10(wanted))
    step = next(m * power for m in (1, 2, 5, 10) if m * power >= wanted * 0.9999)
    decimals = max(0, -math.floor(math.log10(step)))
    numbers = range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)
    return [(round(i * step, 6), grouped(i * step, decimals)) for i in numbers]
