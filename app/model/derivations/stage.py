"""What the fullest GPU holds besides its state: its parameters, activations and what is lost between them."""

from app.model.calibration import MEMORY
from app.model.derivations.facts import Facts
from app.model.derivations.record import (
    Derivation,
    Term,
    Terms,
    derived,
    engine,
    in_gigabytes,
    setting,
    teaching,
    verified,
)
from app.model.memory import gathered_bytes, layer_activation_bytes
from app.model.pipeline import microbatches_alive

KORTHIKANTI = ("korthikanti22", "section 4, equations 1 to 4")
LIVE = ("narayanan21", "section 2.2.1")
PLANNED = MEMORY["planned"]


def params(facts: Facts) -> Derivation:
    """Parameters that all replicas share, on the fullest GPU."""
    model, load = facts.design.model, facts.fullest
    dense, experts = float(load.dense_layers), float(load.layers - load.dense_layers)
    parts: list[tuple[str, Terms]] = [
        ("l*(a + n)", (
            engine("l", "layers on this stage", load.layers),
            engine("a", "weights of attention in a layer", model.attention_params),
            engine("n", "weights of its norms", model.norm_params),
        )),
    ]  # fmt: skip
    if dense:
        ffn = engine("f", "weights of that FFN", model.dense_ffn_params)
        parts.append(("l_d*f", (engine("l_d", "of which have a dense FFN", dense), ffn)))
    if experts:
        router = engine("r", "router and shared experts of one", model.router_params + model.shared_params)
        parts.append(("l_x*r", (engine("l_x", "of which have experts", experts), router)))
    if load.embedding:
        parts.append(("E", (engine("E", "token table, on the first stage", model.embedding_params),)))
    if load.head:
        copied = facts.x.pipeline > 1 and model.tied
        head = model.embedding_params if copied else model.head_params
        parts.append(("H", (engine("H", "last norm and head, on the last stage", model.norm_width + head),)))
    terms = (t for _, some in parts for t in some)
    scale, scaled = _scale(facts)
    split = facts.size("t", "tensor", "GPUs that share each matrix")
    return derived(
        "memory.gpu_params", "Parameters on the fullest GPU, before ZeRO", "P",
        f"{scale}({' + '.join(text for text, _ in parts)}) / t", "parameters", *scaled, *terms, split,
        limits=("Norms and routers are divided too: an error below 0.1 %.",), cites=("narayanan21", "section 2.3"),
    )  # fmt: skip


def expert_params(facts: Facts) -> Derivation:
    model, load = facts.design.model, facts.fullest
    scale, scaled = _scale(facts)
    return derived(
        "memory.gpu_expert_params", "Parameters of experts on the fullest GPU, before ZeRO", "P_e",
        f"{scale}l_x*x*y / (t*e)", "parameters", *scaled,
        engine("l_x", "layers with experts on this stage", load.layers - load.dense_layers),
        engine("x", "experts of a layer", model.experts),
        engine("y", "weights of one", model.expert_params),
        facts.size("t", "tensor", "GPUs that share each matrix"),
        facts.size("e", "expert", "GPUs that share the experts"),
        cites=("dsv3", "section 3.2"),
    )  # fmt: skip


def _scale(facts: Facts) -> tuple[str, tuple[Term, ...]]:
    """The parameters asked for over those that the shape counts, where they differ."""
    scale = facts.design.model.total_params / facts.design.model.counted_params
    if scale == 1:
        return "", ()
    return "k*", (engine("k", "parameters asked for over those that the shape counts", scale),)


