"""Step 3: a layer cut over the GPUs of one server, and what its exchange would cost between servers."""

from dataclasses import dataclass

from markupsafe import Markup

from app.model.calibration import TIME
from app.model.collectives import Links, allreduce_bytes, bus_bytes_per_s, exchange_seconds, nodes_spanned
from app.model.derivations import Derivation, derivation
from app.model.derivations.record import derived, engine
from app.model.phrases import joined, number, size, some, span
from app.model.units import grouped, scaled, significant
from app.svg import num, pct
from app.walkthrough.record import Ask, Bar, Bars, Input, Speaker, Step, Table, say

MOST_CELLS = 16
"""GPUs of a server that are drawn."""
SHOWN_BESIDE = 2
"""GPUs of the next server that are drawn."""
FAST_WIDTH, LEAST_WIDTH = 12.0, 1.0
HALVES = 2
"""An all-reduce is a reduce-scatter and an all-gather: two starts."""


@dataclass(frozen=True)
class Exchange:
    """One sum of a layer's result over the GPUs that share it: inside a server, and one GPU in each server.

    inside_rate, outside_rate: what a GPU moves [bytes/s]; the start of an exchange grows with the hops
    """

    members: int
    sent: float
    inside_rate: float
    outside_rate: float
    inside: float
    outside: float

    @property
    def ratio(self) -> float:
        return self.outside / self.inside


def exchange(to: Speaker) -> Exchange:
    """Of this design's cut; of one over a whole server where it has none."""
    facts = to.facts
    links = facts.links
    members = members_of(to)
    sent = float(allreduce_bytes(facts.chip.element_bytes * facts.micro_tokens * facts.design.model.hidden, members))
    near = Links(links.fast_bytes_per_s, links.slow_bytes_per_s, max(members, links.gpus_per_node))
    inside = float(bus_bytes_per_s(near, members, 1))
    outside = float(bus_bytes_per_s(Links(links.fast_bytes_per_s, links.slow_bytes_per_s, 1), members, 1))
    hops = TIME["hop_seconds"] / TIME["latency_seconds"] * (members - 1)
    return Exchange(
        members, sent, inside, outside,
        inside=float(exchange_seconds(sent, inside, HALVES)),
        outside=float(exchange_seconds(sent, outside, HALVES * (1 + hops))),
    )  # fmt: skip


def members_of(to: Speaker) -> int:
    layout, node = to.design.layout, to.facts.links.gpus_per_node
    return layout.tensor if layout.tensor > 1 else max(2, node)


def step(to: Speaker) -> Step:
    d, e = to.design, exchange(to)
    cut = d.layout.tensor > 1
    links = to.facts.links
    return Step(
        id="layer",
        name="Split layers",
        setup=say(
            "Tensor parallelism cuts every matrix of a layer over several GPUs. Each then has a part of every "
            "result, and the parts must be summed inside each layer, on the way forward and on the way back. "
            "Nothing can go on meanwhile."
        )
        + ("" if cut else say(" This design cuts no layer; the question is about a cut over {n}.",
                              n=some(e.members, "GPU"))),
        inputs=(
            Input("GPUs that share a layer", to.count("layout.tensor")),
            Input("GPUs of a server", grouped(links.gpus_per_node)),
            Input("A GPU’s link inside it", rate(links.fast_bytes_per_s)),
            Input("A GPU’s link between servers", rate(links.slow_bytes_per_s)),
            Input("Sent by each GPU for one sum", size(e.sent)),
        ),
        ask=Ask(
            "If each GPU of the cut sat in a server of its own, how many times as long would one sum take?",
            e.ratio, "×", *_ends(e.ratio),
        ),
        title=_title(to, e),
        story=_story(to, e),
        sums=(*((derivation(d, "step.communication_bytes.tensor"),) if cut else ()), _sum(to, e)),
        picture="layer",
        drawing=drawing(to, e),
        label=f"A layer cut in {e.members}, a slice to each GPU of a server; a thin link leads to the next server.",
        caption=_caption(to, e),
        table=Table(
            "One sum of a layer",
            ("", "rate that is reached", "time"),
            (("inside a server", rate(e.inside_rate), span(e.inside)),
             ("between servers", rate(e.outside_rate), span(e.outside))),
        ),
        known=_known(to),
        rules=("tensor-splits-layers", "tensor-inside-node"),
    )  # fmt: skip


def _ends(ratio: float) -> tuple[float, float]:
    """From 1 × on; three decades hold all but the oddest networks."""
    return (1.0, 1000.0) if ratio < 500 else (1.0, 1e6)


def rate(value: float) -> str:
    amount, letter = scaled(value, giga="G")
    return joined((amount.rstrip("0").rstrip(".") if "." in amount else amount, f"{letter}B/s"))


def _title(to: Speaker, e: Exchange) -> str:
    longer = f"{significant(e.ratio, 2)} × as long"
    layout, node = to.design.layout, to.facts.links.gpus_per_node
    if layout.tensor > node:
        return f"Between servers a sum takes {longer}, and this cut leaves its server"
    if layout.tensor > 1:
        return f"Between servers a sum takes {longer}, so the cut stays inside one"
    return f"Between servers a sum would take {longer}: a cut would stay inside one"


