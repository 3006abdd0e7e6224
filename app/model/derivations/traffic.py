"""What the GPUs exchange in a step: bytes, seconds, and seconds in sight, for each kind of parallelism."""

from collections.abc import Callable

from app.model.calibration import TIME
from app.model.collectives import all_to_all_seconds, bus_bytes_per_s, nodes_spanned
from app.model.derivations.facts import Facts
from app.model.derivations.record import Derivation, Term, derived, engine, verified
from app.model.derivations.seconds import FITTED, stack_time
from app.model.exchanges import one_port

RING = ("nccltests", "PERFORMANCE.md")
NOTHING = "No such exchange in this design."
KINDS = {
    "tensor": "Tensor exchange",
    "context": "Context exchange",
    "expert": "Expert exchange",
    "pipeline": "Pipeline exchange",
    "data_parallel": "Data-parallel exchange",
}


def bytes_id(kind: str) -> str:
    return f"step.communication_bytes.{kind}"


def seconds_id(kind: str) -> str:
    return f"step.communication_seconds.{kind}"


def none(id: str, kind: str, unit: str) -> Derivation:
    """A kind of parallelism that is off sends nothing."""
    term = engine("n", "exchanges of this kind", 0)
    title = f"{KINDS[kind]}: {'nothing to send' if unit == 'bytes' else 'none to wait for'}"
    return derived(id, title, "x", "n", unit, term, limits=(NOTHING,))


def sent(facts: Facts, kind: str) -> Term:
    value = getattr(facts.design.step.communication_bytes, kind)
    return engine("D", "bytes that a GPU sends in a step", value, "bytes", bytes_id(kind))


def took(facts: Facts, kind: str) -> Term:
    value = getattr(facts.design.step.communication_seconds, kind)
    return engine("x", "seconds of this exchange, hidden or not", value, "s", seconds_id(kind))


def _latency() -> Term:
    return engine("u", "start of one exchange", TIME["latency_seconds"], "s", note="calibration table")


def _bus(value: float) -> Term:
    return engine("B", "rate of the link that a group reaches", value, "bytes/s", note=f"share of the link {FITTED}")


def _micro(facts: Facts) -> tuple[Term, ...]:
    return (
        facts.size("m", "microbatches", "micro-batches of a step"),
        engine("b", "tokens of a micro-batch on one GPU", facts.micro_tokens, "tokens"),
        facts.width(),
    )


def _layers(facts: Facts) -> Term:
    return engine("l", "layers on the fullest stage", facts.layers)


def _passes(facts: Facts) -> Term:
    again = ", one of them repeated" if facts.passes == 3 else ""
    return engine("a", f"passes of a layer that exchange{again}", facts.passes)


def tensor_bytes(facts: Facts) -> Derivation:
    if facts.x.tensor == 1:
        return none(bytes_id("tensor"), "tensor", "bytes")
    return derived(
        bytes_id("tensor"), "Tensor exchange: what each GPU sends in a step", "D",
        "4*a*m*l * e*b*h * (t - 1)/t", "bytes",
        verified("4", "two all-reduces a layer and pass, each a reduce-scatter and an all-gather", 4, "", *MEGATRON),
        _passes(facts), *_micro(facts)[:1], _layers(facts),
        engine("e", "bytes of one activation", facts.chip.element_bytes, "bytes"), *_micro(facts)[1:],
        facts.size("t", "tensor", "GPUs that share a layer"),
        limits=("A ring, or any other form that sends as little.",), cites=RING,
    )  # fmt: skip


MEGATRON = ("megatron1", "section 3")


def _sent_and_started(facts: Facts) -> tuple[str, tuple[Term, ...]]:
    """Bytes over rate and so many starts, at the pace of the stack."""
    factor, multiplier = stack_time(facts)
    return (f"{factor}(D/B + k*u)" if factor else "D/B + k*u"), multiplier


def tensor_seconds(facts: Facts) -> Derivation:
    if facts.x.tensor == 1:
        return none(seconds_id("tensor"), "tensor", "s")
    far = TIME["hop_seconds"] * float(nodes_spanned(facts.links, facts.x.tensor, 1))
    latency = TIME["latency_seconds"] + far
    start = engine("u", "start of one exchange, hops between nodes included", latency, "s", note="calibration table")
    count = 4 * facts.passes * facts.x.microbatches * facts.layers
    formula, multiplier = _sent_and_started(facts)
    rate = bus_bytes_per_s if facts.chip.stack.rails else one_port
    return derived(
        seconds_id("tensor"), "Tensor exchange: seconds of a step", "x", formula, "s", *multiplier,
        sent(facts, "tensor"), _bus(float(rate(facts.links, facts.x.tensor, 1))),
        engine("k", "exchanges of a step", count), start, limits=("No contention with other exchanges.",),
    )  # fmt: skip


