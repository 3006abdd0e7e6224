"""Where a figure may not hold: each quantity with the range in which it is known, and the reason."""

from collections.abc import Callable
from dataclasses import dataclass
from math import inf

from app.model.design import Design
from app.model.phrases import number, sequences, share, some, step_tokens, stops_in_run
from app.model.units import count, grouped, significant


@dataclass(frozen=True)
class Limit:
    """Outside low … high (both still fine) `reason` is shown; it may name the design's own numbers."""

    quantity: str
    low: float
    high: float
    measure: Callable[[Design], float]
    reason: Callable[[Design], str]


def limits(design: Design) -> tuple[str, ...]:
    """Reasons why a figure of this design may not hold, none when all is in range."""
    return tuple(limit.reason(design) for limit in LIMITS if not limit.low <= limit.measure(design) <= limit.high)


def _interval_over_mtbf(design: Design) -> float:
    return design.workload.checkpoint_minutes / (60 * design.reliability.hours_between_stops)


def _idle_gpus(design: Design) -> int:
    return max(0, design.workload.gpus - design.layout.gpus_used)


def _idle_reason(design: Design) -> str:
    idle = _idle_gpus(design)
    verb = "is" if idle == 1 else "are"
    there = some(design.workload.gpus, "GPU")
    return f"{grouped(idle)} of {there} {verb} idle and paid for: the sizes do not divide them."


def _rounding(design: Design) -> float:
    return abs(step_tokens(design) / design.workload.batch_tokens - 1)


def _rounding_reason(design: Design) -> str:
    asked, kept = design.workload.batch_tokens, step_tokens(design)
    return (
        f"A step takes whole sequences: {some(sequences(design), 'sequence')}, so the batch is {count(kept)} tokens "
        f"instead of {count(asked)}."
    )


def _slots(design: Design) -> int:
    return design.layout.data * design.layout.micro_batch * design.layout.microbatches


def _slots_reason(design: Design) -> str:
    layout = design.layout
    places = f"{some(layout.data, 'replica')} × {grouped(layout.microbatches)} × {grouped(layout.micro_batch)}"
    return (
        f"{some(sequences(design), 'sequence')} for {grouped(_slots(design))} places ({places}): "
        "the last micro-batches are not full."
    )


def _microbatches_per_stage(design: Design) -> float:
    return design.layout.microbatches / design.layout.pipeline


def _layers_left(design: Design) -> int:
    return design.model.layers % (design.layout.pipeline * design.layout.chunks)


def _layers_reason(design: Design) -> str:
    layout = design.layout
    blocks = some(layout.pipeline * layout.chunks, "block")
    return f"{some(design.model.layers, 'layer')} do not divide into {blocks}: some stages wait for the fullest."


def _heads_left(design: Design) -> int:
    model, tensor = design.model, design.layout.tensor
    return model.heads % tensor or (model.kv_heads % tensor and tensor % model.kv_heads if model.kv_heads else 0)


def _heads_reason(design: Design) -> str:
    model = design.model
    return (
        f"{some(model.heads, 'head')} and {some(model.kv_heads, 'key-value head')} do not divide over tensor "
        f"{design.layout.tensor}: some GPUs would hold more than others."
    )


def _goodput_reason(design: Design) -> str:
    stops = design.reliability
    return (
        f"The interval is {share(_interval_over_mtbf(design))} of the time between stops: the rule of half an interval "
        f"says {share(stops.lost_fraction)} is repeated, the exact count {share(stops.repeated_fraction)}."
    )


def _stops_of_small_job(design: Design) -> float:
    """Stops in the run where the GPUs are fewer than the failure rate was counted on. [-]"""
    return stops_in_run(design) if design.layout.gpus_used < 2048 else 0.0


def _widths_per_gpu(design: Design) -> float:
    return design.model.hidden / design.layout.tensor


def _measured_reason(design: Design) -> str:
    factor = significant(design.workload.stack_time)
    return (
        f"The measured step is taken as one of this very design; keep its multiplier, {factor}, to change the design."
    )


LIMITS = (
    Limit("measured step", 0, 0, lambda d: d.workload.measured_step_seconds or 0, _measured_reason),
    Limit("interval over time between stops", 0, 0.2, _interval_over_mtbf, _goodput_reason),
    Limit("share by which the batch was rounded", 0, 1e-9, _rounding, _rounding_reason),
    Limit("idle GPUs", 0, 0, _idle_gpus, _idle_reason),
    Limit("places for sequences left empty", 0, 0, lambda d: _slots(d) - sequences(d), _slots_reason),
    Limit(
        "micro-batches for each stage", 1, inf, _microbatches_per_stage,
        lambda d: f"{some(d.layout.microbatches, 'micro-batch', 'micro-batches')} for "
        f"{some(d.layout.pipeline, 'stage')}: the pipeline never fills.",
    ),
    Limit("layers left over by stages and chunks", 0, 0, _layers_left, _layers_reason),
    Limit("heads left over by tensor parallelism", 0, 0, _heads_left, _heads_reason),
    Limit(
        "GPUs used", 1, 16_384, lambda d: d.layout.gpus_used,
        lambda d: f"{some(d.layout.gpus_used, 'GPU')}: the largest run behind the time model has 16\u202f384.",
    ),
    Limit(
        "stops expected of a small job", 0, 0.1, _stops_of_small_job,
        lambda d: "Small jobs stop more often than in proportion: Meta's 1024-GPU jobs ran 7.9 h, not 28.8.",
    ),
    Limit(
        "parameters", 1e8, 1.1e12, lambda d: d.workload.params,
        lambda d: f"{count(d.workload.params)} parameters are outside the published models, 0.1B to 1.1T: "
        "the shape is extrapolated.",
    ),
    Limit(
        "width on each GPU", 512, inf, _widths_per_gpu,
        lambda d: f"A width of {number(_widths_per_gpu(d))} a GPU gives small matrices; their time is known least.",
    ),
    Limit(
        "sequence length", 512, 262_144, lambda d: d.workload.seq_tokens,
        lambda d: f"{grouped(d.workload.seq_tokens)} tokens a sequence: published runs have 512 to 262\u202f144.",
    ),
    Limit(
        "8-bit arithmetic", 0, 0, lambda d: d.workload.precision == "fp8",
        lambda d: "FP8: published runs scatter widely; the time may be off by a quarter.",
    ),
    Limit(
        "experts", 0, 0, lambda d: d.model.experts,
        lambda d: "Experts are taken as evenly loaded; published runs of such models scatter by a third.",
    ),
    Limit(
        "planning MFU", 0, 0, lambda d: d.workload.mfu != "model",
        lambda d: f"Days follow the planning MFU of {share(float(d.workload.mfu))}; the step is still the engine's.",
    ),
)  # fmt: skip
