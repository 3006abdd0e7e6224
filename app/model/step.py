"""The time of one optimizer step, part by part, for one layout or for columns of many."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from app.model.calibration import STACKS, TIME
from app.model.collectives import (
    Links,
    all_to_all_seconds,
    allreduce_bytes,
    bus_bytes_per_s,
    exchange_seconds,
    gather_bytes,
)
from app.model.compute import Chip, chip_of, embedding_seconds, head_seconds, layer_seconds, optimizer_seconds
from app.model.data_supply import wait_seconds
from app.model.hardware import ACCELERATORS
from app.model.layout import RECOMPUTE, Layout
from app.model.memory import bytes_per_param, stage_params, stages
from app.model.transformer import Transformer
from app.model.workload import Workload

KINDS = ("tensor", "context", "expert", "pipeline", "data_parallel")
PARTS = ("compute", *KINDS, "bubble", "optimizer", "overhead")


@dataclass(frozen=True)
class Traffic:
    """One kind of exchange on one GPU and step, numbers or columns: bytes, seconds, seconds in sight."""

    sent_bytes: Any
    seconds: Any
    exposed: Any


@dataclass(frozen=True)
class StepTime:
    """Parts of a step without the wait for data. [s]"""

    compute: Any
    traffic: dict[str, Traffic]
    bubble: Any
    optimizer: Any
    overhead: Any

    @property
    def busy(self) -> Any:
        """Step time without the wait for data. [s]"""
        exposed = sum(t.exposed for t in self.traffic.values())
        return self.compute + exposed + self.bubble + self.optimizer + self.overhead


@dataclass(frozen=True)
class _Layer:
    """A layer of the average kind: seconds forward and backward, and its exchanges."""

    forward: Any
    backward: Any
    attention_forward: Any
    traffic: dict[str, Traffic]


def links_of(workload: Workload) -> Links:
    """The fast and the slow link of a resolved workload."""
    fast = ACCELERATORS[workload.gpu].link_bytes_per_s
    return Links(fast, workload.link_gb_per_s * 1e9, workload.gpus_per_node or 1)


def step_time(workload: Workload, model: Transformer, x: Layout) -> StepTime:
    """All parts of a step of a resolved workload. [s]

    m micro-batches through the slowest stage, (p − 1) ÷ v slots to fill and drain, exchanges as far
    as they show, the optimizer, and what every step costs.
    Source: Narayanan et al. 2021, section 2.2, for the schedule; constants in `calibration.yaml`.
    Limits: stages start together; no contention between kinds of exchange.
    """
    chip, links = chip_of(workload), links_of(workload)
    layer = _layer(workload, model, chip, links, x)
    time = chip.stack.time
    fullest = np.maximum(1, np.ceil(model.layers / x.pipeline))
    slowest, mean = _stage_compute(workload, model, chip, x, layer)
    compute = time * x.microbatches * slowest
    inside = {k: _times(t, time * x.microbatches * fullest) for k, t in layer.traffic.items()}
    traffic = {
        **inside,
        "pipeline": _pipeline_traffic(workload, model, links, x, time),
        "data_parallel": _data_traffic(workload, model, links, x, layer, compute),
    }
    shown = sum(t.exposed for t in inside.values()) / x.microbatches
    bubble = (x.pipeline - 1) / x.chunks * (time * mean + shown)
    shared, experts = _largest_end(model, x)
    trained = workload.trained_params / workload.params
    shards = np.where(x.zero_stage >= 1, x.shards, 1)
    optimizer = optimizer_seconds(trained * (shared + experts), shards, chip)
    nodes = np.maximum(1.0, x.model_parallel * x.data / links.gpus_per_node)
    lag = TIME["straggler"] * np.log2(nodes) * (compute + bubble + sum(t.exposed for t in traffic.values()))
    return StepTime(compute, traffic, bubble, optimizer, TIME["fixed_seconds"] + lag)


def _times(one: Traffic, factor: Any) -> Traffic:
    return Traffic(one.sent_bytes * factor, one.seconds * factor, one.exposed * factor)


def _stage_compute(workload: Workload, model: Transformer, chip: Chip, x: Layout, layer: _Layer) -> tuple[Any, Any]:
    """Computing of one micro-batch on the slowest and on the mean stage. [s]"""
    one = layer.forward + layer.backward
    head = head_seconds(workload, model, chip, x)
    embedding = embedding_seconds(workload, model, chip, x)
    loads = stages(model, x.pipeline)
    each = [s.layers * one + s.embedding * embedding + s.head * head for s in loads]
    slowest = np.maximum(np.maximum(each[0], each[1]), each[2])
    return slowest, (model.layers * one + embedding + head) / x.pipeline


def _layer(workload: Workload, model: Transformer, chip: Chip, links: Links, x: Layout) -> _Layer:
    """The mean layer: dense and expert layers in the model's proportion."""
    kinds = [(False, model.plain_layers / model.layers), (True, model.moe_layers / model.layers)]
    forward: Any = 0.0
    backward: Any = 0.0
    attention: Any = 0.0
    for moe, share in kinds:
        if share:
            one = layer_seconds(workload, model, chip, x, moe)
            forward = forward + share * one.forward
            backward = backward + share * (one.backward + one.recomputed)
            attention = attention + share * one.attention_forward
    tokens = x.micro_batch * workload.seq_tokens / x.context
    passes = np.where(x.recompute == RECOMPUTE.index("full"), 3, 2)
    traffic = {
        "tensor": _tensor_traffic(model, chip, links, x, tokens, passes),
        "context": _context_traffic(model, links, x, tokens, attention),
        "expert": _expert_traffic(model, links, x, tokens, passes),
    }
    return _Layer(forward, backward, attention, traffic)


