"""Step 2: the state of one GPU against the number of GPUs that share it, for each stage of ZeRO."""

import math
from dataclasses import dataclass, replace

import numpy as np
from markupsafe import Markup

from app.model.derivations import derivation
from app.model.memory import gpu_memory
from app.model.phrases import joined, size, sold, some, state_on_gpu
from app.model.units import bytes_text, grouped
from app.svg import num, pct
from app.walkthrough.record import Ask, Input, Speaker, Step, Table, say
from app.walkthrough.state import BYTES

STAGES = ("nothing shared", "optimizer", "and gradients", "and weights")
HEIGHT = 240.0
TOP = 16.0
LEAST_SHARDS = 8
MOST_TICKS = 5
LABEL_PITCH = 16.0
ROOM = 0.16
"""Of the scale, below the lowest curve: the label of a point stands there."""


def step(to: Speaker) -> Step:
    d = to.design
    layout, shards = d.layout, d.layout.data * d.layout.context
    kept = state_on_gpu(d)
    value, unit = bytes_text(kept)
    whole = state_of(to, np.array([1.0]), 0)[0]
    sharers = some(shards, "replica") if layout.context == 1 else some(shards, "GPU")
    return Step(
        id="shards",
        name="Shard state",
        setup=say(
            "Replicas of a model each take a part of the batch. Left plain, each also keeps the whole state. ZeRO lets "
            "them share it: stage {one} the optimizer’s part, stage {two} the gradients too, stage {three} the weights "
            "as well.", one=1, two=2, three=3,
        ),
        inputs=(
            Input(_before(to), size(whole)),
            Input("Replicas", to.count("layout.data")),
            *((Input("GPUs to a sequence", to.count("layout.context")),) if layout.context > 1 else ()),
            Input("Stage of ZeRO", to.figure("layout.zero_stage", str(layout.zero_stage))),
        ),
        ask=Ask(
            f"ZeRO {layout.zero_stage} over {sharers}: how much state stays on the fullest GPU?",
            kept / BYTES[unit], unit,
        ),
        title=_title(layout.zero_stage, shards, whole, joined((value, unit)), sharers),
        story=_story(to, whole, kept, shards),
        sums=tuple(derivation(d, f"memory.{part}_bytes") for part in ("weights", "gradients", "optimizer")),
        picture="shards",
        drawing=curves(to, shards, kept),
        label=f"State of the fullest GPU against the GPUs that share it; here {sharers}, ZeRO {layout.zero_stage}.",
        caption="Both scales are logarithmic. The dashed line is what one GPU has; activations need room below it."
        + (" Experts are shared by fewer GPUs, so their part falls later." if layout.expert > 1 else ""),
        table=_table(to, shards),
        known=_known(to),
        rules=("zero-shards-state", "zero-traffic"),
    )  # fmt: skip


def _before(to: Speaker) -> str:
    x = to.design.layout
    cut = x.tensor * x.pipeline
    return "State of a replica on one GPU" if cut == 1 else f"State of the fullest GPU, the model cut in {grouped(cut)}"


def state_of(to: Speaker, shards: np.ndarray, stage: int) -> np.ndarray:
    """State of the fullest GPU if that many share it at that stage. [bytes]"""
    facts = to.facts
    x = replace(facts.x, data=shards, context=1, zero_stage=stage)
    found = gpu_memory(facts.design.workload, facts.design.model, facts.fullest, x)
    return np.broadcast_to(found.weights + found.gradients + found.optimizer, shards.shape)


def _title(stage: int, shards: int, whole: float, kept: str, sharers: str) -> str:
    if shards == 1:
        return f"One replica has nobody to share with: all {kept} stay"
    if stage == 0:
        return f"Plain replicas share nothing: all {kept} stay on each GPU"
    return f"ZeRO {stage} over {sharers} leaves {kept} of {size(whole)}"


def _story(to: Speaker, whole: float, kept: float, shards: int) -> tuple[Markup, ...]:
    parts = {p: to.size(f"memory.{p}_bytes") for p in ("weights", "gradients", "optimizer")}
    first = say(
        "The fullest GPU keeps {weights} of weights, {gradients} of gradients, {optimizer} of optimizer.", **parts
    )
    full = float(state_of(to, np.array([float(shards)]), 3)[0])
    if shards == 1:
        return first, say("More GPUs would make replicas, and replicas could share.")
    if to.design.layout.zero_stage == 3:
        return first, say("Stage {z} shares all of it: what one GPU keeps falls in step with their number.", z=3)
    return first, say(
        "Sharing all of it, at stage {z}, would leave {full}, and would gather the weights anew in every micro-batch.",
        z=3, full=size(full),
    )  # fmt: skip


def _known(to: Speaker) -> Markup:
    d = to.design
    if d.layout.data * d.layout.context == 1:
        return say("Nothing is shared, and nothing is exchanged for it.")
    paid = say(
        "Memory is bought with exchange: each GPU sends {sent} a step for gradients and weights.",
        sent=to.size("step.communication_bytes.data_parallel"),
    )
    if d.layout.tensor * d.layout.pipeline > 1:
        return paid + say(" Sharing alone is not all of this design; the next two steps cut the model itself.")
    if d.memory.fits:
        return paid + say(" With it the model fits, trained by one simple loop: here sharing is the whole split.")
    return paid + say(" Even so it does not fit: {total} of {usable}.", total=to.size("memory.total_bytes"),
                      usable=to.size("memory.usable_bytes"))  # fmt: skip


