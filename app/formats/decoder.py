"""From a family's rules and a file's values to a Transformer."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from app.formats.family import Experts, Family, Rule
from app.formats.keys import FormatError, Values
from app.model.answer import ModelPart
from app.model.architecture import Transformer
from app.model.model_parts import whole_part

Say = Callable[[Rule], Any]
"""Asks a rule, with the file's values at hand."""


def decoder(v: Values, family: Family, name: str) -> Transformer:
    """The transformer that a file describes, with the parts that few models have in `extra`."""

    def say(rule: Rule) -> Any:
        return rule(v) if callable(rule) else rule

    shape = _plain(v, family, name, say)
    if family.latent:
        shape = replace(shape, **_latent(v))
    if family.experts and v["num_experts"]:
        shape = replace(shape, **_experts(v, family.experts, say))
    biases = say(family.qkv_bias), say(family.out_bias), say(family.ffn_bias)
    shape = replace(
        shape,
        qkv_bias=bool(biases[0]) and not family.latent,
        linear_bias=all(biases) and not shape.experts and not family.latent,
    )
    return replace(shape, extra=tuple(part for part in _extras(family, shape, say) if part.params))


def _plain(v: Values, family: Family, name: str, say: Say) -> Transformer:
    heads, kv_heads, width = v["num_attention_heads"], say(family.kv_heads), say(family.embedding_width)
    if heads % kv_heads:
        raise FormatError(
            "num_key_value_heads", f"{kv_heads} key heads do not divide {heads} heads: correct one of them", kv_heads
        )
    return Transformer(
        id="",
        name=name,
        layers=v["num_hidden_layers"],
        hidden=v["hidden_size"],
        heads=heads,
        kv_heads=kv_heads,
        head_dim=v["head_dim"],
        ffn=say(family.ffn),
        vocab=say(family.vocab),
        gated=family.gated,
        tied=v["tie_word_embeddings"],
        norm=say(family.norm),
        norms_per_layer=say(family.norms),
        final_norm=bool(say(family.final_norm)),
        embedding_norm=family.embedding_norm,
        embedding_width=0 if width == v["hidden_size"] else width,
        positions=say(family.positions),
        qk_norm=say(family.qk_norm),
    )


def _latent(v: Values) -> dict[str, Any]:
    return {
        "kv_heads": v["num_attention_heads"],
        "head_dim": v["qk_nope_head_dim"] + v["qk_rope_head_dim"],
        "q_rank": v["q_lora_rank"],
        "kv_rank": v["kv_lora_rank"],
        "rope_dim": v["qk_rope_head_dim"],
        "nope_dim": v["qk_nope_head_dim"],
        "v_dim": v["v_head_dim"],
    }


def _experts(v: Values, rules: Experts, say: Say) -> dict[str, Any]:
    """Fields of an expert model; without a dense layer it has no plain FFN, whatever the file's width says."""
    experts, each, dense, width = v["num_experts"], v["num_experts_per_tok"], say(rules.dense_layers), say(rules.width)
    if each > experts:
        raise FormatError("num_experts_per_tok", f"is {each}, but there are {experts} experts: correct one", each)
    if dense == v["num_hidden_layers"]:
        return {}
    return {
        "experts": experts,
        "experts_per_token": each,
        "expert_ffn": width,
        "shared_experts": say(rules.shared) // width,
        "dense_layers": dense,
        "router_bias": bool(say(rules.router_bias)),
        **({} if dense else {"ffn": 0}),
    }


def _extras(family: Family, t: Transformer, say: Say) -> Iterator[ModelPart]:
    """Parts that the fields of a Transformer do not count, each with its own row."""
    h = t.hidden
    biases = 0 if t.linear_bias else _biases(family, t, say)
    yield whole_part("biases", biases, "L·(output h + FFN)")
    if family.qk_norm_bias and t.qk_norm:
        yield whole_part("norm_biases", t.layers * 2 * t.head_dim, "L·2·d")
    if family.sinks:
        yield whole_part("sinks", t.layers * t.heads, "L·heads")
    yield whole_part("activation", t.layers * family.activation, f"L·{family.activation}")
    if t.embedding_width:
        yield whole_part("projections", 2 * t.embedding_width * h, "2·h·embedding width")
    if say(family.head_bias):
        yield whole_part("head_bias", t.vocab, "V")
    if family.experts and t.experts:
        yield from _expert_extras(family.experts, t, say)


def _biases(family: Family, t: Transformer, say: Say) -> int:
    """Biases of the output projection and of plain FFNs, and of the compressed projections. [weights]"""
    out = t.hidden if say(family.out_bias) else 0
    if family.latent and say(family.qkv_bias):
        out += t.q_rank + t.kv_rank + t.rope_dim
    ffn = _ffn_bias(t, t.ffn) if say(family.ffn_bias) else 0
    return t.layers * out + t.plain_layers * ffn


def _ffn_bias(t: Transformer, width: int) -> int:
    return (t.ffn_matrices - 1) * width + t.hidden


def _expert_extras(rules: Experts, t: Transformer, say: Say) -> Iterator[ModelPart]:
    shared = say(rules.shared)
    left_over = shared - t.shared_experts * t.expert_ffn
    yield whole_part("shared_rest", t.moe_layers * t.ffn_matrices * t.hidden * left_over, "L·3·h·f left over")
    if rules.gate and shared:
        yield whole_part("shared_gate", t.moe_layers * t.hidden, "L·h")
    if say(rules.bias):
        one = t.moe_layers * _ffn_bias(t, t.expert_ffn)
        yield ModelPart("expert_biases", t.experts * one, t.experts_per_token * one, "L·E·(2·f + h)")
        if shared:
            yield whole_part("shared_biases", t.moe_layers * _ffn_bias(t, shared), "L·(2·f + h)")
