"""What holds for every answer of the web application."""

import re

import pytest
from starlette.testclient import TestClient

from app import main
from app.safety import BODY_LIMIT_BYTES, EMPTY_STYLE

ADDRESSES = ["/", "/docs", "/healthz", "/openapi.json", "/api/size", "/api/size?gpus=0", "/nothing"]


@pytest.mark.parametrize("address", ADDRESSES)
def test_every_answer_carries_the_security_headers(client, address):
    """No page may run inline script, be framed, or reach another origin."""
    headers = client.get(address).headers

    policy = dict(part.split(" ", 1) for part in headers["content-security-policy"].split("; "))
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == "'self'"
    assert policy["style-src"] == f"'self' {EMPTY_STYLE}"
    assert policy["frame-ancestors"] == "'none'"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "same-origin"


@pytest.mark.parametrize("address", ["/", "/docs"])
def test_pages_have_no_inline_script_and_no_foreign_address(client, address):
    """Each script of a page is a file of this origin, as the policy demands."""
    page = client.get(address).text

    scripts = re.findall(r"<script([^>]*)>([^<]*)", page)
    assert scripts
    assert all('src="/static/' in attributes and not inline.strip() for attributes, inline in scripts)
    assert not re.search(r"""\son\w+=|style=|(src|action)=["']?(https?:)?//""", page)


def test_no_cookie_is_set(client):
    """The server keeps no state, so it needs no cookie."""
    assert "set-cookie" not in client.get("/").headers


def test_healthz_sizes_the_default_workload(client):
    """/healthz answers 200 once the engine has answered."""
    answer = client.get("/healthz")

    assert answer.status_code == 200
    assert answer.json() == {"status": "ok", "default_shape": "sharded_data_parallel"}


def test_healthz_fails_with_the_engine(client, monkeypatch):
    """/healthz does not answer 200 when the default workload cannot be sized."""
    monkeypatch.setattr("app.routes.health.size", lambda workload: 1 / 0)

    assert client.get("/healthz").status_code == 500


def test_crash_shows_no_trace(client, monkeypatch):
    """A visitor learns that the lab failed, and nothing of how it is built."""
    monkeypatch.setattr("app.routes.health.size", lambda workload: 1 / 0)

    answer = client.get("/healthz", headers={"accept": "text/html"})

    assert "The lab failed here" in answer.text
    assert not re.search(r"Traceback|Zero|\.py", answer.text)
    assert "content-security-policy" in answer.headers


def chunks(total: int):
    """A body whose length is not declared."""
    yield from (b"x" * 1024 for _ in range(total // 1024))


@pytest.mark.parametrize("body", [b"x" * 70_000, chunks(70 * 1024)], ids=["declared", "chunked"])
def test_long_body_is_refused(client, body):
    """A body beyond 64 KiB is a 413, whether its length was declared or not."""
    answer = client.post("/api/size", content=body)

    assert answer.status_code == 413
    assert str(BODY_LIMIT_BYTES) in answer.json()["detail"]


def test_unknown_page_is_a_page_for_a_browser(client):
    """Whoever follows a dead link gets a page that leads back to the lab."""
    answer = client.get("/<b>nothing</b>", headers={"accept": "text/html"})

    assert answer.status_code == 404
    assert 'href="/"' in answer.text
    assert "<b>" not in answer.text


def test_wrong_method_names_the_right_ones(client):
    """A 405 says which methods there are."""
    answer = client.delete("/api/layouts")

    assert answer.status_code == 405
    assert answer.headers["allow"] == "GET"


def test_long_answers_are_packed(client):
    """Answers travel compressed where that pays."""
    assert client.get("/api/size").headers["content-encoding"] == "gzip"
    assert "content-encoding" not in client.get("/healthz").headers


def test_start_leaves_existing_objects_out_of_garbage_collection(monkeypatch):
    """Objects made at start are frozen once, so that collections stay short."""
    frozen = []
    monkeypatch.setattr(main.gc, "freeze", lambda: frozen.append(True))

    with TestClient(main.create_app()):
        assert frozen == [True]
