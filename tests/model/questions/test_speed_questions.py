"""What people asked of parameter counts, FLOP, utilization and days."""

import json
from dataclasses import replace

import pytest

from app.formats.huggingface import read_config
from app.model.compute import training_days, training_flop
from app.model.hardware import ACCELERATORS
from app.model.model_code import encode
from app.model.sizing import design
from app.model.transformer import PRESETS, Transformer
from app.model.workload import Workload
from tests.configs import config_text

LITE = {
    "model_type": "deepseek_v2", "hidden_size": 2048, "intermediate_size": 10_944, "moe_intermediate_size": 1408,
    "num_hidden_layers": 27, "num_attention_heads": 16, "n_shared_experts": 2, "n_routed_experts": 64,
    "num_experts_per_tok": 6, "first_k_dense_replace": 1, "kv_lora_rank": 512, "q_lora_rank": None,
    "qk_rope_head_dim": 64, "qk_nope_head_dim": 128, "v_head_dim": 128, "vocab_size": 102_400,
}  # fmt: skip
LLAMA_1B = {
    "model_type": "llama", "hidden_size": 2048, "intermediate_size": 8192, "num_hidden_layers": 16,
    "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 128_256, "tie_word_embeddings": True,
}  # fmt: skip
LLAMA_13B = {
    "model_type": "llama", "hidden_size": 5120, "intermediate_size": 13_824, "num_hidden_layers": 40,
    "num_attention_heads": 40, "num_key_value_heads": 40, "vocab_size": 32_000,
}  # fmt: skip


def model_of(config: dict[str, object]) -> Transformer:
    return read_config(json.dumps(config)).model


def flop_without_lookup(model: Transformer, seq: int) -> float:
    """Model FLOP of a token where the token table, which multiplies nothing, is not counted. [FLOP/token]"""
    return training_flop(model.active_params - model.embedding_params, 1) + model.attention_flop_per_token(seq)


def utilization(flop_per_s: float, gpu: str) -> float:
    """Share of the dense 16-bit peak. [%]"""
    return 100 * flop_per_s / ACCELERATORS[gpu].peak_flop_per_s("bf16")


def test_c004_a_missing_group_count_makes_a_multi_head_model():
    """Llama 3 8B without its number of key/value heads has 8,835,567,616 weights, not 8.03B
    (NVIDIA/Megatron-LM issue 818)."""
    config = json.loads(config_text("llama-3.1-8b"))
    del config["num_key_value_heads"]
    found = read_config(json.dumps(config))

    assert found.model.total_params == 8_835_567_616
    assert any("num_key_value_heads = 32" in text for text in found.filled)


def test_c060_only_the_chosen_experts_count():
    """Qwen3-30B-A3B at 8,192 tokens takes 37,578,559,488 FLOP a token; 192.86 G counts all experts
    (pytorch/torchtitan pull request 4300)."""
    assert flop_without_lookup(PRESETS["qwen3-30b-a3b"].transformer, 8192) == 37_578_559_488


@pytest.mark.parametrize(("seq", "teraflop"), [(2048, 239.6), (4096, 498.6)])
def test_c062_reported_rate_tells_the_sequence_length(seq, teraflop):
    """Mixtral 8x7B, 128 sequences in 5,450.5 ms on 16 GPUs: 239.6 TFLOP/s is 2,048 tokens, not 4,096
    (NVIDIA/Megatron-LM issue 756)."""
    work = flop_without_lookup(PRESETS["mixtral-8x7b"].transformer, seq) * 128 * seq

    assert work / 5.4505 / 16 / 1e12 == pytest.approx(teraflop, abs=0.05)


def test_c063_utilization_is_of_the_dense_peak():
    """Llama 2 7B at 9,600 tokens/s on an H100 is 45.5 %; 24.3 % was of the sparse peak
    (foundation-model-stack/fms-fsdp issue 89)."""
    model = read_config(config_text("llama-2-7b")).model

    assert utilization(9600 * model.flop_per_token(4096), "h100-80gb") == pytest.approx(45.5, abs=0.05)


