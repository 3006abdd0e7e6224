"""Refusals: RFC 9457 problem details for programs, a plain page for a browser."""

import json
from collections.abc import Sequence
from http import HTTPStatus

from starlette.requests import Request
from starlette.responses import Response

from app.model.workload import Problem, WorkloadError
from app.pages import html, render

HEADINGS = {404: "There is no such page", 413: "That is too much at once", 422: "The lab cannot use that input"}
"""What a page says instead of the protocol's own phrase."""


def problem_answer(status: int, detail: str, errors: Sequence[Problem] = ()) -> Response:
    """Problem details; `errors` names each refused field, its value quoted short and its bound."""
    body = {
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": detail,
        "errors": [{"field": e.field, "value": e.value, "message": e.message} for e in errors],
    }
    return Response(json.dumps(body), status, media_type="application/problem+json")


def workload_answer(error: WorkloadError) -> Response:
    return problem_answer(422, str(error), error.problems)


def status_answer(request: Request, status: int, detail: str) -> Response:
    """An answer without a figure in it: a page where a browser asked for one, else problem details."""
    if request.url.path.startswith("/api/") or "text/html" not in request.headers.get("accept", ""):
        return problem_answer(status, detail)
    title = HEADINGS.get(status, HTTPStatus(status).phrase)
    return html(render("problem.html", title=title, detail=detail), status)
