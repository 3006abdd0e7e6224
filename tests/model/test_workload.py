"""app/model/workload.py: reading, refusing and writing workloads."""

from urllib.parse import parse_qs

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.model.fields import FIELDS
from app.model.workload import Workload, WorkloadError, read_workload
from tests.workloads import fixed_workloads


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("70e9", 70e9),
        ("70B", 70e9),
        ("70 b", 70e9),
        ("8030261248", 8_030_261_248),
        ("0.5T", 5e11),
        ("70,000,000,000", 70e9),
    ],
)
def test_a_parameter_count_is_read_as_people_type_it(typed, read):
    """Suffixes, exponents and separators."""
    assert read_workload({"params": typed}).params == read


@pytest.mark.parametrize(("typed", "read"), [("16384", 16_384), ("16k", 16_000), ("16Ki", 16_384), ("16 384", 16_384)])
def test_decimal_and_binary_thousands_are_told_apart(typed, read):
    """16k is 16,000 and 16Ki is 16,384."""
    assert read_workload({"seq_tokens": typed}).seq_tokens == read


def problems(values: dict[str, object]) -> dict[str, str]:
    with pytest.raises(WorkloadError) as refused:
        read_workload(values)
    return {p.field: p.message for p in refused.value.problems}


@pytest.mark.parametrize(
    "bad",
    [
        "abc",
        "-1",
        "0",
        "1e99",
        "nan",
        "NaN",
        "inf",
        "-Infinity",
        "1e309",
        "9" * 10_000,
        "<script>",
        "1;2",
        "0x10",
        "٣",
    ],
)
def test_a_refused_number_names_its_bounds(bad):
    """Whatever it was, the message says what to give instead, and stays short."""
    message = problems({"gpus": bad})["gpus"]

    assert "give a number from 1 to 1\u202f000\u202f000" in message
    assert len(message) < 160


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -5, 0, 2_000_000, True, 64.5])
def test_numbers_of_json_are_bounded_too(bad):
    """JSON has numbers, booleans and, in Python, NaN."""
    assert "give a number from 1 to" in problems({"gpus": bad})["gpus"]


@pytest.mark.parametrize("bad", [[64], [], {"a": 1}, ("64", "128")])
def test_a_list_is_refused_as_one(bad):
    """A repeated query parameter arrives as a list."""
    assert problems({"gpus": bad})["gpus"] == "takes one value, not a list"


def test_an_unknown_input_is_named():
    """A mistyped name is not silently ignored."""
    assert "is not an input of the lab" in problems({"gpu_count": "64"})["gpu_count"]


@pytest.mark.parametrize(
    "name", ["model", "gpu", "recompute", "precision", "stack", "goal", "split_model", "bytes_per_param"]
)
def test_an_unknown_word_is_answered_with_the_known_ones(name):
    """The message lists what may be given."""
    assert "give " in problems({name: "nonsense"})[name]


def test_all_refused_inputs_are_named_at_once():
    """Two mistakes, two messages."""
    assert set(problems({"gpus": "0", "params": "x"})) == {"gpus", "params"}


def test_more_trained_than_present_is_refused():
    """trained_params goes up to the model's own count."""
    assert (
        "is more than the model has" in problems({"model": "llama-3.1-8b", "trained_params": "9e9"})["trained_params"]
    )


@given(
    st.dictionaries(
        st.sampled_from(list(FIELDS)), st.one_of(st.text(max_size=30), st.floats(), st.integers(), st.none())
    )
)
def test_anything_at_all_is_read_or_refused_with_a_reason(values):
    """No other exception, ever."""
    reasons = ["read"]
    try:
        read_workload(values)
    except WorkloadError as refused:
        reasons = [p.message for p in refused.problems]

    assert reasons
    assert all(reasons)


@given(st.sampled_from([f for f in FIELDS.values() if f.high and not f.choices]))
def test_both_bounds_are_in_bounds(field):
    """Bounds are inclusive."""
    others = {"params": 1e13} if field.name == "trained_params" else {}
    for value in (field.low, field.high):
        assert getattr(read_workload({**others, field.name: value}), field.name) == value


@pytest.mark.parametrize("empty", ["", "  ", None])
def test_an_empty_box_means_the_default(empty):
    """An emptied slider box takes its default, an expert's box is derived."""
    assert read_workload({"gpus": empty, "tensor": empty}) == Workload()


@settings(max_examples=100)
@given(fixed_workloads)
def test_a_workload_survives_its_own_query_string(workload):
    """A pasted link gives the same workload."""
    query = {k: v[0] for k, v in parse_qs(workload.query()).items()}

    assert read_workload(query) == workload


def test_the_default_workload_has_an_empty_query():
    """Only what differs is written."""
    assert Workload().query() == ""
    assert Workload(gpus=128).query() == "gpus=128"


def test_derived_values_follow_their_rules():
    """Loaders, tokens, store and node as the design document derives them."""
    resolved = Workload(params=10e9, gpus=3072).resolved()

    assert resolved.data_tokens_per_s == 31_250 * 3072
    assert resolved.train_tokens == 20 * 10e9
    assert resolved.checkpoint_gb_per_s == pytest.approx(273)
    assert resolved.gpus_per_node == 8
    assert resolved.trained_params == 10e9


def test_a_preset_wins_over_the_slider():
    """Its own count replaces `params`."""
    assert Workload(params=1e9, model="llama-3.1-8b").resolved().params == 8_030_261_248


def test_on_and_off_are_words_for_recomputing():
    """The switch says on and off; the JSON says full and none."""
    assert read_workload({"recompute": "on"}).recompute == "full"
    assert read_workload({"recompute": "off"}).recompute == "none"
