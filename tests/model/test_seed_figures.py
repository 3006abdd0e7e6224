"""The figures that the two seed documents state or follow from, as published.

Where not said otherwise they stand in 'Design distributed training for a 10B to 1T parameter model'.
"""

import pytest

from app.model.calibration import TIME
from app.model.collectives import Links, bus_bytes_per_s
from app.model.compute import training_days, training_flop
from app.model.design import Design
from app.model.hardware import ACCELERATORS
from app.model.memory import bytes_per_param, state_bytes, zero_state
from app.model.pipeline import bubble_over_ideal, idle_fraction
from app.model.reliability import checkpoint_bytes
from app.model.sizing import design, size
from app.model.workload import Workload

LLAMA_RATE = 16_384 * 54 * 24 / 419
"""GPU-hours between unexpected stops: Llama Team 2024, arXiv:2407.21783, section 3.3.4."""


def sized(**inputs: object) -> Design:
    return design(Workload(**inputs))


@pytest.mark.parametrize(
    ("params", "state", "weights"),
    [
        pytest.param(10e9, 160e9, 20e9, id="S01: 10B"),
        pytest.param(1e12, 16e12, 2e12, id="S02: 1T"),
        pytest.param(1.5e9, 24e9, 3e9, id="S04, S05: ZeRO paper, arXiv:1910.02054, section 3.1"),
    ],
)
def test_state_of_mixed_precision_adam_is_sixteen_bytes(params, state, weights):
    """The whole state and the 16-bit weights are the printed ones."""
    assert sized(params=params, gpus=4096).memory.state_bytes == state
    assert bytes_per_param(16, "bf16").weights * params == weights


def test_a_trillion_parameters_need_200_gpus_for_state():
    """S03: 16 TB over 80 GB."""
    assert sized(params=1e12, gpus=4096).memory.gpus_for_state == 200


def test_full_sharding_over_64_gpus_leaves_two_and_a_half_gigabytes():
    """S06: 10B, ZeRO stage 3 on 64 GPUs."""
    memory = sized(params=10e9, gpus=64, zero_stage=3, tensor=1, pipeline=1, context=1).memory

    state = memory.weights_bytes + memory.gradients_bytes + memory.optimizer_bytes
    assert state == pytest.approx(2.5e9, rel=1e-12)


@pytest.mark.parametrize(
    ("microbatches", "over_ideal", "idle"),
    [pytest.param(16, 93.8, 48.4, id="S07, S08"), pytest.param(128, 11.7, 10.5, id="S09")],
)
def test_the_bubble_of_sixteen_stages_is_the_printed_one(microbatches, over_ideal, idle):
    """Narayanan et al. 2021, section 2.2.1, to the article's three digits."""
    assert 100 * bubble_over_ideal(16, microbatches) == pytest.approx(over_ideal, abs=0.051)
    assert 100 * idle_fraction(16, microbatches) == pytest.approx(idle, abs=0.051)


def test_interleaving_divides_the_bubble_and_multiplies_the_traffic():
    """S10: v chunks, Narayanan et al. 2021, section 2.2.2."""
    fixed = {"params": 70e9, "gpus": 128, "tensor": 4, "pipeline": 4, "micro_batch": 1, "recompute": "full"}
    plain, chunked = (sized(**fixed, chunks=v) for v in (1, 4))

    assert chunked.pipeline.bubble_over_ideal == plain.pipeline.bubble_over_ideal / 4
    assert chunked.step.communication_bytes.pipeline == 4 * plain.step.communication_bytes.pipeline


def test_work_of_llama_3_is_the_printed_one():
    """S11: 405B on 15.6T tokens; the paper prints 3.8e25."""
    assert training_flop(405e9, 15.6e12) == pytest.approx(3.79e25, abs=0.005e25)


def test_dense_peak_of_an_h100_is_half_the_listed_one():
    """S12: NVIDIA lists 1,979 TFLOP/s with sparsity, 989.5 dense."""
    assert ACCELERATORS["h100-80gb"].peak_flop_per_s("bf16") == pytest.approx(989.5e12, abs=0.15e12)


def test_a_planning_figure_replaces_the_estimate():
    """S13: 40 % is a defensible planning figure; it sets the days and leaves the step alone."""
    modelled, planned = (sized(params=10e9, gpus=256, mfu=mfu) for mfu in ("model", 0.40))

    work = 6 * 10e9 * planned.run.tokens
    peak = 256 * planned.accelerator.peak_flop_per_s("bf16")
    assert planned.run.days == pytest.approx(work / (peak * 0.40) / 86_400)
    assert planned.step == modelled.step


def test_stops_of_llama_3_come_every_three_hours():
    """S14, S15: 419 in 54 days on 16,384 GPUs, at the default rate."""
    stops = sized(params=405e9, gpus=16_384, batch_tokens=2**24).reliability

    assert stops.stops_per_day == pytest.approx(7.76, abs=0.005)
    assert stops.hours_between_stops == pytest.approx(3.1, abs=0.05)


@pytest.mark.parametrize(
    ("minutes", "percent"),
    [pytest.param(30, 8.1, id="S16"), pytest.param(120, 32.3, id="S17"), pytest.param(10, 2.7, id="S18")],
)
def test_repeated_work_by_the_rule_of_half_an_interval(minutes, percent):
    """Llama 3's rate at three checkpoint intervals."""
    stops = sized(
        params=405e9, gpus=16_384, batch_tokens=2**24, checkpoint_minutes=minutes, mtbf_gpu_hours=LLAMA_RATE
    ).reliability

    assert 100 * stops.lost_fraction == pytest.approx(percent, abs=0.05)


