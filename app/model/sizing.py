"""size(): the one face of the model. A workload goes in, every figure of the lab comes out."""

import math
from functools import lru_cache

import numpy as np

from app.model import answer
from app.model.assumptions import assumptions
from app.model.bands import accuracy
from app.model.bottlenecks import bottlenecks
from app.model.compute import training_days, training_flop
from app.model.data_supply import needed_tokens_per_s
from app.model.design import Design
from app.model.evolution import shape, why
from app.model.hardware import ACCELERATORS, Accelerator
from app.model.layout import RECOMPUTE, Layout, sequences
from app.model.limits import limits
from app.model.memory import BytesPerParam, bytes_per_param, gpu_memory, stage_load, state_bytes
from app.model.own_run import learnt, own_stack
from app.model.path import path_parts
from app.model.pipeline import bubble_over_ideal, idle_fraction
from app.model.reliability import reliability
from app.model.remedies import remedies, runner_up
from app.model.rules import rules
from app.model.search import choose, scores
from app.model.step import StepTime, loader_wait, step_time
from app.model.tradeoffs import tradeoffs
from app.model.transformer import Transformer, transformer_for
from app.model.workload import Workload

LEAST_GOODPUT = 1e-9
"""Days with stops are worked out with at least this share of useful time, so that they stay finite."""


def size(workload: Workload, was: Workload | None = None) -> answer.Sizing:
    """Every figure of one design, and why it differs from `was`, the workload before a change."""
    return _size(workload, was)


@lru_cache(maxsize=256)
def _size(workload: Workload, was: Workload | None) -> answer.Sizing:
    now, second = _design(workload)
    found = scores(now.workload, now.model)
    before = _design(was)[0] if was is not None else None
    return answer.Sizing(
        workload=now.workload.model_dump(),
        model=answer.ModelSummary(now.model.name, now.model.total_params, now.model.active_params, now.model.parts()),
        shape=shape(now, before),
        layout=now.layout,
        memory=now.memory,
        step=now.step,
        pipeline=now.pipeline,
        run=now.run,
        data=now.data,
        reliability=now.reliability,
        accuracy=accuracy(now),
        bottlenecks=now.bottlenecks,
        path=path_parts(now),
        why=why(now, before),
        tradeoffs=tradeoffs(now, found.alternative),
        rules=rules(now),
        assumptions=assumptions(now),
        limits=limits(now),
        runner_up=runner_up(now, found, second),
        remedies=remedies(now, _kept(workload, now)),
    )


def design(workload: Workload) -> Design:
    """The numbers of `size` alone."""
    return _design(workload)[0]


@lru_cache(maxsize=256)
def _design(asked: Workload) -> tuple[Design, int | None]:
    workload = _with_own_run(asked).resolved()
    model = transformer_for(workload)
    found = scores(workload, model)
    index, second = choose(found)
    x = found.mesh.columns.at(index, found.mesh.shape)
    return _numbers(workload, model, x), second


def _with_own_run(asked: Workload) -> Workload:
    """The workload with the multiplier that its measured step says, taken at the layout of this very design."""
    if asked.measured_step_seconds is None:
        return asked
    plain = design(asked.model_copy(update={"measured_step_seconds": None, "stack_time": None}))
    return asked.model_copy(update={"stack_time": learnt(asked.measured_step_seconds, plain.step.seconds)})


def _kept(asked: Workload, now: Design) -> Workload:
    """The workload to vary: it keeps the multiplier, for a measured step holds for one design alone."""
    if asked.measured_step_seconds is None:
        return asked
    return asked.model_copy(update={"measured_step_seconds": None, "stack_time": now.workload.stack_time})


def _numbers(workload: Workload, model: Transformer, x: Layout) -> Design:
    accelerator = ACCELERATORS[workload.gpu]
    each = bytes_per_param(workload.bytes_per_param, workload.precision)
    memory = _memory(workload, model, accelerator, each, x)
    tokens = sequences(workload) * workload.seq_tokens
    time = step_time(workload, model, x, own_stack(workload))
    step = _step(time, float(loader_wait(workload, tokens, time.busy)))
    used = x.model_parallel * x.data
    stops = reliability(workload, each.gradients)
    data = answer.Data(float(needed_tokens_per_s(tokens, time.busy)), workload.data_tokens_per_s)
    pipe = answer.Pipeline(
        x.pipeline,
        x.microbatches,
        float(bubble_over_ideal(x.pipeline, x.microbatches, x.chunks)),
        float(idle_fraction(x.pipeline, x.microbatches, x.chunks)),
    )
    return Design(
        workload=workload,
        model=model,
        accelerator=accelerator,
        shape_id=shape_id(x, memory.fits and used <= workload.gpus, stops.stops_per_day),
        layout=x.answer(),
        memory=memory,
        step=step,
        pipeline=pipe,
        run=_run(workload, model, accelerator, x, step, tokens, stops.goodput),
        data=data,
        reliability=stops,
        bottlenecks=bottlenecks(memory, step, data, stops),
    )


