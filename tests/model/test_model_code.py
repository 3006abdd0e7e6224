"""app/model/model_code.py: a model as a word of a web address."""

import base64
import json
import re
import zlib
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.formats.huggingface import read_config
from app.model.answer import ModelPart
from app.model.architecture import Transformer
from app.model.model_code import MOST_CODE, decode, encode
from app.model.sizing import size
from app.model.transformer import PRESETS
from app.model.units import THIN
from app.model.workload import Workload, WorkloadError, read_workload

CONFIGS = sorted((Path(__file__).parent.parent / "formats" / "configs").glob("*.json"))
READ = {path.stem: read_config(path.read_text(encoding="utf-8")).model for path in CONFIGS}
TIMED = {name: model for name, model in READ.items() if isinstance(model, Transformer)}
SMALL = Transformer("", "small", 2, 256, 4, 4, 64, 1024, 8192)

sizes = st.integers(1, 4096)
parts = st.builds(lambda n, idle: ModelPart("tower", n + idle, n, "L·h"), st.integers(0, 10**9), st.integers(0, 10**9))


@st.composite
def transformers(draw: st.DrawFn) -> Transformer:
    """Any model of plain, grouped or latent attention, with experts or without."""
    kv_heads, layers = draw(st.integers(1, 16)), draw(st.integers(1, 126))
    latent = {"kv_rank": draw(sizes), "rope_dim": draw(sizes), "nope_dim": draw(sizes), "v_dim": draw(sizes)}
    experts = {"experts": 8, "experts_per_token": draw(st.integers(1, 8)), "expert_ffn": draw(sizes),
               "dense_layers": draw(st.integers(0, layers - 1)), "router_bias": draw(st.booleans())}  # fmt: skip
    return Transformer(
        id="", name=draw(st.sampled_from(["a", "Żółw-7B", "<script>alert(1)</script>", "x" * 60])), layers=layers,
        hidden=draw(sizes), heads=kv_heads * draw(st.sampled_from([1, 2, 4, 8])), kv_heads=kv_heads,
        head_dim=draw(sizes), ffn=draw(sizes), vocab=draw(st.integers(1, 300_000)), gated=draw(st.booleans()),
        tied=draw(st.booleans()), norm=draw(st.sampled_from(["rms", "layer", "none"])),
        qk_norm=draw(st.sampled_from(["", "head", "full"])), qkv_bias=draw(st.booleans()),
        extra=tuple(draw(st.lists(parts, max_size=3))), **draw(st.sampled_from([{}, latent])),
        **draw(st.sampled_from([{}, experts])),
    )  # fmt: skip


def code_of(text: str | bytes) -> str:
    packed = zlib.compress(text.encode() if isinstance(text, str) else text)
    return base64.urlsafe_b64encode(packed).decode().rstrip("=")


def values_of(code: str) -> dict:
    return json.loads(zlib.decompress(base64.urlsafe_b64decode(code + "=" * (-len(code) % 4))))


@pytest.mark.parametrize("name", TIMED)
def test_a_released_model_survives_its_code(name):
    """Every part of a model that was read comes back."""
    assert decode(encode(TIMED[name])) == TIMED[name]


@pytest.mark.parametrize("name", TIMED)
def test_the_code_of_a_released_model_is_short(name):
    """A link with a model in it can still be pasted."""
    assert len(encode(TIMED[name])) <= 310


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_survives_its_code(name):
    """All published models are within what a code may say."""
    preset = PRESETS[name].transformer

    assert decode(encode(preset)) == replace(preset, id="", params_exact=None)


@given(transformers())
def test_any_model_within_the_bounds_survives_its_code(model):
    """What is written reads back the same; what is out of bounds is refused in words."""
    try:
        code, refusal = encode(model), ""
    except ValueError as refused:
        code, refusal = "", str(refused)

    assert decode(code) == model if code else re.search("the lab sizes|too many ways", refusal)


@given(st.one_of(st.text(), st.text("abcXYZ019-_", max_size=400), st.binary(max_size=300).map(code_of)))
def test_nonsense_is_refused(text):
    """Whatever stands in the address, no other exception is raised."""
    with pytest.raises(ValueError, match=r"^(is not|has) "):
        decode(text)


json_values = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(), st.lists(st.integers()))


@given(st.dictionaries(st.sampled_from([*values_of(encode(TIMED["gpt-oss-20b"])), "norm", "odd"]), json_values))
def test_a_code_with_strange_values_is_read_or_refused(changed):
    """A value of another type or size never reaches the engine."""
    text = json.dumps({**values_of(encode(TIMED["gpt-oss-20b"])), **changed})
    try:
        model = decode(code_of(text))
    except ValueError:
        return
    assert 1e6 <= model.total_params <= 1e13
    assert decode(encode(model)) == model


