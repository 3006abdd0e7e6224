"""How accurate the lab is: predicted beside published, bad runs too, and a run of one's own."""

from fastapi import APIRouter, Request, Response
from starlette.concurrency import run_in_threadpool

from app.accuracy_page import page_of
from app.pages import html, render
from app.query import single

router = APIRouter(include_in_schema=False)


@router.get("/accuracy")
async def accuracy(request: Request) -> Response:
    """The whole page; sorting, filtering and an own run are links and a form of its own address."""
    page = await run_in_threadpool(page_of, single(request.query_params.multi_items()))
    return html(render("accuracy.html", p=page), 422 if page.refused else 200)
