"""Step 5: time as a division of two large numbers."""

from dataclasses import dataclass

from markupsafe import Markup

from app.model.derivations import Derivation, derivation
from app.model.derivations.record import derived, engine
from app.model.derivations.run import DAY
from app.model.phrases import days, joined, power, share
from app.model.units import count, grouped, seconds_text
from app.svg import pct
from app.walkthrough.record import Ask, Bar, Bars, Input, Speaker, Step, Table, powered, say

SECONDS = {"µs": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0, "days": 86_400.0, "years": 365.25 * 86_400.0}


@dataclass(frozen=True)
class Division:
    """Work over what the GPUs deliver, in words, and three spans of time as bars."""

    above: Markup
    above_note: str
    below: Markup
    below_note: str
    result: Markup
    bars: Bars


def tera(flop_per_s: float) -> str:
    """A peak as data sheets give it, as in '989.4 TFLOP/s'."""
    return joined((grouped(flop_per_s / 1e12, 1).removesuffix(".0"), "TFLOP/s"))


def used_share(to: Speaker) -> float:
    """6·N·D over what the GPUs could do in that time: the planning figure, or what the engine’s step comes to."""
    planned = to.design.workload.mfu
    return derivation(to.design, "run.mfu", "alone").reading.value if planned == "model" else float(planned)


def step(to: Speaker) -> Step:
    d = to.design
    run, gpu = d.run, to.gpu
    peak = to.facts.peak().value
    used = used_share(to)
    text, unit = seconds_text(86_400 * run.days)
    return Step(
        id="time",
        name="Estimate time",
        setup=say(
            "Work first: each parameter meets each token in six operations, two forward and four backward. Then the "
            "divisor: what all GPUs do in a second, which is their peak only on paper."
        ),
        inputs=(
            Input("Parameters that a token uses", count(d.model.active_params)),
            Input("Tokens of the run", to.figure("run.tokens", count(run.tokens))),
            Input("GPUs", grouped(d.workload.gpus)),
            Input(f"Peak of one {gpu}", tera(peak)),
            *((Input("Share of it, as planned", share(used)),) if d.workload.mfu != "model" else ()),
        ),
        ask=Ask("How long does the run take, if nothing stops it?", 86_400 * run.days / SECONDS[unit], unit),
        title=f"{joined((text, unit))}: the GPUs turn {share(used)} of their peak into this work",
        story=_story(to, used),
        sums=(derivation(d, "run.flop"), _sum(to, used)),
        picture="division",
        drawing=_drawing(to, peak, used),
        label=f"{power(run.flop)} FLOP divided by what {grouped(d.workload.gpus)} GPUs deliver a second.",
        caption="All bars are on one scale of time.",
        table=Table(
            "From work to days",
            ("", "here"),
            (
                ("work, FLOP", to.power("run.flop")),
                ("peak of all GPUs, FLOP/s", powered(d.workload.gpus * peak)),
                ("share of it that becomes 6·N·D", share(used)),
                ("MFU, attention counted too", to.share("run.mfu")),
                ("days without stops", to.days("run.days")),
            ),
        ),
        known=say(
            "Time is a division. The work is fixed by model and data; the divisor is mostly the share of the peak, and "
            "steps {two} to {four} decide that.", two=2, four=4,
        ),
        rules=("six-nd", "dense-peak"),
    )  # fmt: skip


def _story(to: Speaker, used: float) -> tuple[Markup, ...]:
    d = to.design
    first = say(
        "At its full peak the mesh would need {ideal}. It turns {used} of the peak into this work, so it needs {days}.",
        ideal=days(used * d.run.days), used=share(used), days=to.days("run.days"),
    )  # fmt: skip
    if d.workload.mfu != "model":
        return first, say(
            "The share is a planning figure, set in the lab; the engine’s own step would come to {mfu} MFU.",
            mfu=to.share("run.mfu"),
        )
    return first, say(
        "The share comes from the engine’s step of {step}: exchange, bubble and memory traffic take the rest. With "
        "attention counted as useful too, it is an MFU of {mfu}.",
        step=to.span("step.seconds"), mfu=to.share("run.mfu"),
    )  # fmt: skip


def _sum(to: Speaker, used: float) -> Derivation:
    if to.design.workload.mfu != "model":
        return derivation(to.design, "run.days")
    run = to.design.run
    return derived(
        "run.days", "Days: work ÷ what the GPUs deliver", "d", "C / (G*P*u) / 86400", "days",
        engine("C", "training FLOP", run.flop, "FLOP", "run.flop"), to.facts.gpus(), to.facts.peak(),
        engine("u", "share of the peak that becomes 6·N·D", used, "share", "run.mfu", note="from the engine’s step"),
        DAY,
        limits=("Steps follow each other without a stop.",), cites=("kaplan", "section 2.1"),
    )  # fmt: skip


def _drawing(to: Speaker, peak: float, used: float) -> Division:
    d = to.design
    spans = (d.run.days * used, d.run.days, d.run.wall_days)
    longest = max(spans) if spans[2] < 20 * spans[1] else spans[1]
    labels = ("at full peak", "at the share reached", "with stops")
    texts = (days(spans[0]), to.days("run.days"), to.days("run.wall_days"))
    kinds = ("ideal", "whole", "stops")
    return Division(
        above=to.power("run.flop"),
        above_note=f"FLOP: 6 × {count(d.model.active_params)} parameters × {count(d.run.tokens)} tokens",
        below=powered(d.workload.gpus * peak * used),
        below_note=f"FLOP a second: {grouped(d.workload.gpus)} GPUs × {tera(peak)} × {share(used)}",
        result=to.days("run.days"),
        bars=Bars(
            tuple(
                Bar(label, "", "0%", pct(min(value, longest), longest), text, kind, "", kind == "whole")
                for label, value, text, kind in zip(labels, spans, texts, kinds, strict=True)
            )
        ),
    )
