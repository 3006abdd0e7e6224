"""app/model/compute.py and step.py: times of one step."""

import pytest

from app.model.compute import Chip, chip_of, matmul_seconds
from app.model.sizing import design
from app.model.step import step_time
from app.model.workload import Workload

BASE = {
    "params": 70e9,
    "gpus": 512,
    "tensor": 8,
    "pipeline": 4,
    "context": 1,
    "micro_batch": 1,
    "recompute": "selective",
}


def sized(**changes: object):
    return design(Workload(**{**BASE, **changes}))


def h100() -> Chip:
    return chip_of(Workload().resolved())


def test_a_large_matmul_reaches_the_generations_share_of_the_peak():
    """Operand traffic fades as the sides grow."""
    side = 2**18

    assert 2 * side**3 / matmul_seconds(side, side, side, h100()) == pytest.approx(h100().matmul_flop_per_s, rel=0.01)


def test_a_thin_matmul_is_bound_by_memory():
    """One row reads the whole matrix: time follows bytes, not FLOP."""
    one, eight = (matmul_seconds(rows, 8192, 8192, h100()) for rows in (1, 8))

    assert eight < 1.05 * one


def test_full_recompute_repeats_the_forward_pass():
    """About a third more computing, and its exchanges."""
    none, full = (sized(recompute=r).step for r in ("none", "full"))

    assert full.compute_seconds / none.compute_seconds == pytest.approx(1.32, abs=0.04)
    assert full.communication_bytes.tensor == pytest.approx(1.5 * none.communication_bytes.tensor)


def test_tensor_traffic_is_two_allreduces_a_layer_and_pass():
    """8·b·s·h·(t − 1) ÷ t elements a layer and micro-batch: Narayanan et al. 2021, section 3.2."""
    d = sized()
    layers = -(-d.model.layers // 4)
    elements = 8 * 4096 * d.model.hidden * 7 / 8 * layers * d.layout.microbatches

    assert d.step.communication_bytes.tensor == pytest.approx(2 * elements)


def test_sharding_weights_moves_half_as_much_again():
    """ZeRO, section 7.2: 2P elements without, 3P with stage 3, for one micro-batch a step."""
    fixed = {"params": 8e9, "gpus": 64, "tensor": 1, "pipeline": 1, "batch_tokens": 64 * 4096, "context": 1}
    moved = {z: sized(**fixed, zero_stage=z).step.communication_bytes.data_parallel for z in (0, 1, 2, 3)}

    assert moved[0] == moved[1] == moved[2]
    assert moved[3] == pytest.approx(1.5 * moved[0])


def test_a_bubble_takes_the_slots_that_the_schedule_leaves():
    """Idle time over compute and what shows of its exchanges is near (p − 1) ÷ m."""
    d = sized(batch_tokens=2**21)
    busy = d.step.compute_seconds + d.step.tensor_exposed_seconds

    assert d.step.bubble_seconds / busy == pytest.approx(d.pipeline.bubble_over_ideal, rel=0.1)


def test_starved_loaders_add_the_wait():
    """At half the need each step takes as long as its data."""
    fed = sized()
    starved = sized(data_tokens_per_s=fed.data.needed_tokens_per_s / 2)

    assert starved.step.seconds == pytest.approx(2 * (fed.step.seconds - fed.step.loader_wait_seconds))
    assert starved.data.needed_tokens_per_s == pytest.approx(fed.data.needed_tokens_per_s)


@pytest.mark.parametrize("stack", ["megatron-2021", "megatron-2022", "modern"])
def test_a_stack_is_one_multiplier_on_computing(stack):
    """Doubling it doubles computing time."""
    from app.model import calibration

    w = Workload(**BASE, stack=stack).resolved()
    d = design(Workload(**BASE, stack=stack))

    assert calibration.STACKS[stack].time > 0
    assert float(step_time(w, d.model, _columns(d)).compute) == pytest.approx(d.step.compute_seconds)


def _columns(d):
    from app.model.layout import RECOMPUTE, Layout

    one = d.layout
    return Layout(
        one.tensor, one.pipeline, one.context, one.expert, one.data, one.zero_stage, one.micro_batch, one.chunks,
        RECOMPUTE.index(one.recompute), one.microbatches,
    )  # fmt: skip


def test_megatrons_ten_runs_of_2021_fall_within_a_tenth():
    """Step times worked back from table 1 of arXiv:2104.04473 (full recompute, A100): the engine sees
    shape, batch and layout alone."""
    errors = {}
    for name, (*shape, seconds) in NARAYANAN.items():
        errors[name] = _megatron(*shape) / seconds - 1

    assert max(abs(e) for e in errors.values()) < 0.10, errors


def _megatron(layers, hidden, heads, gpus, t, p, v, b, batch) -> float:
    from app.model.layout import Layout
    from app.model.transformer import Transformer

    model = Transformer(
        "", "", layers, hidden, heads, heads, hidden // heads, 4 * hidden, 51_200, gated=False, tied=True
    )
    w = Workload(gpus=gpus, gpu="a100-80gb", seq_tokens=2048, batch_tokens=2048 * batch, link_gb_per_s=25,
                 stack="megatron-2021", recompute="full")  # fmt: skip
    w = w.resolved().model_copy(update={"params": model.total_params, "trained_params": model.total_params})
    d = gpus // (t * p)
    return float(step_time(w, model, Layout(t, p, 1, 1, d, 0, b, v, 2, -(-batch // (d * b)))).busy)


NARAYANAN = {
    # layers, hidden, heads, gpus, tensor, pipeline, chunks, micro-batch, sequences, seconds
    "1.7B": (24, 2304, 24, 32, 1, 1, 1, 16, 512, 3.528),
    "3.6B": (30, 3072, 32, 64, 2, 1, 1, 16, 512, 3.697),
    "7.5B": (36, 4096, 32, 128, 4, 1, 1, 16, 512, 3.696),
    "18B": (40, 6144, 48, 256, 8, 1, 1, 8, 1024, 9.399),
    "39B": (48, 8192, 64, 512, 8, 2, 1, 4, 1536, 14.45),
    "76B": (60, 10_240, 80, 1024, 8, 4, 3, 2, 1792, 16.06),
    "145B": (80, 12_288, 96, 1536, 8, 8, 2, 2, 2304, 24.82),
    "310B": (96, 16_384, 128, 1920, 8, 16, 2, 1, 2160, 37.61),
    "530B": (105, 20_480, 128, 2520, 8, 35, 3, 1, 2520, 54.08),
    "1T": (128, 25_600, 160, 3072, 8, 64, 1, 1, 3072, 102.6),
}
