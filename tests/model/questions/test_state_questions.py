"""What people asked of weights, gradients and optimizer state; `docs/questions.md` lists what is not answered."""

import json

import pytest

from app.formats.huggingface import read_config
from app.model.hardware import ACCELERATORS
from app.model.memory import BytesPerParam, bytes_per_param, state_bytes, zero_state
from app.model.model_code import encode
from app.model.reliability import checkpoint_bytes
from app.model.sizing import design
from app.model.workload import Workload
from tests.configs import config_text

GIB = 2**30


def state_on_gpu(**inputs: object) -> float:
    """Weights, gradients and optimizer of the fullest GPU. [bytes]"""
    memory = design(Workload(**inputs)).memory
    return memory.weights_bytes + memory.gradients_bytes + memory.optimizer_bytes


@pytest.mark.parametrize("replicas", [1, 2, 8, 64])
def test_c002_megatron_keeps_six_bytes_whole_and_shares_twelve(replicas):
    """18 bytes a parameter: 2 of weights and 4 of 32-bit gradients stay, 12 are shared; 6 + 12 ÷ d
    (NVIDIA/Megatron-LM issue 654)."""
    each = bytes_per_param(18, "bf16")

    assert each == BytesPerParam(weights=2, gradients=4, optimizer=12)
    assert sum(zero_state(1.0, replicas, 1, each)) == 6 + 12 / replicas


def test_c008_stage_3_keeps_what_an_estimator_says_of_state():
    """6.805B parameters on 4 GPUs at 18 bytes: the estimator's 29.01 GiB less its 0.49 for the largest layer
    (deepspeedai/DeepSpeed issue 4527)."""
    state = sum(zero_state(6.805e9, 4, 3, bytes_per_param(18, "bf16")))

    assert state / GIB == pytest.approx(29.01 - 0.49, abs=0.01)


def test_c009_an_estimator_of_stage_2_keeps_the_16_bit_gradients_whole():
    """2.851B parameters on 8 GPUs: 5.31 GiB of weights alone, and 15.93 GiB where 16-bit gradients stay and
    16 bytes are shared (deepspeedai/DeepSpeed pull request 965)."""
    weights, gradients, shared = zero_state(2.851e9, 8, 1, BytesPerParam(2, 2, 16))

    assert weights / GIB == pytest.approx(5.31, abs=0.005)
    assert (weights + gradients + shared) / GIB == pytest.approx(15.93, abs=0.005)


def test_c011_seven_billion_parameters_do_not_fit_94_gigabytes():
    """126 GB at 18 bytes a parameter, before any buffer (deepspeedai/DeepSpeed issue 3606)."""
    state = state_bytes(7e9, 7e9, bytes_per_param(18, "bf16"))

    assert state == pytest.approx(126e9)
    assert state > 94e9


@pytest.mark.parametrize("stage", [1, 2])
def test_c012_zero_saves_nothing_where_one_replica_takes_all_gpus(stage):
    """Every saving divides by the replicas, and there is one (deepspeedai/DeepSpeed issue 237)."""
    fixed = {"params": 8e9, "gpus": 8, "tensor": 4, "pipeline": 2, "context": 1}

    assert state_on_gpu(**fixed, zero_stage=stage) == state_on_gpu(**fixed, zero_stage=0)


def test_c015_ninety_billion_parameters_leave_180_gigabytes_on_each_of_8_gpus():
    """16 bytes over 8 GPUs, more than twice what one has (huggingface/trl issue 2294)."""
    fixed = {"params": 90e9, "gpus": 8, "tensor": 1, "pipeline": 1, "context": 1, "zero_stage": 3}

    assert state_on_gpu(**fixed) == pytest.approx(180e9)
    assert not design(Workload(**fixed)).memory.fits


@pytest.mark.parametrize(("gpus", "gigabytes", "fits"), [(2, 164.4, False), (8, 41.1, True)])
def test_c018_more_gpus_make_20_billion_parameters_fit(gpus, gigabytes, fits):
    """164 GB on each of two A100, 41 GB on each of eight (EleutherAI/gpt-neox issue 616)."""
    inputs = {"model": "gpt-neox-20b", "gpu": "a100-80gb", "gpus": gpus, "tensor": gpus, "pipeline": 1}
    inputs |= {"seq_tokens": 2048, "batch_tokens": 8 * 2048}

    assert state_on_gpu(**inputs) == pytest.approx(gigabytes * 1e9, abs=0.05e9)
    assert design(Workload(**inputs)).memory.fits is fits