def test_c066_gpu_hours_of_llama_3_8b():
    """1.3M GPU-hours are 52.9 h of 24,576 GPUs at 154 TFLOP/s each; at 40 % they would be 0.51M
    (meta-llama/llama3 issue 91)."""
    work = training_flop(8.03e9, 15e12)
    peak = ACCELERATORS["h100-80gb"].peak_flop_per_s("bf16")

    assert 24 * training_days(work, 24_576, 154e12) == pytest.approx(52.9, rel=0.005)
    assert 24 * training_days(work, 1, 154e12) == pytest.approx(1.3e6, rel=0.005)
    assert 24 * training_days(work, 1, 0.40 * peak) == pytest.approx(0.508e6, rel=0.002)
    assert utilization(154e12, "h100-80gb") == pytest.approx(15.6, abs=0.05)


@pytest.mark.parametrize(
    ("params", "tokens", "gpus", "flop_per_s", "hours"),
    [
        pytest.param(130e9, 400e9, 768, 78.4e12, 60 * 24, id="C067: THUDM/GLM-130B issue 75"),
        pytest.param(2.4e9, 1.1e12, 1, 76.4e12, 57_600, id="C068: OpenBMB/MiniCPM issues 36 and 190"),
    ],
)
def test_c067_c068_published_times_give_the_rate_of_a_gpu(params, tokens, gpus, flop_per_s, hours):
    """78.4 and 76.4 TFLOP/s for each A100, by 6·N·D."""
    assert 24 * training_days(training_flop(params, tokens), gpus, flop_per_s) == pytest.approx(hours, rel=0.001)


def test_c067_a_quarter_of_the_peak():
    """78.4 TFLOP/s are 25.1 % of an A100 (THUDM/GLM-130B issue 75)."""
    assert utilization(78.4e12, "a100-80gb") == pytest.approx(25.1, abs=0.05)


@pytest.mark.parametrize(("rate", "percent"), [(2357, 58.9), (1900, 47.5)])
def test_c069_utilization_of_llama_13b_on_a_node_of_a100(rate, percent):
    """2,357 tokens/s a GPU are 58.9 % by 6·N, 1,900 are 47.5 % (NVIDIA-NeMo/Speech issue 8059)."""
    assert utilization(training_flop(13e9, rate), "a100-80gb") == pytest.approx(percent, abs=0.06)


def test_c069_llama_13b_on_a_node_of_a100_is_predicted():
    """Two replicas of 16 micro-batches, and 2,357 tokens/s a GPU within a tenth (NVIDIA-NeMo/Speech issue 8059)."""
    fixed = {"own_model": encode(model_of(LLAMA_13B)), "gpus": 8, "gpu": "a100-80gb", "stack": "nemo", "tensor": 4}
    fixed |= {"pipeline": 1, "context": 1, "micro_batch": 1, "recompute": "selective", "batch_tokens": 32 * 4096}
    found = design(Workload(**fixed, seq_tokens=4096))

    assert (found.layout.data, found.layout.microbatches) == (2, 16)
    assert 32 * 4096 / found.step.seconds / 8 == pytest.approx(2357, rel=0.10)


@pytest.mark.parametrize(("rate", "percent"), [(5762, 33.7), (6667, 39.0)])
def test_c071_stated_utilization_of_torchtitan(rate, percent):
    """Llama 3 8B at 8,192 tokens takes 57,914,449,920 FLOP a token without the lookup
    (pytorch/torchtitan, benchmarks/llama3_h100_202412_torchtitan.md, table 1)."""
    flop = flop_without_lookup(PRESETS["llama-3.1-8b"].transformer, 8192)

    assert flop == 57_914_449_920
    assert utilization(rate * flop, "h100-80gb") == pytest.approx(percent, abs=0.06)


