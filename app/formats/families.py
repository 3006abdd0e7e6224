"""What the types of a `config.json` build: one row a type, all facts, no arithmetic beyond them.

Source: configuration_*.py and modeling_*.py of huggingface/transformers 4.57 and 5.24; for chatglm, grok-1,
internlm, internlm2, internlm3, baichuan, qwen, deepseek, kimi_k2 and RefinedWeb the code that ships with their weights.
"""

from collections.abc import Mapping
from typing import Any

from app.formats.family import (
    Experts,
    Family,
    biased,
    counted_shared,
    falcon_kv_heads,
    falcon_norms,
    first_layers,
    key,
    like,
    listed_layers,
    ranged_layers,
    sizes,
    stepped_layers,
)
from app.formats.keys import FOUR_HIDDEN, HIDDEN, LAYERS_LESS_ONE, REQUIRED, Derived

NO_SIZES = sizes(REQUIRED, REQUIRED, REQUIRED, REQUIRED, REQUIRED)
TIED = {"tie_word_embeddings": True}
BIAS = {"attention_bias": False}
BIASES = {"attention_bias": False, "mlp_bias": False}
ATTENTION = biased(key("attention_bias"), key("attention_bias"), False)
BOTH = biased(key("attention_bias"), key("attention_bias"), key("mlp_bias"))
GPT: dict[str, Any] = {"gated": False, "norm": "layer", **biased()}

LLAMA = Family(sizes(32_000, 4096, 11_008, 32, 32, **BIASES), **BOTH)
MISTRAL = Family(sizes(32_000, 4096, 14_336, 32, 32, 8))
QWEN2 = Family(sizes(151_936, 4096, 22_016, 32, 32, 32), qkv_bias=True)
QWEN3 = Family(sizes(151_936, 4096, 22_016, 32, 32, 32, head_dim=128, **BIAS), qk_norm="head", **ATTENTION)
GEMMA = Family(sizes(256_000, 3072, 24_576, 28, 16, 16, head_dim=256, **TIED, **BIAS), **ATTENTION)
GEMMA2 = like(GEMMA, sizes(256_000, 2304, 9216, 26, 8, 4, head_dim=256, **TIED), norms=4)
GLM = Family(sizes(151_552, 4096, 13_696, 40, 32, 2, head_dim=128, attention_bias=True), qkv_bias=key("attention_bias"))
OLMO = Family(sizes(50_304, 4096, 11_008, 32, 32, **BIAS), **ATTENTION)
COHERE = Family(
    sizes(256_000, 8192, 22_528, 40, 64, **TIED, **BIAS, use_qk_norm=False),
    norms=1, qk_norm=lambda v: "full" if v["use_qk_norm"] else "", **ATTENTION,
)  # fmt: skip
GPT2 = Family(
    sizes(50_257, 768, FOUR_HIDDEN, 12, 12, **TIED, max_position_embeddings=1024),
    positions=key("max_position_embeddings"), **GPT,
)  # fmt: skip
GPTJ = Family(
    sizes(50_400, 4096, FOUR_HIDDEN, 28, 16), gated=False, norm="layer", norms=1, ffn_bias=True, head_bias=True
)
GRANITE = Family(sizes(32_000, 4096, 11_008, 32, 32, **BIASES), **BOTH)
EIGHT = {"num_experts": 8, "num_experts_per_tok": 2}
MIXTRAL = like(MISTRAL, EIGHT, experts=Experts(key("intermediate_size")))
OLMOE = like(
    OLMO, sizes(50_304, 2048, 2048, 16, 16, num_experts=64, num_experts_per_tok=8),
    qk_norm="full", experts=Experts(key("intermediate_size")),
)  # fmt: skip
STEPS = {"decoder_sparse_step": 1, "mlp_only_layers": ()}
QWEN2_MOE = Family(
    sizes(151_936, 2048, 5632, 24, 16, 16, qkv_bias=True, num_experts=60, num_experts_per_tok=4, **STEPS,
          moe_intermediate_size=1408, shared_expert_intermediate_size=5632),
    qkv_bias=key("qkv_bias"),
    experts=Experts(dense_layers=stepped_layers, shared=key("shared_expert_intermediate_size"), gate=True),
)  # fmt: skip
QWEN3_MOE = like(
    QWEN3,
    sizes(151_936, 2048, 6144, 24, 32, 4, num_experts=128, num_experts_per_tok=8, moe_intermediate_size=768, **STEPS),
    experts=Experts(dense_layers=stepped_layers),
)
FIRST = {"first_k_dense_replace": 0, "moe_layer_freq": 1}
LATENT = {
    "q_lora_rank": 1536, "kv_lora_rank": 512, "qk_rope_head_dim": 64, "qk_nope_head_dim": 128, "v_head_dim": 128,
}  # fmt: skip
DEEPSEEK_V2 = Family(
    sizes(102_400, 4096, 11_008, 32, 32, **BIAS, **LATENT, **FIRST, num_experts=64, num_experts_per_tok=REQUIRED,
          moe_intermediate_size=1407, n_shared_experts=2),
    must={"mlp_bias": False}, latent=True, kv_heads=key("num_attention_heads"), qkv_bias=key("attention_bias"),
    out_bias=key("attention_bias"),
    experts=Experts(dense_layers=first_layers, shared=counted_shared),
)  # fmt: skip
DEEPSEEK_V3 = like(
    DEEPSEEK_V2,
    sizes(129_280, 7168, 18_432, 61, 128, 128, num_experts=256, num_experts_per_tok=8, first_k_dense_replace=3,
          moe_intermediate_size=2048, n_shared_experts=1),
    experts=Experts(dense_layers=first_layers, shared=counted_shared, router_bias=True),
)  # fmt: skip
GLM4_MOE = Family(
    sizes(151_552, 4096, 10_944, 46, 96, 8, **BIAS, **FIRST, num_experts=128, num_experts_per_tok=8,
          moe_intermediate_size=1408, n_shared_experts=1, use_qk_norm=False) | {"first_k_dense_replace": 1},
    qkv_bias=key("attention_bias"), qk_norm=lambda v: "head" if v["use_qk_norm"] else "",
    experts=Experts(dense_layers=first_layers, shared=counted_shared, router_bias=True),
)  # fmt: skip
EXPANDED = Derived("expansion_ratio × hidden_size", lambda v: v["expansion_ratio"] * v["hidden_size"])
FALCON = Family(
    sizes(65_024, 4544, FOUR_HIDDEN, 32, 71, **TIED, bias=False, multi_query=True, parallel_attn=True,
          new_decoder_architecture=False, num_ln_in_parallel_attn=0),
    kv_heads=falcon_kv_heads, gated=False, norm="layer", norms=falcon_norms,
    **biased(key("bias"), key("bias"), key("bias")),
)  # fmt: skip

