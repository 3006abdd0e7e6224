"""Rules on what fills a GPU: state, its sharding, activations, recompute."""

from app.model.design import Design
from app.model.memory import bytes_per_param
from app.model.phrases import number, share, size, sold, some, span, state_on_gpu
from app.model.rules.claim import Claim, Said
from app.model.units import count, grouped


def _shards(design: Design) -> int:
    return design.layout.data * design.layout.context


def _pressure(design: Design) -> float:
    """How much of a GPU's memory is taken, at most 1. [-]"""
    return min(1.0, design.memory.total_bytes / design.memory.usable_bytes)


def _sixteen(design: Design) -> Said:
    asked, memory = design.workload, design.memory
    if asked.trained_params < asked.params:
        trained = f"{count(asked.trained_params)} of {count(asked.params)}"
        effect = f"{trained} are trained: {size(memory.state_bytes)} of state"
    else:
        effect = f"{asked.bytes_per_param} × {count(asked.params)} = {size(memory.state_bytes)}"
    weight = 0.9 if memory.gpus_for_state > 1 else 0.2
    return weight, f"{effect}: {some(memory.gpus_for_state, 'GPU')} of {sold(memory.capacity_bytes)} for state alone"


def _zero(design: Design) -> Said:
    stage, n = design.layout.zero_stage, _shards(design)
    if n == 1:
        return 0.0, "one replica: nothing to divide by"
    if stage == 0:
        return 0.0, "ZeRO 0: the whole state of a replica stays on its GPUs"
    each = bytes_per_param(design.workload.bytes_per_param, design.workload.precision)
    parts = (each.weights, each.gradients, each.optimizer)
    cut = sum(parts[3 - stage :])
    kept = sum(parts) - cut
    each_gpu = kept + cut / n
    formula = f"{number(cut)} ÷ {grouped(n)}" if kept == 0 else f"{number(kept)} + {number(cut)} ÷ {grouped(n)}"
    left = f"{number(each_gpu)} bytes a parameter, {size(state_on_gpu(design))} on the fullest GPU"
    return 0.85, f"ZeRO {stage}: {formula} = {left}"


def _zero_traffic(design: Design) -> Said:
    layout, step = design.layout, design.step
    if _shards(design) == 1:
        return 0.0, "one replica: no gradients cross a link"
    sent = size(step.communication_bytes.data_parallel)
    again = layout.microbatches if layout.zero_stage >= 2 else 1
    often = f"in each of {some(again, 'micro-batch', 'micro-batches')}" if again > 1 else "once a step"
    effect = f"ZeRO {layout.zero_stage}, {often}: {sent} a GPU and step"
    return 0.1 + 0.8 * step.data_parallel_exposed_seconds / step.seconds, effect


def _fsdp(design: Design) -> Said:
    if design.layout.zero_stage < 3:
        return 0.0, f"ZeRO {design.layout.zero_stage}: weights stay whole on each replica"
    step = design.step
    shown = step.data_parallel_exposed_seconds
    return 0.6, f"{span(shown)} of {span(step.seconds)} show as exchange: {share(shown / step.seconds)}"


def _activations(design: Design) -> Said:
    layout, model, asked = design.layout, design.model, design.workload
    first = asked.seq_tokens * layout.micro_batch * model.hidden
    product = f"{grouped(asked.seq_tokens)} × {layout.micro_batch} × {grouped(model.hidden)} × 34 = {size(34 * first)}"
    effect = f"{product} a layer before any cut; {size(design.memory.activations_bytes)} kept here"
    return _pressure(design) * design.memory.activations_bytes / design.memory.total_bytes, effect


def _recompute(design: Design) -> Said:
    level, memory = design.layout.recompute, design.memory
    if level == "none":
        return 0.0, f"nothing is recomputed: {size(memory.activations_bytes)} of activations have room"
    more = design.run.hfu / design.run.mfu - 1
    return 0.3 + more, f"{level} recompute: {share(more)} more arithmetic, {size(memory.activations_bytes)} kept"


def _alive(design: Design) -> Said:
    p, m = design.layout.pipeline, design.layout.microbatches
    if p == 1:
        return 0.0, "one stage: one micro-batch at a time"
    if m <= p:
        return 0.0, f"{some(m, 'micro-batch', 'micro-batches')} for {p} stages: all are kept"
    return 0.3, f"{p} of {grouped(m)} micro-batches alive on the first of {p} stages"


def _experts(design: Design) -> Said:
    model = design.model
    if not model.experts:
        return 0.0, "dense: every parameter works on every token"
    total, active = model.total_params, model.active_params
    return 0.7, f"{count(total)} stored, {count(active)} used for a token: {share(active / total)}"


CLAIMS = (
    Claim(
        "sixteen-bytes", "Mixed-precision Adam keeps 16 bytes for each parameter: 2 + 2 + 12.",
        "zero", "section 3.1", _sixteen,
    ),
    Claim(
        "zero-shards-state", "ZeRO divides optimizer, then gradients, then weights over the replicas.",
        "zero", "section 5, figure 1", _zero,
    ),
    Claim(
        "zero-traffic", "ZeRO 1 and 2 move what plain data parallelism moves, stage 3 half as much again.",
        "zero", "section 7.2", _zero_traffic,
    ),
    Claim(
        "fsdp-speed", "Fully sharded data parallelism keeps the speed of plain data parallelism.",
        "fsdp", "abstract", _fsdp,
    ),
    Claim(
        "activation-bytes", "A layer keeps s·b·h·(34 + 5·a·s ÷ h) bytes; fused attention drops the second term.",
        "korthikanti22", "section 4.1, equation 1", _activations,
    ),
    Claim(
        "recompute-price", "Full recompute held a 530B model to 42.1 % MFU; selective reached 54.2 %.",
        "korthikanti22", "abstract", _recompute,
    ),
    Claim(
        "one-forward-one-backward", "1F1B keeps activations of at most p micro-batches, not of all m.",
        "narayanan21", "section 2.2.1", _alive,
    ),
    Claim(
        "active-parameters", "Memory follows all parameters, work the active ones: DeepSeek-V3 has 671B and 37B.",
        "dsv3", "abstract", _experts,
    ),
)  # fmt: skip
