"""Reading a Hugging Face `config.json`."""

import csv
import json
from pathlib import Path

import pytest

from app.formats.huggingface import read_config
from app.model.architecture import Transformer
from app.model.transformer import PRESETS

HERE = Path(__file__).parent
COUNTS = list(csv.DictReader((HERE / "configs" / "counts.csv").read_text(encoding="utf-8").splitlines()))
MADE = [json.loads(line) for line in (HERE / "transformers_counts.jsonl").read_text(encoding="utf-8").splitlines()]
LLAMA = {
    "model_type": "llama", "vocab_size": 100, "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2,
    "num_attention_heads": 4,
}  # fmt: skip


def released(name: str) -> str:
    return (HERE / "configs" / f"{name}.json").read_text(encoding="utf-8")


def read(**config):
    return read_config(json.dumps(config))


@pytest.mark.parametrize("row", COUNTS, ids=lambda row: row["name"])
def test_a_released_model_counts_what_it_holds(row):
    """Total and active parameters of a released model are exactly the known ones."""
    model = read_config(released(row["name"])).model

    assert (model.total_params, model.active_params) == (int(row["total_params"]), int(row["active_params"]))


@pytest.mark.parametrize("row", COUNTS, ids=lambda row: row["name"])
def test_the_parts_of_a_released_model_add_up(row):
    """The table of parts adds up to both counts, exactly."""
    model = read_config(released(row["name"])).model

    assert sum(part.params for part in model.parts()) == model.total_params
    assert sum(part.active_params for part in model.parts()) == model.active_params


@pytest.mark.parametrize("kind", sorted({made["config"]["model_type"] for made in MADE}))
def test_a_made_up_model_counts_what_transformers_builds(kind):
    """Small models with every kind of switch count what the reference code builds from the same file."""
    of_kind = [made for made in MADE if made["config"]["model_type"] == kind]
    built = [made["parameters"] + made["router_corrections"] for made in of_kind]

    assert [read(**made["config"]).model.total_params for made in of_kind] == built


MOE = {"moe_layer_freq": 1, "first_k_dense_replace": 1}


