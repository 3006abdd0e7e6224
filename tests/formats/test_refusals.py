"""Files that are refused, and that nothing but a refusal is ever raised."""

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from app.formats.huggingface import KNOWN_TYPES, FormatError, read_config
from app.formats.keys import KEYS

LLAMA = {
    "model_type": "llama", "vocab_size": 100, "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2,
    "num_attention_heads": 4,
}  # fmt: skip
BESIDE = ("text_config", "vision_config", "sliding_window", "architectures", "_name_or_path", "is_encoder_decoder")
NAMES = sorted({*KEYS, *(spelling for key in KEYS.values() for spelling in key.spellings), *BESIDE})
SCALARS = (
    st.none() | st.booleans() | st.integers(-3, 130) | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5)
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=4),
    max_leaves=8,
)
HERE = Path(__file__).parent
FILES = [json.loads(path.read_text(encoding="utf-8")) for path in sorted((HERE / "configs").glob("*.json"))]
FILES += [
    json.loads(line)["config"] for line in (HERE / "transformers_counts.jsonl").read_text(encoding="utf-8").splitlines()
]


def refusal(text: str | bytes) -> FormatError:
    with pytest.raises(FormatError) as caught:
        read_config(text)
    return caught.value


@pytest.mark.parametrize(
    ("config", "field", "words"),
    [
        ({"model_type": "bert"}, "model_type", "'bert' is not known here"),
        ({}, "model_type", "is missing"),
        ({"model_type": 3}, "model_type", "is not a text"),
        ({**LLAMA, "hidden_size": -32}, "hidden_size", "is -32: give a whole number from 1 to 10000000"),
        ({**LLAMA, "hidden_size": 32.0}, "hidden_size", "give a whole number"),
        ({**LLAMA, "hidden_size": True}, "hidden_size", "give a whole number"),
        ({**LLAMA, "hidden_size": [32]}, "hidden_size", "is [32]: give a whole number"),
        ({**LLAMA, "vocab_size": 10**400}, "vocab_size", "is a number of more than 60 digits"),
        ({**LLAMA, "tie_word_embeddings": "yes"}, "tie_word_embeddings", "give true or false"),
        ({**LLAMA, "num_attention_heads": 5}, "num_attention_heads", "5 heads do not divide hidden_size 32"),
        ({**LLAMA, "num_key_value_heads": 3}, "num_key_value_heads", "3 key heads do not divide 4 heads"),
        ({**LLAMA, "n_layer": 3}, "num_hidden_layers", "num_hidden_layers 2 and n_layer 3 contradict each other"),
        ({**LLAMA, "is_encoder_decoder": True}, "is_encoder_decoder", "counted only with false"),
        ({**LLAMA, "model_type": "granitemoe", "num_experts_per_tok": 9}, "num_experts_per_tok", "there are 8 experts"),
        ({**LLAMA, "model_type": "mpt", "no_bias": False}, "no_bias", "counted only with true"),
        ({**LLAMA, "model_type": "minimax_m2", "attn_type_list": [1, 0]}, "attn_type_list", "from 1 to"),
        ({"model_type": "grok-1"}, "vocab_size", "is missing, and grok-1 has no default for it"),
        ({"model_type": "nemotron_h"}, "hybrid_override_pattern", "is missing"),
        ({"model_type": "nemotron_h", "hybrid_override_pattern": "MX"}, "hybrid_override_pattern", "'X'"),
        ({"model_type": "nemotron_h", "hybrid_override_pattern": "M*", "num_hidden_layers": 3},
         "hybrid_override_pattern", "names 2 layers, num_hidden_layers says 3"),
        ({"model_type": "mamba2", "num_heads": 3}, "num_heads", "3 heads of 64 are not 2 × 4096 wide"),
        ({"model_type": "llava", "vision_config": {}}, "text_config", "is missing"),
        ({"model_type": "llava", "text_config": 3, "vision_config": {}}, "text_config", "is not an object"),
        ({"model_type": "llava", "text_config": {}, "vision_config": {"model_type": ["x"]}},
         "vision_config.model_type", "counted are clip_vision_model"),
    ],
)  # fmt: skip
def test_a_file_that_cannot_be_counted_is_refused_with_field_and_cause(config, field, words):
    """The refusal names the field, what is wrong with it and what to do."""
    problem = refusal(json.dumps(config)).problem

    assert problem.field == field
    assert words in problem.message


def test_an_unknown_type_is_answered_with_the_known_ones():
    """Whoever brings a type that is not known reads which are."""
    message = refusal('{"model_type": "t5"}').problem.message

    assert all(known in message for known in KNOWN_TYPES)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is not JSON"),
        ("{", "is not JSON"),
        ("import os", "is not JSON"),
        (b"\xff\xfe\x00", "is not JSON"),
        ("[]", "is not a JSON object"),
        ("null", "is not a JSON object"),
        ('{"vocab_size": ' + "9" * 5000 + "}", "is not JSON"),
        ("[" * 100_000, "is nested too deeply"),
        ('{"model_type": "llama", "vocab_size": ' + "[" * 300 + "]" * 300 + "}", "give a whole number"),
        (" " * 10_000_000, "is larger than 1000 kB"),
    ],
    ids=["empty", "cut", "code", "bytes", "list", "null", "digits", "deep", "nested", "large"],
)
def test_text_that_is_no_configuration_is_refused(text, words):
    """Text of any kind is refused in words, never by another exception."""
    assert words in str(refusal(text))


@settings(max_examples=300, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(st.sampled_from([*FILES, {}]), st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=3), st.integers(0, 9))
def test_any_configuration_is_counted_or_refused(file, wild, left_out):
    """A real file with keys left out or holding anything is counted, its parts adding up, or refused."""
    kept = {name: value for place, (name, value) in enumerate(file.items()) if place != left_out}
    text = json.dumps(kept | wild)
    try:
        model = read_config(text).model
    except FormatError:
        event("refused")
        return

    event("counted")
    assert sum(part.params for part in model.parts()) == model.total_params
    assert sum(part.active_params for part in model.parts()) == model.active_params
    assert 0 < model.active_params <= model.total_params


@given(st.text() | st.binary())
def test_any_text_is_refused_in_words(text):
    """No text and no bytes raise anything but the refusal."""
    assert str(refusal(text))
