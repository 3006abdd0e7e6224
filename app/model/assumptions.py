"""The three teaching assumptions: round numbers and simplifications, said as such."""

from app.model.answer import Assumption
from app.model.bottlenecks import ALLOWED_LOSS, OVER, TIGHT
from app.model.design import Design
from app.model.phrases import number, round_share, size, sold, some
from app.model.units import grouped

META_GPUS, META_HOURS, META_PREDICTED_HOURS = 1024, 7.9, 28.8
"""Kokolis et al. 2024, arXiv:2410.21680: measured between failures of such jobs, and what 6.5
failures in 1000 node-days predict."""


def assumptions(design: Design) -> tuple[Assumption, ...]:
    """Memory, thresholds and failures, with this design's figures."""
    return (
        Assumption("memory", _memory(design)),
        Assumption("thresholds", _thresholds(design)),
        Assumption("failures", _failures(design)),
    )


def _memory(design: Design) -> str:
    each = design.workload.bytes_per_param
    return (
        f"State is {each} bytes for each trained parameter, {size(design.memory.state_bytes)} here, plus activations "
        "that grow with batch and sequence. Real frameworks differ with precision and sharding."
    )


def _thresholds(design: Design) -> str:
    memory = design.memory
    return (
        f"A GPU sold as {sold(memory.capacity_bytes)} gives out {size(memory.usable_bytes)}. A bar is tight from "
        f"{round_share(TIGHT)}, over from {round_share(OVER)}; stops may cost {round_share(ALLOWED_LOSS)} of the time. "
        "These limits are round numbers, not benchmarks."
    )


def _failures(design: Design) -> str:
    stops = design.reliability
    return (
        f"Stops grow in proportion to GPUs: {number(design.workload.mtbf_gpu_hours)} GPU-hours between two, so "
        f"{number(stops.hours_between_stops)} h at {some(design.workload.gpus, 'GPU')}. Small jobs stop more often: "
        f"Meta measured {META_HOURS} h at {grouped(META_GPUS)} GPUs where the rate predicts {META_PREDICTED_HOURS}."
    )