def alive(facts: Facts) -> Derivation:
    x = facts.x
    stage = engine("i", "stage of the fullest GPU, from 0", facts.design.memory.fullest_stage)
    terms = (facts.size("m", "microbatches", "micro-batches of a step"), facts.size("p", "pipeline", "stages"), stage)
    id, title = "memory.microbatches_alive", "Micro-batches whose activations the fullest GPU holds"
    if x.chunks == 1:
        return derived(id, title, "n", "min(m, p - i)", "", *terms, limits=("1F1B, equal stages.",), cites=LIVE)
    chunks = facts.size("v", "chunks", "chunks of layers on a stage")
    formula = "min(m, (2*(p - i - 1) + (v - 1)*p + 1) / v)"
    limits = ("Interleaved 1F1B, equal stages, all chunks alike.",)
    return derived(id, title, "n", formula, "", *terms, chunks, limits=limits, cites=("korthikanti22", "section 4.2.3"))


def activations(facts: Facts) -> Derivation:
    kept, terms = _kept(facts)
    wide = 2.0 if facts.design.workload.precision == "fp32" else 1.0
    factor = wide * PLANNED.activations
    if factor != 1:
        kept, terms = f"y*({kept})", (*terms, engine("y", "32 bit over 16, and what a layer keeps more", factor))
    if facts.fullest.head:
        kept += " + c*V/t"
        logits = "bytes of a logit, in 16 bit with a 32-bit copy and its gradient"
        terms = (
            *terms, teaching("c", logits, PLANNED.logit_bytes, "bytes"),
            engine("V", "vocabulary", facts.design.model.vocab),
        )  # fmt: skip
        if not any(t.name == "t" for t in terms):
            terms = (*terms, facts.size("t", "tensor", "GPUs that share the logits"))
    tokens = engine("b", "tokens of a micro-batch on one GPU", facts.micro_tokens, "tokens")
    return derived(
        "memory.activations_bytes", "Activations of the fullest GPU", "A", f"b * ({kept})", "bytes", tokens, *terms,
        limits=("The peak of one step; equal stages.", "16-bit activations without dropout."), cites=KORTHIKANTI,
    )  # fmt: skip


def _kept(facts: Facts) -> tuple[str, tuple[Term, ...]]:
    """Bytes that a token leaves in the layers of the fullest GPU: formula and terms."""
    x, load = facts.x, facts.fullest
    live = float(microbatches_alive(x.pipeline, x.microbatches, x.chunks, load.index))
    held = engine("n", "micro-batches held at once", live, "", "memory.microbatches_alive")
    plain, moe = _layer(facts, False), _layer(facts, True)
    if facts.design.layout.recompute == "full":
        shared = facts.x.tensor if facts.chip.stack.sequence_parallel else 1
        whole = max(_values(facts, False)[0], _values(facts, True)[0]) if load.layers > 0 else 0.0
        layers = engine("l", "layers on this stage", load.layers)
        inputs = engine("i", "bytes of a layer's input, for each token", 2 * facts.design.model.hidden / shared)
        return "n*l*i + r", (held, layers, inputs, engine("r", "one layer while it is recomputed", whole, "bytes"))
    dense, experts = float(load.dense_layers), float(load.layers - load.dense_layers)
    if not experts:
        return "n*l*a", (held, engine("l", "layers on this stage", dense), plain)
    layers = engine("l_x", "layers with experts on this stage", experts)
    if not dense:
        return "n*l_x*a_x", (held, layers, moe)
    return "n*(l*a + l_x*a_x)", (held, engine("l", "dense layers on this stage", dense), plain, layers, moe)


def _values(facts: Facts, moe: bool) -> tuple[float, float]:
    """Bytes for each token that a layer keeps: all, and under selective recompute."""
    model, stack = facts.design.model, facts.chip.stack
    args = (model, facts.x, facts.design.workload.seq_tokens, stack.fused_attention, stack.sequence_parallel)
    none, selective = layer_activation_bytes(*args, moe=moe and bool(model.experts))
    return float(none), float(selective)


