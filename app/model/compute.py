"""Arithmetic of one step: FLOP, and the seconds a GPU takes for a layer and for the head."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from app.model.calibration import GENERATIONS, STACKS, TIME, Generation, Stack
from app.model.hardware import ACCELERATORS
from app.model.layout import Layout
from app.model.transformer import Transformer
from app.model.workload import Workload


def training_flop(params: float, tokens: float) -> float:
    """Operations of one pass over the data, nothing recomputed. [FLOP]

    params: weights that each token uses N [-]
    tokens: training tokens D [-]

    C = 6·N·D: for each weight and token, 2 forward and 4 backward.
    Source: Kaplan et al. 2020, arXiv:2001.08361, section 2.1.
    Limits: leaves out attention scores, about sequence ÷ (6·width) of C.

    >>> training_flop(params=405e9, tokens=15.6e12)
    3.7908e+25
    """
    return 6 * params * tokens


def training_days(flop: float, gpus: float, flop_per_s: float) -> float:
    """Time for that work, stops aside. [days]

    flop: work [FLOP]
    gpus: accelerators [-]
    flop_per_s: what each delivers: peak × utilization [FLOP/s]

    Source: a division.
    Limits: utilization as measured or planned; 38 to 43 % in Llama 3's run.

    >>> round(training_days(6 * 1e12 * 15e12, 16384, 0.40 * 989.5e12), 1)
    160.6
    """
    return flop / (gpus * flop_per_s) / 86_400


@dataclass(frozen=True)
class Chip:
    """What one accelerator reaches under one stack. [FLOP/s, bytes/s]"""

    matmul_flop_per_s: float
    attention_flop_per_s: float
    memory_bytes_per_s: float
    element_bytes: float
    quantise_bytes: float
    stack: Stack


def chip_of(workload: Workload, stack: Stack | None = None) -> Chip:
    """Achieved rates for a resolved workload; attention stays in 16 bit under fp8.

    stack: instead of the one that the workload names
    """
    accelerator = ACCELERATORS[workload.gpu]
    shares: Generation = GENERATIONS[accelerator.generation]
    stack = STACKS[workload.stack] if stack is None else stack
    eight = workload.precision == "fp8" and accelerator.fp8_flop_per_s is not None
    kernel = {"unfused": 0.75 * shares.matmul, "fused": shares.attention, "late": shares.attention_late}
    return Chip(
        matmul_flop_per_s=(shares.matmul_fp8 if eight else shares.matmul)
        * accelerator.peak_flop_per_s(workload.precision),
        attention_flop_per_s=kernel[stack.attention]
        * accelerator.peak_flop_per_s("bf16" if workload.precision == "fp8" else workload.precision),
        memory_bytes_per_s=shares.memory * accelerator.memory_bytes_per_s,
        element_bytes=4.0 if workload.precision == "fp32" else 2.0,
        quantise_bytes=TIME["quantise_bytes"] if eight else 0.0,
        stack=stack,
    )


def matmul_seconds(m: Any, n: Any, k: Any, chip: Chip, copies: Any = 1.0) -> Any:
    """Time of m×k times k×n. [s]

    copies: independent matrices of k×n that the m rows are spread over [-]

    2mnk ÷ rate + operand bytes ÷ bandwidth, added: the sum falls off smoothly as any side shrinks.
    Source: constants in `calibration.yaml`; the form is a roofline without the corner.
    Limits: m, n, k from about 64 on.
    """
    arithmetic = 2.0 * m * n * k / chip.matmul_flop_per_s
    inputs = m * k + copies * n * k
    moved = TIME["operand_traffic"] * chip.element_bytes * (m * n + inputs) + chip.quantise_bytes * inputs
    return arithmetic + moved / chip.memory_bytes_per_s


@dataclass(frozen=True)
class LayerTime:
    """Seconds of one layer on one micro-batch, numbers or columns."""

    forward: Any
    backward: Any
    recomputed: Any
    attention_forward: Any


def layer_seconds(workload: Workload, model: Transformer, chip: Chip, x: Layout, moe: bool) -> LayerTime:
    """Time of one layer, forward, backward and what is repeated, on one GPU. [s]

    Matmuls have two gradients backward; attention repeats its scores. A floor of kernel launches
    is joined smoothly: (a⁴ + b⁴)^¼.
    Source: `calibration.yaml`; FlashAttention, arXiv:2205.14135, for the backward pass.
    Limits: equal work on all ranks; experts balanced.
    """
    tokens = x.micro_batch * workload.seq_tokens / x.context
    linear = _projections(model, chip, tokens, x.tensor)
    linear = linear + (_experts(model, chip, tokens, x) if moe else _ffn(model, chip, tokens, x.tensor, model.ffn))
    forward, backward = _attention(workload, model, chip, tokens, x.tensor)
    passes = _elementwise(model, chip, tokens, x, moe)
    floor = TIME["launch_seconds_compiled" if chip.stack.compiled else "launch_seconds"]
    floor = floor + (TIME["launch_seconds_experts"] if moe else 0.0)
    total_forward = _at_least(linear + forward + passes, floor)
    total_backward = _at_least(2 * linear + backward + TIME["elementwise_backward"] * passes, 2 * floor)
    if chip.stack.blocking:
        total_forward = total_forward + TIME["blocking_seconds"]
        total_backward = total_backward + 2 * TIME["blocking_seconds"]
    selective = TIME["selective_linear"] * linear + passes if chip.stack.fused_attention else forward
    recomputed = np.choose(x.recompute, [0.0 * total_forward, selective + 0.0 * total_forward, total_forward])
    return LayerTime(total_forward, total_backward, recomputed, forward)


def _at_least(work: Any, floor: float) -> Any:
    return (work**4 + floor**4) ** 0.25


def _projections(model: Transformer, chip: Chip, tokens: Any, t: Any) -> Any:
    """Attention's matmuls, from their parameter count where they are compressed."""
    if model.latent:
        return matmul_seconds(tokens, model.attention_params / model.hidden / t, model.hidden, chip)
    width_in = (model.q_width + 2 * model.kv_width) / t
    out = matmul_seconds(tokens, model.hidden, model.q_width / t, chip)
    return matmul_seconds(tokens, width_in, model.hidden, chip) + out


