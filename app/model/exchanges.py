"""What the GPUs send each other in one step: bytes, seconds, and seconds that computing does not hide."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from app.model.calibration import TIME, Stack
from app.model.collectives import (
    Links,
    all_to_all_seconds,
    allreduce_bytes,
    bus_bytes_per_s,
    exchange_seconds,
    gather_bytes,
    nodes_spanned,
)
from app.model.compute import Chip
from app.model.hardware import ACCELERATORS
from app.model.layout import Layout
from app.model.memory import bytes_per_param
from app.model.transformer import Transformer
from app.model.workload import Workload

LEAST_BUCKET, BUCKET_PER_GPU = 40e6, 1e6
"""Parameters that travel together where state is not gathered layer by layer: Megatron Core's defaults."""
KINDS = ("tensor", "context", "expert", "pipeline", "data_parallel")


@dataclass(frozen=True)
class Traffic:
    """One kind of exchange on one GPU and step, numbers or columns: bytes, seconds, seconds in sight."""

    sent_bytes: Any
    seconds: Any
    exposed: Any

    def times(self, count: Any, pace: Any = 1.0) -> "Traffic":
        """So many of them, each taking `pace` times as long; the pace moves no bytes."""
        return Traffic(self.sent_bytes * count, self.seconds * count * pace, self.exposed * count * pace)


def links_of(workload: Workload) -> Links:
    """The fast and the slow link of a resolved workload."""
    fast = ACCELERATORS[workload.gpu].link_bytes_per_s
    return Links(fast, workload.link_gb_per_s * 1e9, workload.gpus_per_node or 1)


def shard_group(stack: Stack, x: Layout) -> Any:
    """GPUs that share sharded state. [-]"""
    return np.minimum(stack.shard_group, x.shards) if stack.shard_group else x.shards


def tensor_traffic(model: Transformer, chip: Chip, links: Links, x: Layout, tokens: Any, passes: Any) -> Traffic:
    """Two all-reduces (or their halves) a layer and pass, of the layer's activations."""
    sent = 2 * passes * allreduce_bytes(chip.element_bytes * tokens * model.hidden, x.tensor)
    bus = bus_bytes_per_s(links, x.tensor, 1) if chip.stack.rails else one_port(links, x.tensor, 1)
    far = TIME["hop_seconds"] / TIME["latency_seconds"] * nodes_spanned(links, x.tensor, 1)
    seconds = exchange_seconds(sent, bus, 4 * passes * (1 + far))
    overlap = chip.stack.tensor_overlap
    hidden = 0.0 if overlap == "none" else TIME[f"tensor_hidden_{overlap}"]
    return Traffic(sent, seconds, (1 - hidden) * seconds)


def context_traffic(model: Transformer, links: Links, x: Layout, tokens: Any, attention: Any) -> Traffic:
    """Keys and values of the other ranks, once forward and twice backward; hides behind attention."""
    block = 2.0 * tokens * 2 * model.kv_width / x.tensor
    sent = 3 * block * (x.context - 1)
    seconds = exchange_seconds(sent, bus_bytes_per_s(links, x.context, x.tensor), 3 * (x.context - 1))
    exposed = np.maximum(seconds - 3 * attention, TIME["fsdp_exposed"] * seconds)
    return Traffic(sent, seconds, exposed)


def expert_traffic(
    model: Transformer, stack: Stack, links: Links, x: Layout, tokens: Any, passes: Any, compute: Any
) -> Traffic:
    """Tokens to their experts and back, an all-to-all each, in every pass of an expert layer."""
    share = model.moe_layers / model.layers
    calls = share * 2 * passes
    handed = 2.0 * tokens * model.experts_per_token * model.hidden / x.tensor
    one = all_to_all_seconds(handed, links, x.expert, x.tensor * x.context, max(1, model.experts_per_token))
    seconds = calls * one
    exposed = _behind(seconds, compute) if stack.expert_overlap else (1 - TIME["expert_hidden"]) * seconds
    return Traffic(calls * handed * (x.expert - 1) / x.expert, seconds, exposed)


def pipeline_traffic(workload: Workload, model: Transformer, stack: Stack, links: Links, x: Layout) -> Traffic:
    """Activations to the next stage and gradients back, once a chunk and micro-batch."""
    tokens = x.micro_batch * workload.seq_tokens / x.context
    hops = np.where(x.pipeline > 1, 2.0 * x.chunks * x.microbatches, 0.0)
    sent = hops * 2.0 * tokens * model.hidden / x.tensor
    inside = np.asarray(x.model_parallel * x.data <= links.gpus_per_node)
    fast, slow = TIME["fast_link"] * links.fast_bytes_per_s, TIME["slow_link"] * links.slow_bytes_per_s
    seconds = exchange_seconds(sent, np.where(inside, fast, slow), hops)
    handed = np.where((x.pipeline > 1) & ~inside, stack.handover_seconds * (x.microbatches + x.pipeline - 1), 0.0)
    return Traffic(sent, seconds + handed, (1 - TIME["pipeline_hidden"]) * seconds + handed)


