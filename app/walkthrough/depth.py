"""Step 4: the depth cut into stages, played tick by tick."""

from dataclasses import dataclass

from markupsafe import Markup

from app.model.derivations import Derivation, derivation
from app.model.derivations.record import derived, engine
from app.model.phrases import number, share, some
from app.model.pipeline import bubble_over_ideal, idle_fraction
from app.model.schedule import Schedule, Work, play
from app.model.units import grouped
from app.svg import num
from app.walkthrough.record import Ask, Input, Speaker, Step, Table, say

STAGES_INSTEAD = 4
"""Stages of the pipeline that is shown where a design has none."""
MOST_ROWS = 16
MOST_PASSES = 5000
"""Passes in one drawing: beyond it, fewer stages are drawn."""
MOST_PLAYED = 128
"""Micro-batches times chunks that are played, or one for each stage where that is more: the rest would only
lengthen the middle, in which no stage waits."""
MOST_WORK = 70_000
"""Passes of all stages that a page may wait for; a deeper pipeline is told, not drawn."""
LEAST_ROW, MOST_ROW, TALL = 14.0, 26.0, 200.0
"""Heights of a stage, and of a drawing that is filled before stages get lower. [px]"""
GAP = 3.0
LONGEST_LINE = 100.0


@dataclass(frozen=True)
class Plan:
    """The pipeline that is shown: this design's, or one instead. `played` micro-batches of `microbatches`,
    none where that would take too long."""

    stages: int
    microbatches: int
    chunks: int
    played: int
    real: bool


def plan(to: Speaker) -> Plan:
    layout = to.design.layout
    real = layout.pipeline > 1
    p = layout.pipeline if real else STAGES_INSTEAD
    return Plan(p, layout.microbatches, layout.chunks, _played(p, layout.microbatches, layout.chunks), real)


