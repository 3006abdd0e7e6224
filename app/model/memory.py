"""Bytes on each GPU: state, activations and what is lost between them."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from app.model.calibration import MEMORY, STACKS, MemoryKind, Stack
from app.model.layout import Layout
from app.model.pipeline import microbatches_alive
from app.model.transformer import Transformer
from app.model.workload import Workload


@dataclass(frozen=True)
class BytesPerParam:
    """How the bytes of one trained parameter divide. [bytes]"""

    weights: float
    gradients: float
    optimizer: float


def bytes_per_param(total: int, precision: str) -> BytesPerParam:
    """Weights, gradients and optimizer of mixed-precision Adam. [bytes]

    16 = 2 + 2 + 12 (32-bit copy, momentum and variance, 4 each); 18 with 32-bit gradients;
    20 with both kinds; 32-bit training has 4 + 4 + 8.
    Source: ZeRO, arXiv:1910.02054, section 3.1; Megatron Core, dist_optimizer.md, for 18 and 20.
    Limits: Adam; 8-bit optimizers and 16-bit moments take less.

    >>> bytes_per_param(18, "bf16")
    BytesPerParam(weights=2.0, gradients=4.0, optimizer=12.0)
    """
    if precision == "fp32":
        return BytesPerParam(4.0, total - 12.0, 8.0)
    return BytesPerParam(2.0, total - 14.0, 12.0)


def state_bytes(params: Any, trained: Any, each: BytesPerParam) -> Any:
    """Training state of the whole model. [bytes]

    Weights of all parameters, gradients and optimizer of the trained ones.
    Source: ZeRO, arXiv:1910.02054, section 3.1.
    Limits: as `bytes_per_param`.

    >>> state_bytes(10e9, 10e9, bytes_per_param(16, "bf16")) / 1e9
    160.0
    """
    return each.weights * params + (each.gradients + each.optimizer) * trained


def zero_state(params: Any, shards: Any, stage: Any, each: BytesPerParam, trained: Any = 1.0) -> tuple[Any, Any, Any]:
    """Weights, gradients and optimizer that one GPU keeps. [bytes]

    params: parameters on this GPU before sharding P [-]
    shards: GPUs that share them d [-]
    stage: ZeRO stage 0 to 3 [-]
    trained: share of them that is trained [-]

    Stage 1: 4P + 12P ÷ d; stage 2: 2P + 14P ÷ d; stage 3: 16P ÷ d, at 16 bytes a parameter.
    Source: ZeRO, arXiv:1910.02054, section 5 and figure 1.
    Limits: even shards; the gathered layers of stage 3 come on top.

    >>> [sum(zero_state(1.0, 4, z, bytes_per_param(16, "bf16"))).item() for z in (0, 1, 2, 3)]
    [16.0, 7.0, 5.5, 4.0]
    """
    weights = each.weights * params / np.where(stage >= 3, shards, 1)
    gradients = each.gradients * trained * params / np.where(stage >= 2, shards, 1)
    optimizer = each.optimizer * trained * params / np.where(stage >= 1, shards, 1)
    return weights, gradients, optimizer


@dataclass(frozen=True)
class StageLoad:
    """What one pipeline stage holds: layers (dense and with experts) and the two ends."""

    index: Any
    layers: Any
    dense_layers: Any
    embedding: Any
    head: Any


def stage_layers(layers: int, pipeline: Any, stage: Any) -> Any:
    """Layers on one stage, the surplus given to the middle, then the first, then the last. [-]

    Source: Llama Team 2024, section 3.3.2: the ends get fewer, for the embedding and the head.
    Limits: whole layers; with more stages than layers some hold none.

    >>> [int(stage_layers(126, 16, s)) for s in (0, 1, 15)]
    [7, 8, 7]
    """
    base, surplus = layers // pipeline, layers % pipeline
    middle = np.maximum(0, pipeline - 2)
    is_first, is_last = stage == 0, stage == pipeline - 1
    first = (surplus > middle) * 1
    inner = (stage <= surplus) * 1
    return base + np.where(is_first, first, np.where(is_last, 0, inner))


def stages(model: Transformer, pipeline: Any) -> tuple[StageLoad, StageLoad, StageLoad]:
    """First, fullest middle and last stage; with one or two stages some are the same."""
    loads = []
    for index in (0 * pipeline, np.minimum(1, pipeline - 1), pipeline - 1):
        loads.append(stage_load(model, pipeline, index))
    return loads[0], loads[1], loads[2]


def stage_load(model: Transformer, pipeline: Any, index: Any) -> StageLoad:
    """What stage `index` (from 0) holds; the first layers of an expert model may be dense."""
    layers = stage_layers(model.layers, pipeline, index)
    if model.experts == 0:
        dense = layers
    else:
        first = stage_layers(model.layers, pipeline, 0 * index)
        rest = np.maximum(0, model.dense_layers - first) / np.maximum(1, model.layers - first)
        dense = np.where(index == 0, np.minimum(model.dense_layers, first), rest * layers)
    return StageLoad(index, layers, dense, index == 0, index == pipeline - 1)


def stage_params(model: Transformer, load: StageLoad, x: Layout) -> tuple[Any, Any]:
    """Parameters on one GPU of a stage: shared by all, and of its experts. [-]

    Tensor parallelism divides every matrix, expert parallelism the experts.
    Source: Narayanan et al. 2021, section 2.3; DeepSeek-V3, section 3.2.
    Limits: norms and routers are divided too, an error below 0.1 %.
    """
    scale = model.total_params / model.counted_params
    layer = model.attention_params + model.norm_params
    moe = load.layers - load.dense_layers
    shared = load.layers * layer + load.dense_layers * model.dense_ffn_params
    shared = shared + moe * (model.router_params + model.shared_params)
    ends = load.embedding * model.embedding_params + load.head * _head(model, x.pipeline)
    experts = moe * model.experts * model.expert_params
    return scale * (shared + ends) / x.tensor, scale * experts / (x.tensor * x.expert)


def _head(model: Transformer, pipeline: Any) -> Any:
    """The last norm and the head; a tied head is kept again where the last stage is not the first."""
    return model.norm_width + np.where((pipeline > 1) & model.tied, model.embedding_params, model.head_params)


def layer_activation_bytes(
    model: Transformer, x: Layout, seq_tokens: int, fused: bool, sp: bool, moe: bool
) -> tuple[Any, Any]:
    """Bytes that one layer keeps for the backward pass, per token: nothing and selectively recomputed. [bytes]

    Norms 8h; query, key, value and output 2(2q + 2kv); the FFN 2((1 + gated)·f + f), for each
    expert that a token visits. Unfused attention adds 5·a·s. Selective recompute drops the
    scores, or under fused attention the norms' outputs and the FFN's products.
    Source: Korthikanti et al. 2022, arXiv:2205.05198, equations 1 to 4, for the form.
    Limits: 16-bit, no dropout; half of what some frameworks keep.
    """
    hidden = 8.0 * model.hidden / (x.tensor if sp else 1)
    attention = 2.0 * (2 * model.q_width + 2 * model.kv_width)
    width = _ffn_width(model, moe)
    up, product = 2.0 * (1 + model.gated) * width, 2.0 * width
    dispatch = 4.0 * model.hidden * model.experts_per_token if moe else 0.0
    scores = 0.0 if fused else 5.0 * model.heads * seq_tokens
    none = hidden + (attention + up + product + scores + dispatch) / x.tensor
    if fused:
        return none, hidden / 2 + (attention + up + dispatch) / x.tensor
    return none, hidden + (attention + up + product + dispatch) / x.tensor


def _ffn_width(model: Transformer, moe: bool) -> float:
    if not moe:
        return model.ffn
    return model.expert_ffn * (model.experts_per_token + model.shared_experts)


def activation_bytes(
    workload: Workload,
    model: Transformer,
    load: StageLoad,
    x: Layout,
    stack: Stack | None = None,
    kind: MemoryKind | None = None,
) -> Any:
    """Activations of one GPU of a stage at its fullest. [bytes]

    Each live micro-batch keeps its layers' activations; full recompute keeps 2h a layer and one
    layer whole. The last stage adds the logits of one micro-batch.
    Source: Korthikanti et al. 2022, section 4 and table 2; logits in 32 bit as Megatron keeps them.
    Limits: as `layer_activation_bytes`.
    """
    stack = STACKS[workload.stack] if stack is None else stack
    kind = MEMORY["planned"] if kind is None else kind
    wide = 2.0 if workload.precision == "fp32" else 1.0
    tokens = x.micro_batch * workload.seq_tokens / x.context
    alive = microbatches_alive(x.pipeline, x.microbatches, x.chunks, load.index)
    args = (model, x, workload.seq_tokens, stack.fused_attention, stack.sequence_parallel)
    dense, dense_selective = layer_activation_bytes(*args, moe=False)
    moe, moe_selective = layer_activation_bytes(*args, moe=True) if model.experts else (dense, dense_selective)
    with_experts = load.layers - load.dense_layers
    none = load.dense_layers * dense + with_experts * moe
    selective = load.dense_layers * dense_selective + with_experts * moe_selective
    inputs = load.layers * 2.0 * model.hidden / (x.tensor if stack.sequence_parallel else 1)
    whole_layer = np.where(load.layers > 0, np.maximum(dense, moe), 0.0)
    kept = np.choose(x.recompute, [alive * none, alive * selective, alive * inputs + whole_layer])
    logits = load.head * kind.logit_bytes * model.vocab / x.tensor
    return tokens * (wide * kind.activations * kept + logits)


def gathered_bytes(model: Transformer, x: Layout) -> Any:
    """Layers whose sharded weights ZeRO stage 3 holds whole for a moment. [bytes]

    Two layers' weights, and the gradient of one.
    Source: FSDP, arXiv:2304.11277, section 4, for gathering ahead.
    Limits: expert weights are gathered only over the GPUs that share them.
    """
    ffn = model.dense_ffn_params if model.experts == 0 else model.shared_params
    experts = model.experts * model.expert_params / x.expert if model.experts else 0.0
    layer = (model.attention_params + ffn + experts) / x.tensor
    return np.where((x.zero_stage >= 3) & (x.shards > 1), 3 * 2.0 * layer, 0.0)


@dataclass(frozen=True)
class GpuMemory:
    """Parts of one GPU's memory, numbers or columns. [bytes]

    gathered: layers held whole under ZeRO stage 3; kind: what is counted besides
    """

    weights: Any
    gradients: Any
    optimizer: Any
    activations: Any
    gathered: Any
    kind: MemoryKind

    @property
    def overhead(self) -> Any:
        """Context, buffers, gathered layers and fragmentation. [bytes]"""
        return self._fixed + self.kind.fragmentation * self.activations

    @property
    def total(self) -> Any:
        """All of it: what ZeRO shards first, so that columns meet in one addition. [bytes]"""
        state = self.weights + self.gradients + self.optimizer + self._fixed
        return state + (1 + self.kind.fragmentation) * self.activations

    @property
    def _fixed(self) -> Any:
        return self.kind.context_bytes + (1 + self.kind.fragmentation) * self.gathered


def gpu_memory(
    workload: Workload,
    model: Transformer,
    load: StageLoad,
    x: Layout,
    stack: Stack | None = None,
    kind: MemoryKind | None = None,
) -> GpuMemory:
    """Memory of one GPU of one stage. [bytes]

    stack: instead of the one that the workload names; kind: what is counted, else what a plan needs

    Source: the functions above, added; ml-engineering, 'Additional GPU memory usage', for the context.
    Limits: theirs.
    """
    each = bytes_per_param(workload.bytes_per_param, workload.precision)
    trained = workload.trained_params / workload.params
    shared, experts = stage_params(model, load, x)
    state = zero_state(shared, x.shards, x.zero_stage, each, trained)
    if model.experts:
        own = zero_state(experts, np.maximum(1, x.shards // x.expert), x.zero_stage, each, trained)
        state = (state[0] + own[0], state[1] + own[1], state[2] + own[2])
    kind = MEMORY["planned"] if kind is None else kind
    activations = activation_bytes(workload, model, load, x, stack, kind)
    return GpuMemory(*state, activations, gathered_bytes(model, x), kind)