def _layer(facts: Facts, moe: bool) -> Term:
    value = _values(facts, moe)[facts.design.layout.recompute == "selective"]
    id = "memory.expert_layer_activation_bytes" if moe else "memory.layer_activation_bytes"
    kind = "a layer with experts" if moe else "a layer"
    return engine("a_x" if moe else "a", f"bytes that {kind} keeps for each token", value, "bytes", id)


def layer_activations(facts: Facts) -> Derivation:
    return _layer_activations(facts, False)


def expert_layer_activations(facts: Facts) -> Derivation:
    return _layer_activations(facts, True)


def _layer_activations(facts: Facts, moe: bool) -> Derivation:
    model, stack, w = facts.design.model, facts.chip.stack, facts.design.workload
    selective = facts.design.layout.recompute == "selective"
    fused = stack.fused_attention
    width = model.expert_ffn * (model.experts_per_token + model.shared_experts) if moe else model.ffn
    norms = 4 if selective and fused else 8
    products = 2 * model.gated + (2 if selective and fused else 4)
    inside = [f"4*(q + k) + {products}*f"]
    terms = [
        facts.width(), facts.query_width(), engine("k", "width of keys, and of values", model.kv_width),
        engine("f", "width of the FFN that a token visits", width),
        verified(f"{norms}", "inputs of attention, FFN and norms, 2 bytes each", norms, "bytes", *KORTHIKANTI),
        verified("4", "query and output, key and value, 2 bytes each", 4, "bytes", *KORTHIKANTI),
        verified(f"{products}", "what the FFN keeps, 2 bytes each", products, "bytes", *KORTHIKANTI),
    ]  # fmt: skip
    if not fused and not selective:
        inside.append("5*a*S")
        terms += [engine("a", "heads", model.heads), setting("S", "tokens in a sequence", w.seq_tokens, "tokens"),
                  verified("5", "a score: softmax, mask and dropout", 5, "bytes", *KORTHIKANTI)]  # fmt: skip
    if moe:
        inside.append("4*h*x")
        terms.append(engine("x", "experts that a token visits", model.experts_per_token))
    terms.append(facts.size("t", "tensor", "GPUs that share a layer"))
    own = f"{norms}*h/t" if stack.sequence_parallel else f"{norms}*h"
    id = "memory.expert_layer_activation_bytes" if moe else "memory.layer_activation_bytes"
    seen = {t.name: t for t in terms}
    return derived(
        id, "Bytes that a layer keeps for each token", "a", f"{own} + ({' + '.join(inside)}) / t", "bytes",
        *seen.values(), limits=("16 bit, no dropout; half of what some frameworks keep.",), cites=KORTHIKANTI,
    )  # fmt: skip


def overhead(facts: Facts) -> Derivation:
    memory = facts.design.memory
    gathered = float(gathered_bytes(facts.design.model, facts.x))
    terms: Terms = (
        teaching("c", "driver, libraries and buffers", PLANNED.context_bytes, "bytes", "0.9 to 1.8 GiB measured"),
        teaching("f", "share lost between blocks", PLANNED.fragmentation),
        engine("A", "activations", memory.activations_bytes, "bytes", "memory.activations_bytes"),
    )
    formula = "c + f*A"
    if gathered:
        terms = (*terms, engine("r", "two layers' weights gathered, and one gradient: ZeRO 3", gathered, "bytes"))
        formula = "c + r + f*(A + r)"
    return in_gigabytes(
        "memory.overhead_bytes", "Buffers and gaps on the fullest GPU", "B", formula, terms,
        limits=("A plan, not a measurement: frameworks differ.",),
    )  # fmt: skip


FIGURES = {
    "memory.activations_bytes": activations,
    "memory.overhead_bytes": overhead,
}
INNER = {
    "memory.gpu_params": params,
    "memory.gpu_expert_params": expert_params,
    "memory.microbatches_alive": alive,
    "memory.layer_activation_bytes": layer_activations,
    "memory.expert_layer_activation_bytes": expert_layer_activations,
}
"""Opened from other derivations; not in the JSON."""