def tensor_exposed(facts: Facts) -> Derivation:
    overlap = facts.chip.stack.tensor_overlap
    hidden = 0.0 if overlap == "none" else TIME[f"tensor_hidden_{overlap}"]
    return _share_in_sight(facts, "tensor", hidden)


def _share_in_sight(facts: Facts, kind: str, hidden: float) -> Derivation:
    return derived(
        f"step.{kind}_exposed_seconds", f"{KINDS[kind]} in sight: what computing does not hide", "x_s",
        "(1 - h)*x", "s", engine("h", "share that hides behind computing", hidden, "share", note=FITTED),
        took(facts, kind), limits=("The same share in every design of a stack.",),
    )  # fmt: skip


def context_bytes(facts: Facts) -> Derivation:
    if facts.x.context == 1:
        return none(bytes_id("context"), "context", "bytes")
    tokens = _micro(facts)
    return derived(
        bytes_id("context"), "Context exchange: what each GPU sends in a step", "D",
        "12*m*l * b*k * (c - 1)/t", "bytes",
        verified("12", "keys and values of 2 bytes, once forward, twice backward", 12, "bytes", "ring", "section 3"),
        tokens[0], _layers(facts), tokens[1], engine("k", "width of keys, and of values", facts.design.model.kv_width),
        facts.size("c", "context", "GPUs that share a sequence"), facts.size("t", "tensor", "GPUs that share a layer"),
        limits=("Each GPU sees the blocks of all others.",),
    )  # fmt: skip


def context_seconds(facts: Facts) -> Derivation:
    x = facts.x
    if x.context == 1:
        return none(seconds_id("context"), "context", "s")
    count = 3 * (x.context - 1) * x.microbatches * facts.layers
    formula, multiplier = _sent_and_started(facts)
    return derived(
        seconds_id("context"), "Context exchange: seconds of a step", "x", formula, "s", *multiplier,
        sent(facts, "context"), _bus(float(bus_bytes_per_s(facts.links, x.context, x.tensor))),
        engine("k", "exchanges of a step", count), _latency(), limits=("No contention with other exchanges.",),
    )  # fmt: skip


def context_exposed(facts: Facts) -> Derivation:
    id = "step.context_exposed_seconds"
    if facts.x.context == 1:
        return none(id, "context", "s")
    attention = 3 * facts.layer.attention_forward * facts.time * facts.x.microbatches * facts.layers
    return derived(
        id, "Context exchange in sight: what attention does not hide", "x_s", "max(x - a, e*x)", "s",
        took(facts, "context"), engine("a", "attention behind which it hides", attention, "s"),
        engine("e", "share that shows even so", TIME["fsdp_exposed"], "share", note=FITTED),
        cites=("ring", "section 3"),
    )  # fmt: skip


def expert_bytes(facts: Facts) -> Derivation:
    model, x = facts.design.model, facts.x
    if x.expert == 1 or not model.experts:
        return none(bytes_id("expert"), "expert", "bytes")
    return derived(
        bytes_id("expert"), "Expert exchange: what each GPU sends in a step", "D",
        "4*a*m*l * b*h*k/t * (e - 1)/e", "bytes",
        engine("4", "to the experts and back, 2 bytes an element", 4, "bytes"), _passes(facts), _micro(facts)[0],
        engine("l", "layers with experts on a stage", _expert_layers(facts)), *_micro(facts)[1:],
        engine("k", "experts of a token", model.experts_per_token),
        facts.size("t", "tensor", "GPUs that share a layer"), facts.size("e", "expert", "GPUs that share the experts"),
        limits=("Tokens spread evenly over the experts.",), cites=("dsv3", "section 3.2.2"),
    )  # fmt: skip


def _expert_layers(facts: Facts) -> float:
    return facts.layers * facts.design.model.moe_layers / facts.design.model.layers


def _all_to_all(facts: Facts) -> float:
    """Seconds of one exchange of tokens with the experts of a layer."""
    model, x = facts.design.model, facts.x
    handed = 2.0 * facts.micro_tokens * model.experts_per_token * model.hidden / x.tensor
    copies = max(1, model.experts_per_token)
    return float(all_to_all_seconds(handed, facts.links, x.expert, x.tensor * x.context, copies))


def expert_seconds(facts: Facts) -> Derivation:
    if facts.x.expert == 1 or not facts.design.model.experts:
        return none(seconds_id("expert"), "expert", "s")
    factor, multiplier = stack_time(facts)
    return derived(
        seconds_id("expert"), "Expert exchange: seconds of a step", "x", f"{factor}2*a*m*l * o", "s", *multiplier,
        engine("2", "to the experts and back", 2), _passes(facts), _micro(facts)[0],
        engine("l", "layers with experts on a stage", _expert_layers(facts)),
        engine("o", "one all-to-all", _all_to_all(facts), "s", note="the slower of node and network, and its start"),
        limits=("Tokens spread evenly over the experts.",), cites=("dsv3", "section 3.2.2"),
    )  # fmt: skip


