"""What models have beside transformer layers: state-space mixers, and the record of a model that is only counted."""

from dataclasses import dataclass

from app.model.answer import ModelPart


def whole_part(id: str, params: float, formula: str) -> ModelPart:
    """A part of which every token uses all."""
    return ModelPart(id, params, params, formula)


@dataclass(frozen=True)
class Architecture:
    """A model whose parameters are counted part by part, and why no step time is given for it."""

    id: str
    name: str
    rows: tuple[ModelPart, ...]
    untimed: str

    @property
    def total_params(self) -> float:
        """All weights. [weights]"""
        return sum(row.params for row in self.rows)

    @property
    def active_params(self) -> float:
        """Weights that one token uses. [weights]"""
        return sum(row.active_params for row in self.rows)

    def parts(self) -> tuple[ModelPart, ...]:
        return self.rows


def mamba_params(hidden: int, inner: int, state: int, rank: int, kernel: int, biases: int, conv_bias: bool) -> int:
    """One selective state-space mixer. [weights]

    hidden, inner: width of the model and of the mixer [-]
    state, rank, kernel: state of a channel, rank of its time step, taps of the convolution [-]
    biases: 1 where both projections have biases [-]

    In and out projections, convolution, time step and its rank, A and D.
    Source: Gu and Dao 2023, arXiv:2312.00752, section 3.4; transformers, modeling_mamba.py.
    Limits: without the inner norms that some models add.
    """
    projections = 3 * hidden * inner + biases * (2 * inner + hidden)
    return (
        projections
        + inner * (kernel + conv_bias)
        + inner * (rank + 2 * state)
        + (rank + 1) * inner
        + inner * (state + 1)
    )


def mamba2_params(
    hidden: int, inner: int, state: int, groups: int, heads: int, kernel: int, biases: int, conv_bias: bool
) -> int:
    """One mixer of Mamba 2. [weights]

    hidden, inner: width of the model and of the mixer [-]
    state, groups, heads, kernel: state size, groups that share B and C, heads, taps [-]
    biases: 1 where both projections have biases [-]

    One projection gives gate, input, B, C and time step; then convolution, three numbers a head, norm, out.
    Source: Dao and Gu 2024, arXiv:2405.21060, section 7.1; transformers, modeling_mamba2.py.
    Limits: gated norm over the whole width.
    """
    mixed = inner + 2 * groups * state
    into = inner + mixed + heads
    return (hidden + biases) * into + mixed * (kernel + conv_bias) + 3 * heads + inner + (inner + biases) * hidden


def delta_net_params(hidden: int, key: int, value: int, value_heads: int, head_dim: int, kernel: int) -> int:
    """One gated delta-rule mixer. [weights]

    hidden: width of the model [-]
    key, value: widths of all key and all value heads [-]
    value_heads, head_dim, kernel: value heads, width of one, taps of the convolution [-]

    Queries, keys, values and gate; two numbers a head from the input, two learned; norm of a head; out.
    Source: Yang et al. 2024, arXiv:2412.06464, section 3; transformers, modeling_qwen3_next.py.
    Limits: none known.
    """
    into = 2 * key + 2 * value + 2 * value_heads
    return hidden * into + (2 * key + value) * kernel + 2 * value_heads + head_dim + value * hidden
