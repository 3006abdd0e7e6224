"""What pages.py alone knows: who wants a fragment, and what is kept."""

import pytest
from starlette.requests import Request

from app.pages import Recent, html, render, wants_fragment


def request(**headers: str) -> Request:
    raw = [(k.replace("_", "-").lower().encode(), v.encode()) for k, v in headers.items()]
    return Request({"type": "http", "headers": raw})


@pytest.mark.parametrize(
    ("headers", "fragment"),
    [
        ({}, False),
        ({"HX_Request": "true"}, True),
        ({"HX_Request": "true", "HX_Request_Type": "partial"}, True),
        ({"HX_Request": "true", "HX_Request_Type": "full"}, False),
        ({"HX_Request": "true", "HX_Boosted": "true"}, False),
        ({"HX_Request": "true", "HX_History_Restore_Request": "true"}, False),
    ],
)
def test_only_a_partial_request_gets_a_fragment(headers: dict[str, str], fragment: bool) -> None:
    """A boosted link and the back button need the whole page."""
    assert wants_fragment(request(**headers)) is fragment


def test_a_cache_tells_page_and_fragment_apart() -> None:
    """Both live under one address."""
    assert html("x").headers["Vary"] == "HX-Request"


def test_the_cache_forgets_what_was_not_used_for_longest() -> None:
    """Memory stays flat, and what is in use stays."""
    recent: Recent[int] = Recent(most=2)
    recent.put("a", 1)
    recent.put("b", 2)
    recent.get("a")
    recent.put("c", 3)

    assert [recent.get(k) for k in "abc"] == [1, None, 3]


def test_templates_escape() -> None:
    """A stranger's text never becomes markup."""
    assert "<script>" not in render("problem.html", title="<script>", detail="<script>alert(1)</script>")[600:]
