"""State-space models and hybrids: counted exactly, layer kind by layer kind, and not timed."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from app.formats.decoder import decoder
from app.formats.families import BIAS, BIASES, EIGHT, QWEN2_MOE, STEPS
from app.formats.family import Experts, Family, key, like, sizes
from app.formats.keys import SIXTEENTH, Derived, FormatError, Values, short
from app.model.answer import ModelPart
from app.model.architecture import Transformer
from app.model.model_parts import Architecture, delta_net_params, mamba2_params, mamba_params, whole_part

EXPANDED = Derived("expand × hidden_size", lambda v: v["mamba_expand"] * v["hidden_size"])
LETTERS = {"M": "mamba", "E": "moe", "*": "attention", "-": "mlp"}
WORDS = {"mamba": "mamba", "linear_attention": "mamba", "moe": "moe", "attention": "attention",
         "full_attention": "attention", "mlp": "mlp"}  # fmt: skip


@dataclass(frozen=True)
class Hybrid:
    """Rules of the attention and FFN layers (`family`), and of what differs.

    attention, mixers, plain: how many layers attend, mix by state space, have a plain FFN; None: what `family` says
    mixer: weights of one mixer; gated_attention: queries come with a gate as wide
    fixed: values that the type has no key for
    """

    family: Family
    attention: Callable[[Values], int]
    mixers: Callable[[Values], int]
    mixer: Callable[[Values], int]
    plain: Callable[[Values], int] | None = None
    gated_attention: bool = False
    fixed: Mapping[str, Any] = field(default_factory=dict)


def hybrid(v: Values, rules: Hybrid, name: str) -> Architecture | Transformer:
    """The count of a model whose layers differ in kind; a Transformer gives the size of each kind."""
    one = decoder({**v, **rules.fixed}, rules.family, name)
    attention, mixers = rules.attention(v), rules.mixers(v)
    plain = rules.plain(v) if rules.plain else one.plain_layers
    if attention == one.layers and plain == one.plain_layers and not rules.gated_attention:
        return one
    gate = one.hidden * one.q_width if rules.gated_attention else 0
    latent = v.get("moe_latent_size", 0)
    routed = one.moe_layers * one.ffn_matrices * (latent or one.hidden) * one.expert_ffn
    ffn = "L·3·h·f" if one.gated else "L·2·h·f"
    rows = (
        whole_part("embedding", one.embedding_params, "V·h"),
        whole_part("attention", attention * (one.attention_params + gate), "L·(2·h·q + 2·h·kv)"),
        whole_part("mixers", mixers * rules.mixer(v), "L·(projections + convolution + state)"),
        whole_part("norms", one.layers * one.norm_params + one.final_norm_params, f"(L·{one.norms_per_layer} + 1)·h"),
        whole_part("dense_ffn", plain * one.dense_ffn_params, ffn),
        ModelPart("experts", one.experts * routed, one.experts_per_token * routed, f"E·{ffn}"),
        whole_part("shared_experts", one.moe_layers * one.shared_params, ffn),
        whole_part("router", one.moe_layers * one.router_params, "L·E·h"),
        whole_part("projections", 2 * one.moe_layers * one.hidden * latent, "L·2·h·latent width"),
        whole_part("head", one.head_params, "V·h"),
        *one.extra,
    )
    why = f"{mixers} of {one.layers} layers mix by state space, which the model of time and activations does not know."
    return Architecture("", name, tuple(row for row in rows if row.params), why)


def _mamba(v: Values) -> int:
    return mamba_params(
        v["hidden_size"], v["mamba_inner_size"], v["mamba_d_state"], v["mamba_dt_rank"], v["mamba_d_conv"],
        v["use_bias"], v["mamba_conv_bias"],
    )  # fmt: skip


def _jamba(v: Values) -> int:
    """Its mixer norms time step, B and C."""
    return _mamba(v | {"use_bias": v["mamba_proj_bias"]}) + int(v["mamba_dt_rank"] + 2 * v["mamba_d_state"])


def _mamba2(v: Values, heads: str = "mamba_n_heads", width: str = "mamba_d_head", bias: str = "mamba_proj_bias") -> int:
    inner = v[heads] * v[width]
    if "mamba_expand" in v and inner != v["mamba_expand"] * v["hidden_size"]:
        raise FormatError(
            heads,
            f"{v[heads]} heads of {v[width]} are not {v['mamba_expand']} × {v['hidden_size']} wide: correct one",
            inner,
        )
    return mamba2_params(
        v["hidden_size"], inner, v["mamba_d_state"], v["mamba_n_groups"], v[heads], v["mamba_d_conv"], v[bias],
        v["mamba_conv_bias"],
    )  # fmt: skip


def _delta_net(v: Values) -> int:
    heads, width = v["linear_num_value_heads"], v["linear_value_head_dim"]
    keys = v["linear_num_key_heads"] * v["linear_key_head_dim"]
    return delta_net_params(v["hidden_size"], keys, heads * width, heads, width, v["linear_conv_kernel_dim"])


def _every(period: str, offset: str) -> Callable[[Values], int]:
    """Layers whose index leaves the offset over, divided by the period."""
    return lambda v: sum(i % v[period] == v[offset] for i in range(v["num_hidden_layers"]))


def _jamba_dense(v: Values) -> int:
    moe = _every("expert_layer_period", "expert_layer_offset")(v) if v["num_experts"] > 1 else 0
    return int(v["num_hidden_layers"] - moe)


def _kinds(v: Values) -> tuple[str, ...]:
    """What each layer is, from a pattern of letters or a list of words."""
    key = "hybrid_override_pattern" if v.get("hybrid_override_pattern") else "layer_types"
    table, said, layers = LETTERS if key == "hybrid_override_pattern" else WORDS, v[key], v["num_hidden_layers"]
    if len(said) != layers:
        raise FormatError(key, f"names {len(said)} layers, num_hidden_layers says {layers}: correct one", len(said))
    for one in said:
        if one not in table:
            raise FormatError(key, f"holds {short(one)!r}: layer kinds known here are {', '.join(table)}", one)
    return tuple(table[one] for one in said)


def _of(kind: str) -> Callable[[Values], int]:
    return lambda v: _kinds(v).count(kind)


def _length(v: Values) -> int:
    found = len(v["hybrid_override_pattern"] or v["layer_types"])
    if not 1 <= found <= 10_000:
        raise FormatError(
            "hybrid_override_pattern", "is missing, and nemotron_h has no default for it: add it to the file"
        )
    return found


def _mamba_words(v: Values) -> int:
    return _kinds(v).count("mamba") if v["layer_types"] else int(v["num_hidden_layers"])


def _next_attention(v: Values) -> int:
    if v["layer_types"]:
        return _kinds(v).count("attention")
    return int(v["num_hidden_layers"] // v["full_attention_interval"])


def _rest(attention: Callable[[Values], int]) -> Callable[[Values], int]:
    return lambda v: v["num_hidden_layers"] - attention(v)


def _listed(v: Values) -> int:
    return len(set(v["attn_layer_indices"]) & set(range(v["num_hidden_layers"])))


HEADLESS = {"num_attention_heads": 1, "num_key_value_heads": 1, "head_dim": 1}
PURE = {"vocab_size": 50_280, "hidden_size": 768, "num_hidden_layers": 32, "tie_word_embeddings": True}
MAMBA = Hybrid(
    Family(
        {**PURE, "mamba_d_state": 16, "mamba_dt_rank": SIXTEENTH, "mamba_d_conv": 4, "mamba_expand": 2,
         "mamba_inner_size": EXPANDED, "use_bias": False, "mamba_conv_bias": True},
        ffn=0, norms=1,
    ),
    attention=lambda v: 0, mixers=key("num_hidden_layers"), mixer=_mamba, plain=lambda v: 0, fixed=HEADLESS,
)  # fmt: skip
SSD = {
    "mamba_d_state": 256, "mamba_d_conv": 4, "mamba_expand": 2, "mamba_n_groups": 1, "mamba_n_heads": 128,
    "mamba_d_head": 64, "mamba_conv_bias": True, "mamba_proj_bias": False,
}  # fmt: skip
_attends = _every("attn_layer_period", "attn_layer_offset")

HYBRIDS: Mapping[str, Hybrid] = {
    "mamba": MAMBA,
    "falcon_mamba": MAMBA,
    "mamba2": replace(
        MAMBA,
        family=like(
            MAMBA.family, {"vocab_size": 32_768, "hidden_size": 4096, "num_hidden_layers": 64, "mamba_d_state": 128,
                           "mamba_n_groups": 8, "num_heads": 128, "head_dim": 64, "tie_word_embeddings": False},
        ),
        mixer=lambda v: _mamba2(v, "num_heads", "head_dim", "use_bias"),
    ),
    "jamba": Hybrid(
        Family(
            sizes(65_536, 4096, 14_336, 32, 32, 8, num_experts=16, num_experts_per_tok=2, expert_layer_period=2,
                  expert_layer_offset=1, attn_layer_period=8, attn_layer_offset=4, mamba_d_state=16, mamba_d_conv=4,
                  mamba_expand=2, mamba_dt_rank=SIXTEENTH, mamba_conv_bias=True, mamba_proj_bias=False),
            experts=Experts(key("intermediate_size"), _jamba_dense),
        ),
        attention=_attends, mixers=_rest(_attends),
        mixer=lambda v: _jamba(v | {"mamba_inner_size": v["mamba_expand"] * v["hidden_size"]}),
    ),
    "bamba": Hybrid(
        Family(
            sizes(128_000, 4096, 14_336, 32, 32, 8, **BIASES, **SSD, attn_layer_indices=()),
            must={"attention_bias": False, "mlp_bias": False},
        ),
        attention=_listed, mixers=_rest(_listed), mixer=_mamba2,
    ),
    "granitemoehybrid": Hybrid(
        Family(
            sizes(32_000, 4096, 11_008, 32, 32, **BIAS, **EIGHT, **SSD, shared_expert_intermediate_size=1024,
                  layer_types=()),
            must={"attention_bias": False}, ffn=key("shared_expert_intermediate_size"),
            experts=Experts(key("intermediate_size"), shared=key("shared_expert_intermediate_size")),
        ),
        attention=_rest(_mamba_words), mixers=_mamba_words, mixer=_mamba2,
    ),
    "nemotron_h": Hybrid(
        Family(
            sizes(131_072, 4096, 21_504, Derived("letters of the pattern", _length), 32, 8, head_dim=128, **BIASES,
                  hybrid_override_pattern="", layer_types=(), num_experts=8, num_experts_per_tok=2, use_bias=False,
                  moe_intermediate_size=7688, shared_expert_intermediate_size=7688, moe_latent_size=0,
                  mamba_d_state=128, mamba_d_conv=4, mamba_n_groups=8, mamba_n_heads=128, mamba_d_head=64,
                  mamba_conv_bias=True),
            must={"attention_bias": False, "mlp_bias": False}, gated=False, norms=1,
            experts=Experts(
                dense_layers=_rest(_of("moe")), shared=key("shared_expert_intermediate_size"), router_bias=True
            ),
        ),
        attention=_of("attention"), mixers=_of("mamba"), plain=_of("mlp"), mixer=lambda v: _mamba2(v, bias="use_bias"),
    ),
    "qwen3_next": Hybrid(
        like(
            QWEN2_MOE,
            sizes(151_936, 2048, 5632, 48, 16, 2, head_dim=256, **BIAS, **STEPS, num_experts=512,
                  num_experts_per_tok=10, moe_intermediate_size=512, shared_expert_intermediate_size=512,
                  layer_types=(), full_attention_interval=4, linear_conv_kernel_dim=4, linear_key_head_dim=128,
                  linear_value_head_dim=128, linear_num_key_heads=16, linear_num_value_heads=32),
            must={"attention_bias": False}, qkv_bias=False, qk_norm="head",
        ),
        attention=_next_attention, mixers=_rest(_next_attention), mixer=_delta_net, gated_attention=True,
    ),
}  # fmt: skip