FAMILIES: Mapping[str, Family] = {
    "llama": LLAMA,
    "mistral": MISTRAL,
    "ministral": MISTRAL,
    "mixtral": MIXTRAL,
    "qwen2": QWEN2,
    "qwen2_moe": QWEN2_MOE,
    "qwen3": QWEN3,
    "qwen3_moe": QWEN3_MOE,
    "gemma": GEMMA,
    "gemma2": GEMMA2,
    "gemma3_text": like(GEMMA2, {"vocab_size": 262_208}, qk_norm="head"),
    "falcon": FALCON,
    "RefinedWebModel": FALCON,
    "RefinedWeb": like(FALCON, {"new_decoder_architecture": True}),
    "gpt2": GPT2,
    "gpt_bigcode": like(
        GPT2, {"multi_query": True}, kv_heads=lambda v: 1 if v["multi_query"] else v["num_attention_heads"]
    ),
    "gpt_neo": like(
        GPT2, sizes(50_257, 2048, FOUR_HIDDEN, 24, 16, **TIED, max_position_embeddings=2048), qkv_bias=False
    ),
    "gpt_neox": Family(
        sizes(50_432, 6144, 24_576, 44, 64, attention_bias=True), gated=False, norm="layer",
        **biased(key("attention_bias"), key("attention_bias")),
    ),
    "gptj": GPTJ,
    "codegen": GPTJ,
    "bloom": Family(sizes(250_880, 64, FOUR_HIDDEN, 2, 8, **TIED), ffn=lambda v: 4 * v["hidden_size"],
                    embedding_norm=True, **GPT),
    "opt": Family(
        sizes(50_272, 768, 3072, 12, 12, **TIED, max_position_embeddings=2048, word_embed_proj_dim=HIDDEN,
              enable_bias=True, layer_norm_elementwise_affine=True, do_layer_norm_before=True,
              _remove_final_layer_norm=False),
        gated=False, norm=lambda v: "layer" if v["layer_norm_elementwise_affine"] else "none",
        final_norm=lambda v: v["do_layer_norm_before"] and not v["_remove_final_layer_norm"],
        positions=lambda v: v["max_position_embeddings"] + 2, embedding_width=key("word_embed_proj_dim"),
        **biased(key("enable_bias"), key("enable_bias"), key("enable_bias")),
    ),
    "xglm": Family(sizes(256_008, 1024, 4096, 24, 16, **TIED), **GPT),
    "phi": Family(
        sizes(51_200, 2048, 8192, 24, 32, qk_layernorm=False), norms=1, head_bias=True,
        qk_norm=lambda v: "head" if v["qk_layernorm"] else "", qk_norm_bias=True, **GPT,
    ),
    "phi3": Family(sizes(32_064, 3072, 8192, 32, 32)),
    "phimoe": Family(
        sizes(32_064, 4096, 6400, 32, 32, 8, **BIAS, lm_head_bias=False, num_experts=16, num_experts_per_tok=2),
        norm="layer", head_bias=key("lm_head_bias"), experts=Experts(key("intermediate_size")), **ATTENTION,
    ),
    "persimmon": Family(
        sizes(262_144, 4096, 16_384, 36, 64, qk_layernorm=True),
        qk_norm=lambda v: "head" if v["qk_layernorm"] else "", qk_norm_bias=True, **GPT,
    ),
    "starcoder2": Family(
        sizes(49_152, 3072, 12_288, 30, 24, 2, **TIED, use_bias=True), gated=False, norm="layer",
        **biased(key("use_bias"), key("use_bias"), key("use_bias")),
    ),
    "cohere": COHERE,
    "cohere2": like(COHERE, must={"use_qk_norm": False}),
    "mpt": Family(
        sizes(50_368, 2048, EXPANDED, 24, 16, **TIED, expansion_ratio=4,
              no_bias=True, alibi=True, qk_ln=False, attn_type="multihead_attention"),
        must={"no_bias": True, "alibi": True, "qk_ln": False, "attn_type": "multihead_attention"}, gated=False,
        kv_heads=key("num_attention_heads"),
    ),
    "olmo": like(OLMO, norm="none"),
    "olmo2": like(OLMO, qk_norm="full"),
    "olmo3": like(OLMO, qk_norm="full"),
    "olmoe": OLMOE,
    "flex_olmo": like(OLMOE, sizes(100_352, 4096, 11_008, 32, 32, num_experts=7, num_experts_per_tok=5)),
    "glm": GLM,
    "glm4": like(GLM, norms=4),
    "glm4_moe": GLM4_MOE,
    "minimax_m2": Family(
        sizes(200_064, 3072, 1536, 62, 48, 8, head_dim=128, num_experts=256, num_experts_per_tok=8, use_qk_norm=True,
              use_routing_bias=True, shared_expert_intermediate_size=0, attn_type_list=()),
        must={"shared_expert_intermediate_size": 0}, qk_norm=lambda v: "full" if v["use_qk_norm"] else "",
        experts=Experts(key("intermediate_size"), router_bias=key("use_routing_bias")),
    ),
    "gpt_oss": Family(
        sizes(201_088, 2880, 2880, 36, 64, 8, head_dim=64, attention_bias=True, num_experts=128, num_experts_per_tok=4),
        sinks=True, experts=Experts(key("intermediate_size"), router_bias=True, bias=True), **ATTENTION,
    ),
    "granite": GRANITE,
    "granitemoe": Family(
        sizes(32_000, 4096, 11_008, 32, 32, **BIAS, **EIGHT), experts=Experts(key("intermediate_size")), **ATTENTION
    ),
    "granitemoeshared": Family(
        sizes(32_000, 4096, 11_008, 32, 32, **BIAS, **EIGHT, shared_expert_intermediate_size=0),
        experts=Experts(key("intermediate_size"), shared=key("shared_expert_intermediate_size")), **ATTENTION,
    ),
    "deepseek_v2": DEEPSEEK_V2,
    "deepseek_v3": DEEPSEEK_V3,
    "kimi_k2": like(DEEPSEEK_V3, dict.fromkeys(("vocab_size", "num_attention_heads", "num_experts"), REQUIRED)),
    "deepseek": Family(
        NO_SIZES | BIAS | FIRST | {"num_experts": 0, "num_experts_per_tok": REQUIRED, "moe_intermediate_size": 1407,
                                   "n_shared_experts": 0},
        experts=Experts(dense_layers=first_layers, shared=counted_shared), **ATTENTION,
    ),
    "dots1": Family(
        sizes(152_064, 4608, 10_944, 62, 32, 32, **BIAS, **FIRST, num_experts=REQUIRED, num_experts_per_tok=REQUIRED,
              moe_intermediate_size=1408, n_shared_experts=0),
        qk_norm="head", **ATTENTION,
        experts=Experts(dense_layers=first_layers, shared=counted_shared, router_bias=True),
    ),
    "ernie4_5": Family(
        sizes(103_424, 1024, 3072, 18, 16, 2, head_dim=128, **TIED, use_bias=False),
        **biased(key("use_bias"), key("use_bias"), key("use_bias")),
    ),
    "ernie4_5_moe": Family(
        sizes(103_424, 2560, 12_288, 28, 20, 4, **TIED, use_bias=False, num_experts=64, num_experts_per_tok=6,
              moe_intermediate_size=1536, n_shared_experts=2, moe_layer_start_index=1, moe_layer_interval=1,
              moe_layer_end_index=LAYERS_LESS_ONE),
        head_bias=key("use_bias"), **biased(key("use_bias"), key("use_bias"), key("use_bias")),
        experts=Experts(dense_layers=ranged_layers, shared=counted_shared, router_bias=True, bias=key("use_bias")),
    ),
    "llama4_text": Family(
        sizes(202_048, 5120, 8192, 48, 40, 8, head_dim=128, **BIAS, intermediate_size_mlp=16_384, num_experts=16,
              num_experts_per_tok=1, interleave_moe_layer_step=1, moe_layers=()),
        ffn=key("intermediate_size_mlp"), **ATTENTION,
        experts=Experts(key("intermediate_size"), listed_layers, shared=key("intermediate_size")),
    ),
    "dbrx": Family(
        sizes(32_000, 2048, 3584, 24, 16, 1, num_experts=4, num_experts_per_tok=1),
        experts=Experts(key("intermediate_size")),
    ),
    "grok-1": like(MIXTRAL, {**NO_SIZES, **EIGHT, **TIED}, norms=4),
    "stablelm": Family(
        sizes(50_304, 2560, 6912, 32, 32, 32, use_qkv_bias=False, qk_layernorm=False, use_parallel_residual=False),
        norm="layer", norms=lambda v: 1 if v["use_parallel_residual"] else 2, qkv_bias=key("use_qkv_bias"),
        qk_norm=lambda v: "full" if v["qk_layernorm"] else "",
    ),
    "smollm3": like(LLAMA, sizes(128_256, 2048, 11_008, 36, 16, 4, **TIED)),
    "nemotron": Family(sizes(256_000, 6144, 24_576, 32, 48, **BIASES), gated=False, norm="layer", **BOTH),
    "arcee": like(LLAMA, sizes(32_000, 2560, 18_432, 32, 32), gated=False),
    "apertus": like(OLMO, sizes(131_072, 4096, 14_336, 32, 32), gated=False, qk_norm="head", activation=2),
    "seed_oss": Family(
        sizes(155_136, 4096, 27_648, 64, 80, 8, head_dim=128, attention_bias=True, attention_out_bias=False,
              mlp_bias=False),
        **biased(key("attention_bias"), key("attention_out_bias"), key("mlp_bias")),
    ),
    "exaone4": Family(sizes(102_400, 4096, 16_384, 32, 32, 32), qk_norm="head"),
    "hunyuan_v1_dense": Family(sizes(290_943, 4096, 11_008, 32, 32, **BIAS), qk_norm="head", **ATTENTION),
    "internlm": Family(NO_SIZES | {"bias": True}, **biased(key("bias"), key("bias"), False)),
    "internlm2": Family(NO_SIZES | {"bias": True}, **biased(key("bias"), key("bias"), False)),
    "internlm3": Family(
        NO_SIZES | {"bias": False, "qkv_bias": False, "head_dim": 128, "num_key_value_heads": 2},
        **biased(key("qkv_bias"), key("bias"), key("bias")),
    ),
    "baichuan": Family(NO_SIZES),
    "qwen": Family(
        NO_SIZES | {"no_bias": True}, ffn=lambda v: v["intermediate_size"] // 2, qkv_bias=True,
        out_bias=lambda v: not v["no_bias"], ffn_bias=lambda v: not v["no_bias"],
    ),
    "chatglm": Family(
        dict.fromkeys(("padded_vocab_size", "hidden_size", "intermediate_size", "num_hidden_layers"), REQUIRED)
        | {"num_attention_heads": REQUIRED, "head_dim": 128, "num_key_value_heads": 1, "multi_query_attention": False,
           "add_qkv_bias": False, "add_bias_linear": False, "rmsnorm": True, "post_layer_norm": True,
           "tie_word_embeddings": False},
        vocab=key("padded_vocab_size"), norm=lambda v: "rms" if v["rmsnorm"] else "layer",
        kv_heads=lambda v: v["num_key_value_heads" if v["multi_query_attention"] else "num_attention_heads"],
        final_norm=key("post_layer_norm"), qkv_bias=lambda v: v["add_qkv_bias"] or v["add_bias_linear"],
        out_bias=key("add_bias_linear"), ffn_bias=key("add_bias_linear"),
    ),
}  # fmt: skip
