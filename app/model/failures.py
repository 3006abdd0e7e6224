"""A run with stops at random times, simulated from a seed: what the closed form of goodput is checked against."""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

STOPS = 4000
"""Stops of one sample."""
SEED = 200
"""One whose first stops come about as often as the mean says."""
MOST_TRIES = 50.0
"""Tries of a restart, on average, beyond which a run is not simulated: it never gets going."""
CONFIDENCE = 1.96
"""Standard errors on either side of a mean that hold it 95 times in 100."""

Column = NDArray[np.float64]


@dataclass(frozen=True)
class Sample:
    """One row for each stop. [s]

    saved: full intervals before it [-]; lost: work and writing since the last checkpoint
    restart: until training goes on, with restarts that failed; interval, stall: as asked
    """

    interval: float
    stall: float
    saved: Column
    lost: Column
    restart: Column

    @property
    def lengths(self) -> Column:
        """From one start of training to the next. [s]"""
        return self.saved * (self.interval + self.stall) + self.lost + self.restart


@dataclass(frozen=True)
class Shares:
    """Shares of a sample's time, and the goodput that its size cannot tell from the one found. [-]"""

    training: float
    repeated: float
    writing: float
    restarting: float
    low: float
    high: float


@lru_cache(maxsize=64)
def simulate(interval_s: float, stall_s: float, mtbf_s: float, restart_s: float, seed: int = SEED) -> Sample | None:
    """A run until its 4000th stop; None where restarts hardly ever succeed. [s]

    interval_s: training between checkpoints τ; stall_s: what training waits for a write δ
    mtbf_s: mean time between stops M; restart_s: time to restart R

    Stops are a Poisson process. One while training or writing throws away all since the last
    checkpoint; one while restarting starts the restart again.
    Source: the assumptions of Daly 2006, doi:10.1016/j.future.2004.11.016, played instead of solved.
    Limits: stops strike at random, none brings the next one.
    """
    tries = math.exp(min(restart_s / mtbf_s, 700.0))
    if tries > MOST_TRIES:
        return None
    rng = np.random.default_rng(seed)
    until_stop = rng.exponential(mtbf_s, STOPS)
    saved = np.floor(until_stop / (interval_s + stall_s))
    lost = until_stop - saved * (interval_s + stall_s)
    failed = rng.geometric(1 / tries, STOPS) - 1
    each = -mtbf_s * np.log1p(rng.random(int(failed.sum())) * math.expm1(-restart_s / mtbf_s))
    wasted = np.bincount(np.repeat(np.arange(STOPS), failed), weights=each, minlength=STOPS)
    return Sample(interval_s, stall_s, saved, lost, np.asarray(wasted + restart_s, dtype=np.float64))


def shares(sample: Sample) -> Shares:
    """What the time of a sample went into, with an interval of confidence for goodput. [-]

    The ratio of two sums: its error from the scatter of training − goodput × time.
    Source: the usual error of a ratio estimate (Cochran 1977, Sampling Techniques, section 6.3).
    Limits: 95 times in 100; not for a handful of stops.
    """
    trained, total = sample.saved * sample.interval, sample.lengths
    whole = float(total.sum())
    goodput = float(trained.sum()) / whole
    error = float(np.std(trained - goodput * total)) / (float(total.mean()) * math.sqrt(len(total)))
    return Shares(
        training=goodput,
        repeated=float(sample.lost.sum()) / whole,
        writing=float((sample.saved * sample.stall).sum()) / whole,
        restarting=float(sample.restart.sum()) / whole,
        low=goodput - CONFIDENCE * error,
        high=goodput + CONFIDENCE * error,
    )
