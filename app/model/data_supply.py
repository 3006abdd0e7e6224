"""Whether the loaders keep the mesh fed."""

from typing import Any

import numpy as np


def needed_tokens_per_s(step_tokens: Any, busy_seconds: Any) -> Any:
    """Tokens that the loaders must stream so that no step waits. [tokens/s]

    step_tokens: tokens of one optimizer step [tokens]
    busy_seconds: step time without waiting for data [s]

    Source: a division; MegaScale, arXiv:2402.15627, section 3.4, on loaders that fall short.
    Limits: averages; a stalled reader inside a step is not seen.

    >>> needed_tokens_per_s(4e6, 2.0)
    2000000.0
    """
    return step_tokens / busy_seconds


def wait_seconds(step_tokens: Any, busy_seconds: Any, supplied_tokens_per_s: Any) -> Any:
    """What each step waits for data. [s]

    supplied_tokens_per_s: what the loaders stream [tokens/s]

    Source: as `needed_tokens_per_s`; loading overlaps the step before it.
    Limits: as `needed_tokens_per_s`.

    >>> float(wait_seconds(4e6, 2.0, 1e6))
    2.0
    """
    return np.maximum(0.0, step_tokens / supplied_tokens_per_s - busy_seconds)
