"""The sizes of the layout: counted from others, or chosen by the search and within which bounds."""

import math
from collections.abc import Callable
from functools import partial

from app.model.derivations.facts import Facts
from app.model.derivations.record import Derivation, derived, engine, setting
from app.model.phrases import some
from app.model.units import grouped

SEARCHED = (
    "The engine scores every legal layout. Of those that fit within 10 % of the fastest it takes the one with the "
    "fewest splits, then the smallest."
)
FASTEST = "The engine scores every legal layout that fits and takes the fastest."


def data(facts: Facts) -> Derivation:
    x, w = facts.x, facts.design.workload
    id, title = "layout.data", "Data-parallel size: GPUs ÷ GPUs of one replica"
    replica = tuple(facts.size(n, p, words) for n, p, words in (
        ("t", "tensor", "tensor size"), ("p", "pipeline", "pipeline size"), ("c", "context", "context size"),
    ))  # fmt: skip
    sequences = setting("q", "sequences of a step", facts.sequences, "", "batch ÷ sequence length, rounded")
    if w.data is None:
        inner, terms = "min(floor(G / (t*p*c)), q)", (facts.gpus(), *replica, sequences)
    else:
        inner, terms = "min(D, q)", (setting("D", "replicas, as set", w.data), sequences)
    share = x.expert // math.gcd(x.expert, x.context)
    if share > 1:
        e = engine("e", "experts' group ÷ what it shares with context", share)
        inner, terms = f"e * floor({inner} / e)", (*terms, e)
    if x.data == 1:
        inner = f"max(1, {inner})"
    limits = ("No replica without a sequence of its own; what is left over of the GPUs stays idle.",)
    return derived(id, title, "d", inner, "replicas", *terms, limits=limits, cites=("narayanan21", "section 3"))


def microbatches(facts: Facts) -> Derivation:
    return derived(
        "layout.microbatches", "Micro-batches that one replica works through in a step", "m", "ceil(q / (d*b))", "",
        setting("q", "sequences of a step", facts.sequences, "", "batch ÷ sequence length, rounded"),
        facts.size("d", "data", "replicas"), facts.size("b", "micro_batch", "sequences of a micro-batch"),
        limits=("Rounded up: the last one may be short.",), cites=("narayanan21", "section 2.2"),
    )  # fmt: skip


def used(facts: Facts) -> Derivation:
    sizes = (("t", "tensor"), ("p", "pipeline"), ("c", "context"), ("d", "data"))
    terms = tuple(facts.size(n, part, f"{part} size") for n, part in sizes)
    return derived(
        "layout.gpus_used", "GPUs that work", "G", "t*p*c*d", "GPUs", *terms, cites=("narayanan21", "section 3")
    )


BOUNDS = {
    "tensor": "It divides the {heads}, and stays within a node of {node} GPUs.",
    "pipeline": "At most one stage for each of the {layers}.",
    "context": "Only while each GPU keeps 8192 tokens of a sequence.",
    "expert": "A power of two that divides the experts and the GPUs that share their state.",
    "zero_stage": "0 keeps all state whole; 1, 2 and 3 shard optimizer, then gradients, then weights.",
    "micro_batch": "A power of two, at most the sequences of one replica.",
    "chunks": "Interleaved blocks of layers: they divide the bubble and multiply its traffic.",
}
TITLES = {
    "tensor": ("Tensor size: GPUs that share each layer", "t", "GPUs"),
    "pipeline": ("Pipeline size: stages that the depth is cut into", "p", "stages"),
    "context": ("Context size: GPUs that share one sequence", "c", "GPUs"),
    "expert": ("Expert size: GPUs that share the experts of a layer", "e", "GPUs"),
    "zero_stage": ("ZeRO stage: how much of the state is sharded", "z", ""),
    "micro_batch": ("Micro-batch: sequences that go through at once", "b", "sequences"),
    "chunks": ("Chunks: interleaved blocks of layers on a stage", "v", ""),
}


def _size(part: str, facts: Facts) -> Derivation:
    title, letter, unit = TITLES[part]
    w, model = facts.design.workload, facts.design.model
    value = getattr(facts.design.layout, part)
    bound = BOUNDS[part].format(
        heads=some(model.heads, "head"), node=grouped(w.gpus_per_node), layers=some(model.layers, "layer")
    )
    if getattr(w, part) is not None:
        term, rule = setting(letter, "as set in the drawer", value), "The search keeps what is set."
    else:
        term = engine(letter, "chosen by the search", value)
        rule = SEARCHED if w.goal == "simplest" else FASTEST
    return derived(f"layout.{part}", title, letter, letter, unit, term, limits=(rule, bound))


FIGURES: dict[str, Callable[[Facts], Derivation]] = {
    "layout.data": data,
    "layout.microbatches": microbatches,
    "layout.gpus_used": used,
    **{f"layout.{part}": partial(_size, part) for part in TITLES},
}
