"""Step 1: the training state of the whole model against the memory of one GPU."""

from markupsafe import Markup

from app.model.derivations import derivation
from app.model.memory import BytesPerParam
from app.model.phrases import joined, number, size, sold, some, times
from app.model.units import bytes_text, count, grouped
from app.svg import pct
from app.walkthrough.record import Ask, Bar, Bars, Input, Speaker, Step, Table, say

MOST_MARKS = 64
"""Marks of one GPU each along the bar of the whole state."""


def step(to: Speaker) -> Step:
    d = to.design
    memory, gpu = d.memory, to.gpu
    parts = parts_of(to.facts.each, d.workload.params, float(d.workload.trained_params or 0))
    need = memory.state_bytes / memory.capacity_bytes
    value, unit = bytes_text(memory.state_bytes)
    return Step(
        id="state",
        name="Count memory",
        setup=say(
            "Before any plan: what must the GPUs remember between two steps? For each parameter its weight, its "
            "gradient, and what the optimizer Adam keeps to move it. All of that together is the training state."
        ),
        inputs=(
            Input("Parameters", count(d.workload.params)),
            *((Input("of them trained", count(d.workload.trained_params or 0)),) if to.facts.trained < 1 else ()),
            Input("Precision", d.workload.precision),
            Input(f"Memory of one {gpu}", to.figure("memory.capacity_bytes", sold(memory.capacity_bytes))),
        ),
        ask=Ask(f"How much memory does the training state of {count(d.workload.params)} parameters take?",
                memory.state_bytes / BYTES[unit], unit),
        title=f"{joined((value, unit))} of state: {against(need)} one {gpu}",
        story=(_bytes(to), _gpus(to, need)),
        sums=(derivation(d, "memory.state_bytes"), derivation(d, "memory.gpus_for_state")),
        picture="bars",
        drawing=bars(parts, memory.state_bytes, memory.capacity_bytes, gpu, to),
        label=f"The state in parts, one after the other, against {sold(memory.capacity_bytes)} of one {gpu}.",
        caption=_caption(need, gpu),
        table=_table(parts, to),
        known=say(
            "Activations, the values kept for the backward pass, come on top. So the first decision is how to split "
            "the state." if need > 1 else
            "One GPU holds the state, and splitting it is a choice, not a need. Activations, the values kept for the "
            "backward pass, come on top."
        ),
        rules=("sixteen-bytes",),
    )  # fmt: skip


BYTES = {"B": 1.0, "kB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12, "PB": 1e15}

Part = tuple[str, str, float, float]
"""Name, kind of state, bytes for each parameter, bytes in all."""


def parts_of(each: BytesPerParam, params: float, trained: float) -> tuple[Part, ...]:
    """What the state consists of. Adam keeps two numbers of 4 bytes; what is left is a copy of the weight."""
    moment = 4.0
    copy = each.optimizer - 2 * moment
    parts = (
        ("weight", "weights", each.weights, each.weights * params),
        ("gradient", "gradients", each.gradients, each.gradients * trained),
        ("copy in 32 bit", "optimizer", copy, copy * trained),
        ("momentum", "optimizer", moment, moment * trained),
        ("variance", "optimizer", moment, moment * trained),
    )
    return tuple(p for p in parts if p[2])


def bars(parts: tuple[Part, ...], state: float, capacity: float, gpu: str, to: Speaker) -> Bars:
    """Each part where the one before it ends, then all, then one GPU on the same scale."""
    top = max(state, capacity)
    rows, start = [], 0.0
    for name, kind, each, total in parts:
        rows.append(Bar(name, some(each, "byte"), pct(start, top), pct(total, top), size(total), kind))
        start += total
    gpus = int(state / capacity)
    marks = tuple(pct(i * capacity, top) for i in range(1, gpus + 1)) if 1 <= gpus <= MOST_MARKS else ()
    rows.append(Bar("all of it", "", "0%", pct(state, top), to.size("memory.state_bytes"), "whole", "", True, marks))
    rows.append(Bar(f"one {gpu}", "", "0%", pct(capacity, top), sold(capacity), "limit", "", True))
    return Bars(tuple(rows), pct(capacity, top), sold(capacity))


def against(need: float) -> str:
    """The state as a multiple or a part of one GPU's memory."""
    return f"{times(need)} memory of" if need > 1 else "it fits on"


def _bytes(to: Speaker) -> Markup:
    each = to.facts.each
    return say(
        "Each trained parameter keeps {total} bytes: {w} for the weight, {g} for its gradient, {o} for the optimizer.",
        total=number(to.design.workload.bytes_per_param), w=number(each.weights), g=number(each.gradients),
        o=number(each.optimizer),
    )  # fmt: skip


def _gpus(to: Speaker, need: float) -> Markup:
    if need <= 1:
        return say("It needs {n} GPU, and leaves room on it.", n=to.count("memory.gpus_for_state"))
    return say("The state alone fills {n} GPUs, before any arithmetic is done.", n=to.count("memory.gpus_for_state"))


def _caption(need: float, gpu: str) -> str:
    if need <= 1:
        return f"The upright line is the memory of one {gpu}."
    marks = "; each notch is one more GPU" if int(need) <= MOST_MARKS else ""
    return f"The upright line is the memory of one {gpu}{marks}."


def _table(parts: tuple[Part, ...], to: Speaker) -> Table:
    rows = tuple((name, grouped(each), size(total)) for name, _, each, total in parts)
    total = ("all of it", grouped(to.design.workload.bytes_per_param), to.size("memory.state_bytes"))
    return Table("State, part by part", ("", "bytes for each", "in all"), (*rows, total))