def data_traffic(
    workload: Workload, stack: Stack, links: Links, x: Layout, params: tuple[Any, Any], layers: Any,
    compute: tuple[Any, Any],
) -> Traffic:  # fmt: skip
    """Gradients summed and weights gathered over the replicas.

    params: on the fullest end (shared, experts); compute: forward and backward seconds of the step
    Stages 0 and 1 once a step; stage 2 reduces and stage 3 gathers too in every micro-batch, layer
    by layer, behind the computing of the layer before. Where a group smaller than all replicas
    shares the state, the groups sum their shares once a step.
    """
    each = bytes_per_param(workload.bytes_per_param, workload.precision)
    trained = workload.trained_params / workload.params
    gradient = trained * (stack.gradient_bytes or min(each.gradients, 4.0))
    group = shard_group(stack, x)
    whole = gather_bytes(params[0], group) + gather_bytes(params[1], np.maximum(1, group // x.expert))
    bus = bus_bytes_per_s(links, group, x.tensor) if stack.rails else one_port(links, group, x.tensor)
    start = start_seconds(links, x, params, layers, group)
    gather = np.where(group > 1, each.weights * whole / bus + start, 0.0)
    reduce = np.where(group > 1, gradient * whole / bus + start, 0.0)
    m, sharded = x.microbatches, x.zero_stage >= 3
    reduces, gathers = np.where(x.zero_stage >= 2, m, 1), np.where(sharded, 2 * m, 1)
    across = between_groups(stack, links, x, gradient * (params[0] + params[1] / x.expert), group)
    turns = TIME["broadcast_seconds"] * group * (group > 1) if stack.serial_broadcast else 0.0
    seconds = gathers * gather + reduces * reduce + across.seconds + turns
    hidden = TIME["data_hidden"] * seconds if stack.data_overlap else 0.0
    once = seconds - np.minimum(hidden, 0.5 * (compute[0] + compute[1]))
    forward, backward = gathers * gather * np.where(sharded, 0.5, 1.0), reduces * reduce
    backward = backward + np.where(sharded, forward, 0.0)
    layered = _behind(forward, compute[0]) + _behind(backward + across.seconds, compute[1])
    sent = whole * (gradient * reduces + each.weights * gathers) + across.sent_bytes
    return Traffic(sent, seconds, np.where(x.zero_stage >= 2, layered, once))


def one_port(links: Links, members: Any, inner: Any) -> Any:
    """Rate of a group whose ring crosses from node to node at one port. [bytes/s]"""
    one = np.minimum(TIME["slow_link"] * links.slow_bytes_per_s, TIME["fast_link"] * links.fast_bytes_per_s)
    return np.where(members * inner <= links.gpus_per_node, TIME["fast_link"] * links.fast_bytes_per_s, one)


def _behind(seconds: Any, compute: Any) -> Any:
    """What shows of an exchange that runs layer by layer behind computing."""
    longer = np.maximum(seconds - compute, 0.0)
    return longer + TIME["fsdp_exposed"] * (seconds - longer)


def start_seconds(links: Links, x: Layout, params: tuple[Any, Any], layers: Any, group: Any) -> Any:
    """Latency of one gather or reduction: layer by layer from ZeRO stage 2 on, else bucket by bucket. [s]"""
    buckets = np.minimum(layers, 1 + (params[0] + params[1]) / np.maximum(LEAST_BUCKET, BUCKET_PER_GPU * group))
    one = TIME["latency_seconds"] + TIME["hop_seconds"] * nodes_spanned(links, group, x.tensor)
    return np.where(x.zero_stage >= 2, layers, buckets) * one


def between_groups(stack: Stack, links: Links, x: Layout, gradient_bytes: Any, group: Any) -> Traffic:
    """The sum of each share over the groups that hold it."""
    if not stack.shard_group:
        return Traffic(0.0, 0.0, 0.0)
    groups = x.shards / group
    sent = allreduce_bytes(gradient_bytes / group, groups)
    seconds = exchange_seconds(sent, bus_bytes_per_s(links, groups, x.tensor * group), 1)
    return Traffic(sent, seconds, seconds)
