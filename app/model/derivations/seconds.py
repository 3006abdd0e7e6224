"""The seconds of a step, part by part, apart from what the exchanges show."""

from app.model.calibration import TIME
from app.model.compute import embedding_seconds, head_seconds
from app.model.derivations.facts import Facts
from app.model.derivations.record import Derivation, Term, Terms, derived, engine, setting, some_of, sum_of
from app.model.memory import StageLoad, stages
from app.model.path import EXCHANGES

FITTED = "fitted on published runs"
SCHEDULE = ("narayanan21", "section 2.2")
PARTS = (
    ("c", "compute_seconds", "computing"),
    ("x_t", "tensor_exposed_seconds", "tensor exchange in sight"),
    ("x_c", "context_exposed_seconds", "context exchange in sight"),
    ("x_e", "expert_exposed_seconds", "expert exchange in sight"),
    ("x_p", "pipeline_exposed_seconds", "pipeline exchange in sight"),
    ("x_d", "data_parallel_exposed_seconds", "data-parallel exchange in sight"),
    ("b", "bubble_seconds", "pipeline bubble"),
    ("o", "optimizer_seconds", "optimizer"),
    ("f", "overhead_seconds", "fixed costs and stragglers"),
    ("w", "loader_wait_seconds", "waiting for data"),
)


def _parts(facts: Facts, *names: str) -> tuple[Term, ...]:
    return tuple(
        engine(letter, words, getattr(facts.design.step, name), "s", f"step.{name}")
        for letter, name, words in PARTS
        if not names or name in names
    )


def seconds(facts: Facts) -> Derivation:
    parts = _parts(facts)
    limits = ("Ten parts in all; those that are nothing in this design are left out.",)
    return derived(
        "step.seconds", "One step: what computes, what waits, what is exchanged in sight", "s", sum_of(parts), "s",
        *some_of(parts), limits=limits,
    )  # fmt: skip


def stack_time(facts: Facts) -> tuple[str, tuple[Term, ...]]:
    """The stack's multiplier as a factor, where it is not 1."""
    if facts.time == 1:
        return "", ()
    return "y*", (engine("y", f"multiplier of {facts.chip.stack.name}", facts.time, "", note=FITTED),)


def _ends(facts: Facts, load: StageLoad) -> tuple[Term, ...]:
    """What the first and the last stage compute besides their layers."""
    w, model, chip, x = facts.design.workload, facts.design.model, facts.chip, facts.x
    found: Terms = ()
    if load.embedding:
        found += (engine("e", "token table of one micro-batch", embedding_seconds(w, model, chip, x), "s"),)
    if load.head:
        found += (engine("h", "logits and loss of one micro-batch", head_seconds(w, model, chip, x), "s"),)
    return found


def _layer(facts: Facts) -> tuple[Term, ...]:
    note = "matrix multiplications, attention, passes over memory, launches"
    again = (engine("r", "the same, recomputed", facts.layer.recomputed, "s"),) if facts.layer.recomputed else ()
    return (
        engine("f", "a layer forward, one micro-batch", facts.layer.forward, "s", note=note),
        engine("g", "the same, backward", facts.layer.backward, "s", note="two gradients for each multiplication"),
        *again,
    )


def _stage(facts: Facts, load: StageLoad) -> float:
    layer = facts.layer
    one = layer.forward + layer.backward + layer.recomputed
    return float(load.layers * one + sum(t.value for t in _ends(facts, load)))


def compute(facts: Facts) -> Derivation:
    loads = stages(facts.design.model, facts.x.pipeline)
    slowest = max(loads, key=lambda load: _stage(facts, load))
    ends, layer = _ends(facts, slowest), _layer(facts)
    factor, multiplier = stack_time(facts)
    each = " + ".join(t.name for t in layer)
    inside = " + ".join((f"l*({each})", *(t.name for t in ends)))
    layers = engine("l", "layers on the slowest stage", slowest.layers)
    return derived(
        "step.compute_seconds", "Computing: micro-batches × layers × the time of one", "c",
        f"{factor}m * ({inside})", "s", *multiplier,
        facts.size("m", "microbatches", "micro-batches of a step"), layers, *layer, *ends,
        limits=("Equal work on all GPUs of a stage; the slowest stage sets the pace.",
                "A layer's time is the engine's sum: arithmetic over achieved rates, plus bytes over bandwidth."),
        cites=SCHEDULE,
    )  # fmt: skip


