"""Bytes on the fullest GPU, part by part."""

from collections.abc import Callable

from app.model.derivations.facts import Facts
from app.model.derivations.record import (
    Derivation,
    Reading,
    Term,
    derived,
    engine,
    in_gigabytes,
    listed_value,
    setting,
    some_of,
    source,
    sum_of,
    verified,
)
from app.model.memory import bytes_per_param

ZERO = ("zero", "section 3.1")
SHARDED = ("zero", "section 5 and figure 1")
PARTS = {
    "weights": ("W", "weights"),
    "gradients": ("E", "gradients"),
    "optimizer": ("O", "optimizer state"),
    "activations": ("A", "activations"),
    "overhead": ("B", "buffers and gaps"),
}


def total(facts: Facts) -> Derivation:
    memory = facts.design.memory
    parts = tuple(
        engine(letter, words, getattr(memory, f"{name}_bytes"), "bytes", f"memory.{name}_bytes")
        for name, (letter, words) in PARTS.items()
    )
    where = "" if facts.x.pipeline == 1 else f", one of stage {memory.fullest_stage + 1}"
    return in_gigabytes(
        "memory.total_bytes", f"Memory of the fullest GPU{where}", "M", sum_of(parts), some_of(parts),
        limits=("All five at once: the moment before the backward pass of the last micro-batch in flight.",),
    )  # fmt: skip


def capacity(facts: Facts) -> Derivation:
    return _held(facts, "capacity_bytes", "Memory of one GPU, as it is sold", "memory_bytes")


def usable(facts: Facts) -> Derivation:
    return _held(facts, "usable_bytes", "Memory that a process can have on one GPU", "usable_bytes")


def _held(facts: Facts, name: str, title: str, quantity: str) -> Derivation:
    gpu = facts.design.accelerator
    note = gpu.sources.get(quantity, "")
    term = listed_value("U", gpu.name, getattr(facts.design.memory, name), "bytes", note)
    return in_gigabytes(f"memory.{name}", title, "U", "U", (term,))


def _bytes_of_state(facts: Facts, total: int) -> tuple[tuple[Term, ...], tuple[Term, ...]]:
    """Bytes of a weight, and of what training adds to each trained one."""
    each = bytes_per_param(total, facts.design.workload.precision)
    copy = each.optimizer - 8
    weight = verified("w", f"bytes of a weight in {8 * each.weights:.0f} bit", each.weights, "", *ZERO)
    added = (
        verified("g", "bytes of its gradient", each.gradients, "", *_of_gradient(total)),
        *((verified("c", "bytes of its copy in 32 bit", copy, "", *ZERO),) if copy else ()),
        verified("m", "bytes of Adam's momentum", 4, "", *ZERO),
        verified("v", "bytes of Adam's variance", 4, "", *ZERO),
    )
    return (weight,), added


def _of_gradient(total: int) -> tuple[str, str]:
    return ZERO if total == 16 else ("mcoredist", "bytes for each parameter")


def state(facts: Facts) -> Derivation:
    workload = facts.design.workload
    asked = workload.bytes_per_param
    words = {16: "16 bytes", 18: "18: gradients in 32 bit", 20: "20: both kinds of gradient"}
    readings = tuple(_state(facts, n, words[n]) for n in sorted(words, key=lambda n: (n != asked, n)))
    return Derivation(
        "memory.state_bytes", "Training state of the whole model", "S", readings,
        ("Adam in mixed precision; 8-bit optimizers and 16-bit moments take less.",), source(*ZERO),
        "Bytes for each parameter",
    )  # fmt: skip


def _state(facts: Facts, total: int, label: str) -> Reading:
    weight, added = _bytes_of_state(facts, total)
    more = " + ".join(t.name for t in added)
    workload = facts.design.workload
    if facts.trained == 1:
        return Reading(str(total), label, f"(w + {more})*N", (*weight, *added, facts.params()), "bytes")
    trained = setting("N_t", "parameters that are trained", workload.trained_params)
    formula = f"w*N + ({more})*N_t"
    return Reading(str(total), label, formula, (*weight, *added, facts.params(), trained), "bytes")


def gpus_for_state(facts: Facts) -> Derivation:
    memory = facts.design.memory
    return derived(
        "memory.gpus_for_state", "GPUs that the state alone would fill", "n", "ceil(S / U)", "GPUs",
        engine("S", "training state", memory.state_bytes, "bytes", "memory.state_bytes"),
        engine("U", "memory of one GPU, as it is sold", memory.capacity_bytes, "bytes", "memory.capacity_bytes"),
        limits=("Without activations, buffers or what a process cannot have.",),
    )  # fmt: skip


def _kept(part: str, stage: int, title: str) -> Callable[[Facts], Derivation]:
    """One part of the state on the fullest GPU; ZeRO divides it from `stage` on."""

    def made(facts: Facts) -> Derivation:
        weight, added = _bytes_of_state(facts, facts.design.workload.bytes_per_param)
        each = {"weights": weight, "gradients": added[:1], "optimizer": added[1:]}[part]
        what, terms = _divided(facts, stage)
        if part != "weights" and facts.trained != 1:
            what = f"f * {what}"
            terms = (*terms, setting("f", "share of the parameters that is trained", facts.trained))
        bytes = " + ".join(t.name for t in each)
        return derived(
            f"memory.{part}_bytes", f"{title} on the fullest GPU", PARTS[part][0],
            f"({bytes}) * {what}", "bytes", *each, *terms, cites=SHARDED,
            limits=(f"ZeRO shards it from stage {stage} on; this design has stage {facts.x.zero_stage}.",),
        )  # fmt: skip

    return made


def _divided(facts: Facts, stage: int) -> tuple[str, tuple[Term, ...]]:
    """Parameters of which one GPU keeps this part of the state, as a formula and its terms."""
    shared, experts = facts.gpu_params
    terms = [engine("P", "parameters on this GPU before ZeRO", shared, "", "memory.gpu_params")]
    whole = facts.x.zero_stage < stage or facts.x.shards == 1
    what = "P" if whole else "P / z"
    if not whole:
        terms.append(engine("z", "GPUs that share it: data × context", facts.x.shards))
    if experts:
        terms.append(engine("P_e", "parameters of experts on this GPU", experts, "", "memory.gpu_expert_params"))
        what += " + P_e" if whole else " + P_e / z_e"
        if not whole:
            terms.append(engine("z_e", "GPUs that share an expert's state", max(1, facts.x.shards // facts.x.expert)))
        what = f"({what})"
    return what, tuple(terms)


FIGURES = {
    "memory.total_bytes": total,
    "memory.capacity_bytes": capacity,
    "memory.usable_bytes": usable,
    "memory.state_bytes": state,
    "memory.gpus_for_state": gpus_for_state,
    "memory.weights_bytes": _kept("weights", 3, "Weights"),
    "memory.gradients_bytes": _kept("gradients", 2, "Gradients"),
    "memory.optimizer_bytes": _kept("optimizer", 1, "Optimizer state"),
}