@pytest.mark.parametrize(
    ("change", "message"),
    [
        pytest.param({"layers": 10**6}, "has layers = 1 000 000; the lab sizes 1 to 1000", id="deep"),
        pytest.param({"layers": 0}, "has layers = 0", id="no layer"),
        pytest.param({"hidden": -5}, "has hidden = −5", id="negative"),
        pytest.param({"vocab": 10**40}, "has vocab = a number of more than", id="huge"),
        pytest.param({"hidden": 2, "vocab": 10}, "parameters; the lab sizes 1 000 000 to", id="tiny"),
        pytest.param({"layers": 1000, "ffn": 10**7, "hidden": 10**6}, "parameters; the lab sizes", id="large"),
        pytest.param({"kv_heads": 3}, "key heads that do not divide", id="heads"),
        pytest.param({"experts": 8}, "experts without width", id="experts"),
        pytest.param({"experts_per_token": 2}, "more experts for a token than experts", id="routed"),
        pytest.param({"ffn": 0}, "dense layers without an FFN", id="no FFN"),
        pytest.param({"kv_rank": 64}, "latent attention without head sizes", id="latent"),
        pytest.param({"norm": "batch"}, "norms of an unknown kind", id="norm"),
        pytest.param({"name": ""}, "a name that is not", id="no name"),
        pytest.param({"name": "a\x00b"}, "a name that is not", id="control character"),
        pytest.param({"extra": [["a", 5, 9, "x"]]}, "a part whose count", id="part"),
        pytest.param({"extra": [["a", 1, 1, "x"]] * 100}, "is not the code of a model", id="many parts"),
        pytest.param({"gated": 1}, "is not the code of a model", id="type"),
        pytest.param({"colour": 1}, "is not the code of a model", id="unknown"),
        pytest.param(
            {"heads": 1680, "kv_heads": 1680, "layers": 60, "experts": 64, "expert_ffn": 8, "experts_per_token": 2},
            "divide in too many ways", id="search",
        ),
    ],
)  # fmt: skip
def test_a_model_that_the_engine_cannot_size_is_refused(change, message):
    """The message says what is wrong and, for a number, what the lab sizes."""
    with pytest.raises(ValueError, match=r"^(has|is not) ") as refused:
        decode(code_of(json.dumps({**values_of(encode(SMALL)), **change})))

    assert message in str(refused.value).replace(THIN, " ")


@pytest.mark.parametrize(
    "text",
    ["[" * 7000, "1", "[]", "null", '{"layers": NaN}', "9" * 5000, '{"a":' * 1000, b"\xff\xfe", " " * 10**6 + "{}"],
    ids=["nested", "number", "list", "null", "nan", "long number", "nested objects", "not text", "bomb"],
)
def test_a_code_of_no_model_is_refused(text):
    """Not even a bomb gets further than 8 kB of text."""
    with pytest.raises(ValueError, match="is not the code of a model"):
        decode(code_of(text))


def test_a_code_that_is_too_long_is_not_even_unpacked():
    """The length is looked at first."""
    with pytest.raises(ValueError, match="characters; a code has at most"):
        decode("A" * (MOST_CODE + 1))


def test_a_long_name_is_cut():
    """A name of a stranger takes 60 characters at most."""
    assert decode(encode(replace(SMALL, name="n" * 80))).name == "n" * 60


def test_an_own_model_wins_over_preset_and_count():
    """The workload trains the model that it carries."""
    workload = Workload(params=1e9, model="llama-3.1-8b", own_model=encode(TIMED["qwen3-32b"]))

    assert workload.resolved().params == 32_762_123_264
    assert size(workload).model.total_params == 32_762_123_264
    assert workload.resolved().train_tokens == 20 * 32_762_123_264


def test_a_link_carries_its_model():
    """The query of a workload gives the same workload, its own model included."""
    workload = Workload(own_model=encode(TIMED["glm-4.5-air"]), gpus=128)

    assert read_workload({"own_model": workload.own_model, "gpus": "128"}) == workload
    assert f"own_model={workload.own_model}" in workload.query()


def test_two_spellings_of_a_model_are_one_workload():
    """Caches meet whatever packed the code."""
    spelt = code_of(json.dumps(values_of(encode(SMALL)), indent=1))

    assert read_workload({"own_model": spelt}) == Workload(own_model=encode(SMALL))


def test_a_bad_code_is_refused_with_the_way_out():
    """The refusal names the field, quotes the value short and says what to do."""
    with pytest.raises(WorkloadError) as refused:
        read_workload({"own_model": "x" * 500})
    (problem,) = refused.value.problems

    assert (problem.field, len(problem.value)) == ("own_model", 40)
    assert problem.message.endswith("it is not the code of a model; make one from a config.json on /model")


def test_more_trained_than_the_own_model_has_is_refused():
    """trained_params goes up to the count of the model that the workload carries."""
    with pytest.raises(WorkloadError, match="is more than the model has"):
        read_workload({"own_model": encode(SMALL), "trained_params": "8e9"})


@given(transformers())
def test_the_engine_sizes_every_model_that_has_a_code(model):
    """No bound of the code is wider than what the engine works with."""
    try:
        code = encode(model)
    except ValueError:
        return
    answer = size(Workload(own_model=code))

    assert answer.model.total_params == model.total_params
    assert 0 < answer.step.seconds < float("inf")
