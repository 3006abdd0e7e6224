"""The keys of a `config.json`: how files spell them, what they may hold, and what a missing one stands for."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from app.model.workload import Problem

Values = dict[str, Any]
MOST_LAYERS = 10_000


class FormatError(ValueError):
    """A file that is not read: `problem` names the field, its value quoted short, and what to do."""

    def __init__(self, field: str, message: str, value: object = "") -> None:
        self.problem = Problem(short(field), short(value), message)
        super().__init__(f"{self.problem.field}: {message}")


def short(value: object, most: int = 40) -> str:
    """A stranger's value as a message may quote it; numbers too long to print are cut unprinted.

    >>> short({"a": [1] * 100})
    "{'a': [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,…"
    """
    if isinstance(value, int) and value.bit_length() > 200:
        return "a number of more than 60 digits"
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= most else text[: most - 1] + "…"


@dataclass(frozen=True)
class Derived:
    """A default that follows from other keys."""

    text: str
    rule: Callable[[Values], int]


def _even_heads(v: Values) -> int:
    hidden, heads = v["hidden_size"], v["num_attention_heads"]
    if hidden % heads:
        raise FormatError(
            "num_attention_heads",
            f"{heads} heads do not divide hidden_size {hidden}: correct one of them, or give head_dim",
            heads,
        )
    return int(hidden // heads)


REQUIRED = None
HEADS = Derived("num_attention_heads", lambda v: v["num_attention_heads"])
HEAD_DIM = Derived("hidden_size ÷ num_attention_heads", _even_heads)
FOUR_HIDDEN = Derived("4 × hidden_size", lambda v: 4 * v["hidden_size"])
TWICE_HIDDEN = Derived("2 × hidden_size", lambda v: 2 * v["hidden_size"])
SIXTEENTH = Derived("hidden_size ÷ 16, rounded up", lambda v: -(-v["hidden_size"] // 16))
HIDDEN = Derived("hidden_size", lambda v: v["hidden_size"])
LAYERS_LESS_ONE = Derived("num_hidden_layers − 1", lambda v: v["num_hidden_layers"] - 1)


@dataclass(frozen=True)
class Key:
    """One key. `null`: what an explicit null stands for where that is not the type's default.

    spellings: other names of the same thing; a dot reaches into a nested object
    """

    spellings: tuple[str, ...] = ()
    least: int = 1
    most: int = 10_000_000
    kind: Any = int
    null: Any = None


def _flag() -> Key:
    return Key(kind=bool)


def _layers(least: int = 0) -> Key:
    return Key(kind=list[int], least=least, most=MOST_LAYERS, null=())


KEYS: Mapping[str, Key] = {
    "vocab_size": Key(("text_vocab_size",)),
    "padded_vocab_size": Key(),
    "hidden_size": Key(("n_embd", "n_embed", "d_model")),
    "num_hidden_layers": Key(("n_layer", "n_layers", "num_layers"), most=MOST_LAYERS),
    "num_attention_heads": Key(("n_head", "n_heads", "num_heads", "attention_heads"), most=100_000),
    "num_key_value_heads": Key(
        ("num_kv_heads", "n_head_kv", "multi_query_group_num", "attn_config.kv_n_heads"), most=100_000, null=HEADS
    ),
    "head_dim": Key(("kv_channels", "attention_head_dim"), most=1_000_000, null=HEAD_DIM),
    "intermediate_size": Key(("ffn_hidden_size", "ffn_dim", "n_inner", "ffn_config.ffn_hidden_size")),
    "expansion_ratio": Key(most=1000),
    "max_position_embeddings": Key(("n_positions",), most=1_000_000_000),
    "word_embed_proj_dim": Key(null=HIDDEN),
    "num_experts": Key(
        ("num_local_experts", "n_routed_experts", "moe_num_experts", "ffn_config.moe_num_experts"),
        least=0, most=100_000, null=0,
    ),
    "num_experts_per_tok": Key(
        ("experts_per_token", "num_experts_per_token", "moe_k", "ffn_config.moe_top_k"), most=100_000
    ),
    "moe_intermediate_size": Key(),
    "shared_expert_intermediate_size": Key(
        ("moe_shared_expert_intermediate_size", "shared_intermediate_size"), least=0, null=0
    ),
    "intermediate_size_mlp": Key(),
    "n_shared_experts": Key(("moe_num_shared_experts",), least=0, most=100_000, null=0),
    "moe_latent_size": Key(least=0, null=0),
    "first_k_dense_replace": Key(least=0, most=MOST_LAYERS),
    "moe_layer_freq": Key(most=MOST_LAYERS),
    "decoder_sparse_step": Key(most=MOST_LAYERS),
    "interleave_moe_layer_step": Key(most=MOST_LAYERS),
    "moe_layer_start_index": Key(least=0, most=MOST_LAYERS),
    "moe_layer_end_index": Key(least=-1, most=MOST_LAYERS),
    "moe_layer_interval": Key(most=MOST_LAYERS),
    "q_lora_rank": Key(least=0, null=0),
    "kv_lora_rank": Key(),
    "qk_rope_head_dim": Key(least=0),
    "qk_nope_head_dim": Key(least=0),
    "v_head_dim": Key(),
    "num_ln_in_parallel_attn": Key(least=0, most=2, null=0),
    "mamba_expand": Key(("expand",), most=1000),
    "mamba_d_state": Key(("state_size", "ssm_state_size")),
    "mamba_d_conv": Key(("conv_kernel",), most=1000),
    "mamba_dt_rank": Key(("time_step_rank",), null=SIXTEENTH),
    "mamba_n_groups": Key(("n_groups",), most=100_000),
    "mamba_n_heads": Key(("mamba_num_heads",), most=100_000),
    "mamba_d_head": Key(("mamba_head_dim",)),
    "num_heads": Key(most=100_000),
    "mamba_inner_size": Key(("intermediate_size",)),
    "linear_conv_kernel_dim": Key(most=1000),
    "linear_key_head_dim": Key(),
    "linear_value_head_dim": Key(),
    "linear_num_key_heads": Key(most=100_000),
    "linear_num_value_heads": Key(most=100_000),
    "attn_layer_period": Key(most=MOST_LAYERS),
    "attn_layer_offset": Key(least=0, most=MOST_LAYERS),
    "expert_layer_period": Key(most=MOST_LAYERS),
    "expert_layer_offset": Key(least=0, most=MOST_LAYERS),
    "full_attention_interval": Key(most=MOST_LAYERS),
    "patch_size": Key(most=100_000),
    "image_size": Key(most=1_000_000),
    "spatial_merge_size": Key(most=1000),
    "projection_dim": Key(null=HIDDEN),
    "mlp_only_layers": _layers(),
    "moe_layers": _layers(),
    "attn_layer_indices": _layers(),
    "attn_type_list": _layers(least=1),
    "layer_types": Key(("layers_block_type",), kind=list[str], null=()),
    "hybrid_override_pattern": Key(kind=str),
    "attn_type": Key(("attn_config.attn_type",), kind=str),
    "tie_word_embeddings": _flag(),
    "attention_bias": _flag(),
    "attention_out_bias": _flag(),
    "mlp_bias": _flag(),
    "qkv_bias": _flag(),
    "use_qkv_bias": _flag(),
    "add_qkv_bias": _flag(),
    "add_bias_linear": _flag(),
    "bias": _flag(),
    "use_bias": _flag(),
    "no_bias": _flag(),
    "lm_head_bias": _flag(),
    "enable_bias": _flag(),
    "use_qk_norm": _flag(),
    "qk_layernorm": _flag(),
    "qk_ln": Key(("attn_config.qk_ln",), kind=bool),
    "alibi": Key(("attn_config.alibi",), kind=bool),
    "use_routing_bias": _flag(),
    "use_parallel_residual": _flag(),
    "layer_norm_elementwise_affine": _flag(),
    "do_layer_norm_before": _flag(),
    "_remove_final_layer_norm": _flag(),
    "post_layer_norm": _flag(),
    "rmsnorm": _flag(),
    "multi_query": _flag(),
    "multi_query_attention": _flag(),
    "new_decoder_architecture": _flag(),
    "parallel_attn": _flag(),
    "mamba_conv_bias": Key(("use_conv_bias",), kind=bool),
    "mamba_proj_bias": Key(kind=bool),
    "multimodal_projector_bias": _flag(),
    "vision_feature_layer": Key(least=-MOST_LAYERS, most=MOST_LAYERS),
    "vision_use_head": _flag(),
}  # fmt: skip


def resolve(config: Mapping[str, Any], model_type: str, defaults: Mapping[str, Any]) -> tuple[Values, tuple[str, ...]]:
    """The value of every key in `defaults`, and a sentence for each that the file leaves out."""
    values: Values = {}
    filled: list[str] = []
    for name in sorted(defaults, key=lambda name: isinstance(_missing(config, name, defaults), Derived)):
        given = _given(config, name)
        if given is not None and given[1] is not None:
            values[name] = _read(*given, KEYS[name])
            continue
        default = _missing(config, name, defaults)
        if default is REQUIRED:
            raise FormatError(name, f"is missing, and {model_type} has no default for it: add it to the file")
        values[name] = default.rule(values) if isinstance(default, Derived) else default
        why = default.text if isinstance(default, Derived) else f"default of {model_type}"
        filled.append(f"{name} = {json.dumps(values[name])} ({why})")
    return values, tuple(filled)


def _missing(config: Mapping[str, Any], name: str, defaults: Mapping[str, Any]) -> Any:
    """What stands for a key without a value: null may mean something else than leaving the key out."""
    null = KEYS[name].null
    return null if _given(config, name) is not None and null is not None else defaults[name]


def _given(config: Mapping[str, Any], name: str) -> tuple[str, Any] | None:
    """The spelling found and its value, None for null and "auto"; two that contradict each other are refused."""
    found = [
        (s, _reach(config, s)) for s in (name, *KEYS[name].spellings) if _reach(config, s, absent=_given) is not _given
    ]
    known = [(s, value) for s, value in found if value is not None and value != "auto"]
    if any(type(value) is not type(known[0][1]) or value != known[0][1] for _, value in known):
        both = " and ".join(f"{s} {short(value)}" for s, value in known[:2])
        raise FormatError(known[0][0], f"{both} contradict each other: keep the right one", known[0][1])
    return known[0] if known else (found[0][0], None) if found else None


def _reach(config: Mapping[str, Any], spelling: str, absent: Any = None) -> Any:
    outer, _, inner = spelling.partition(".")
    value = config.get(outer, absent)
    if not inner:
        return value
    return value.get(inner, absent) if isinstance(value, dict) else absent


def _read(spelling: str, value: Any, key: Key) -> Any:
    if key.kind is int:
        return _whole(spelling, value, key)
    if key.kind == list[int]:
        return tuple(_whole(spelling, item, key) for item in _listed(spelling, value))
    if key.kind == list[str]:
        return tuple(_typed(spelling, item, str, "a list of texts") for item in _listed(spelling, value))
    return _typed(spelling, value, key.kind, "true or false" if key.kind is bool else "a text")


def _whole(spelling: str, value: Any, key: Key) -> int:
    if type(value) is not int or not key.least <= value <= key.most:
        raise FormatError(spelling, f"is {short(value)}: give a whole number from {key.least} to {key.most}", value)
    return value


def _listed(spelling: str, value: Any) -> list[Any]:
    if type(value) is not list or len(value) > MOST_LAYERS:
        raise FormatError(spelling, f"is {short(value)}: give a list of at most {MOST_LAYERS}", value)
    return value


def _typed(spelling: str, value: Any, kind: type, words: str) -> Any:
    if type(value) is not kind:
        raise FormatError(spelling, f"is {short(value)}: give {words}", value)
    return value
