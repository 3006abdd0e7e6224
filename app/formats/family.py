"""The rules by which a type builds its model: constants, or functions of a file's values."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from app.formats.keys import HEAD_DIM, HEADS, Values

Rule = Any
"""A constant, or a function of the file's values that gives it."""


def key(name: str) -> Callable[[Values], Any]:
    """The rule that a key of the file decides."""
    return lambda v: v[name]


def all_layers(v: Values) -> int:
    """No layer of an expert model has a plain FFN."""
    return 0


def first_layers(v: Values) -> int:
    """The first layers are dense, and of the rest all but every `moe_layer_freq`th."""
    first, every = v["first_k_dense_replace"], v["moe_layer_freq"]
    return sum(i < first or i % every != 0 for i in range(v["num_hidden_layers"]))


def stepped_layers(v: Values) -> int:
    """Dense where the step leaves a layer out, or where the file lists it."""
    step, listed = v["decoder_sparse_step"], set(v["mlp_only_layers"])
    return sum(i in listed or (i + 1) % step != 0 for i in range(v["num_hidden_layers"]))


def listed_layers(v: Values) -> int:
    """Dense where a layer is not in the list of those with experts, else by the step."""
    step, layers = v["interleave_moe_layer_step"], int(v["num_hidden_layers"])
    return layers - len(set(v["moe_layers"] or range(step - 1, layers, step)) & set(range(layers)))


def ranged_layers(v: Values) -> int:
    """Dense outside the range of layers with experts, and inside it where the interval leaves one out."""
    first, last, step = v["moe_layer_start_index"], v["moe_layer_end_index"], v["moe_layer_interval"]
    last = v["num_hidden_layers"] - 1 if last < 0 else last
    return sum(not first <= i <= last or (i + 1) % step != 0 for i in range(v["num_hidden_layers"]))


def counted_shared(v: Values) -> int:
    return int(v["n_shared_experts"] * v["moe_intermediate_size"])


_VOCAB, _KV_HEADS, _WIDTH, _EXPERT_WIDTH = map(
    key, ("vocab_size", "num_key_value_heads", "intermediate_size", "moe_intermediate_size")
)


@dataclass(frozen=True)
class Experts:
    """width: of one expert; shared: of all always-active ones; gate: a shared expert has a gate of its own."""

    width: Rule = _EXPERT_WIDTH
    dense_layers: Rule = all_layers
    shared: Rule = 0
    gate: bool = False
    router_bias: Rule = False
    bias: Rule = False


@dataclass(frozen=True)
class Family:
    """Rules of one `model_type`. A rule is a constant, or a function of the file's values.

    defaults: every key that the count reads, with what a missing one stands for
    must: keys whose other values change the count in a way that is not known here
    sinks: one learned number a head and layer; activation: learned numbers of each FFN
    """

    defaults: Mapping[str, Any]
    must: Mapping[str, Any] = field(default_factory=dict)
    vocab: Rule = _VOCAB
    kv_heads: Rule = _KV_HEADS
    ffn: Rule = _WIDTH
    gated: bool = True
    norm: Rule = "rms"
    norms: Rule = 2
    final_norm: Rule = True
    embedding_norm: bool = False
    embedding_width: Rule = 0
    positions: Rule = 0
    qkv_bias: Rule = False
    out_bias: Rule = False
    ffn_bias: Rule = False
    head_bias: Rule = False
    qk_norm: Rule = ""
    qk_norm_bias: Rule = False
    latent: bool = False
    sinks: bool = False
    activation: int = 0
    experts: Experts | None = None


def sizes(vocab: Any, hidden: Any, ffn: Any, layers: Any, heads: Any, kv: Any = HEADS, **more: Any) -> dict[str, Any]:
    """Defaults of the usual keys; embeddings are not tied unless `more` says so."""
    return {
        "vocab_size": vocab, "hidden_size": hidden, "intermediate_size": ffn, "num_hidden_layers": layers,
        "num_attention_heads": heads, "num_key_value_heads": kv, "head_dim": HEAD_DIM, "tie_word_embeddings": False,
    } | more  # fmt: skip


def like(family: Family, defaults: Mapping[str, Any] | None = None, **changes: Any) -> Family:
    return replace(family, defaults={**family.defaults, **(defaults or {})}, **changes)


def biased(qkv: Rule = True, out: Rule = True, ffn: Rule = True) -> dict[str, Rule]:
    return {"qkv_bias": qkv, "out_bias": out, "ffn_bias": ffn}


def falcon_kv_heads(v: Values) -> int:
    """The newer decoder groups its heads; the older one shares one key head, or none."""
    if v["new_decoder_architecture"]:
        return int(v["num_key_value_heads"])
    return 1 if v["multi_query"] else int(v["num_attention_heads"])


def falcon_norms(v: Values) -> int:
    """Attention and FFN side by side read one norm, or two in the newer decoder unless the file says one."""
    asked = v["num_ln_in_parallel_attn"] or (2 if v["new_decoder_architecture"] else 1)
    return 2 if not v["parallel_attn"] or asked == 2 else 1
