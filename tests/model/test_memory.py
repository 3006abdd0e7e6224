"""app/model/memory.py: state and activations of one GPU."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.model.layout import Layout
from app.model.memory import (
    bytes_per_param,
    layer_activation_bytes,
    stage_layers,
    stage_load,
    stage_params,
    zero_state,
)
from app.model.sizing import design
from app.model.transformer import PRESETS, Transformer
from app.model.workload import Workload

GPT_22B = Transformer("", "GPT 22B", 48, 6144, 64, 64, 96, 24_576, 51_200, gated=False, tied=True)


def layout(**parts: int) -> Layout:
    one = dict.fromkeys(("tensor", "pipeline", "context", "expert", "data", "micro_batch", "chunks", "microbatches"), 1)
    return Layout(**{**one, "zero_stage": 0, "recompute": 0, **parts})


@pytest.mark.parametrize(
    ("total", "precision"),
    [(16, "bf16"), (18, "bf16"), (20, "fp16"), (16, "fp32"), (18, "fp32"), (16, "fp8")],
)
def test_bytes_of_a_parameter_sum_to_what_was_asked(total, precision):
    """Whatever the arithmetic."""
    each = bytes_per_param(total, precision)

    assert each.weights + each.gradients + each.optimizer == total


def test_an_out_of_memory_report_of_megatron():
    """7B Llama, distributed optimizer on 8 GPUs, 32-bit gradients: 7.5 bytes a parameter
    (NVIDIA/Megatron-LM issue 597)."""
    state = sum(zero_state(6.738e9, 8, 1, bytes_per_param(18, "bf16")))

    assert state == pytest.approx(50.5e9, rel=2e-3)


def test_tensor_and_pipeline_sizes_leave_nothing_for_zero_to_shard():
    """With one replica ZeRO saves nothing (deepspeedai/DeepSpeed issue 237)."""
    each = bytes_per_param(16, "bf16")

    assert sum(zero_state(1e9, 1, 2, each)) == sum(zero_state(1e9, 1, 0, each))


def test_activations_without_dropout_are_two_bytes_short_of_the_paper():
    """Korthikanti et al. 2022, equation 1: s·b·h·(34 + 5as/h); two of the 34 are dropout masks."""
    none, _ = layer_activation_bytes(GPT_22B, layout(), 2048, fused=False, sp=True, moe=False)

    h, a, s = 6144, 64, 2048
    assert none == pytest.approx(h * (34 - 2 + 5 * a * s / h))


def test_selective_recompute_drops_the_scores():
    """Korthikanti et al. 2022, section 5: what is left does not depend on the sequence."""
    short, long = (
        layer_activation_bytes(GPT_22B, layout(tensor=8), s, fused=False, sp=True, moe=False)[1] for s in (2048, 8192)
    )

    assert short == long


@given(st.integers(1, 200), st.integers(1, 64))
def test_stages_hold_every_layer_once(layers, pipeline):
    """Uneven cuts lose none."""
    held = [int(stage_layers(layers, pipeline, s)) for s in range(pipeline)]

    assert sum(held) == layers
    assert max(held) - min(held) <= 1


def test_llama_3_405b_has_seven_layers_on_its_ends():
    """Llama Team 2024, section 3.3.2: one layer less on the first and the last of 16 stages."""
    held = [int(stage_layers(126, 16, s)) for s in range(16)]

    assert held == [7, *[8] * 14, 7]


@pytest.mark.parametrize("name", ["llama-3.1-70b", "megatron-1t", "deepseek-v3", "mixtral-8x7b"])
@pytest.mark.parametrize("pipeline", [1, 4, 16])
def test_stages_together_hold_the_whole_model(name, pipeline):
    """Over all stages, tensor and expert ranks, every parameter once (a tied head once more)."""
    model = PRESETS[name].transformer
    x = layout(pipeline=pipeline, tensor=2, expert=2 if model.experts else 1)
    held = 0.0
    for index in range(pipeline):
        shared, experts = stage_params(model, stage_load(model, pipeline, index), x)
        held += float(shared) * x.tensor + float(experts) * x.tensor * x.expert
    copies = model.embedding_params if model.tied and pipeline > 1 else 0

    assert held == pytest.approx(model.total_params + copies, rel=2e-3)


def test_first_and_last_stage_differ_from_the_middle():
    """The ends carry the vocabulary, and the first keeps the most micro-batches."""
    stages = design(
        Workload(
            model="llama-3.1-405b",
            gpus=16_384,
            seq_tokens=8192,
            batch_tokens=2**24,
            tensor=8,
            pipeline=16,
            context=1,
        )
    ).memory.stages

    assert stages[0].activations_bytes > stages[14].activations_bytes
    assert stages[15].weights_bytes != stages[14].weights_bytes