def _story(to: Speaker, e: Exchange) -> tuple[Markup, ...]:
    d = to.design
    first = say("One sum takes {inside} inside a server and {outside} across.", inside=span(e.inside),
                outside=span(e.outside))  # fmt: skip
    if d.layout.tensor == 1:
        return first, say("Here the tensor size is {t}, and no sum is needed.", t=to.count("layout.tensor"))
    facts = to.facts
    sums = 2 * facts.passes * facts.x.microbatches * facts.layers
    return first, say(
        "A GPU goes through {sums} of them in a step and sends {bytes}; {seconds} of exchange, {shown} of it in sight.",
        sums=grouped(sums), bytes=to.size("step.communication_bytes.tensor"),
        seconds=to.span("step.communication_seconds.tensor"), shown=to.span("step.tensor_exposed_seconds"),
    )  # fmt: skip


def _known(to: Speaker) -> Markup:
    layout, node = to.design.layout, to.facts.links.gpus_per_node
    if layout.tensor == 1:
        return say("No layer is cut here, so no sum waits for a link. If one must be, a server is the bound.")
    if layout.tensor > node:
        return say("This cut is wider than a server, and pays for it in every layer. A pipeline would cross at less.")
    return say("Layers are cut up to the size of a server; what is still too large is cut by depth, in the next step.")


def _caption(to: Speaker, e: Exchange) -> str:
    node = to.facts.links.gpus_per_node
    shown = min(MOST_CELLS, node)
    part = "" if shown == node else f"{shown} of {grouped(node)} GPUs of a server are drawn. "
    if to.design.layout.tensor == 1:
        part += "Not this design: it cuts no layer. "
    return f"{part}Links are as wide as they are fast."


def _sum(to: Speaker, e: Exchange) -> Derivation:
    """The ratio, from the engine’s line of latency and bandwidth."""
    far = TIME["latency_seconds"] + TIME["hop_seconds"] * float(nodes_spanned(Links(1.0, 1.0, 1), e.members, 1))
    return derived(
        "walkthrough.tensor_ratio", "One sum between servers ÷ the same inside one", "r",
        "(D/B_o + 2*u_o) / (D/B_i + 2*u_i)", "×",
        engine("D", "bytes that a GPU sends for one sum", e.sent, "bytes"),
        engine("B_o", "rate between servers that is reached", e.outside_rate, "bytes/s"),
        engine("B_i", "rate inside a server that is reached", e.inside_rate, "bytes/s"),
        engine("2", "starts: a reduce-scatter and an all-gather", HALVES),
        engine("u_o", "start of one exchange between servers", far, "s", note="calibration table"),
        engine("u_i", "start of one exchange inside", TIME["latency_seconds"], "s", note="calibration table"),
        limits=("No other exchange shares the links.",), cites=("nccltests", "PERFORMANCE.md"),
    )  # fmt: skip


@dataclass(frozen=True)
class Cell:
    """A GPU; `slice` is its part of the layer."""

    x: str
    width: str
    middle: str
    kind: str
    slice: str


@dataclass(frozen=True)
class Drawing:
    layer_x: str
    layer_width: str
    layer_text: str
    cells: tuple[Cell, ...]
    beside: tuple[Cell, ...]
    server_width: str
    beside_x: str
    beside_width: str
    fast: str
    slow: str
    bus_end: str
    gap_x: str
    gap_end: str
    fast_text: str
    slow_text: str
    bars: Bars


SERVER, GAP = 76.0, 8.0
"""Percent of the width: the server, and the way to the next."""


def drawing(to: Speaker, e: Exchange) -> Drawing:
    """The layer in slices above the GPUs that hold them, a server and the edge of the next."""
    links = to.facts.links
    shown = min(MOST_CELLS, max(links.gpus_per_node, 1))
    pitch = SERVER / shown
    cells = tuple(_cell(i, i * pitch, pitch, e.members) for i in range(shown))
    start = SERVER + GAP
    beside = tuple(_cell(shown + i, start + i * (100 - start) / SHOWN_BESIDE, (100 - start) / SHOWN_BESIDE, 0)
                   for i in range(SHOWN_BESIDE))  # fmt: skip
    held = min(shown, e.members)
    slow = FAST_WIDTH * links.slow_bytes_per_s / links.fast_bytes_per_s
    longest = max(e.inside, e.outside)
    rows = tuple(
        Bar(label, "", "0%", pct(seconds, longest), span(seconds), kind)
        for label, seconds, kind in (("inside a server", e.inside, "fast"), ("between servers", e.outside, "slow"))
    )
    return Drawing(
        layer_x="0%",
        layer_width=pct(held * pitch, 100),
        layer_text=f"one layer, cut in {number(e.members)}",
        cells=cells,
        beside=beside,
        server_width=pct(SERVER, 100),
        beside_x=pct(start, 100),
        beside_width=pct(100 - start, 100),
        fast=num(FAST_WIDTH),
        slow=num(min(FAST_WIDTH, max(LEAST_WIDTH, slow))),
        bus_end=pct(SERVER - pitch / 2, 100),
        gap_x=pct(SERVER, 100),
        gap_end=pct(start, 100),
        fast_text=f"{rate(links.fast_bytes_per_s)} inside",
        slow_text=f"{rate(links.slow_bytes_per_s)} between",
        bars=Bars(rows),
    )


def _cell(index: int, x: float, pitch: float, members: int) -> Cell:
    inset = 0.12 * pitch
    mine = index < members
    return Cell(
        pct(x + inset, 100), pct(pitch - 2 * inset, 100), pct(x + pitch / 2, 100), "mine" if mine else "other",
        grouped(index + 1) if mine else "",
    )  # fmt: skip
