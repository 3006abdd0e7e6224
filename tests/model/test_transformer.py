"""The published models and the standard shape."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.model.transformer import PRESETS, derived, transformer_for
from app.model.workload import Workload

sizes = st.floats(math.log(1e6), math.log(1e13)).map(math.exp).filter(lambda n: 1e6 <= n <= 1e13)


@pytest.mark.parametrize(
    ("name", "total", "active"),
    [
        ("gpt-neox-20b", 20_554_567_680, 20_554_567_680),
        ("bloom-176b", 176_247_271_424, 176_247_271_424),
        ("llama-2-70b", 68_976_648_192, 68_976_648_192),
        ("llama-3.1-8b", 8_030_261_248, 8_030_261_248),
        ("llama-3.1-70b", 70_553_706_496, 70_553_706_496),
        ("llama-3.1-405b", 405_853_388_800, 405_853_388_800),
        ("mixtral-8x7b", 46_702_792_704, 12_879_925_248),
        ("deepseek-v3", 671_026_419_200, 37_552_297_472),
        ("qwen2.5-72b", 72_706_203_648, 72_706_203_648),
        ("qwen3-30b-a3b", 30_532_122_624, 3_353_032_704),
        ("qwen3-235b-a22b", 235_093_634_560, 22_190_763_520),
        ("olmo-2-32b", 32_234_279_936, 32_234_279_936),
    ],
)
def test_a_preset_counts_what_its_checkpoint_holds(name, total, active):
    """A preset's count equals the exact one that others read from its checkpoint."""
    transformer = PRESETS[name].transformer

    assert (transformer.total_params, transformer.active_params) == (total, active)


@pytest.mark.parametrize(
    ("name", "published", "rounding"),
    [
        pytest.param("gpt3-175b", 174_600e6, 0.05e9, id="gpt3-175b, arXiv:2005.14165 table D.1"),
        pytest.param("megatron-1t", 1008.0e9, 0.05e9, id="megatron-1t, arXiv:2104.04473 table 1"),
        pytest.param("mt-nlg-530b", 530e9, 0.5e9, id="mt-nlg-530b, arXiv:2201.11990"),
    ],
)
def test_a_preset_without_a_checkpoint_counts_what_its_paper_prints(name, published, rounding):
    """Where no checkpoint was released, the count agrees with the paper to the paper's rounding."""
    assert PRESETS[name].transformer.total_params == pytest.approx(published, abs=rounding)


def test_mixtral_8x22b_at_its_older_vocabulary_is_the_other_published_count():
    """140.62 B and 39.15 B are Mixtral 8x22B at 32 000 tokens: 768 rows fewer in either table."""
    transformer = PRESETS["mixtral-8x22b"].transformer
    fewer = 2 * (32_768 - 32_000) * 6144

    assert transformer.total_params - fewer == 140_620_634_112
    assert transformer.active_params - fewer == 39_152_031_744


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_says_where_its_shape_and_its_run_come_from(name):
    """No preset enters without a source for either half and a word on how well it is confirmed."""
    preset = PRESETS[name]

    assert all((preset.shape_source, preset.run_source, preset.note))
    assert preset.confirmed in ("yes", "secondary")


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_goes_by_its_id(name):
    """The id under which a preset is found is the id that its transformer carries."""
    assert PRESETS[name].transformer.id == name


def test_what_makers_did_not_publish_is_none():
    """Mixtral's training tokens were never published, so there is no number for them."""
    assert PRESETS["mixtral-8x7b"].train_tokens is None


@given(sizes)
def test_the_standard_shape_lands_within_three_percent(params):
    """The shape that is derived from a count holds that many weights, to 3 %."""
    assert derived(params).counted_params == pytest.approx(params, rel=0.03)


@given(sizes)
def test_the_standard_shape_stands_for_exactly_what_was_asked(params):
    """State and 6ND use the number asked for, not the shape's own."""
    assert derived(params).total_params == params


@given(sizes)
def test_the_standard_shape_divides_evenly_over_eight(params):
    """Heads, key/value heads, FFN and vocabulary of any size split over a node of eight; layers over four."""
    t = derived(params)

    assert [n % 8 for n in (t.heads, t.kv_heads, t.ffn, t.vocab)] == [0, 0, 0, 0]
    assert t.layers % 4 == 0


@given(sizes)
def test_the_heads_of_the_standard_shape_make_up_its_width(params):
    """Width is a multiple of 128, and the heads fill it exactly, none wider than 128."""
    t = derived(params)

    assert t.heads * t.head_dim == t.hidden
    assert t.hidden % 128 == 0
    assert t.head_dim <= 128


@given(sizes.filter(lambda n: n > 1e8))
def test_the_standard_shape_keeps_its_proportions(params):
    """From 1e8 on, the gated FFN is 2.5 to 4.7 times as wide as the model: Llama's are 2.7 to 4."""
    t = derived(params)

    assert 2.5 <= t.ffn / t.hidden <= 4.7


@pytest.mark.parametrize(
    ("params", "layers", "width"),
    [(8e9, 32, 4096), (70e9, 80, 8192), (405e9, 128, 16384), (1e12, 128, 24576)],
)
def test_the_standard_shape_of_a_known_size_is_like_the_known_model(params, layers, width):
    """8 B and 70 B give Llama's depth and width; 405 B and 1 T come as near as even depths allow."""
    t = derived(params)

    assert (t.layers, t.hidden) == (layers, width)


def test_a_named_model_wins_over_the_slider():
    """A workload that names a preset trains that preset, whatever its parameter count says."""
    assert transformer_for(Workload(model="llama-2-70b", params=1e9)).name == "Llama 2 70B"


def test_without_a_model_the_slider_decides():
    """A workload without a preset trains the standard shape of its parameter count."""
    assert transformer_for(Workload(params=3e9)) == derived(3e9)
