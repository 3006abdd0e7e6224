"""From a Sizing to what the answer's template prints: texts, marks and lengths, no new figures."""

import math
import re
from dataclasses import dataclass

from app.figures import Key, Shown, keys, shown
from app.mesh import Grid, grid
from app.mesh_size import link_pixels
from app.model.answer import Bottleneck, Figure, Layout, PathPart, Rule, Sizing, Why
from app.model.units import grouped
from app.stacks import Stacks, stacks
from app.strip import Strip, strip
from app.svg import num, pct

SCALE_END = 1.5
"""Load at the right end of a bar."""
SHORT_NAMES = {
    "memory": "memory",
    "collectives": "comms",
    "data_pipeline": "data",
    "activations": "activ.",
    "failures": "failures",
}
RULES_SHOWN = 8
"""Rules in sight; the others open on demand."""
ROWS_IN = 5
"""Parts of the path before the mesh: dataset, loaders and the three ways to split."""


@dataclass(frozen=True)
class Bar:
    """One load. `fill` is its plain length, `over` the hatched one past 100 %, in shares of the scale."""

    id: str
    label: str
    short: str
    status: str
    value: float
    text: str
    unit: str
    note: str
    fill: str
    over: str
    beyond: bool
    ghost: str
    was: str


@dataclass(frozen=True)
class Line:
    """A small line under a part, with a figure in it; `link` is the width of the link that carries it."""

    before: str
    figure: Shown | None
    after: str
    link: str = ""


@dataclass(frozen=True)
class Part:
    """A part of the path; `group` stands over the first of its kind."""

    id: str
    label: str
    group: str
    lit: bool
    main: Shown | None
    unit: str
    lines: tuple[Line, ...]


@dataclass(frozen=True)
class WhyText:
    heading: str
    lead: str
    causes: tuple[str, ...]
    binds: tuple[str, ...]
    changes: tuple[Why, ...]


@dataclass(frozen=True)
class LayoutText:
    sizes: tuple[tuple[str, Shown], ...]
    rest: tuple[tuple[str, Shown, str], ...]
    recompute: str
    idle: str


@dataclass(frozen=True)
class View:
    """Everything the answer shows; `s` carries what is printed as it is. `banded`: what its band of accuracy is of."""

    s: Sizing
    fits: bool
    compared: bool
    layout: LayoutText
    keys: tuple[Key, ...]
    bars: tuple[Bar, ...]
    inputs: tuple[Part, ...]
    outputs: tuple[Part, ...]
    grid: Grid | None
    stacks: Stacks | None
    strip: Strip
    banded: str
    why: WhyText
    acting: int
    rules: tuple[Rule, ...]
    more_rules: tuple[Rule, ...]
    more_acting: int
    runner_up: str
    pressed: str
    spoken: str


def answer_context(s: Sizing, was: Sizing | None = None) -> dict[str, object]:
    """What `_answer.html` is rendered with."""
    return {"v": answer_view(s, was)}


def answer_view(s: Sizing, was: Sizing | None = None) -> View:
    """What the page shows of a design, beside the design before a change."""
    fits = s.shape.id != "does_not_fit"
    node = int(str(s.workload["gpus_per_node"]))
    small = not fits or s.layout.gpus_used <= node
    parts = _parts(s.path)
    rules = sorted(s.rules, key=lambda r: not r.acting)
    return View(
        s=s,
        fits=fits,
        compared=was is not None,
        layout=_layout(s),
        keys=keys(s, was),
        bars=_bars(s, was),
        inputs=parts[:ROWS_IN],
        outputs=parts[ROWS_IN:],
        grid=None if small else grid(s.layout, node, s.step.communication_bytes, s.reliability.stops_per_day),
        stacks=stacks(s.memory, s.layout, node) if small else None,
        strip=strip(s.step),
        banded="days" if s.workload["mfu"] == "model" else "step",
        why=_why(s.why, fits),
        acting=sum(r.acting for r in s.rules),
        rules=tuple(rules[:RULES_SHOWN]),
        more_rules=tuple(rules[RULES_SHOWN:]),
        more_acting=sum(r.acting for r in rules[RULES_SHOWN:]),
        runner_up=_sizes_text(s.runner_up.layout) if s.runner_up else "",
        pressed=max(s.bottlenecks, key=lambda b: b.load).status,
        spoken=_spoken(s),
    )


def _bars(s: Sizing, was: Sizing | None) -> tuple[Bar, ...]:
    before = {b.id: b for b in was.bottlenecks} if was else {}
    return tuple(_bar(b, before.get(b.id)) for b in s.bottlenecks)


def _bar(b: Bottleneck, was: Bottleneck | None) -> Bar:
    text, unit = _load_text(b)
    return Bar(
        id=b.id,
        label=b.label,
        short=SHORT_NAMES[b.id],
        status=b.status,
        value=b.load,
        text=text,
        unit=unit,
        note=b.figure.note,
        fill=pct(min(b.load, 1.0), SCALE_END),
        over=pct(min(b.load, SCALE_END) - 1, SCALE_END) if b.load > 1 else "",
        beyond=b.load > SCALE_END,
        ghost=pct(min(was.load, SCALE_END), SCALE_END) if was else "",
        was="was " + " ".join(_load_text(was)) if was else "",
    )


