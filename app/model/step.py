"""The time of one optimizer step, part by part, for one layout or for columns of many."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from app.model.calibration import TIME, Stack
from app.model.compute import Chip, chip_of, embedding_seconds, head_seconds, layer_seconds, optimizer_seconds
from app.model.data_supply import wait_seconds
from app.model.exchanges import (
    Traffic,
    context_traffic,
    data_traffic,
    expert_traffic,
    links_of,
    pipeline_traffic,
    shard_group,
    tensor_traffic,
)
from app.model.layout import RECOMPUTE, Layout
from app.model.memory import stage_params, stages
from app.model.transformer import Transformer
from app.model.workload import Workload


@dataclass(frozen=True)
class StepTime:
    """Parts of a step without the wait for data. [s]

    fixed: what each step costs whatever its size; lag: what the slowest node adds to the rest [-]
    """

    compute: Any
    traffic: dict[str, Traffic]
    bubble: Any
    optimizer: Any
    fixed: float
    lag: Any

    @property
    def overhead(self) -> Any:
        """Fixed cost of a step and waiting for the slowest node. [s]"""
        return self.fixed + self.lag * (self._schedule + self.traffic["data_parallel"].exposed)

    @property
    def busy(self) -> Any:
        """Step time without the wait for data. [s]"""
        state = (1 + self.lag) * self.traffic["data_parallel"].exposed + self.optimizer + self.fixed
        return (1 + self.lag) * self._schedule + state

    @property
    def _schedule(self) -> Any:
        """What does not depend on ZeRO, kept apart so that columns meet in one addition. [s]"""
        inside = sum(t.exposed for kind, t in self.traffic.items() if kind != "data_parallel")
        return self.compute + inside + self.bubble


@dataclass(frozen=True)
class _Layer:
    """A layer of the average kind: seconds forward and backward, and its exchanges."""

    forward: Any
    backward: Any
    traffic: dict[str, Traffic]


def step_time(workload: Workload, model: Transformer, x: Layout, stack: Stack | None = None) -> StepTime:
    """All parts of a step of a resolved workload. [s]

    m micro-batches through the slowest stage, (p − 1) ÷ v slots to fill and drain, exchanges as far
    as they show, the optimizer, and what every step costs.
    stack: instead of the one that the workload names
    Source: Narayanan et al. 2021, section 2.2, for the schedule; constants in `calibration.yaml`.
    Limits: stages start together; no contention between kinds of exchange.
    """
    chip, links = chip_of(workload, stack), links_of(workload)
    layer = _layer(workload, model, chip, x)
    time = chip.stack.time
    layers = np.maximum(1, np.ceil(model.layers / x.pipeline))
    slowest, mean = _stage_compute(workload, model, chip, x, layer)
    compute = time * x.microbatches * slowest
    forward = compute * layer.forward / (layer.forward + layer.backward)
    params = _largest_end(model, x)
    inside = {k: t.times(x.microbatches * layers, time) for k, t in layer.traffic.items()}
    traffic = {
        **inside,
        "pipeline": pipeline_traffic(workload, model, chip.stack, links, x).times(1, time),
        "data_parallel": data_traffic(workload, chip.stack, links, x, params, layers, (forward, compute - forward)),
    }
    shown = sum(t.exposed for t in inside.values()) / x.microbatches
    bubble = (x.pipeline - 1) / x.chunks * (time * mean + shown)
    trained = workload.trained_params / workload.params
    shards = np.where(x.zero_stage >= 1, shard_group(chip.stack, x), 1)
    optimizer = optimizer_seconds(trained * sum(params), shards, chip)
    nodes = np.maximum(1.0, x.model_parallel * x.data / links.gpus_per_node)
    return StepTime(compute, traffic, bubble, optimizer, TIME["fixed_seconds"], TIME["straggler"] * np.log2(nodes))


def _stage_compute(workload: Workload, model: Transformer, chip: Chip, x: Layout, layer: _Layer) -> tuple[Any, Any]:
    """Computing of one micro-batch on the slowest and on the mean stage. [s]"""
    one = layer.forward + layer.backward
    head = head_seconds(workload, model, chip, x)
    embedding = embedding_seconds(workload, model, chip, x)
    loads = stages(model, x.pipeline)
    each = [s.layers * one + s.embedding * embedding + s.head * head for s in loads]
    slowest = np.maximum(np.maximum(each[0], each[1]), each[2])
    return slowest, (model.layers * one + embedding + head) / x.pipeline


def _layer(workload: Workload, model: Transformer, chip: Chip, x: Layout) -> _Layer:
    """The mean layer: dense and expert layers in the model's proportion."""
    kinds = [(False, model.plain_layers / model.layers), (True, model.moe_layers / model.layers)]
    links = links_of(workload)
    forward: Any = 0.0
    backward: Any = 0.0
    attention: Any = 0.0
    for moe, share in kinds:
        if np.any(share):
            one = layer_seconds(workload, model, chip, x, moe)
            forward = forward + share * one.forward
            backward = backward + share * (one.backward + one.recomputed)
            attention = attention + share * one.attention_forward
    tokens = x.micro_batch * workload.seq_tokens / x.context
    passes = np.where(x.recompute == RECOMPUTE.index("full"), 3, 2)
    traffic = {
        "tensor": tensor_traffic(model, chip, links, x, tokens, passes),
        "context": context_traffic(model, links, x, tokens, attention),
        "expert": expert_traffic(model, chip.stack, links, x, tokens, passes, forward + backward),
    }
    return _Layer(forward, backward, traffic)


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