def test_c079_stage_3_moves_half_as_much_again_as_stage_2():
    """8B on 8 GPUs, one micro-batch: 16 GB gathered twice and reduced once, for once each; over a slow link the
    exchange is the step (hiyouga/LlamaFactory issue 3499)."""
    fixed = {"model": "llama-3.1-8b", "gpus": 8, "gpus_per_node": 1, "link_gb_per_s": 1, "tensor": 1, "pipeline": 1}
    fixed |= {"context": 1, "micro_batch": 1, "batch_tokens": 8 * 4096}
    two, three = (design(Workload(**fixed, zero_stage=z)).step for z in (2, 3))

    assert three.communication_bytes.data_parallel == pytest.approx(3 * 16.06e9 * 7 / 8, rel=1e-3)
    assert two.communication_bytes.data_parallel == pytest.approx(2 * 16.06e9 * 7 / 8, rel=1e-3)
    assert three.data_parallel_exposed_seconds > 0.9 * three.seconds


def test_c079_every_micro_batch_gathers_anew_under_stage_3():
    """Four micro-batches gather and reduce four times as much (hiyouga/LlamaFactory issue 3499)."""
    fixed = {"model": "llama-3.1-8b", "gpus": 8, "tensor": 1, "pipeline": 1, "context": 1, "micro_batch": 1}
    one, four = (
        design(Workload(**fixed, zero_stage=3, batch_tokens=8 * m * 4096)).step.communication_bytes for m in (1, 4)
    )

    assert four.data_parallel == pytest.approx(4 * one.data_parallel)


def test_c085_active_parameters_of_deepseek_v2_lite():
    """2.66B with both token tables, 2.45B with the head alone, 2.24B with neither: 2.4B is the second
    (deepseek-ai/DeepSeek-V2 issue 73)."""
    model = model_of(LITE)
    tables = [model.embedding_params, model.head_params]

    assert [round((model.active_params - n) / 1e9, 2) for n in (0, tables[0], sum(tables))] == [2.66, 2.45, 2.24]


def test_c086_active_parameters_of_deepseek_v3():
    """37.55B of 671.03B with both token tables, 36.63B and 35.70B with one and none
    (deepseek-ai/DeepSeek-V3 issues 231 and 549)."""
    model = PRESETS["deepseek-v3"].transformer
    tables = [model.embedding_params, model.head_params]

    assert round(model.total_params / 1e9, 2) == 671.03
    assert [round((model.active_params - n) / 1e9, 2) for n in (0, tables[0], sum(tables))] == [37.55, 36.63, 35.70]


@pytest.mark.parametrize(
    ("vocab", "total", "active"),
    [(32_000, 140_620_634_112, 39_152_031_744), (32_768, 140_630_071_296, 39_161_468_928)],
)
def test_c087_mixtral_8x22b_differs_by_768_tokens(vocab, total, active):
    """Two published counts are one model at two vocabularies (mistral-community/Mixtral-8x22B-v0.1, discussion 6)."""
    model = replace(PRESETS["mixtral-8x22b"].transformer, vocab=vocab)

    assert (model.total_params, model.active_params) == (total, active)


@pytest.mark.parametrize(("tied", "total"), [(True, 1_235_814_400), (False, 1_498_482_688)])
def test_c089_a_tied_table_counts_once(tied, total):
    """Llama 3.2 1B holds 1,235,814,400 weights; 1,498,482,688 has the table twice (keras-team/keras-hub, presets of
    llama3)."""
    assert model_of(LLAMA_1B | {"tie_word_embeddings": tied}).total_params == total


def test_c090_rotary_buffers_are_no_parameters():
    """Llama 2 7B has 6,738,415,616; the 2,048 more in its file's metadata are buffers (keras-team/keras-hub has the
    same count)."""
    assert read_config(config_text("llama-2-7b")).model.total_params == 6_738_415_616
