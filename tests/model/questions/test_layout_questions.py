"""What people asked of layouts: replicas, micro-batches, stages and divisibility."""

import json

import numpy as np
import pytest

from app.formats.huggingface import read_config
from app.model.design import Design
from app.model.layout import all_layouts
from app.model.limits import limits
from app.model.model_code import encode
from app.model.pipeline import bubble_over_ideal, idle_fraction, microbatches_alive
from app.model.schedule import play
from app.model.sizing import design
from app.model.transformer import transformer_for
from app.model.workload import Workload

QWEN_14B = {
    "model_type": "qwen2", "hidden_size": 5120, "intermediate_size": 13_824, "num_hidden_layers": 48,
    "num_attention_heads": 40, "num_key_value_heads": 8, "vocab_size": 152_064, "tie_word_embeddings": False,
}  # fmt: skip


def sized(**inputs: object) -> Design:
    return design(Workload(**{"context": 1, **inputs}))


@pytest.mark.parametrize(("gpus", "replicas", "rounds"), [(80, 20, 48), (128, 32, 30)])
def test_c035_accumulation_follows_from_the_replicas(gpus, replicas, rounds):
    """3,840 sequences in micro-batches of 4 at tensor × pipeline = 4 (NVIDIA/Megatron-LM issue 495)."""
    found = sized(gpus=gpus, tensor=2, pipeline=2, micro_batch=4, batch_tokens=3840 * 4096).layout

    assert (found.data, found.microbatches) == (replicas, rounds)


@pytest.mark.parametrize(("gpus", "rounds"), [(4, 1), (1, 4)])
def test_c036_eight_sequences_need_four_ranks_or_four_rounds(gpus, rounds):
    """Two a micro-batch: with one rank seen, one round cannot make eight (deepspeedai/DeepSpeed issue 6914)."""
    found = sized(params=1e9, gpus=gpus, tensor=1, pipeline=1, micro_batch=2, batch_tokens=8 * 4096).layout

    assert (found.data, found.microbatches) == (gpus, rounds)


def test_c040_replicas_are_what_tensor_pipeline_and_context_leave():
    """The batch is split by 64 ÷ (2 × 2 × 2), not by 64 (verl-project/verl issue 1793)."""
    assert sized(gpus=64, tensor=2, pipeline=2, context=2, seq_tokens=16_384).layout.data == 8


def test_c042_fewer_micro_batches_than_stages_are_flagged():
    """Two micro-batches cannot fill four stages (pytorch/torchtitan issue 775)."""
    fixed = {"gpus": 4, "tensor": 1, "pipeline": 4, "micro_batch": 1}
    short, full = (sized(**fixed, batch_tokens=n * 4096) for n in (2, 4))

    assert any("the pipeline never fills" in text for text in limits(short))
    assert not any("the pipeline never fills" in text for text in limits(full))


def test_c047_layers_that_do_not_divide_into_blocks_are_said_and_none_is_lost():
    """80 layers over 16 stages of 2 chunks: 64 of them were built without a word (NVIDIA/Megatron-LM issue 468)."""
    found = sized(model="llama-3.1-70b", gpus=128, tensor=8, pipeline=16, chunks=2)

    assert sum(s.layers for s in found.memory.stages) == 80
    assert any("80 layers do not divide into 32 blocks" in text for text in limits(found))


def test_c054_context_parallelism_uses_up_the_replicas():
    """8 GPUs at context 8 work on one sequence (nvidia-cosmos/cosmos-predict2 issue 92)."""
    assert sized(gpus=8, tensor=1, pipeline=1, context=8, seq_tokens=65_536).layout.data == 1


def test_c055_only_sizes_that_divide_or_repeat_the_key_heads_are_searched():
    """40 heads and 8 key/value heads go over 1, 2, 4, 8 or 40 ranks, not over 5 or 16
    (verl-project/verl issue 1226)."""
    workload = Workload(own_model=encode(read_config(json.dumps(QWEN_14B)).model), gpus=40, gpus_per_node=40).resolved()
    mesh = all_layouts(workload, transformer_for(workload))

    searched = np.broadcast_to(mesh.columns.tensor, mesh.shape)[mesh.legal]
    assert sorted(set(searched.tolist())) == [1, 2, 4, 8, 40]