def _tensor_traffic(model: Transformer, chip: Chip, links: Links, x: Layout, tokens: Any, passes: Any) -> Traffic:
    """Two all-reduces (or their halves) a layer and pass, of the layer's activations."""
    sent = 2 * passes * allreduce_bytes(chip.element_bytes * tokens * model.hidden, x.tensor)
    seconds = exchange_seconds(sent, bus_bytes_per_s(links, x.tensor, 1), 4 * passes)
    return Traffic(sent, seconds, (1 - chip.stack.tensor_hidden) * seconds)


def _context_traffic(model: Transformer, links: Links, x: Layout, tokens: Any, attention: Any) -> Traffic:
    """Keys and values of the other ranks, once forward and twice backward; hides behind attention."""
    block = 2.0 * tokens * 2 * model.kv_width / x.tensor
    sent = 3 * block * (x.context - 1)
    seconds = exchange_seconds(sent, bus_bytes_per_s(links, x.context, x.tensor), 3 * (x.context - 1))
    exposed = np.maximum(seconds - 3 * attention, TIME["fsdp_exposed"] * seconds)
    return Traffic(sent, seconds, exposed)


def _expert_traffic(model: Transformer, links: Links, x: Layout, tokens: Any, passes: Any) -> Traffic:
    """Tokens to their experts and back, an all-to-all each, in every pass of an expert layer."""
    share = model.moe_layers / model.layers
    handed = share * 2 * passes * 2.0 * tokens * model.experts_per_token * model.hidden / x.tensor
    seconds = all_to_all_seconds(handed, links, x.expert, x.tensor * x.context)
    return Traffic(handed * (x.expert - 1) / x.expert, seconds, seconds)


def _pipeline_traffic(workload: Workload, model: Transformer, links: Links, x: Layout, time: float) -> Traffic:
    """Activations to the next stage and gradients back, once a chunk and micro-batch."""
    tokens = x.micro_batch * workload.seq_tokens / x.context
    hops = np.where(x.pipeline > 1, 2.0 * x.chunks * x.microbatches, 0.0)
    sent = hops * 2.0 * tokens * model.hidden / x.tensor
    inside = x.model_parallel * x.data <= links.gpus_per_node
    fast, slow = TIME["fast_link"] * links.fast_bytes_per_s, TIME["slow_link"] * links.slow_bytes_per_s
    seconds = time * exchange_seconds(sent, np.where(inside, fast, slow), hops)
    return Traffic(sent, seconds, (1 - TIME["pipeline_hidden"]) * seconds)


def _data_traffic(
    workload: Workload, model: Transformer, links: Links, x: Layout, layer: _Layer, compute: Any
) -> Traffic:
    """Gradients summed and weights gathered over the replicas.

    Stages 0 and 1 once a step; stage 2 reduces and stage 3 gathers too in every micro-batch, layer
    by layer, behind the computing of the layer before.
    """
    shared, experts = _largest_end(model, x)
    each = bytes_per_param(workload.bytes_per_param, workload.precision)
    gradient = min(each.gradients, 4.0) * workload.trained_params / workload.params
    expert_group = np.maximum(1, x.shards // x.expert)
    sent_once = gather_bytes(shared, x.shards) + gather_bytes(experts, expert_group)
    bus = bus_bytes_per_s(links, x.shards, x.tensor)
    reduces = np.where(x.zero_stage >= 2, x.microbatches, 1)
    gathers = np.where(x.zero_stage >= 3, 2 * x.microbatches, 1)
    sent = sent_once * (gradient * reduces + each.weights * gathers)
    seconds = exchange_seconds(sent, bus, reduces + gathers)
    hidden = np.minimum(STACKS[workload.stack].data_hidden * seconds, 0.5 * compute)
    layered = np.maximum(seconds - compute, 0.0) + TIME["fsdp_exposed"] * np.minimum(seconds, compute)
    exposed = np.where(x.zero_stage >= 3, layered, seconds - hidden)
    return Traffic(sent, seconds, exposed)


def _largest_end(model: Transformer, x: Layout) -> tuple[Any, Any]:
    """Parameters on a GPU of the first or the last stage, whichever has more: (shared, experts)."""
    first, _, last = stages(model, x.pipeline)
    ends = zip(stage_params(model, first, x), stage_params(model, last, x), strict=True)
    shared, experts = (np.maximum(a, b) for a, b in ends)
    return shared, experts


def loader_wait(workload: Workload, tokens: float, busy: Any) -> Any:
    """What each step waits for data. [s]

    Source and limits: `data_supply.wait_seconds`.
    """
    return wait_seconds(tokens, busy, workload.data_tokens_per_s)
