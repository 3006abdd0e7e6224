"""What people asked of activations, logits, stages and checkpoints."""

from dataclasses import replace

import pytest

from app.model.calibration import MEMORY
from app.model.layout import Layout
from app.model.memory import StageLoad, activation_bytes, layer_activation_bytes, stage_params
from app.model.reliability import checkpoint_bytes
from app.model.sizing import design
from app.model.transformer import PRESETS, Transformer
from app.model.workload import Workload

GIB = 2**30
GPT_22B = Transformer("", "GPT 22B", 48, 6144, 64, 64, 96, 24_576, 51_200, gated=False, tied=True)
HEAD_ALONE = StageLoad(1, 0, 0, embedding=False, head=True)
TABLE_ALONE = StageLoad(0, 0, 0, embedding=True, head=False)


def layout(**parts: int) -> Layout:
    one = dict.fromkeys(("tensor", "pipeline", "context", "expert", "data", "micro_batch", "chunks", "microbatches"), 1)
    return Layout(**{**one, "zero_stage": 0, "recompute": 0, **parts})


def logits(tokens: int, vocab: int, tensor: int) -> float:
    """One 32-bit copy of a micro-batch's logits on one rank. [bytes]"""
    model = replace(PRESETS["llama-3.1-8b"].transformer, vocab=vocab)
    one_copy = replace(MEMORY["planned"], logit_bytes=4)
    return activation_bytes(Workload(seq_tokens=tokens), model, HEAD_ALONE, layout(tensor=tensor), kind=one_copy)


def test_c025_the_textbook_count_of_activations_is_bytes_already():
    """34·s·b·h holds two bytes an element: a layer keeps that, less two bytes of dropout masks, and 32-bit
    training doubles it and no more (manuelescobar-dev/LLM-Tools issue 4)."""
    kept, _ = layer_activation_bytes(GPT_22B, layout(), 2048, fused=True, sp=True, moe=False)
    load = StageLoad(0, 48, 48, embedding=False, head=False)
    whole, wide = (
        activation_bytes(Workload(seq_tokens=2048, precision=p), GPT_22B, load, layout(pipeline=2, microbatches=1))
        for p in ("bf16", "fp32")
    )

    assert kept == (34 - 2) * GPT_22B.hidden
    assert whole == 48 * 2048 * kept
    assert wide == 2 * whole


def test_c027_the_mean_stage_understates_the_heaviest_by_a_third():
    """Of eight layers in stages of 1, 2, 2 and 3 the last decides: two layers instead of three are 31.8 % too few
    (NVIDIA-NeMo/Megatron-Bridge pull request 5077)."""
    small = replace(GPT_22B, layers=8, vocab=8192)
    mean, heaviest = (
        sum(stage_params(small, StageLoad(3, n, n, embedding=False, head=True), layout(pipeline=4))) for n in (2, 3)
    )

    assert 1 - mean / heaviest == pytest.approx(0.318, abs=0.02)


def test_c027_a_design_shows_its_heaviest_stage():
    """Llama 3 405B over 16 stages, seven or eight layers each: the fullest is the figure."""
    memory = design(
        Workload(model="llama-3.1-405b", gpus=1024, tensor=8, pipeline=16, context=1, seq_tokens=8192)
    ).memory

    assert len({s.layers for s in memory.stages}) > 1
    assert memory.total_bytes == max(s.total_bytes for s in memory.stages)


@pytest.mark.parametrize(
    ("tokens", "vocab", "gibibytes"),
    [
        pytest.param(8192, 151_936, 4.64, id="C030: ISEEKYAN/Megatron-LM pull request 132"),
        pytest.param(11_600, 248_320, 10.73, id="C031: THUDM/slime issue 2253"),
    ],
)
def test_c030_c031_logits_of_a_large_vocabulary(tokens, vocab, gibibytes):
    """One 32-bit copy is tokens × vocabulary × 4 bytes, and tensor parallelism divides it."""
    assert logits(tokens, vocab, tensor=1) / GIB == pytest.approx(gibibytes, abs=0.005)
    assert logits(tokens, vocab, tensor=4) == logits(tokens, vocab, tensor=1) / 4


@pytest.mark.parametrize(
    ("vocab", "tensor", "rows"),
    [
        pytest.param(128_512, 8, 16_064, id="C049: padded to 64 × 8"),
        pytest.param(129_024, 8, 16_128, id="C049: padded to 128 × 8"),
        pytest.param(151_936, 2, 75_968, id="C050: not padded"),
        pytest.param(152_064, 2, 76_032, id="C050: padded to 128 × 2"),
    ],
)
def test_c049_c050_each_rank_holds_its_share_of_the_vocabulary_given(vocab, tensor, rows):
    """The lab pads nothing: it divides the vocabulary that the configuration states, padded or not
    (hpcaitech/ColossalAI issue 6124, NVIDIA-NeMo/Megatron-Bridge issue 5353)."""
    model = replace(PRESETS["llama-3.1-8b"].transformer, vocab=vocab)
    held, _ = stage_params(model, TABLE_ALONE, layout(tensor=tensor))

    assert held == rows * model.hidden


def test_c044_experts_are_divided_by_tensor_and_expert_size():
    """Where nobody says otherwise the expert tensor size is the tensor size: 4 × 4 = 16 ranks
    (NVIDIA-NeMo/Megatron-Bridge issue 546)."""
    model = PRESETS["mixtral-8x7b"].transformer
    load = StageLoad(0, model.layers, 0, embedding=True, head=True)
    whole, held = (stage_params(model, load, layout(tensor=n, expert=n))[1] for n in (1, 4))

    assert whole / held == 16


def test_c081_six_minutes_for_8_billion_parameters_are_a_slow_store():
    """96.4 GB of 32-bit weights and two moments at 0.27 GB/s (pytorch/torchtitan issue 1301)."""
    stops = design(Workload(model="llama-3.1-8b", precision="fp32", checkpoint_gb_per_s=0.27)).reliability

    assert stops.checkpoint_bytes == pytest.approx(96.4e9, abs=0.05e9)
    assert stops.checkpoint_write_seconds == pytest.approx(360, rel=0.02)


def test_c082_207_gigabytes_in_84_seconds():
    """A state of that size at 2.46 GB/s (allenai/open-instruct issue 1855)."""
    params = 207e9 / checkpoint_bytes(1, 1, 16, 2)
    stops = design(Workload(params=params, checkpoint_gb_per_s=2.46)).reliability

    assert stops.checkpoint_write_seconds == pytest.approx(84, abs=0.5)


def test_c084_the_shard_of_a_rank_depends_on_the_replicas_the_checkpoint_does_not():
    """12·N ÷ 16 is written and 12·N ÷ 24 is read: the format has to reshard
    (NVIDIA/Megatron-LM issue 659)."""
    fixed = {"params": 8e9, "tensor": 1, "pipeline": 1, "context": 1, "zero_stage": 1, "batch_tokens": 48 * 4096}
    written, read = (design(Workload(**fixed, gpus=n, data=n)) for n in (16, 24))

    assert written.memory.optimizer_bytes == pytest.approx(12 * 8e9 / 16)
    assert read.memory.optimizer_bytes == pytest.approx(12 * 8e9 / 24)
    assert written.reliability.checkpoint_bytes == read.reliability.checkpoint_bytes
