"""The shape of a transformer: its parameter counts and FLOP per token."""

from dataclasses import dataclass
from typing import ClassVar

from app.model.answer import ModelPart
from app.model.model_parts import whole_part

NORM_VECTORS = {"rms": 1, "layer": 2, "none": 0}


@dataclass(frozen=True)
class Transformer:
    """Sizes in elements. Zero or empty means that the model has no such part.

    gated: the FFN has three matrices (SwiGLU), not two
    tied: the head shares the embedding's weights
    shared_experts: always-active expert width in multiples of `expert_ffn`
    dense_layers: first layers of an expert model that have a plain FFN
    q_rank … v_dim: multi-head latent attention (ranks, and sizes of one head)
    qkv_bias, linear_bias: biases on queries, keys and values; on every matrix of a layer
    norm: "rms" (one vector), "layer" (gain and bias) or "none" (nothing learned); `final_norm` one more at the end
    qk_norm: "" none, "head" one gain per head size, "full" over the whole width
    positions: learned position vectors
    embedding_width: width of the token table where it is not `hidden`
    extra: parts that few models have (sinks, projections, an image tower), counted by whoever read the model
    params_exact: stands for the count of the shape where the shape was derived from it
    """

    id: str
    name: str
    layers: int
    hidden: int
    heads: int
    kv_heads: int
    head_dim: int
    ffn: int
    vocab: int
    gated: bool = True
    tied: bool = False
    experts: int = 0
    experts_per_token: int = 0
    expert_ffn: int = 0
    shared_experts: int = 0
    dense_layers: int = 0
    router_bias: bool = False
    q_rank: int = 0
    kv_rank: int = 0
    rope_dim: int = 0
    nope_dim: int = 0
    v_dim: int = 0
    qkv_bias: bool = False
    linear_bias: bool = False
    norm: str = "rms"
    norms_per_layer: int = 2
    final_norm: bool = True
    embedding_norm: bool = False
    qk_norm: str = ""
    positions: int = 0
    embedding_width: int = 0
    extra: tuple[ModelPart, ...] = ()
    params_exact: float | None = None

    untimed: ClassVar[str] = ""

    @property
    def latent(self) -> bool:
        return self.kv_rank > 0

    @property
    def q_width(self) -> int:
        """Width of all query heads; with latent attention the mean of score and value widths. [-]"""
        if self.latent:
            return self.heads * (self.nope_dim + self.rope_dim + self.v_dim) // 2
        return self.heads * self.head_dim

    @property
    def kv_width(self) -> int:
        """Half of keys and values together; latent attention trains on decompressed heads. [-]"""
        return self.q_width if self.latent else self.kv_heads * self.head_dim

    @property
    def attention_params(self) -> int:
        """Projections of one layer, with their biases and inner norms. [weights]"""
        if self.latent:
            return self._latent_params
        matrices = 2 * self.hidden * (self.q_width + self.kv_width)
        bias = self.q_width + 2 * self.kv_width if self.qkv_bias or self.linear_bias else 0
        bias += self.hidden if self.linear_bias else 0
        norms = {"": 0, "head": 2 * self.head_dim, "full": self.q_width + self.kv_width}[self.qk_norm]
        return matrices + bias + norms

    @property
    def _latent_params(self) -> int:
        """Compressed queries, compressed keys and values, and the output projection. [weights]

        Source: DeepSeek-AI 2024, arXiv:2412.19437, section 2.1.1.
        """
        score = self.nope_dim + self.rope_dim
        whole = self.hidden * self.heads * score
        query = (self.hidden + 1 + self.heads * score) * self.q_rank if self.q_rank else whole
        down = self.hidden * (self.kv_rank + self.rope_dim) + self.kv_rank
        up = self.kv_rank * self.heads * (self.nope_dim + self.v_dim)
        return query + down + up + self.heads * self.v_dim * self.hidden

    @property
    def norm_width(self) -> int:
        """Weights of one normalisation. [weights]"""
        return self.hidden * NORM_VECTORS[self.norm]

    @property
    def norm_params(self) -> int:
        """Normalisations of one layer, outside attention. [weights]"""
        return self.norms_per_layer * self.norm_width

    @property
    def final_norm_params(self) -> int:
        """Normalisation after the last layer. [weights]"""
        return self.norm_width if self.final_norm else 0

    @property
    def ffn_matrices(self) -> int:
        return 3 if self.gated else 2

    @property
    def dense_ffn_params(self) -> int:
        """FFN of one layer without experts. [weights]"""
        bias = (self.ffn_matrices - 1) * self.ffn + self.hidden if self.linear_bias else 0
        return self.ffn_matrices * self.hidden * self.ffn + bias

    @property
    def expert_params(self) -> int:
        """One expert. [weights]"""
        return self.ffn_matrices * self.hidden * self.expert_ffn

    @property
    def shared_params(self) -> int:
        """Shared experts of one layer with experts. [weights]"""
        return self.shared_experts * self.expert_params

    @property
    def router_params(self) -> int:
        """Router of one layer with experts. [weights]"""
        return self.experts * (self.hidden + int(self.router_bias))

    @property
    def moe_layers(self) -> int:
        """Layers that have experts. [-]"""
        return self.layers - self.dense_layers if self.experts else 0

    @property
    def plain_layers(self) -> int:
        """Layers that have a dense FFN. [-]"""
        return self.layers - self.moe_layers

    @property
    def embedding_params(self) -> int:
        """Token table, learned positions and their norm. [weights]"""
        norm = self.norm_width if self.embedding_norm else 0
        return self.table_params + self.positions * self.hidden + norm

    @property
    def table_params(self) -> int:
        """One vector for each token. [weights]"""
        return self.vocab * (self.embedding_width or self.hidden)

    @property
    def head_params(self) -> int:
        """Output table, 0 where it is the token table. [weights]"""
        return 0 if self.tied else self.table_params

    @property
    def counted_params(self) -> int:
        """All weights of the shape, without `extra`. [weights]"""
        layer = self.attention_params + self.norm_params
        moe = self.experts * self.expert_params + self.shared_params + self.router_params
        body = self.layers * layer + self.plain_layers * self.dense_ffn_params + self.moe_layers * moe
        return body + self.final_norm_params + self.embedding_params + self.head_params

    @property
    def total_params(self) -> float:
        """All weights: of the shape, or the number that the shape was derived from. [weights]"""
        if self.params_exact is not None:
            return self.params_exact
        return self.counted_params + self._extra_params

    @property
    def active_params(self) -> float:
        """Weights that one token uses, both tables included as published counts have it. [weights]

        Limits: some reports leave a table out; DeepSeek-V3's 37 B lies between 36.6 (one) and 37.5 (two).
        """
        idle = self.moe_layers * (self.experts - self.experts_per_token) * self.expert_params
        return self.total_params - idle - sum(part.params - part.active_params for part in self.extra)

    def attention_flop_per_token(self, seq: float) -> float:
        """Scores and weighted values, forward and backward, the whole square. [FLOP/token]

        seq: sequence length [tokens]

        12·L·q·s: 2·s·q forward for scores and again for values; backward twice that.
        Source: Chowdhery et al. 2022, arXiv:2204.02311, appendix B.
        Limits: a causal kernel may skip half; full attention in every layer.
        """
        return 12 * self.layers * self.q_width * seq

    def flop_per_token(self, seq: float) -> float:
        """Model FLOP of training on one token, nothing recomputed. [FLOP/token]

        seq: sequence length [tokens]

        6·N + 12·L·q·s with N the active parameters.
        Source: Chowdhery et al. 2022, arXiv:2204.02311, appendix B.
        Limits: N holds the embedding, whose lookup costs no multiplication: up to 7 % too much at 8B.
        """
        return 6 * self.active_params + self.attention_flop_per_token(seq)

    def parts(self) -> tuple[ModelPart, ...]:
        """What the parameters are made of; adds up to `total_params`."""
        ffn = "3·h·f" if self.gated else "2·h·f"
        used = self.moe_layers * self.experts_per_token * self.expert_params
        rows = (
            whole_part("embedding", self.embedding_params, "V·h + positions" if self.positions else "V·h"),
            whole_part("attention", self.layers * self.attention_params, f"L·{self._attention_text}"),
            whole_part("norms", self.layers * self.norm_params + self.final_norm_params, self._norm_text),
            whole_part("dense_ffn", self.plain_layers * self.dense_ffn_params, f"L·{ffn}"),
            ModelPart("experts", self.moe_layers * self.experts * self.expert_params, used, f"L·E·{ffn}"),
            whole_part("shared_experts", self.moe_layers * self.shared_params, f"L·{ffn}"),
            whole_part("router", self.moe_layers * self.router_params, "L·E·h"),
            whole_part("head", self.head_params, "V·h"),
            *self.extra,
            whole_part("rounding", self.total_params - self.counted_params - self._extra_params, "asked for − counted"),
        )
        return tuple(row for row in rows if row.params)

    @property
    def _extra_params(self) -> float:
        return sum(part.params for part in self.extra)

    @property
    def _attention_text(self) -> str:
        if self.latent:
            return "(queries and keys through low rank)"
        bias = " + biases" if self.qkv_bias or self.linear_bias else ""
        norms = " + norms" if self.qk_norm else ""
        return f"(2·h·q + 2·h·kv{bias}{norms})"

    @property
    def _norm_text(self) -> str:
        last = " + 1" if self.final_norm else ""
        return f"(L·{self.norms_per_layer}{last})·{'2·h' if self.norm == 'layer' else 'h'}"
