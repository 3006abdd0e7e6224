"""The API: the fields of the form in, JSON out, and a refusal that names field, value and bound."""

import json
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient

from app.model.fields import FIELDS
from app.model.sizing import size
from app.model.workload import Workload

REFUSED = [
    pytest.param("gpus", "0", "below the bound: give a number from 1 to 1 000 000", id="zero"),
    pytest.param("gpus", "-5", "give a number from 1 to 1 000 000", id="negative"),
    pytest.param("gpus", "lots", "not a number", id="text"),
    pytest.param("gpus", "1e300", "above the bound", id="huge"),
    pytest.param("gpus", "NaN", "not a number", id="nan"),
    pytest.param("gpus", "Infinity", "not a number", id="infinity"),
    pytest.param("gpus", "2.5", "whole", id="fraction"),
    pytest.param("gpus", "7" * 10_000, "give a number", id="10,000 digits"),
    pytest.param("gpu", "<script>alert(1)</script>", "give one of", id="markup"),
    pytest.param("split_model", "perhaps", "give true or false", id="switch"),
    pytest.param("colour", "red", "not an input", id="unknown field"),
    pytest.param("was", "gpus=none", "not the query of a workload", id="was"),
]


def refusal(answer) -> dict:
    """The one refused input of a 422."""
    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/problem+json"
    (error,) = answer.json()["errors"]
    return error


