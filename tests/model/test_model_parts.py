"""Mixers beside attention, and the record of a model that is only counted."""

from app.model.answer import ModelPart
from app.model.model_parts import Architecture, delta_net_params, mamba2_params, mamba_params, whole_part


def matrix(rows: int, columns: int) -> int:
    return rows * columns


def test_a_mamba_mixer_counts_each_of_its_matrices():
    """In, convolution, time step and state, their rank, A, D and out, one by one."""
    h, inner, state, rank, taps = 8, 16, 4, 3, 4
    one_by_one = (
        matrix(h, 2 * inner), matrix(inner, taps), inner, matrix(inner, rank + 2 * state), matrix(rank, inner), inner,
        matrix(inner, state), inner, matrix(inner, h),
    )  # fmt: skip

    assert mamba_params(h, inner, state, rank, taps, biases=0, conv_bias=True) == sum(one_by_one)


def test_a_mamba_2_mixer_counts_each_of_its_matrices():
    """One input projection, convolution over input, B and C, three numbers a head, norm and out."""
    h, inner, state, groups, heads, taps = 8, 16, 4, 2, 4, 4
    mixed = inner + 2 * groups * state
    one_by_one = (
        matrix(h, inner + mixed + heads), matrix(mixed, taps), mixed, heads, heads, heads, inner, matrix(inner, h),
    )  # fmt: skip

    assert mamba2_params(h, inner, state, groups, heads, taps, biases=0, conv_bias=True) == sum(one_by_one)


def test_a_delta_net_mixer_counts_each_of_its_matrices():
    """Queries, keys, values and gate, two numbers a head from the input and two learned, convolution, norm, out."""
    h, key, value, heads, head_dim, taps = 8, 8, 16, 4, 4, 4
    one_by_one = (
        matrix(h, key), matrix(h, key), matrix(h, value), matrix(h, value), matrix(h, 2 * heads),
        matrix(2 * key + value, taps), heads, heads, head_dim, matrix(value, h),
    )  # fmt: skip

    assert delta_net_params(h, key, value, heads, head_dim, taps) == sum(one_by_one)


def test_a_counted_model_is_the_sum_of_its_rows():
    """Total and active parameters are those of the rows."""
    model = Architecture("", "two parts", (whole_part("head", 5, ""), ModelPart("experts", 80, 10, "")), "no time")

    assert (model.total_params, model.active_params) == (85, 15)
