"""Random workloads over the whole range of every input, for properties."""

import math

from hypothesis import strategies as st

from app.model.fields import FIELDS, LAYOUT
from app.model.hardware import ACCELERATORS
from app.model.transformer import PRESETS
from app.model.workload import Workload


def log_uniform(low: float, high: float) -> st.SearchStrategy[float]:
    """Numbers spread evenly over orders of magnitude, ends included."""
    return st.floats(math.log(low), math.log(high)).map(lambda x: min(max(math.exp(x), low), high))


def _number(name: str) -> st.SearchStrategy[float | int]:
    field = FIELDS[name]
    numbers = log_uniform(max(field.low, 1e-3), field.high)
    return numbers.map(round) if field.whole else numbers


NUMBERS = (
    "params", "gpus", "batch_tokens", "seq_tokens", "link_gb_per_s", "data_tokens_per_s", "checkpoint_minutes",
    "train_tokens", "mtbf_gpu_hours", "checkpoint_gb_per_s", "restart_minutes", "gpu_hour_price", "gpus_per_node",
)  # fmt: skip

INPUTS: dict[str, st.SearchStrategy[object]] = {
    **{name: _number(name) for name in NUMBERS},
    "model": st.sampled_from([None, *PRESETS]),
    "gpu": st.sampled_from(list(ACCELERATORS)),
    "split_model": st.booleans(),
    "recompute": st.sampled_from(["auto", "none", "selective", "full"]),
    "bytes_per_param": st.sampled_from([16, 18, 20]),
    "precision": st.sampled_from(["bf16", "fp16", "fp8", "fp32"]),
    "goal": st.sampled_from(["simplest", "fastest"]),
    "mfu": st.one_of(st.just("model"), st.floats(0.01, 1)),
    "checkpoint_async": st.booleans(),
}

FIXED = {f.name: st.integers(int(f.low), min(int(f.high), 40)) for f in LAYOUT}

workloads = st.fixed_dictionaries({}, optional=INPUTS).map(lambda chosen: Workload(**chosen))
"""Any workload whose layout the engine chooses."""

fixed_workloads = st.fixed_dictionaries({}, optional={**INPUTS, **FIXED}).map(lambda chosen: Workload(**chosen))
"""Any workload, parts of the layout fixed at will, sensible or not."""