def _ffn(model: Transformer, chip: Chip, tokens: Any, t: Any, width: float, copies: Any = 1.0) -> Any:
    up = matmul_seconds(tokens, (1 + model.gated) * width / t, model.hidden, chip, copies)
    return up + matmul_seconds(tokens, model.hidden, width / t, chip, copies)


def _experts(model: Transformer, chip: Chip, tokens: Any, x: Layout) -> Any:
    rows = tokens * model.experts_per_token
    routed = _ffn(model, chip, rows, x.tensor, model.expert_ffn, model.experts / x.expert) / TIME["grouped_matmul"]
    router = matmul_seconds(tokens, model.experts, model.hidden, chip)
    if not model.shared_experts:
        return routed + router
    return routed + router + _ffn(model, chip, tokens, x.tensor, model.shared_experts * model.expert_ffn)


def _attention(workload: Workload, model: Transformer, chip: Chip, tokens: Any, t: Any) -> tuple[Any, Any]:
    """Scores and weighted values of one layer: (forward, backward). [s]"""
    s = workload.seq_tokens
    flop = 4.0 * tokens * s * model.q_width / t
    if chip.stack.fused_attention:
        forward = flop * 0.5 * (1 + 256 / s) / chip.attention_flop_per_s
        return forward, forward * TIME["attention_backward_flop"] / TIME["attention_backward_rate"]
    scores = TIME["score_bytes"] * tokens * s * model.heads / t / chip.memory_bytes_per_s
    forward = flop / chip.attention_flop_per_s + scores
    return forward, 2 * forward


def _elementwise(model: Transformer, chip: Chip, tokens: Any, x: Layout, moe: bool) -> Any:
    """Norms, activations and residuals, as memory traffic. [s]"""
    t = x.tensor if chip.stack.sequence_parallel else 1
    width = model.expert_ffn * (model.experts_per_token + model.shared_experts) if moe else model.ffn
    routed = TIME["routed_passes"] * model.hidden * model.experts_per_token if moe else 0.0
    inner = (7 if model.gated else 4) * width + 4 * (model.q_width + 2 * model.kv_width) + routed
    moved = tokens * (24.0 * model.hidden / t + inner / x.tensor)
    share = TIME["elementwise_compiled" if chip.stack.compiled else "elementwise"]
    return share * moved * chip.element_bytes / 2 / chip.memory_bytes_per_s


def head_seconds(workload: Workload, model: Transformer, chip: Chip, x: Layout) -> Any:
    """Logits and loss of one micro-batch, forward and backward. [s]

    Three matmuls of h×V and the passes over 32-bit logits.
    Source: `calibration.yaml`.
    Limits: vocabulary split over the tensor group.
    """
    tokens = x.micro_batch * workload.seq_tokens / x.context
    vocab = model.vocab / x.tensor
    moved = TIME["logit_bytes_fused" if chip.stack.fused_loss else "logit_bytes"]
    passes = moved * tokens * vocab / chip.memory_bytes_per_s
    return 3 * matmul_seconds(tokens, vocab, model.hidden, chip) + passes


def embedding_seconds(workload: Workload, model: Transformer, chip: Chip, x: Layout) -> Any:
    """Looking the tokens up and adding their gradients. [s]

    Source: memory traffic of 12 bytes an element.
    Limits: none known to matter.
    """
    tokens = x.micro_batch * workload.seq_tokens / x.context
    return 12.0 * tokens * model.hidden / chip.memory_bytes_per_s


def optimizer_seconds(params: Any, shards: Any, chip: Chip) -> Any:
    """Adam's update on one GPU. [s]

    params: parameters on this GPU [-]
    shards: GPUs that share its optimizer state [-]

    Source: `calibration.yaml`: 24 bytes a sharded parameter, 6 a whole one.
    Limits: state in GPU memory.
    """
    return TIME["optimizer"] * params * (24 / shards + 6) / chip.memory_bytes_per_s