def _played(stages: int, microbatches: int, chunks: int) -> int:
    """Whole groups of micro-batches where chunks interleave, at least one for each stage if there are as many."""
    enough = min(microbatches, max(stages, MOST_PLAYED // chunks))
    whole = enough if chunks == 1 else max(1, enough // stages) * stages
    return whole if 2 * stages * whole * chunks <= MOST_WORK else 0


def step(to: Speaker) -> Step:
    shown = plan(to)
    p, m, v = shown.stages, shown.microbatches, shown.chunks
    idle = float(idle_fraction(p, m, v))
    played = play(p, shown.played, v) if shown.played else None
    stages = some(p, "stage")
    return Step(
        id="depth",
        name="Split depth",
        setup=_setup(shown),
        inputs=(
            Input("Stages", to.count("pipeline.stages") if shown.real else f"{p}, for the question"),
            Input("Micro-batches of a step", to.count("pipeline.microbatches")),
            *((Input("Chunks of layers on a stage", to.count("layout.chunks")),) if v > 1 else ()),
        ),
        ask=Ask(f"What share of its time does each of {stages} stand idle?", 100 * idle, "%", 0.1, LONGEST_LINE),
        title=_title(shown, idle),
        story=_story(to, shown, idle),
        sums=_sums(to, shown, idle),
        picture="schedule",
        drawing=drawing(played, shown) if played else None,
        label=f"The schedule of {stages}, tick by tick; each waits {share(idle)} of its time.",
        caption=_caption(shown, played),
        table=_table(shown, idle, played),
        known=_known(to, shown),
        rules=("pipeline-splits-depth", "pipeline-bubble", *(("interleaving",) if v > 1 else ())),
    )  # fmt: skip


def _setup(shown: Plan) -> Markup:
    text = say(
        "A pipeline gives each stage a block of consecutive layers and streams micro-batches through. The last stage "
        "waits for the first one to reach it; at the end the first waits for the last. Then all weights move at "
        "once, and it begins again."
    )
    return text if shown.real else text + say(
        " This design does not cut depth; the question is what {p} stages would cost it, at the micro-batches it has.",
        p=shown.stages,
    )  # fmt: skip


def _title(shown: Plan, idle: float) -> str:
    stages, batches = some(shown.stages, "stage"), some(shown.microbatches, "micro-batch", "micro-batches")
    stand = "stand" if shown.real else "would stand"
    return f"{stages} {stand} idle {share(idle)} of the time behind {batches}"


def _story(to: Speaker, shown: Plan, idle: float) -> tuple[Markup, ...]:
    bubble = float(bubble_over_ideal(shown.stages, shown.microbatches, shown.chunks))
    ids = ("pipeline.bubble_over_ideal", "pipeline.idle_fraction")
    over, waits = map(to.share, ids) if shown.real else (share(bubble), share(idle))
    first = say(
        "Filling and draining take {slots} slots beside {m} of work. Over the ideal time that is {over}; over the "
        "whole time, waiting included, {waits}.",
        slots=number((shown.stages - 1) / shown.chunks), m=grouped(shown.microbatches), over=over, waits=waits,
    )  # fmt: skip
    if not shown.real:
        return first, say("With its one stage this design waits {idle}.", idle=to.share(ids[1]))
    sent, inside = to.design.step.communication_bytes, to.size("step.communication_bytes.pipeline")
    if not sent.tensor:
        return first, say("A GPU hands {sent} a step to its neighbours.", sent=inside)
    return first, say(
        "A GPU hands {sent} a step to its neighbours, against {tensor} for the cut inside layers. That is why stages "
        "may lie in different servers.", sent=inside, tensor=to.size("step.communication_bytes.tensor"),
    )  # fmt: skip


def _sums(to: Speaker, shown: Plan, idle: float) -> tuple[Derivation, ...]:
    if shown.real:
        return derivation(to.design, "pipeline.idle_fraction"), derivation(to.design, "pipeline.bubble_over_ideal")
    return (
        derived(
            "walkthrough.idle_fraction", "Idle share of such a pipeline", "i", "(p - 1) / (v*m + p - 1)", "share",
            engine("p", "stages, for the question", shown.stages),
            engine("1", "the first stage waits for none", 1),
            engine("v", "chunks of layers on a stage", shown.chunks),
            engine("m", "micro-batches of a step", shown.microbatches, "", "layout.microbatches"),
            limits=("Equal stages, and a flush after each batch.",), cites=("gpipe", "section 2.3"),
        ),
    )  # fmt: skip


def _caption(shown: Plan, played: Schedule | None) -> str:
    if played is None:
        return "Too many passes to draw one by one; the closed form holds all the same."
    drawn = len(rows_of(played))
    parts = ["Forward passes are light, backward passes dark and twice as long; hatched is waiting."]
    if drawn < shown.stages:
        parts.append(f"{drawn} of {grouped(shown.stages)} stages are drawn.")
    if shown.played < shown.microbatches:
        parts.append(
            f"{grouped(shown.played)} of {grouped(shown.microbatches)} micro-batches are drawn: the rest belongs at "
            "the break, where nobody waits."
        )
    elif shown.played > shown.microbatches:
        batches = some(shown.played, "micro-batch", "micro-batches")
        parts.append(f"Drawn with {batches}: chunks want whole groups of stages.")
    return " ".join(parts)


def _table(shown: Plan, idle: float, played: Schedule | None) -> Table:
    closed = ("idle share, closed form", share(idle))
    if played is None:
        return Table("Waiting of each stage", ("", "here"), (closed,))
    waits, work = played.idle_ticks, played.busy_ticks
    whole = work * shown.microbatches / shown.played
    rows = (
        ("ticks of waiting, played", grouped(waits)),
        ("ticks of work, played" + ("" if shown.played == shown.microbatches else " and lengthened"), grouped(whole)),
        ("idle share, played", share(waits / (waits + whole))),
    )
    return Table("Waiting of each stage", ("", "here"), (*rows, closed))


def _known(to: Speaker, shown: Plan) -> Markup:
    if not shown.real:
        return say("Depth stays whole here: a pipeline is what comes next when a server is too small for the model.")
    return say(
        "The bubble is known before a run starts. More micro-batches or more chunks shrink it; more stages, or more "
        "replicas for one batch, let it grow."
    )


@dataclass(frozen=True)
class Row:
    y: str
    label: str


@dataclass(frozen=True)
class Drawing:
    """Paths 1 unit a tick wide, stretched to the page. `break_x` is where micro-batches are left out."""

    height: str
    view_box: str
    ticks: str
    rows: tuple[Row, ...]
    forward: str
    backward: str
    row: str
    pass_height: str
    broken: str


def rows_of(played: Schedule) -> list[int]:
    """The stages that are drawn: the first, the last and some evenly between."""
    total = len(played.stages)
    each = max(1, len(played.stages[0]))
    most = max(4, min(MOST_ROWS, MOST_PASSES // each))
    if total <= most:
        return list(range(total))
    return sorted({round(i * (total - 1) / (most - 1)) for i in range(most)})


def drawing(played: Schedule, shown: Plan) -> Drawing:
    stages = rows_of(played)
    rows = [played.stages[s] for s in stages]
    row = min(MOST_ROW, max(LEAST_ROW, TALL / len(rows)))
    return Drawing(
        height=num(row * len(rows)),
        view_box=f"0 0 {played.ticks} {num(row * len(rows))}",
        ticks=str(played.ticks),
        rows=tuple(Row(num(row * i + row / 2), grouped(s + 1)) for i, s in enumerate(stages)),
        forward="".join(_path(r, row * (i + 0.5), backward=False) for i, r in enumerate(rows)),
        backward="".join(_path(r, row * (i + 0.5), backward=True) for i, r in enumerate(rows)),
        row=num(row),
        pass_height=num(row - GAP),
        broken=num(played.ticks / 2) if shown.played < shown.microbatches else "",
    )


def _path(row: tuple[Work, ...], y: float, backward: bool) -> str:
    """A dash for each pass, a little shorter than its ticks so that neighbours stay apart."""
    at, parts = 0.0, [f"M0 {num(y)}"]
    for work in row:
        if work.backward == backward:
            parts.append(f"m{num(work.start - at)} 0h{num(work.ticks - 0.1)}")
            at = work.start + work.ticks - 0.1
    return "".join(parts)