def bubble(facts: Facts) -> Derivation:
    step, model = facts.design.step, facts.design.model
    whole = StageLoad(0, model.layers, model.plain_layers, True, True)
    mean = _stage(facts, whole) / facts.x.pipeline
    inside = (step.tensor_exposed_seconds, step.context_exposed_seconds, step.expert_exposed_seconds)
    shown = sum(inside) / facts.x.microbatches
    factor, multiplier = stack_time(facts)
    per = "(p - 1)" if facts.x.chunks == 1 else "(p - 1)/v"
    chunks = () if facts.x.chunks == 1 else (facts.size("v", "chunks", "chunks of layers on a stage"),)
    exchange = (engine("x", "exchange in sight of one micro-batch", shown, "s"),) if shown else ()
    each = f"{factor}a + x" if shown else f"{factor}a"
    return derived(
        "step.bubble_seconds", "Pipeline bubble: filling and draining", "b", f"{per} * ({each})", "s",
        facts.size("p", "pipeline", "stages"), *chunks, *multiplier,
        engine("a", "one micro-batch on the mean stage", mean, "s"), *exchange,
        limits=("Equal stages, and a flush after each batch.",), cites=SCHEDULE,
    )  # fmt: skip


def optimizer(facts: Facts) -> Derivation:
    x, stack = facts.x, facts.chip.stack
    group = min(stack.shard_group, x.shards) if stack.shard_group else x.shards
    shards = group if x.zero_stage >= 1 else 1
    params = facts.trained * sum(facts.end_params)
    note = f"share of the listed rate, {FITTED}"
    return derived(
        "step.optimizer_seconds", "Optimizer: state read and written, over the memory's rate", "o",
        "k*P*(24/z + 6) / B", "s",
        engine("k", "share of these bytes that takes time", TIME["optimizer"], "", note=FITTED),
        engine("P", "trained parameters on a GPU of the fuller end", params),
        engine("24", "bytes of optimizer state read and written", 24, "bytes"),
        engine("z", "GPUs that share the optimizer state", shards),
        engine("6", "bytes of weights and gradients", 6, "bytes"),
        engine("B", "memory rate that is reached", facts.chip.memory_bytes_per_s, "bytes/s", note=note),
        limits=("State in GPU memory.",),
    )  # fmt: skip


def overhead(facts: Facts) -> Derivation:
    fixed = engine("f", "each step, whatever its size", TIME["fixed_seconds"], "s", note=FITTED)
    id, title = "step.overhead_seconds", "Fixed costs, and waiting for the slowest node"
    if facts.nodes == 1:
        return derived(id, title, "f", "f", "s", fixed, limits=("One node: there is none to wait for.",))
    work = _parts(facts, "compute_seconds", "bubble_seconds", *(f"{kind}_exposed_seconds" for kind in EXCHANGES))
    return derived(
        id, title, "o", f"f + k*log2(n) * ({sum_of(work)})", "s", fixed,
        engine("k", "wait for each doubling of the nodes", TIME["straggler"], "", note=FITTED),
        engine("n", "nodes", facts.nodes), *some_of(work),
        limits=("All nodes wait for the slowest in each step.",), cites=("megascale", "section 5.1"),
    )  # fmt: skip


def wait(facts: Facts) -> Derivation:
    busy = facts.design.step.seconds - facts.design.step.loader_wait_seconds
    rate = facts.design.data.supplied_tokens_per_s
    return derived(
        "step.loader_wait_seconds", "Waiting for data: what streaming takes longer than the step", "w",
        "max(0, T/R - s)", "s",
        facts.tokens_of_step(),
        setting("R", "what the loaders stream", rate, "tokens/s"),
        engine("s", "seconds of the step without waiting", busy, "s", "step.seconds"),
        limits=("Loading overlaps the step before it.",), cites=("megascale", "section 3.4"),
    )  # fmt: skip


FIGURES = {
    "step.seconds": seconds,
    "step.compute_seconds": compute,
    "step.bubble_seconds": bubble,
    "step.optimizer_seconds": optimizer,
    "step.overhead_seconds": overhead,
    "step.loader_wait_seconds": wait,
}
