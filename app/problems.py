"""Refusals: RFC 9457 problem details for programs, a plain page for a browser."""

import json
from collections.abc import Sequence
from html import escape
from http import HTTPStatus

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from app.model.workload import Problem, WorkloadError

PAGE = """<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{title}</title>
<meta name="color-scheme" content="light dark"></head>
<body><main><h1>{title}</h1><p>{detail}</p><p><a href="/">Open the lab</a></p></main></body>
</html>
"""


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
    title = HTTPStatus(status).phrase
    return HTMLResponse(PAGE.format(title=escape(title), detail=escape(detail)), status)