def expert_exposed(facts: Facts) -> Derivation:
    if not facts.chip.stack.expert_overlap:
        return _share_in_sight(facts, "expert", TIME["expert_hidden"])
    layer = facts.layer
    compute = (layer.forward + layer.backward + layer.recomputed) * facts.time * facts.x.microbatches * facts.layers
    taken = took(facts, "expert")
    return derived(
        "step.expert_exposed_seconds", "Expert exchange in sight: what computing does not hide", "x_s",
        behind("x", "c", taken.value, compute), "s", taken, *_hiders(("c", compute), (taken.value,)),
    )  # fmt: skip


def behind(seconds: str, compute: str, taken: float, computing: float) -> str:
    """What shows of an exchange that runs behind computing: a share of what hides, and all of the rest."""
    return f"e*{seconds}" if taken <= computing else f"{seconds} - {compute} + e*{compute}"


def _hiders(pair: tuple[str, float], taken: tuple[float, ...]) -> tuple[Term, ...]:
    name, computing = pair
    share = engine("e", "share that shows even behind computing", TIME["fsdp_exposed"], "share", note=FITTED)
    longer = any(t > computing for t in taken)
    return (share, *((engine(name, "computing behind which it runs", computing, "s"),) if longer else ()))


def pipeline_bytes(facts: Facts) -> Derivation:
    x = facts.x
    if x.pipeline == 1:
        return none(bytes_id("pipeline"), "pipeline", "bytes")
    return derived(
        bytes_id("pipeline"), "Pipeline exchange: what each GPU sends in a step", "D",
        "4*v*m * b*h/t", "bytes",
        verified("4", "activations on and gradients back, 2 bytes each", 4, "bytes", "narayanan21", "section 2.2"),
        facts.size("v", "chunks", "chunks of layers on a stage"), *_micro(facts),
        facts.size("t", "tensor", "GPUs that share a layer"), limits=("Each GPU of a tensor group sends its share.",),
    )  # fmt: skip


def _handed(facts: Facts) -> float:
    x = facts.x
    if x.pipeline == 1 or facts.design.layout.gpus_used <= facts.links.gpus_per_node:
        return 0.0
    return float(facts.time * facts.chip.stack.handover_seconds * (x.microbatches + x.pipeline - 1))


def pipeline_seconds(facts: Facts) -> Derivation:
    x, links = facts.x, facts.links
    if x.pipeline == 1:
        return none(seconds_id("pipeline"), "pipeline", "s")
    inside = facts.design.layout.gpus_used <= links.gpus_per_node
    share, rate = ("fast_link", links.fast_bytes_per_s) if inside else ("slow_link", links.slow_bytes_per_s)
    handed = _handed(facts)
    formula, multiplier = _sent_and_started(facts)
    more = (engine("q", "what the stack loses at each micro-batch", handed, "s", note=FITTED),) if handed else ()
    return derived(
        seconds_id("pipeline"), "Pipeline exchange: seconds of a step", "x", formula + (" + q" if handed else ""),
        "s", *multiplier, sent(facts, "pipeline"), _bus(TIME[share] * rate),
        engine("k", "hand-overs of a step", 2 * x.chunks * x.microbatches), _latency(), *more,
        limits=("Between nodes, as soon as the design has more than one.",),
    )  # fmt: skip


def pipeline_exposed(facts: Facts) -> Derivation:
    handed = _handed(facts)
    if not handed:
        return _share_in_sight(facts, "pipeline", TIME["pipeline_hidden"])
    return derived(
        "step.pipeline_exposed_seconds", "Pipeline exchange in sight: what computing does not hide", "x_s",
        "(1 - h)*(x - q) + q", "s",
        engine("h", "share that hides behind computing", TIME["pipeline_hidden"], "share", note=FITTED),
        took(facts, "pipeline"), engine("q", "what the stack loses at each micro-batch", handed, "s", note=FITTED),
    )  # fmt: skip


Made = Callable[[Facts], Derivation]
FIGURES: dict[str, Made] = {
    "step.communication_bytes.tensor": tensor_bytes,
    "step.communication_bytes.context": context_bytes,
    "step.communication_bytes.expert": expert_bytes,
    "step.communication_bytes.pipeline": pipeline_bytes,
    "step.communication_seconds.tensor": tensor_seconds,
    "step.communication_seconds.context": context_seconds,
    "step.communication_seconds.expert": expert_seconds,
    "step.communication_seconds.pipeline": pipeline_seconds,
    "step.tensor_exposed_seconds": tensor_exposed,
    "step.context_exposed_seconds": context_exposed,
    "step.expert_exposed_seconds": expert_exposed,
    "step.pipeline_exposed_seconds": pipeline_exposed,
}
