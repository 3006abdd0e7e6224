"""One measured run moves the multiplier of its software stack, shrunk towards 1."""

import json
from dataclasses import replace

from app.model.calibration import STACKS, Stack
from app.model.sources import DATA
from app.model.workload import Workload

OWN_RUN: dict[str, float] = json.loads((DATA / "own_run.json").read_text(encoding="utf-8"))
"""What one run of a source told about its others while all of them were left out of the fit."""


def learnt(measured_seconds: float, predicted_seconds: float) -> float:
    """Multiplier of a stack's time after one measured step. [-]

    measured_seconds, predicted_seconds: of the same step [s]

    (measured ÷ predicted)^shrink: one run scatters, so part of its ratio is noise. Ratios beyond the
    farthest miss of any left-out run are cut to it.
    Source: `app/data/own_run.json`: each source left out of the fit, then given one of its runs.
    Limits: for designs near the measured one; the multiplier moves computing and exchanges alone.

    >>> learnt(1.0, 1.0)
    1.0
    """
    most = OWN_RUN["farthest"]
    ratio = min(max(measured_seconds / predicted_seconds, 1 / most), most)
    return float(ratio ** OWN_RUN["shrink"])


def own_stack(workload: Workload) -> Stack | None:
    """The workload's stack with its own multiplier; None where it has none."""
    if workload.stack_time is None:
        return None
    stack = STACKS[workload.stack]
    return replace(stack, time=stack.time * workload.stack_time)