def _load_text(b: Bottleneck) -> tuple[str, str]:
    """A load as the engine writes it; the engine stops counting at 1000 %."""
    if b.load < 10:
        return b.figure.text, b.figure.unit
    return ("no", "room") if b.id == "activations" else ("> " + b.figure.text, b.figure.unit)


def _parts(path: tuple[PathPart, ...]) -> tuple[Part, ...]:
    groups = ["", *(p.group for p in path)]
    return tuple(_part(p, p.group if p.group != groups[i] else "") for i, p in enumerate(path))


def _part(p: PathPart, group: str) -> Part:
    main = p.figures[0] if p.figures else None
    return Part(
        id=p.id,
        label=p.label,
        group=group,
        lit=p.lit,
        main=_shown(main) if main else None,
        unit=f"{main.unit} {main.note}".removesuffix(" exchange a step").strip() if main else "",
        lines=_lines(p.figures[1:], p.notes),
    )


def _lines(figures: tuple[Figure, ...], notes: tuple[str, ...]) -> tuple[Line, ...]:
    """Each further figure inside the note that speaks of it, else on a line of its own."""
    lines = [Line(note, None, "") for note in notes]
    own = []
    for f in figures:
        told = next((i for i, line in enumerate(lines) if not line.figure and _tells(line.before, f)), None)
        if told is None:
            own.append(_own_line(f))
        else:
            before, _, after = lines[told].before.partition(f.text)
            lines[told] = Line(before, _shown(f), after)
    return (*own, *lines)


def _tells(note: str, f: Figure) -> bool:
    """Whether a note has this figure, whatever space stands before its unit."""
    words = " ".join(note.split())
    return re.search(rf"(?<![\d.]){re.escape(' '.join(f.text.split()))} ?{re.escape(f.unit)}(?!\w)", words) is not None


def _own_line(f: Figure) -> Line:
    """Bytes on a link carry a piece of that link, as wide as it is drawn."""
    if f.id.startswith("step.communication_bytes"):
        return Line("", _shown(f), f" {f.unit}", num(link_pixels(f.value)) if f.value > 0 else "")
    return Line("", _shown(f), f" {f.unit} {f.note}".removesuffix(" exchange a step").rstrip())


def _shown(f: Figure) -> Shown:
    return Shown(f.id, f.value, f.text)


RECOMPUTE = {"none": "no recompute", "selective": "selective recompute", "full": "full recompute"}
SIZES = ("tensor", "pipeline", "context", "expert", "data")


def _layout(s: Sizing) -> LayoutText:
    x = s.layout
    sizes = tuple((n, shown(f"layout.{n}", v)) for n in SIZES if (v := getattr(x, n)) > 1)
    steps = " micro-batches a step" if x.microbatches > 1 else " micro-batch a step"
    rest = [
        ("ZeRO ", shown("layout.zero_stage", x.zero_stage), ""),
        ("micro-batch ", shown("layout.micro_batch", x.micro_batch), ""),
        ("", shown("layout.chunks", x.chunks), " chunks"),
        ("", shown("layout.microbatches", x.microbatches), steps),
    ]
    if x.chunks == 1:
        del rest[2]
    idle = int(str(s.workload["gpus"])) - x.gpus_used
    word = "GPU" if idle == 1 else "GPUs"
    return LayoutText(sizes, tuple(rest), RECOMPUTE[x.recompute], f"{grouped(idle)} {word} idle" if idle > 0 else "")


def _sizes_text(x: Layout) -> str:
    sizes = " × ".join(f"{n} {grouped(getattr(x, n))}" for n in SIZES if getattr(x, n) > 1)
    return ", ".join((sizes or "one GPU", f"ZeRO {x.zero_stage}", RECOMPUTE[x.recompute]))


def _why(rows: tuple[Why, ...], fits: bool) -> WhyText:
    def of(kind: str) -> tuple[str, ...]:
        return tuple(r.text for r in rows if r.kind == kind)

    changes = tuple(r for r in rows if r.kind == "change")
    heading = "Why this changed" if changes else "Why this shape"
    lead = " ".join(of("lead"))
    return WhyText(heading if fits else "Why it does not fit", lead, of("cause"), of("binds"), changes)


def _spoken(s: Sizing) -> str:
    """One sentence for those who listen to the page."""
    pressed = [f"{b.label} {b.status}" for b in s.bottlenecks if b.status != "ok"]
    days = s.run.wall_days
    long = f"{grouped(days, 0 if days >= 10 else 1)} days with stops" if math.isfinite(days) else "no end"
    return f"{s.shape.title}: {', '.join((long, *pressed))}."