def test_megatron_writes_its_checkpoint_in_fifty_seconds():
    """S19: 13.8 TB at 273 GB/s (Narayanan et al. 2021, section 5.10); we count 14 bytes a parameter."""
    size_bytes = checkpoint_bytes(1.008e12, 1.008e12, 16, 2)

    assert 13.8e12 / 273e9 == pytest.approx(50.5, abs=0.1)
    assert size_bytes == pytest.approx(13.8e12, rel=0.03)


def megatron_1t() -> Design:
    return sized(
        model="megatron-1t", gpus=3072, gpu="a100-80gb", seq_tokens=2048, batch_tokens=3072 * 2048,
        link_gb_per_s=25, stack="megatron-2021", recompute="full", tensor=8, pipeline=64,
    )  # fmt: skip


def test_megatrons_layout_leaves_six_replicas():
    """S20: 3,072 ÷ (8 × 64)."""
    assert megatron_1t().layout.data == 6


def test_share_of_peak_in_megatrons_run():
    """S21: 163 of 312 TFLOP/s, recompute counted; the engine is not told the result."""
    peak = ACCELERATORS["a100-80gb"].peak_flop_per_s("fp16")

    assert 100 * 163e12 / peak == pytest.approx(52, abs=0.5)
    assert 100 * megatron_1t().run.hfu == pytest.approx(52, rel=0.10)


def test_megatrons_own_estimate_is_84_days():
    """S22: 450 billion tokens at 163 TFLOP/s and 8 FLOP per parameter and token."""
    work = training_flop(1.008e12, 450e9) * 8 / 6

    assert training_days(work, 3072, 163e12) == pytest.approx(84, abs=0.5)


@pytest.mark.parametrize(
    ("params", "tokens", "gpus", "days", "half_digit"),
    [
        pytest.param(10e9, 1e12, 256, 6.85, 0.005, id="S23"),
        pytest.param(1e12, 15e12, 16_384, 160.6, 0.05, id="S24"),
    ],
)
def test_worked_examples_at_the_planning_figure(params, tokens, gpus, days, half_digit):
    """Days at 40 % of 989.5 TFLOP/s, both through the formula and through size()."""
    assert training_days(training_flop(params, tokens), gpus, 0.40 * 989.5e12) == pytest.approx(days, abs=half_digit)
    run = sized(params=params, train_tokens=tokens, gpus=gpus, batch_tokens=2**24, mfu=0.40).run
    assert run.days == pytest.approx(days, abs=half_digit)


@pytest.mark.parametrize(
    ("stage", "each"),
    [
        pytest.param(1, lambda d: 4 + 12 / d, id="S25"),
        pytest.param(2, lambda d: 2 + 14 / d, id="S26"),
        pytest.param(3, lambda d: 16 / d, id="S27"),
    ],
)
def test_zero_stages_divide_the_state_as_the_paper_says(stage, each):
    """Rajbhandari et al. 2019, arXiv:1910.02054, section 5 and figure 1."""
    for shards in (1, 2, 64, 1024):
        state = sum(zero_state(7.5e9, shards, stage, bytes_per_param(16, "bf16")))
        assert state == pytest.approx(7.5e9 * each(shards), rel=1e-12)


def test_halving_the_interval_halves_the_loss():
    """S28: and the writes come twice as often."""
    long, short = (
        sized(params=405e9, gpus=16_384, batch_tokens=2**24, checkpoint_minutes=m).reliability for m in (30, 15)
    )

    assert short.lost_fraction == pytest.approx(long.lost_fraction / 2)
    assert short.stall_fraction == pytest.approx(2 * long.stall_fraction, rel=0.1)


def test_the_default_gpu_has_80_gigabytes():
    """S29: the lab page's teaching assumption, as capacity; what fits is judged by usable memory."""
    memory = size(Workload()).memory

    assert memory.capacity_bytes == 80e9
    assert memory.usable_bytes != memory.capacity_bytes


@pytest.mark.parametrize("change", [{"gpus": 4096}, {"checkpoint_minutes": 60}])
def test_expected_loss_grows_with_gpus_and_with_the_interval(change):
    """S30: twice either, twice the loss."""
    base = {"params": 70e9, "gpus": 2048, "checkpoint_minutes": 30, "batch_tokens": 2**25}
    one, two = sized(**base), sized(**{**base, **change})

    assert two.reliability.lost_fraction == pytest.approx(2 * one.reliability.lost_fraction)


def test_a_listed_nvlink_speed_counts_both_directions():
    """900 GB/s listed is 450 each way, and a collective reaches a measured share of that."""
    fast = ACCELERATORS["h100-80gb"].link_bytes_per_s

    assert fast == 450e9
    assert bus_bytes_per_s(Links(fast, 50e9, 8), 8, 1) == TIME["fast_link"] * 450e9


def test_state_with_frozen_weights_keeps_two_bytes_of_each():
    """Fine-tuning: 16 bytes for each trained parameter, 2 for each frozen one."""
    assert state_bytes(34e9, 1e9, bytes_per_param(16, "bf16")) == 33e9 * 2 + 1e9 * 16
