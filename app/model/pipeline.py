"""Pipeline schedules: idle time, and how many micro-batches a stage keeps alive."""

from typing import Any

import numpy as np


def bubble_over_ideal(stages: Any, microbatches: Any, chunks: Any = 1) -> Any:
    """Idle time of a pipeline over its ideal computing time. [-]

    stages: pipeline stages p [-]
    microbatches: micro-batches m of one step [-]
    chunks: interleaved blocks v on each stage [-]

    (p − 1) ÷ (v·m), for GPipe and 1F1B alike with v = 1.
    Source: Narayanan et al. 2021, arXiv:2104.04473, sections 2.2.1 and 2.2.2.
    Limits: equal stages; a flush after each batch.

    >>> bubble_over_ideal(16, 16), bubble_over_ideal(16, 128)
    (0.9375, 0.1171875)
    """
    return (stages - 1) / (chunks * microbatches)


def idle_fraction(stages: Any, microbatches: Any, chunks: Any = 1) -> Any:
    """Share of a step that a stage sits idle. [-]

    The bubble over the whole step instead of over the ideal: b ÷ (1 + b).
    Source: GPipe, arXiv:1811.06965, section 2.3: (K − 1) ÷ (M + K − 1).
    Limits: as `bubble_over_ideal`.

    >>> round(idle_fraction(16, 16), 4)
    0.4839
    """
    bubble = bubble_over_ideal(stages, microbatches, chunks)
    return bubble / (1 + bubble)


def microbatches_alive(stages: Any, microbatches: Any, chunks: Any, stage: Any) -> Any:
    """Micro-batches whose activations stage `stage` (from 0) holds at its fullest. [-]

    1F1B keeps min(m, p − stage). Interleaved, a stage runs 2(p − stage − 1) + (v − 1)·p + 1
    chunks ahead, each 1 ÷ v of its layers: on the first stage p·(1 + (p − 1) ÷ (p·v)).
    Source: Narayanan et al. 2021, section 2.2.1; Korthikanti et al. 2022, arXiv:2205.05198,
        section 4.2.3.
    Limits: equal stages, all chunks alike.

    >>> float(microbatches_alive(16, 128, 1, 0)), float(microbatches_alive(16, 128, 2, 0))
    (16.0, 23.5)
    """
    plain = stages - stage
    ahead = (2 * (stages - stage - 1) + (chunks - 1) * stages + 1) / chunks
    return np.minimum(microbatches, np.where(chunks == 1, plain, ahead))