def test_c020_sixteen_and_twenty_bytes_are_both_right():
    """20 counts 16-bit weights and gradients beside the 16 of 32-bit gradient, copy and moments
    (Azure/MS-AMP issue 173)."""
    both, wide = bytes_per_param(20, "fp16"), bytes_per_param(18, "fp16")

    assert (both.weights, both.gradients, both.optimizer) == (2, 2 + 4, 12)
    assert wide.gradients + wide.optimizer == 16


def test_c021_llama_2_7b_trains_in_32_bit_within_128_gigabytes():
    """12 bytes a parameter persist, 80.9 GB, and gradients make it 107.8 (AI-Hypercomputer/maxtext issue 606)."""
    params = read_config(config_text("llama-2-7b")).model.total_params
    each = bytes_per_param(16, "fp32")

    assert checkpoint_bytes(params, params, 16, each.gradients) == pytest.approx(80.9e9, abs=0.05e9)
    assert state_bytes(params, params, each) == pytest.approx(107.8e9, abs=0.05e9)


@pytest.mark.parametrize("replicas", [1, 4, 16])
def test_c022_sixteen_bytes_share_differently_in_32_and_in_16_bit(replicas):
    """Stage 1 leaves 8 + 8 ÷ d in pure 32 bit, 4 + 12 ÷ d in mixed precision (stanford-cs336/lectures issue 3)."""
    pure, mixed = (sum(zero_state(1.0, replicas, 1, bytes_per_param(16, kind))) for kind in ("fp32", "bf16"))

    assert pure == 8 + 8 / replicas
    assert mixed == 4 + 12 / replicas


def test_c028_a_reported_figure_tells_the_number_of_replicas():
    """46,983.28 MiB for 4.1055B parameters a rank is Megatron's count at two replicas and at no other
    (flagos-ai/FlagScale issue 454)."""
    reported = pytest.approx(46_983.28 * 2**20, rel=1e-4)
    each = bytes_per_param(18, "bf16")
    found = [d for d in range(1, 65) if sum(zero_state(4.1055e9, d, 1, each)) == reported]

    assert found == [2]


@pytest.mark.parametrize(("ranks", "mebibytes"), [(1, 474.8), (2, 237.4)])
def test_c029_one_moment_of_padded_gpt_2(ranks, mebibytes):
    """124,475,904 parameters with 50,304 tokens, 248,951,808 bytes of weights; a moment is a third of the 12 shared
    bytes (karpathy/llm.c, number 309)."""
    model = read_config(json.dumps(json.loads(config_text("gpt2")) | {"vocab_size": 50_304})).model
    weights, _, shared = zero_state(model.total_params, ranks, 1, bytes_per_param(16, "bf16"))

    assert model.total_params == 124_475_904
    assert weights == 248_951_808
    assert shared / 3 / 2**20 == pytest.approx(mebibytes, abs=0.05)


@pytest.mark.parametrize(("stage", "gigabytes"), [(2, 66.0), (3, 8.25)])
def test_c032_frozen_weights_cost_two_bytes_and_only_stage_3_shares_them(stage, gigabytes):
    """33B frozen on 8 GPUs (TensorAuto/OpenTau issue 446 and pull request 429)."""
    frozen = {"params": 33e9, "trained_params": 0, "gpus": 8, "tensor": 1, "pipeline": 1, "context": 1}

    assert state_on_gpu(**frozen, zero_stage=stage) == pytest.approx(gigabytes * 1e9)


def test_c003_seven_billion_parameters_overflow_80_gigabytes():
    """Megatron's distributed optimizer on 8 GPUs, micro-batch 2 of 4,096 tokens, nothing recomputed: 50.5 GB of
    state and about 36.5 of activations (NVIDIA/Megatron-LM issue 597)."""
    inputs = {"own_model": encode(read_config(config_text("llama-2-7b")).model), "gpus": 8, "bytes_per_param": 18}
    inputs |= {"tensor": 1, "pipeline": 1, "context": 1, "zero_stage": 1, "micro_batch": 2, "recompute": "none"}
    memory = design(Workload(**inputs, seq_tokens=4096, batch_tokens=16 * 4096)).memory

    assert state_on_gpu(**inputs, seq_tokens=4096, batch_tokens=16 * 4096) == pytest.approx(50.5e9, abs=0.05e9)
    assert memory.activations_bytes == pytest.approx(36.5e9, rel=0.02)
    assert memory.total_bytes > ACCELERATORS["h100-80gb"].memory_bytes