def shape_id(x: Layout, fits: bool, stops_per_day: float) -> str:
    """The name of the recommended shape, from the layout alone (and stops, for a fleet)."""
    if not fits:
        return "does_not_fit"
    if x.model_parallel * x.data == 1:
        return "single_gpu"
    if x.tensor * x.pipeline > 1 and stops_per_day >= 1:
        return "fleet"
    if x.pipeline > 1:
        return "three_d" if x.data > 1 else "tensor_pipeline"
    if x.tensor > 1:
        return "tensor_parallel"
    return "sharded_data_parallel" if x.zero_stage else "data_parallel"


def _memory(
    workload: Workload, model: Transformer, accelerator: Accelerator, each: BytesPerParam, x: Layout
) -> answer.Memory:
    load = stage_load(model, x.pipeline, np.arange(x.pipeline))
    m = gpu_memory(workload, model, load, x)
    columns = (m.weights, m.gradients, m.optimizer, m.activations, m.overhead, m.total)
    parts = np.stack([np.broadcast_to(c, (x.pipeline,)) for c in columns], axis=1).tolist()
    layers = np.broadcast_to(load.layers, (x.pipeline,)).tolist()
    rows = [answer.StageMemory(i, n, *values) for i, (n, values) in enumerate(zip(layers, parts, strict=True))]
    full = max(rows, key=lambda r: r.total_bytes)
    state = float(state_bytes(workload.params, workload.trained_params, each))
    return answer.Memory(
        weights_bytes=full.weights_bytes,
        gradients_bytes=full.gradients_bytes,
        optimizer_bytes=full.optimizer_bytes,
        activations_bytes=full.activations_bytes,
        overhead_bytes=full.overhead_bytes,
        total_bytes=full.total_bytes,
        capacity_bytes=accelerator.memory_bytes,
        usable_bytes=accelerator.usable_bytes,
        state_bytes=state,
        gpus_for_state=math.ceil(state / accelerator.memory_bytes),
        fits=full.total_bytes <= accelerator.usable_bytes,
        fullest_stage=full.stage,
        stages=tuple(rows),
    )


def _step(time: StepTime, wait: float) -> answer.Step:
    shown = {f"{kind}_exposed_seconds": float(t.exposed) for kind, t in time.traffic.items()}
    parts = {
        "compute_seconds": float(time.compute),
        **shown,
        "bubble_seconds": float(time.bubble),
        "optimizer_seconds": float(time.optimizer),
        "overhead_seconds": float(time.overhead),
        "loader_wait_seconds": wait,
    }
    return answer.Step(
        seconds=sum(parts.values()),
        **parts,
        communication_seconds=answer.Exchange(**{k: float(t.seconds) for k, t in time.traffic.items()}),
        communication_bytes=answer.Exchange(**{k: float(t.sent_bytes) for k, t in time.traffic.items()}),
    )


def _run(
    workload: Workload,
    model: Transformer,
    accelerator: Accelerator,
    x: Layout,
    step: answer.Step,
    step_tokens: float,
    goodput: float,
) -> answer.Run:
    peak = accelerator.peak_flop_per_s(workload.precision)
    flop = training_flop(model.active_params, workload.train_tokens)
    per_token = model.flop_per_token(workload.seq_tokens)
    mfu = per_token * step_tokens / (step.seconds * workload.gpus * peak)
    if workload.mfu == "model":
        days = workload.train_tokens / step_tokens * step.seconds / 86_400
    else:
        days = training_days(flop, workload.gpus, peak * float(workload.mfu))
    wall = days / max(goodput, LEAST_GOODPUT)
    hours = wall * 24 * workload.gpus
    return answer.Run(
        flop=flop,
        model_flop=per_token * workload.train_tokens,
        days=days,
        wall_days=wall,
        mfu=mfu,
        hfu=mfu * _repeated(model, workload, x),
        tokens=workload.train_tokens,
        gpu_hours=hours,
        cost=hours * workload.gpu_hour_price,
    )


def _repeated(model: Transformer, workload: Workload, x: Layout) -> float:
    """Hardware FLOP over model FLOP: full recompute repeats the forward pass of the layers, selective
    the attention."""
    attention = model.attention_flop_per_token(workload.seq_tokens)
    whole = model.flop_per_token(workload.seq_tokens)
    tables = 6 * (model.embedding_params + model.head_params)
    extra = {"none": 0.0, "selective": attention / 3, "full": max(0.0, whole - tables) / 3}
    return 1 + extra[RECOMPUTE[x.recompute]] / whole