@pytest.mark.parametrize(
    ("total", "active", "config"),
    [
        pytest.param(
            7_721_324_544, 7_721_324_544,
            {"model_type": "qwen", "vocab_size": 151_936, "hidden_size": 4096, "intermediate_size": 22_016,
             "num_hidden_layers": 32, "num_attention_heads": 32, "kv_channels": 128, "no_bias": True},
            id="Qwen 7B: the width is of both gated halves",
        ),
        pytest.param(
            7_737_708_544, 7_737_708_544,
            {"model_type": "internlm2", "vocab_size": 92_544, "hidden_size": 4096, "intermediate_size": 14_336,
             "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8, "bias": False},
            id="InternLM2 7B",
        ),
        pytest.param(
            16_375_728_128, 2_828_650_496,
            {"model_type": "deepseek", "vocab_size": 102_400, "hidden_size": 2048, "intermediate_size": 10_944,
             "moe_intermediate_size": 1408, "num_hidden_layers": 28, "num_attention_heads": 16,
             "num_key_value_heads": 16, "n_shared_experts": 2, "n_routed_experts": 64, "num_experts_per_tok": 6} | MOE,
            id="DeepSeek-MoE 16B",
        ),
        pytest.param(
            235_741_434_880, 21_375_800_320,
            {"model_type": "deepseek_v2", "vocab_size": 102_400, "hidden_size": 5120, "intermediate_size": 12_288,
             "moe_intermediate_size": 1536, "num_hidden_layers": 60, "num_attention_heads": 128,
             "n_shared_experts": 2, "n_routed_experts": 160, "num_experts_per_tok": 6} | MOE,
            id="DeepSeek-V2, arXiv:2405.04434: 236 B and 21 B",
        ),
        pytest.param(
            1_026_408_232_448, 32_861_500_928,
            {"model_type": "kimi_k2", "vocab_size": 163_840, "num_attention_heads": 64, "n_routed_experts": 384} | MOE,
            id="Kimi K2: 1 T and 32 B",
        ),
    ],
)  # fmt: skip
def test_a_model_of_code_beside_its_weights_counts_as_released(total, active, config):
    """Types that `transformers` does not hold give the counts printed for their checkpoints."""
    model = read(**config).model

    assert (model.total_params, model.active_params) == (total, active)


@pytest.mark.parametrize(
    ("name", "preset"),
    [("llama-3.1-8b", "llama-3.1-8b"), ("mixtral-8x7b", "mixtral-8x7b"), ("qwen3-235b-a22b", "qwen3-235b-a22b")],
)
def test_a_file_gives_the_shape_of_the_preset(name, preset):
    """A released file and the preset of the same model are the same transformer, but for id and name."""
    known, found = PRESETS[preset].transformer, read_config(released(name)).model

    assert [getattr(found, f) for f in ("layers", "hidden", "heads", "kv_heads", "head_dim", "vocab", "experts")] == [
        getattr(known, f) for f in ("layers", "hidden", "heads", "kv_heads", "head_dim", "vocab", "experts")
    ]


@pytest.mark.parametrize("name", ["jamba-v0.1", "mamba-codestral-7b", "nemotron-3-nano-30b-a3b"])
def test_a_state_space_model_is_counted_and_not_timed(name):
    """State-space and hybrid models say that, and why, no time is predicted."""
    found = read_config(released(name))

    assert not found.time_predictable
    assert "state space" in found.model.untimed


@pytest.mark.parametrize("name", ["llama-3.1-8b", "gpt-oss-120b", "gemma-3-4b-vision"])
def test_a_transformer_can_be_timed(name):
    """Models of attention and FFN alone are Transformers, for which the engine has a time."""
    assert isinstance(read_config(released(name)).model, Transformer)


def test_a_key_left_out_is_named_with_what_stands_for_it():
    """Every default taken is said, with its reason."""
    filled = read(**LLAMA).filled

    assert "num_key_value_heads = 4 (num_attention_heads)" in filled
    assert "tie_word_embeddings = false (default of llama)" in filled


def test_nothing_is_named_as_filled_where_the_file_says_all():
    """A file with every key that counts has no default to report."""
    assert read_config(released("qwen3-32b")).filled == ()


def test_null_key_heads_mean_one_for_each_head():
    """Mistral without the key has 8 key heads, with null one for each of its heads."""
    grouped = {**LLAMA, "model_type": "mistral", "num_attention_heads": 16}

    assert read(**grouped).model.kv_heads == 8
    assert read(**grouped, num_key_value_heads=None).model.kv_heads == 16


def test_latent_attention_without_query_rank_has_whole_queries():
    """An explicit null rank means uncompressed queries; leaving it out means the default rank."""
    latent = {**LLAMA, "model_type": "deepseek_v3", "n_routed_experts": 8}

    assert read(**latent).model.q_rank == 1536
    assert read(**latent, q_lora_rank=None).model.q_rank == 0


@pytest.mark.parametrize(
    ("name", "tied"), [("gemma-2b", True), ("falcon-7b", True), ("bloom-7b1", True), ("llama-2-7b", False)]
)
def test_a_missing_tie_follows_the_type(name, tied):
    """Without the key Gemma, Falcon and BLOOM share their table, Llama does not."""
    config = json.loads(released(name))
    config.pop("tie_word_embeddings", None)

    assert read(**config).model.tied is tied


def test_layers_that_predict_further_tokens_are_left_out_and_said():
    """The main model is counted; a note says what is not."""
    assert any("predict further tokens" in note for note in read_config(released("glm-4.5-355b")).notes)


def test_the_name_is_the_last_part_of_the_saved_path():
    """A file that says where it came from is called by that."""
    assert read(**LLAMA, _name_or_path="someone/My-Llama-1B/").model.name == "My-Llama-1B"


@pytest.mark.parametrize("bom", [b"", b"\xef\xbb\xbf"])
def test_an_upload_in_bytes_reads_as_its_text(bom):
    """Bytes of UTF-8, with or without a byte-order mark, read as the text does."""
    assert read_config(bom + json.dumps(LLAMA).encode()) == read(**LLAMA)
