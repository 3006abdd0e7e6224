"""Stops, checkpoints and what they cost: closed forms for one run. All times in seconds."""

import math

from app.model.answer import Reliability
from app.model.workload import Workload

DAY = 86_400.0


def stops_per_day(gpus: float, mtbf_gpu_hours: float) -> float:
    """Unexpected stops of the whole mesh. [1/day]

    24 ÷ M with M = mtbf_gpu_hours ÷ gpus hours.
    Source: Llama Team 2024, arXiv:2407.21783, section 3.3.4, for the rate.
    Limits: GPUs fail independently; small jobs stop more often than this
        (Kokolis et al. 2024, arXiv:2410.21680: 7.9 h at 1,024 GPUs where the rate says 28.8 h).

    >>> round(stops_per_day(16384, 16384 * 54 * 24 / 419), 2)
    7.76
    """
    return 24 * gpus / mtbf_gpu_hours


def lost_fraction(interval_seconds: float, mtbf_seconds: float) -> float:
    """Share of a run repeated after stops, by the rule of half an interval. [-]

    τ ÷ 2M, at most 1.
    Source: Young 1974, doi:10.1145/361147.361115.
    Limits: τ well below M; past τ ÷ M = 0.2 use `goodput`.

    >>> round(lost_fraction(1800, 54 * 86400 / 419), 4)
    0.0808
    """
    return min(1.0, interval_seconds / (2 * mtbf_seconds))


def goodput(interval_s: float, write_s: float, mtbf_s: float, restart_s: float) -> float:
    """Share of wall time that is new training. [-]

    τ ÷ (e^(R/M)·M·(e^((τ+δ)/M) − 1)), exact for stops at random (Poisson) times.
    Source: Daly 2006, doi:10.1016/j.future.2004.11.016.
    Limits: stops strike while writing and restarting too; 0 where the exponential overflows.

    >>> round(goodput(1800, 4, 11136, 600), 3)
    0.871
    """
    return parts(interval_s, write_s, mtbf_s, restart_s)[0]


def parts(interval_s: float, write_s: float, mtbf_s: float, restart_s: float) -> tuple[float, float, float, float]:
    """Shares of wall time: new training, repeated, writing, restarting; they sum to 1. [-]

    With x = (τ + δ) ÷ M and q = x ÷ (e^x − 1): training and writing share e^(−R/M)·q in the ratio
    τ : δ, failed attempts take e^(−R/M)·(1 − q), restarts 1 − e^(−R/M).
    Source: as `goodput`, split by what the time was spent on.
    Limits: as `goodput`.
    """
    x = (interval_s + write_s) / mtbf_s
    up = math.exp(-restart_s / mtbf_s)
    q = x / math.expm1(x) if x < 700 else 0.0
    train = up * q * interval_s / (interval_s + write_s)
    stall = up * q * write_s / (interval_s + write_s)
    return train, up * (1 - q), stall, -math.expm1(-restart_s / mtbf_s)


def young_interval(write_s: float, mtbf_s: float) -> float:
    """Checkpoint interval by the first-order rule. [s]

    √(2·δ·M).
    Source: Young 1974, doi:10.1145/361147.361115.
    Limits: δ well below M.

    >>> round(young_interval(4, 11136))
    298
    """
    return math.sqrt(2 * write_s * mtbf_s)


def daly_interval(write_s: float, mtbf_s: float) -> float:
    """Checkpoint interval that loses least, to higher order. [s]

    √(2δM)·(1 + ⅓·√(δ/2M) + ⅑·δ/2M) − δ below δ = 2M, else M.
    Source: Daly 2006, doi:10.1016/j.future.2004.11.016, equation 37.
    Limits: the restart time does not move it.

    >>> round(daly_interval(4, 11136))
    296
    """
    if write_s >= 2 * mtbf_s:
        return mtbf_s
    ratio = write_s / (2 * mtbf_s)
    return young_interval(write_s, mtbf_s) * (1 + math.sqrt(ratio) / 3 + ratio / 9) - write_s


def checkpoint_bytes(params: float, trained: float, bytes_per_param: float, gradient_bytes: float) -> float:
    """Size of one full checkpoint: all state but the gradients. [bytes]

    14 bytes for each trained parameter (2 of weights, 12 of optimizer), 2 for each frozen one.
    Source: Narayanan et al. 2021, section 5.10: 13.8 TB for one trillion parameters.
    Limits: weights alone, as published models are, take 2.

    >>> checkpoint_bytes(1e12, 1e12, 16, 2) / 1e12
    14.0
    """
    optimizer = bytes_per_param - gradient_bytes - 2
    return 2 * params + optimizer * trained


def reliability(workload: Workload, gradient_bytes: float) -> Reliability:
    """Everything that stops cost this (resolved) workload; a GPU that fails idle stops the mesh too."""
    size = checkpoint_bytes(workload.params, workload.trained_params, workload.bytes_per_param, gradient_bytes)
    write = size / (workload.checkpoint_gb_per_s * 1e9)
    stall = 0.0 if workload.checkpoint_async else write
    mtbf = workload.mtbf_gpu_hours * 3600 / workload.gpus
    interval = workload.checkpoint_minutes * 60
    train, repeated, stalled, restart = parts(interval, stall, mtbf, workload.restart_minutes * 60)
    return Reliability(
        stops_per_day=stops_per_day(workload.gpus, workload.mtbf_gpu_hours),
        hours_between_stops=mtbf / 3600,
        lost_fraction=lost_fraction(interval, mtbf),
        repeated_fraction=repeated,
        stall_fraction=stalled,
        restart_fraction=restart,
        goodput=train,
        optimal_checkpoint_minutes=daly_interval(write, mtbf) / 60,
        young_checkpoint_minutes=young_interval(write, mtbf) / 60,
        checkpoint_bytes=size,
        checkpoint_write_seconds=write,
    )