def test_c057_the_local_batch_of_a_pipeline_is_its_micro_batches():
    """405B on 512 GPUs at 8 × 8 × 8: 32 sequences of 256 for each replica, and 7 ÷ 32 of bubble
    (pytorch/torchtitan, benchmarks/llama3_h100_202412_torchtitan.md, table 5)."""
    fixed = {"model": "llama-3.1-405b", "gpus": 512, "tensor": 8, "pipeline": 8, "micro_batch": 1, "chunks": 1}
    found = sized(**fixed, seq_tokens=8192, batch_tokens=256 * 8192)

    assert (found.layout.data, found.layout.microbatches) == (8, 32)
    assert 100 * found.pipeline.bubble_over_ideal == pytest.approx(21.9, abs=0.05)


def test_c058_context_parallelism_keeps_memory_flat_and_costs_speed():
    """Llama 3 8B on 8 GPUs at 32,768 tokens a GPU: as full at 262,144 tokens a sequence as at 32,768, and slower
    as published, 3,890 to 548 tokens/s, within a fifth
    (pytorch/torchtitan, benchmarks/llama3_h100_202412_torchtitan.md, table 2)."""
    fixed = {"model": "llama-3.1-8b", "gpus": 8, "tensor": 1, "pipeline": 1, "zero_stage": 3, "micro_batch": 1}
    fixed |= {"batch_tokens": 8 * 32_768, "recompute": "full", "stack": "torchtitan", "gpu": "h100-96gb"}
    found = [sized(**fixed, context=c, seq_tokens=c * 32_768) for c in (1, 2, 4, 8)]

    assert len({round(d.memory.total_bytes) for d in found}) == 1
    assert found[-1].step.seconds / found[0].step.seconds == pytest.approx(3890 / 548, rel=0.2)
    assert found[-1].model.attention_flop_per_token(262_144) == pytest.approx(412e9, abs=0.5e9)


def test_c073_a_larger_micro_batch_at_the_same_batch_lengthens_the_bubble():
    """Twice the micro-batch, half as many, twice (p − 1) ÷ m (ISEEKYAN/verl_megatron_practice issue 9)."""
    fixed = {"params": 70e9, "gpus": 64, "tensor": 8, "pipeline": 8, "chunks": 1, "batch_tokens": 64 * 4096}
    one, two = (sized(**fixed, micro_batch=b).pipeline.bubble_over_ideal for b in (1, 2))

    assert two == 2 * one


def test_c074_one_forward_one_backward_has_the_bubble_of_gpipe():
    """8 stages, 32 micro-batches: 14 of 78 slots idle, 17.95 %, however they are ordered; 9.86 % is impossible
    (zxypro1/algolocal pull request 95)."""
    played = play(8, 32).idle_fraction

    assert played == pytest.approx(14 / 78)
    assert played == pytest.approx(idle_fraction(8, 32))


def test_c075_the_bubble_of_sixteen_stages_and_eight_micro_batches():
    """187.5 % of the ideal time, 65.2 % of the whole (rohitg00/ai-engineering-from-scratch pull request 66)."""
    assert 100 * bubble_over_ideal(16, 8) == 187.5
    assert 100 * idle_fraction(16, 8) == pytest.approx(65.2, abs=0.05)


@pytest.mark.parametrize(("gpus", "replicas", "batch"), [(384, 8, 192), (768, 16, 384)])
def test_c092_bloom_fills_its_pipeline_at_stages_by_micro_batch_by_replicas(gpus, replicas, batch):
    """12 stages, micro-batches of 2: full from 384 sequences on with 16 replicas, from 192 with the 8 of 384 GPUs
    (bigscience-workshop/bigscience issue 70)."""
    fixed = {"model": "bloom-176b", "gpu": "a100-80gb", "gpus": gpus, "tensor": 4, "pipeline": 12, "micro_batch": 2}
    found = sized(**fixed, seq_tokens=2048, batch_tokens=batch * 2048).layout

    assert found.data == replicas
    assert found.microbatches == found.pipeline


def test_c093_what_interleaving_gains_shrinks_with_more_micro_batches():
    """8 stages: the first holds more micro-batches for it, and the gain falls as (p − 1) ÷ (v·m)
    (sail-sg/zero-bubble-pipeline-parallelism issue 21)."""
    few, many = (bubble_over_ideal(8, m) - bubble_over_ideal(8, m, 2) for m in (16, 64))

    assert few == 4 * many
    assert microbatches_alive(8, 64, 2, 0) > microbatches_alive(8, 64, 1, 0)