def numbers(value):
    """Every number anywhere in a JSON value."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from numbers(item)
    elif isinstance(value, float):
        yield value


def test_get_answers_what_size_answers(client):
    """GET /api/size gives the engine's own figures under the engine's own names."""
    answer = client.get("/api/size", params={"params": "70B", "gpus": "512"}).json()

    expected = size(Workload(params=70e9, gpus=512))
    assert answer["memory"]["total_bytes"] == expected.memory.total_bytes
    assert answer["layout"]["gpus_used"] == expected.layout.gpus_used
    assert [b["id"] for b in answer["bottlenecks"]] == [b.id for b in expected.bottlenecks]


def test_post_answers_what_get_answers(client):
    """The same fields as a JSON body give the same answer, byte for byte."""
    asked = {"params": 70e9, "gpus": 512, "split_model": False, "was": "gpus=64"}

    posted = client.post("/api/size", json=asked)
    got = client.get("/api/size", params={**asked, "params": "70e9", "split_model": "false"})

    assert posted.status_code == 200
    assert posted.content == got.content


@pytest.mark.parametrize("body", [b"", b"{}"], ids=["nothing", "empty object"])
def test_post_without_fields_sizes_the_default(client, body):
    """Inputs that are left out take their defaults."""
    answer = client.post("/api/size", content=body)

    assert answer.json()["workload"]["gpus"] == Workload().gpus


def test_was_explains_the_change(client):
    """With `was`, the answer says what moved."""
    alone = client.get("/api/size", params={"gpus": "512"}).json()
    changed = client.get("/api/size", params={"gpus": "512", "was": "gpus=64"}).json()

    assert changed["why"] != alone["why"]
    assert any(w["kind"] == "change" for w in changed["why"])


@pytest.mark.parametrize(("field", "value", "message"), REFUSED)
def test_query_refuses_with_field_value_and_bound(client, field, value, message):
    """A bad value in the query is answered with its field, the value quoted short, and its bound."""
    error = refusal(client.get("/api/size", params={field: value}))

    assert error["field"] == field
    assert error["value"][:20] == value[:20]
    assert message in error["message"].replace("\u202f", " ")
    assert len(error["value"]) <= 40


@pytest.mark.parametrize(("field", "value", "message"), REFUSED)
def test_body_refuses_with_field_value_and_bound(client, field, value, message):
    """A bad value in the body is answered as in the query."""
    error = refusal(client.post("/api/size", json={field: value}))

    assert error["field"] == field
    assert message in error["message"].replace("\u202f", " ")


@pytest.mark.parametrize(
    ("body", "field", "message"),
    [
        pytest.param(b"{", "body", "is not JSON", id="cut off"),
        pytest.param(b"\xff\xfe{}x", "body", "is not JSON", id="not text"),
        pytest.param(b"[" * 60_000, "body", "is not JSON", id="nested beyond reason"),
        pytest.param(b"[1, 2]", "body", "is not a JSON object", id="list"),
        pytest.param(b'{"gpus": NaN}', "body", "holds NaN", id="nan"),
        pytest.param(b'{"gpus": -Infinity}', "body", "holds -Infinity", id="infinity"),
        pytest.param(b'{"gpus": 1e999}', "gpus", "not a number", id="overflow"),
        pytest.param(b'{"gpus": ' + b"9" * 5000 + b"}", "body", "is not JSON", id="5,000 digits"),
        pytest.param(b'{"gpus": [64]}', "gpus", "takes one value, not a list", id="list as value"),
        pytest.param(b'{"gpus": true}', "gpus", "give a number", id="boolean as number"),
        pytest.param(b'{"gpus": 1, "gpus": 2}', "gpus", "is given 2 times", id="twice"),
        pytest.param(b'{"was": {"gpus": 64}}', "was", "is not text", id="was is no query"),
        pytest.param(b'{"gpu": "\\ud800"}', "gpu", "give one of", id="half a character"),
    ],
)
def test_malformed_body_is_refused(client, body, field, message):
    """A body that is not one JSON object of finite values is a 422 that says why."""
    error = refusal(client.post("/api/size", content=body))

    assert error["field"] == field
    assert message in error["message"]


def test_parameter_given_twice_is_refused(client):
    """Which of two values was meant cannot be known, so neither is taken."""
    error = refusal(client.get("/api/size?gpus=64&gpus=128"))

    assert error == {"field": "gpus", "value": "128", "message": "is given 2 times: give it once"}


def test_every_refused_field_is_named(client):
    """Two mistakes are two errors in one answer."""
    errors = client.get("/api/size?gpus=0&seq_tokens=1").json()["errors"]

    assert {e["field"] for e in errors} == {"gpus", "seq_tokens"}


def test_layouts_lists_the_best_first(client):
    """The listed layouts fit, and none is faster than the one before it."""
    found = client.get("/api/layouts", params={"top": "5"}).json()["layouts"]

    seconds = [c["step_seconds"] for c in found]
    assert len(found) == 5
    assert all(c["fits"] for c in found)
    assert seconds == sorted(seconds)


@pytest.mark.parametrize("top", ["0", "101", "-1", "1.5", "many", "9" * 5000])
def test_layouts_refuses_an_impossible_count(client, top):
    """`top` is a whole number from 1 to 100."""
    error = refusal(client.get("/api/layouts", params={"top": top}))

    assert error["field"] == "top"
    assert "from 1 to 100" in error["message"]


def test_description_lists_every_input_with_its_bounds(client):
    """The OpenAPI description is made from the table of fields."""
    paths = client.get("/openapi.json").json()["paths"]

    described = {p["name"]: p["schema"] for p in paths["/api/size"]["get"]["parameters"]}
    assert set(described) == {*FIELDS, "was"}
    assert described["gpus"] == {"type": "integer", "minimum": 1, "maximum": 1_000_000}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=60),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


@settings(max_examples=60, deadline=None)
@given(values=st.dictionaries(st.sampled_from([*FIELDS, "was", "other"]), JSON, max_size=4))
def test_anything_gets_an_answer_or_a_refusal(client: TestClient, values):
    """Whatever JSON is posted: 200 with finite numbers or 422 with problems, never a crash."""
    answer = client.post("/api/size", content=json.dumps(values))

    assert answer.status_code in (200, 422)
    assert answer.status_code == 200 or answer.json()["errors"]
    assert all(math.isfinite(n) for n in numbers(answer.json()))