@dataclass(frozen=True)
class Curve:
    d: str
    name: str
    label_y: str
    here: bool


@dataclass(frozen=True)
class Mark:
    """A round value on an axis: `at` along it."""

    at: str
    text: str


@dataclass(frozen=True)
class Curves:
    """The chart; its inside is 1000 wide and is stretched, its texts stand beside it."""

    height: str
    inner: str
    view_box: str
    curves: tuple[Curve, ...]
    rows: tuple[Mark, ...]
    columns: tuple[Mark, ...]
    limit_y: str
    limit_label_y: str
    limit_text: str
    here_x: str
    here_y: str
    here_label_y: str
    here_anchor: str
    here_text: str
    names_y: str


def curves(to: Speaker, shards: int, kept: float) -> Curves:
    """One curve a stage over 1 to all sharers, the capacity of a GPU, and this design's point."""
    most = 2 ** math.ceil(math.log2(max(LEAST_SHARDS, shards)))
    # Experts are shared by whole groups: between powers of two their curve has no points of its own.
    points = 61 if to.facts.x.expert == 1 else round(math.log2(most)) + 1
    xs = 2 ** np.linspace(0, math.log2(most), points)
    lines = [state_of(to, xs, z) for z in range(len(STAGES))]
    capacity = to.design.memory.capacity_bytes
    low, high = (f(capacity, f(v[-1] for v in lines), f(v[0] for v in lines)) for f in (min, max))
    room = ROOM * math.log10(high / low)
    scale = _Scale(math.log10(low) - room, math.log10(high), most)
    ends = _apart([scale.y(v[-1]) + 4 for v in lines])
    part = scale.x(shards)
    return Curves(
        height=num(TOP + HEIGHT + 28),
        inner=num(TOP + HEIGHT),
        view_box=f"0 0 1000 {num(TOP + HEIGHT)}",
        curves=tuple(
            Curve(_path(xs, v, scale), name, num(y), z == to.design.layout.zero_stage)
            for z, (v, name, y) in enumerate(zip(lines, STAGES, ends, strict=True))
        ),
        rows=_rows(low, high, capacity, scale),
        columns=_columns(most),
        limit_y=num(scale.y(capacity)),
        limit_label_y=num(scale.y(capacity) + 4),
        limit_text=sold(capacity),
        here_x=pct(part),
        here_y=num(scale.y(kept)),
        here_label_y=num(scale.y(kept) + (20 if part > 0 else -10)),
        here_anchor="start" if part < 0.2 else "end" if part > 0.8 else "middle",
        here_text=size(kept),
        names_y=num(TOP + HEIGHT + 18),
    )


@dataclass(frozen=True)
class _Scale:
    """Both axes logarithmic: low and high in powers of ten of a byte."""

    low: float
    high: float
    most: int

    def x(self, shards: float) -> float:
        return math.log2(shards) / math.log2(self.most)

    def y(self, value: float) -> float:
        return TOP + HEIGHT * (self.high - math.log10(value)) / (self.high - self.low)


def _path(xs: np.ndarray, values: np.ndarray, scale: _Scale) -> str:
    return "M" + "L".join(
        f"{num(1000 * scale.x(x))} {num(scale.y(v))}" for x, v in zip(xs.tolist(), values.tolist(), strict=True)
    )


def _rows(low: float, high: float, capacity: float, scale: _Scale) -> tuple[Mark, ...]:
    """Powers of ten, clear of the line of one GPU."""
    powers = [10.0**k for k in range(math.ceil(math.log10(low)), math.floor(math.log10(high)) + 1)]
    clear = [v for v in powers if abs(scale.y(v) - scale.y(capacity)) > LABEL_PITCH]
    return tuple(Mark(num(scale.y(v)), sold(v)) for v in clear)


def _columns(most: int) -> tuple[Mark, ...]:
    last = round(math.log2(most))
    every = math.ceil(last / (MOST_TICKS - 1))
    return tuple(Mark(pct(k, last), grouped(2**k)) for k in range(last, -1, -every))


def _apart(ys: list[float]) -> list[float]:
    """Heights from the top down, each at least a line below the one before, all inside the chart."""
    placed: list[float] = []
    for y in ys:
        placed.append(max(y, placed[-1] + LABEL_PITCH) if placed else y)
    spare = max(0.0, placed[-1] - (TOP + HEIGHT))
    return [y - spare for y in placed]


def _table(to: Speaker, shards: int) -> Table:
    """The curves at a few numbers of sharers, this design's among them."""
    counts = sorted({1, 2, 8, 64, 512, shards})
    columns = [state_of(to, np.array(counts, dtype=float), z) for z in range(len(STAGES))]
    rows = tuple(
        (grouped(n) + (" (here)" if n == shards else ""), *(size(float(c[i])) for c in columns))
        for i, n in enumerate(counts)
    )
    return Table("State of the fullest GPU", ("shared by", *(f"ZeRO {z}" for z in range(len(STAGES)))), rows)
