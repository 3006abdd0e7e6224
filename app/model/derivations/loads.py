"""The five loads, and the pipeline's bubble."""

from app.model.bottlenecks import ALLOWED_LOSS, MOST
from app.model.derivations.facts import Facts
from app.model.derivations.record import (
    Derivation,
    Reading,
    Term,
    Terms,
    derived,
    engine,
    gigabytes,
    some_of,
    source,
    sum_of,
    teaching,
)
from app.model.path import EXCHANGE_WORDS, EXCHANGES

MARKS = "Called tight from 70 %, over from 100 %: teaching assumptions."
BUBBLE = ("narayanan21", "sections 2.2.1 and 2.2.2")
GPIPE = ("gpipe", "section 2.3")


def _load(facts: Facts, id: str, title: str, formula: str, *terms: Term, limits: tuple[str, ...] = ()) -> Derivation:
    """A load, which the lab counts no further than ten times."""
    name = f"bottlenecks.{id}.load"
    value = next(b.load for b in facts.design.bottlenecks if b.id == id)
    if value >= MOST:
        terms = (*terms, teaching("10", "the lab counts no further", MOST))
        formula = f"min(10, {formula})"
    return derived(name, title, "load", formula, "share", *gigabytes(*terms), limits=(*limits, MARKS))


def memory(facts: Facts) -> Derivation:
    m = facts.design.memory
    return _load(
        facts, "memory", "Memory load: fullest GPU ÷ what a GPU gives out", "M / U",
        engine("M", "memory of the fullest GPU", m.total_bytes, "bytes", "memory.total_bytes"),
        engine("U", "usable memory of a GPU", m.usable_bytes, "bytes", "memory.usable_bytes"),
    )  # fmt: skip


def collectives(facts: Facts) -> Derivation:
    step = facts.design.step
    parts = tuple(
        engine(f"x_{kind[0]}", f"{EXCHANGE_WORDS[kind]} exchange", getattr(step.communication_seconds, kind), "s",
               f"step.communication_seconds.{kind}")
        for kind in EXCHANGES
    )  # fmt: skip
    compute = engine("c", "seconds of computing", step.compute_seconds, "s", "step.compute_seconds")
    return _load(
        facts, "collectives", "Communication load: seconds of exchange ÷ seconds of computing",
        f"({sum_of(parts)}) / c", *some_of(parts), compute, limits=("All exchanges, hidden behind computing or not.",),
    )  # fmt: skip


def data_pipeline(facts: Facts) -> Derivation:
    data = facts.design.data
    return _load(
        facts, "data_pipeline", "Data load: tokens needed ÷ tokens streamed", "n / R",
        engine("n", "tokens a second that keep the mesh fed", data.needed_tokens_per_s, "tokens/s",
               "data.needed_tokens_per_s"),
        engine("R", "what the loaders stream", data.supplied_tokens_per_s, "tokens/s", "data.supplied_tokens_per_s"),
    )  # fmt: skip


def activations(facts: Facts) -> Derivation:
    m = facts.design.memory
    state = m.weights_bytes + m.gradients_bytes + m.optimizer_bytes
    terms = (
        engine("A", "activations", m.activations_bytes, "bytes", "memory.activations_bytes"),
        engine("U", "usable memory of a GPU", m.usable_bytes, "bytes", "memory.usable_bytes"),
        engine("W", "weights", m.weights_bytes, "bytes", "memory.weights_bytes"),
        engine("E", "gradients", m.gradients_bytes, "bytes", "memory.gradients_bytes"),
        engine("O", "optimizer state", m.optimizer_bytes, "bytes", "memory.optimizer_bytes"),
    )
    title = "Activation load: activations ÷ what the state leaves of a GPU"
    if state >= m.usable_bytes:
        full = teaching("a", "the state alone fills the GPU: the lab shows no more than this", MOST)
        return derived("bottlenecks.activations.load", title, "load", "a", "share", full, limits=(MARKS,))
    return _load(facts, "activations", title, "A / (U - W - E - O)", *terms)


def failures(facts: Facts) -> Derivation:
    goodput = facts.design.reliability.goodput
    return _load(
        facts, "failures", "Failure load: time lost ÷ what stops may cost", "(1 - g) / a",
        engine("g", "goodput: share of time that is new training", goodput, "share", "reliability.goodput"),
        teaching("a", "share of the time that stops may cost", ALLOWED_LOSS, "share"),
    )  # fmt: skip


def bubble(facts: Facts) -> Derivation:
    return _bubble(facts, "pipeline.bubble_over_ideal", "The pipeline's bubble, over the ideal time", "ideal")


def idle(facts: Facts) -> Derivation:
    return _bubble(facts, "pipeline.idle_fraction", "The pipeline's bubble, over the whole of its time", "whole")


def _bubble(facts: Facts, id: str, title: str, first: str) -> Derivation:
    chunks = facts.design.layout.chunks
    terms: Terms = (facts.size("p", "pipeline", "stages"), facts.size("m", "microbatches", "micro-batches of a step"))
    if chunks > 1:
        terms = (*terms, facts.size("v", "chunks", "chunks of layers on a stage"))
    work = "m" if chunks == 1 else "v*m"
    readings = (
        Reading("ideal", "over the ideal time", f"(p - 1) / ({work})", terms, "share",
                note="Narayanan's: idle slots over slots of work."),
        Reading("whole", "over the whole time", f"(p - 1) / ({work} + p - 1)", terms, "share",
                note="GPipe's: idle slots over all slots."),
    )  # fmt: skip
    ordered = tuple(sorted(readings, key=lambda r: r.id != first))
    limits = ("Equal stages, and a flush after each batch.", "The same for GPipe and 1F1B.")
    return Derivation(
        id, title, "b", ordered, limits, source(*(BUBBLE if first == "ideal" else GPIPE)), "Idle over what"
    )


def stages(facts: Facts) -> Derivation:
    return derived("pipeline.stages", "Stages", "p", "p", "stages", facts.size("p", "pipeline", "stages"))


def microbatches(facts: Facts) -> Derivation:
    term = facts.size("m", "microbatches", "micro-batches of a step")
    return derived("pipeline.microbatches", "Micro-batches of a step", "m", "m", "", term)


FIGURES = {
    "bottlenecks.memory.load": memory,
    "bottlenecks.collectives.load": collectives,
    "bottlenecks.data_pipeline.load": data_pipeline,
    "bottlenecks.activations.load": activations,
    "bottlenecks.failures.load": failures,
    "pipeline.bubble_over_ideal": bubble,
    "pipeline.idle_fraction": idle,
    "pipeline.stages": stages,
    "pipeline.microbatches": microbatches,
}
