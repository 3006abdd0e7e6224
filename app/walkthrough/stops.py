"""Step 6: a run with stops, from a seeded simulation that agrees with goodput."""

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from markupsafe import Markup

from app.model.derivations import derivation
from app.model.failures import Sample, Shares, shares, simulate
from app.model.phrases import days, interval, joined, set_span, share, span
from app.model.units import significant
from app.svg import pct
from app.walkthrough.record import Ask, Input, Speaker, Step, Table, say

STOPS_SHOWN = 8
"""Times between stops that the strip of the run is long, at most."""
AROUND = 1.7
"""Intervals on either side of the stop that is shown near."""
LEAST_WRITE = 0.004
"""Share of a strip that an interval needs so that its checkpoints are drawn."""
GOODPUT_ENDS = (6.0, 100.0)


def step(to: Speaker) -> Step:
    d = to.design
    r, w = d.reliability, d.workload
    sample = sample_of(to)
    found = shares(sample) if sample else None
    return Step(
        id="stops",
        name="Checkpoint",
        setup=say(
            "Sooner or later a GPU fails and the whole mesh stops. What was done since the last checkpoint is lost; "
            "the run restarts from that saved state and does it again. Saving often costs writing, saving rarely "
            "costs repeating."
        ),
        inputs=(
            Input("Stops a day", to.figure("reliability.stops_per_day", significant(r.stops_per_day))),
            Input("Training between checkpoints", set_span(w.checkpoint_minutes)),
            Input("A checkpoint", to.size("reliability.checkpoint_bytes")),
            Input("Time to write it" + (", behind the training" if w.checkpoint_async else ""),
                  to.span("reliability.checkpoint_write_seconds")),
            Input("Time to restart", set_span(w.restart_minutes) if w.restart_minutes else "none"),
        ),
        ask=Ask("Of the time on the clock, what share trains something new?", 100 * r.goodput, "%",
                *(GOODPUT_ENDS if 100 * r.goodput >= GOODPUT_ENDS[0] else (0.1, 100.0))),
        title=f"{share(r.goodput)} of the time trains something new",
        story=_story(to),
        sums=(derivation(d, "reliability.goodput"), derivation(d, "reliability.optimal_checkpoint_minutes")),
        picture="stops",
        drawing=drawing(to, sample) if sample else None,
        label=_label(to, sample),
        caption="From one seeded simulation: stops (diamonds) come at random, the same ones each time the page opens."
        if sample else "Restarts hardly ever succeed before the next stop, so there is no run to draw.",
        table=_table(to, found),
        known=_known(to),
        rules=("half-interval", "best-interval", "interruptions"),
    )  # fmt: skip


def sample_of(to: Speaker) -> Sample | None:
    """The stops of this workload, played."""
    w, r = to.design.workload, to.design.reliability
    stall = 0.0 if w.checkpoint_async else r.checkpoint_write_seconds
    return simulate(60 * w.checkpoint_minutes, stall, 3600 * r.hours_between_stops, 60 * w.restart_minutes)


def _story(to: Speaker) -> tuple[Markup, ...]:
    rule = say(
        "By the rule of half an interval, stops repeat {rule} of the run. Counted exactly it is {exact}, writing takes "
        "{stall} and restarting {restart}.",
        rule=to.share("reliability.lost_fraction"), exact=to.share("reliability.repeated_fraction"),
        stall=to.share("reliability.stall_fraction"), restart=to.share("reliability.restart_fraction"),
    )  # fmt: skip
    return rule, say(
        "With stops, {days} without become {wall}.", days=to.days("run.days"), wall=to.days("run.wall_days")
    )


def _known(to: Speaker) -> Markup:
    r, w = to.design.reliability, to.design.workload
    best = to.figure("reliability.optimal_checkpoint_minutes", interval(r.optimal_checkpoint_minutes))
    if 0.8 < w.checkpoint_minutes / r.optimal_checkpoint_minutes < 1.25:
        return say("The interval follows from the rate of stops and the time of a write; {best} is about what is set.",
                   best=best)  # fmt: skip
    side = "less" if w.checkpoint_minutes > r.optimal_checkpoint_minutes else "more"
    return say(
        "The interval follows from the rate of stops and the time of a write: {best} loses least, {side} than is set.",
        best=best, side=side,
    )  # fmt: skip


def _label(to: Speaker, sample: Sample | None) -> str:
    r = to.design.reliability
    if sample is None:
        return "No run to draw."
    mean = span(3600 * r.hours_between_stops)
    return f"A run as a strip: training, stops every {mean} on average, lost work, restarts."


def _table(to: Speaker, found: Shares | None) -> Table:
    """Where the time goes, solved and played."""
    names = (
        ("trains something new", "goodput", "training"), ("is repeated", "repeated_fraction", "repeated"),
        ("writes checkpoints", "stall_fraction", "writing"), ("restarts", "restart_fraction", "restarting"),
    )  # fmt: skip
    rows = tuple(
        (name, to.share(f"reliability.{figure}"), _played(getattr(found, played)) if found else "not played")
        for name, figure, played in names
    )
    more = () if found is None else (
        ("goodput, 95 times in 100", "", f"{_played(found.low)} to {_played(found.high)}"),
    )  # fmt: skip
    return Table("Where the time goes", ("of the time", "formula", "simulated"), (*rows, *more))


