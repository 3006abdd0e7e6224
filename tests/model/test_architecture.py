"""Parameter counts and FLOP of a transformer's shape."""

from dataclasses import replace
from itertools import product

import pytest

from app.model.answer import ModelPart
from app.model.architecture import Transformer
from app.model.transformer import PRESETS

GPT = {"gated": False, "tied": True, "linear_bias": True, "norm": "layer"}
LLAMA_2_7B = Transformer("", "Llama 2 7B", 32, 4096, 32, 32, 128, 11008, 32000)


@pytest.mark.parametrize(
    ("shape", "published"),
    [
        pytest.param(LLAMA_2_7B, 6_738_415_616, id="plain"),
        pytest.param(
            Transformer("", "GPT-2", 12, 768, 12, 12, 64, 3072, 50257, **GPT, positions=1024),
            124_439_808,
            id="biases, positions, tied: GPT-2",
        ),
        pytest.param(
            Transformer("", "GPT-2 XL", 48, 1600, 25, 25, 64, 6400, 50257, **GPT, positions=1024),
            1_557_611_200,
            id="GPT-2 XL",
        ),
        pytest.param(
            Transformer("", "BLOOM 7B1", 30, 4096, 32, 32, 128, 16384, 250880, **GPT, embedding_norm=True),
            7_069_016_064,
            id="embedding norm: BLOOM 7B1",
        ),
        pytest.param(
            Transformer("", "Qwen3 32B", 64, 5120, 64, 8, 128, 25600, 151936, qk_norm="head"),
            32_762_123_264,
            id="heads wider than the model, norms per head: Qwen3 32B",
        ),
        pytest.param(
            Transformer("", "SmolLM2 135M", 30, 576, 9, 3, 64, 1536, 49152, tied=True),
            134_515_008,
            id="tied: SmolLM2 135M",
        ),
        pytest.param(
            Transformer(
                "",
                "Gemma 3 1B",
                26,
                1152,
                4,
                1,
                256,
                6912,
                262144,
                tied=True,
                norms_per_layer=4,
                qk_norm="head",
            ),
            999_885_952,
            id="four norms a layer: Gemma 3 1B",
        ),
    ],
)
def test_a_dense_shape_counts_what_its_checkpoint_holds(shape, published):
    """The count of a dense shape equals the published exact count of its weights."""
    assert shape.total_params == published


def test_an_expert_shape_counts_what_its_checkpoint_holds():
    """OLMoE's shape, with norms over the whole query width, gives its 6.92 B and its 1.28 B active."""
    olmoe = Transformer(
        "",
        "OLMoE 1B-7B",
        *(16, 2048, 16, 16, 128, 0, 50304),
        experts=64,
        experts_per_token=8,
        expert_ffn=1024,
        qk_norm="full",
    )

    assert (olmoe.total_params, olmoe.active_params) == (6_919_161_856, 1_282_017_280)


def test_dense_layers_and_shared_experts_of_an_expert_model_count():
    """GLM-4.5 Air's first dense layer and its shared expert are in its 106.85 B and 13.42 B active."""
    air = Transformer(
        "",
        "GLM-4.5 Air",
        *(46, 4096, 96, 8, 128, 10944, 151552),
        qkv_bias=True,
        experts=128,
        experts_per_token=8,
        expert_ffn=1408,
        shared_experts=1,
        dense_layers=1,
        router_bias=True,
    )

    assert (air.total_params, air.active_params) == (106_852_251_264, 13_424_129_664)


def test_params_exact_replaces_the_count_of_the_shape():
    """A shape that stands for another number says that number as its total."""
    assert replace(LLAMA_2_7B, params_exact=7e9).total_params == 7e9


@pytest.mark.parametrize("name", PRESETS)
def test_parts_add_up_to_the_total(name):
    """What the parameters are made of adds up to all of them, exactly."""
    transformer = PRESETS[name].transformer

    assert sum(part.params for part in transformer.parts()) == transformer.total_params


@pytest.mark.parametrize("name", PRESETS)
def test_active_parts_add_up_to_the_active_parameters(name):
    """What a token uses of each part adds up to what it uses of the model, exactly."""
    transformer = PRESETS[name].transformer

    assert sum(part.active_params for part in transformer.parts()) == transformer.active_params


def test_parts_name_what_a_rounded_shape_leaves_over():
    """A shape that misses its number shows the difference as a part of its own."""
    parts = {part.id: part.params for part in replace(LLAMA_2_7B, params_exact=7e9).parts()}

    assert parts["rounding"] == 7e9 - 6_738_415_616


def test_every_token_uses_all_of_a_dense_model():
    """A dense model's active parameters are all its parameters."""
    assert LLAMA_2_7B.active_params == LLAMA_2_7B.total_params


def test_attention_flop_equal_a_count_of_every_pair_of_positions():
    """12·L·q·s a token is what counting each product of each head for each pair of positions gives."""
    tiny = Transformer("", "tiny", *(2, 16, 4, 2, 8, 64, 100))
    seq = 5

    forward = 0
    for _layer, _head, _query, _key in product(range(2), range(4), range(seq), range(seq)):
        score = value = 2 * 8  # a multiplication and an addition for each of a head's 8 numbers
        forward += score + value

    assert tiny.attention_flop_per_token(seq) * seq == 3 * forward


def test_model_flop_of_gpt_3_match_its_published_total():
    """6·N·D with the shape's own N gives GPT-3's 3.14e23 (arXiv:2005.14165 table D.1) to three digits."""
    transformer = PRESETS["gpt3-175b"].transformer
    weights_alone = transformer.flop_per_token(2048) - transformer.attention_flop_per_token(2048)

    assert weights_alone * 300e9 == pytest.approx(3.14e23, abs=0.005e23)


def test_latent_attention_counts_scores_and_values_apart():
    """DeepSeek-V3's attention FLOP are 6·L·s·(score + value width): 192 and 128 a head differ."""
    transformer = PRESETS["deepseek-v3"].transformer

    assert transformer.attention_flop_per_token(4096) == 6 * 61 * 4096 * 128 * (192 + 128)


def test_latent_attention_trains_on_decompressed_keys_and_values():
    """The keys and values of latent attention are as wide as all its heads: 192 and 128 for each of 128."""
    assert 2 * PRESETS["deepseek-v3"].transformer.kv_width == 128 * (192 + 128)


def test_parts_of_their_own_are_in_both_counts():
    """An extra part adds its own total and active parameters."""
    shape = replace(LLAMA_2_7B, extra=(ModelPart("image_tower", 300, 100, ""),))

    assert shape.total_params - LLAMA_2_7B.total_params == 300
    assert shape.active_params - LLAMA_2_7B.active_params == 100


def test_a_narrow_table_counts_its_own_width():
    """OPT 350M's table is 512 wide in a model of 1024, and it has no last norm: 331 196 416 with both projections."""
    opt = Transformer(
        "",
        "OPT 350M",
        *(24, 1024, 16, 16, 64, 4096, 50272),
        **GPT,
        positions=2050,
        final_norm=False,
        embedding_width=512,
        extra=(ModelPart("projections", 2 * 512 * 1024, 2 * 512 * 1024, ""),),
    )

    assert opt.total_params == 331_196_416


def test_norms_may_have_nothing_to_learn():
    """OLMo's norms have neither gain nor bias."""
    assert replace(LLAMA_2_7B, norm="none").total_params == LLAMA_2_7B.total_params - 65 * 4096
