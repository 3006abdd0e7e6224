"""app/model/sizing.py: every workload is answered, and every answer adds up."""

import json
import math
from dataclasses import asdict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.model.fields import LAYOUT
from app.model.sizing import design, size
from app.model.workload import Workload
from tests.workloads import fixed_workloads, log_uniform, workloads

many = settings(max_examples=150, deadline=None)

MEMORY_PARTS = ("weights_bytes", "gradients_bytes", "optimizer_bytes", "activations_bytes", "overhead_bytes")
STEP_PARTS = (
    "compute_seconds", "tensor_exposed_seconds", "context_exposed_seconds", "expert_exposed_seconds",
    "pipeline_exposed_seconds", "data_parallel_exposed_seconds", "bubble_seconds", "optimizer_seconds",
    "overhead_seconds", "loader_wait_seconds",
)  # fmt: skip


def every_number(value: object) -> list[float]:
    if isinstance(value, dict):
        return [n for v in value.values() for n in every_number(v)]
    if isinstance(value, (list, tuple)):
        return [n for v in value for n in every_number(v)]
    return [float(value)] if isinstance(value, (int, float)) else []


@many
@given(fixed_workloads)
def test_every_number_of_every_answer_is_finite(workload):
    """No NaN, no infinity, and the answer is JSON."""
    answer = asdict(size(workload))

    assert all(math.isfinite(n) for n in every_number(answer))
    assert json.loads(json.dumps(answer, allow_nan=False))["layout"]["tensor"] == answer["layout"]["tensor"]


@many
@given(fixed_workloads)
def test_memory_parts_sum_to_the_total(workload):
    """On the fullest GPU and on every stage."""
    memory = design(workload).memory

    for row in (memory, *memory.stages):
        assert sum(getattr(row, part) for part in MEMORY_PARTS) == pytest.approx(row.total_bytes)
    assert memory.total_bytes == max(s.total_bytes for s in memory.stages)


@many
@given(fixed_workloads)
def test_time_parts_sum_to_the_step(workload):
    """Ten parts, none of them negative."""
    step = design(workload).step
    parts = [getattr(step, part) for part in STEP_PARTS]

    assert sum(parts) == pytest.approx(step.seconds)
    assert min(parts) >= 0


@many
@given(fixed_workloads)
def test_an_exchange_never_shows_longer_than_it_takes(workload):
    """Overlap can only hide time."""
    step = design(workload).step

    for kind, seconds in asdict(step.communication_seconds).items():
        assert getattr(step, f"{kind}_exposed_seconds") <= seconds * (1 + 1e-9)


RESOURCES = [
    ("link_gb_per_s", "collectives"),
    ("data_tokens_per_s", "data_pipeline"),
    ("mtbf_gpu_hours", "failures"),
    ("checkpoint_gb_per_s", "failures"),
]


def fixed_as_chosen(workload: Workload) -> Workload:
    layout = design(workload).layout
    recompute = layout.recompute
    return workload.changed(recompute=recompute, **{f.name: getattr(layout, f.name) for f in LAYOUT})


@pytest.mark.parametrize(("resource", "load"), RESOURCES)
@settings(max_examples=40, deadline=None)
@given(workload=workloads, low=st.floats(0, 1), high=st.floats(0, 1))
def test_more_of_a_resource_never_makes_its_own_load_worse(resource, load, workload, low, high):
    """At a fixed layout."""
    from app.model.fields import FIELDS

    bounds = FIELDS[resource]
    fixed = fixed_as_chosen(workload)
    values = [bounds.low * (bounds.high / bounds.low) ** x for x in sorted((low, high))]
    values = [min(max(v, bounds.low), bounds.high) for v in values]
    less, more = ({b.id: b.load for b in design(fixed.changed(**{resource: v})).bottlenecks}[load] for v in values)

    assert more <= less * (1 + 1e-9)


@settings(max_examples=40, deadline=None)
@given(workloads)
def test_a_larger_memory_never_makes_the_memory_load_worse(workload):
    """H100 against H200 at the same layout."""
    fixed = fixed_as_chosen(workload.changed(gpu="h100-80gb"))
    less, more = (
        {b.id: b.load for b in design(fixed.changed(gpu=g)).bottlenecks}["memory"] for g in ("h100-80gb", "h200-141gb")
    )

    assert more <= less


@settings(max_examples=60, deadline=None)
@given(log_uniform(1, 1e6).map(round))
def test_every_gpu_count_gets_an_answer(gpus):
    """No more GPUs work than there are."""
    layout = design(Workload(gpus=gpus)).layout

    assert 1 <= layout.gpus_used <= gpus
    assert layout.gpus_used == layout.tensor * layout.pipeline * layout.context * layout.data


def test_the_same_workload_is_sized_once():
    """Identical questions come from a bounded cache."""
    assert size(Workload(gpus=72)) is size(Workload(gpus=72))


def test_more_gpus_fixed_than_there_are_does_not_fit():
    """tensor × pipeline of 512 on 64 GPUs is answered, as a design that does not fit."""
    answer = size(Workload(params=70e9, tensor=8, pipeline=64))

    assert answer.shape.id == "does_not_fit"
    assert answer.layout.gpus_used == 512
    assert answer.remedies


@pytest.mark.parametrize(
    ("inputs", "shape"),
    [
        ({"params": 1e9, "gpus": 1}, "single_gpu"),
        ({"params": 1e9, "gpus": 8}, "data_parallel"),
        ({"params": 10e9, "gpus": 64}, "sharded_data_parallel"),
        ({"params": 70e9, "gpus": 8}, "does_not_fit"),
        ({"params": 8e9, "gpus": 8, "tensor": 8}, "tensor_parallel"),
        ({"model": "llama-3.1-405b", "gpus": 16_384, "batch_tokens": 2**24, "seq_tokens": 8192}, "fleet"),
    ],
)
def test_a_shape_follows_from_the_numbers(inputs, shape):
    """One GPU, whole state, sharded state, no room, one cut, and a fleet that stops daily."""
    assert size(Workload(**inputs)).shape.id == shape


def test_utilization_falls_when_gpus_double_at_a_fixed_batch():
    """Llama 3: MFU from 43 to 41 % when GPUs doubled at a fixed batch; the engine's falls too."""
    base = {
        "model": "llama-3.1-405b",
        "seq_tokens": 8192,
        "batch_tokens": 2**24,
        "tensor": 8,
        "pipeline": 16,
        "context": 1,
    }
    half, whole = (design(Workload(gpus=n, **base)).run.mfu for n in (8192, 16_384))

    assert whole < half