def _played(fraction: float) -> str:
    return share(min(1.0, max(0.0, fraction)))


@dataclass(frozen=True)
class Piece:
    kind: str
    x: str
    width: str


@dataclass(frozen=True)
class Strip:
    """A stretch of the run in proportion; `stops` are where diamonds stand."""

    title: str
    pieces: tuple[Piece, ...]
    stops: tuple[str, ...]
    end: str


@dataclass(frozen=True)
class Drawing:
    """The run, then one stop near. Labels of the near strip stand at the stop and at the last write."""

    run: Strip
    near: Strip
    lost_x: str
    lost_anchor: str
    lost_text: str
    restart_x: str
    restart_anchor: str
    restart_text: str
    write_x: str
    write_text: str


Span = tuple[str, float, float]
"""Kind, from, to. [s]"""


def drawing(to: Speaker, sample: Sample) -> Drawing:
    wall = 86_400 * to.design.run.wall_days
    mean = 3600 * to.design.reliability.hours_between_stops
    window = min(wall, STOPS_SHOWN * mean)
    starts = np.concatenate([[0.0], np.cumsum(sample.lengths)])
    count = int(np.searchsorted(starts, window)) + 1
    stops = [float(starts[i] + _until(sample, i)) for i in range(min(count, len(sample.lost)))]
    run = _strip(_run_title(to, window, wall, sum(s < window for s in stops)), sample, starts, 0.0, window, stops)
    shown = _telling(sample, to.design.workload.restart_minutes)
    stop = float(starts[shown] + _until(sample, shown))
    reach = AROUND * (sample.interval + sample.stall)
    lost, restart = float(sample.lost[shown]), float(sample.restart[shown])
    begin, end = max(float(starts[shown]), stop - lost - reach), stop + restart + reach
    end = min(end, float(starts[shown + 1] + _until(sample, shown + 1)))
    near = _strip(f"Around one stop: {span(end - begin)}", sample, starts, begin, end, [stop])
    at = (stop - begin) / (end - begin)
    return Drawing(
        run, near,
        lost_x=pct(at), lost_anchor="start" if at < 0.35 else "end", lost_text=f"{span(lost)} lost, done again",
        restart_x=pct(at), restart_anchor="end" if at > 0.65 else "start",
        restart_text=f"restart {span(restart)}" if restart else "restart at once",
        write_x=next((p.x for p in reversed(near.pieces) if p.kind == "write"), ""),
        write_text=f"saved in {span(sample.stall)}" if sample.stall else "saved",
    )  # fmt: skip


def _until(sample: Sample, index: int) -> float:
    """From a start of training to the stop that ends it. [s]"""
    return float(sample.saved[index] * (sample.interval + sample.stall) + sample.lost[index])


def _telling(sample: Sample, restart_minutes: float) -> int:
    """The first stop that shows all: checkpoints before it and after it, a loss near the mean, one restart."""
    fair = 0.3 * sample.interval
    for i, (saved, after) in enumerate(pairwise(sample.saved[:500])):
        plain = sample.restart[i] <= 60 * restart_minutes + 1e-6
        if saved >= 2 and after >= 2 and plain and fair <= sample.lost[i] <= 2.4 * fair:
            return i
    return 0


def _run_title(to: Speaker, window: float, wall: float, stops: int) -> str:
    count = "no stop" if stops == 0 else "1 stop" if stops == 1 else f"{stops} stops"
    if window < wall:
        return f"The first {span(window)} of {days(wall / 86_400)}: {count}"
    mean = to.design.reliability.stops_per_day * wall / 86_400
    return f"All {days(wall / 86_400)} of the run: {count}, where {significant(mean, 2)} are to be expected"


def _strip(title: str, sample: Sample, starts: np.ndarray, begin: float, end: float, stops: list[float]) -> Strip:
    first = max(0, int(np.searchsorted(starts, begin, side="right")) - 1)
    last = min(len(sample.lost) - 1, int(np.searchsorted(starts, end)))
    fine = (sample.interval + sample.stall) / (end - begin) >= LEAST_WRITE
    spans = [s for i in range(first, last + 1) for s in _spans(sample, i, float(starts[i]), begin, end, fine)]
    length = end - begin
    return Strip(
        title=title,
        pieces=tuple(Piece(k, pct(a - begin, length), pct(b - a, length)) for k, a, b in spans),
        stops=tuple(pct(s - begin, length) for s in stops if begin < s < end),
        end=joined(("", span(length))).strip(),
    )


def _spans(sample: Sample, index: int, start: float, begin: float, end: float, fine: bool) -> list[Span]:
    """What one time between stops consists of, as far as it lies in the window."""
    pitch = sample.interval + sample.stall
    kept = start + float(sample.saved[index]) * pitch
    stop = kept + float(sample.lost[index])
    spans: list[Span] = [("train", start, kept)]
    if fine:
        first, last = max(0, math.floor((begin - start) / pitch)), math.ceil((min(end, kept) - start) / pitch)
        ends = [start + (i + 1) * pitch for i in range(first, last)]
        spans += [("write", e - sample.stall, e) for e in ends]
    spans += [("lost", kept, stop), ("restart", stop, stop + float(sample.restart[index]))]
    clipped = [(kind, max(a, begin), min(b, end)) for kind, a, b in spans]
    return [(kind, a, b) for kind, a, b in clipped if b > a or (kind == "write" and a == b and begin < a < end)]
