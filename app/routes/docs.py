"""The API for a person: what it takes, what it answers, and how to ask."""

from fastapi import APIRouter, Request, Response

from app.openapi import INPUT_GROUPS, PLAIN, answer_names
from app.pages import html, render

router = APIRouter(include_in_schema=False)


@router.get("/docs")
async def docs(request: Request) -> Response:
    origin = str(request.base_url).rstrip("/")
    page = render("docs.html", groups=INPUT_GROUPS, answers=answer_names(), plain=PLAIN, origin=origin)
    return html(page)
