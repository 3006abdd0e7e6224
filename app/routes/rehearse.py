"""Interview practice: a case in its link, the answers in one form, graded by the engine."""

import random
from urllib.parse import parse_qsl

from fastapi import APIRouter, Request, Response
from starlette.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse

from app.model.grading.cases import Case, case_of, case_of_workload
from app.model.grading.steps import STEPS
from app.model.hardware import ACCELERATORS
from app.model.workload import WorkloadError, read_workload
from app.pages import html, render
from app.query import single
from app.rehearsal import REPORT, Rehearsal, act, facts, field_names, read_rehearsal, step_view
from app.rehearsal_report import json_text, markdown, report_of
from app.routes.api import refused
from app.routes.grade import read_seed

router = APIRouter(prefix="/rehearse", include_in_schema=False)

SEEDS = 1_000_000
"""A case is drawn from so many, so that its link stays short."""

FILES = {"md": (markdown, "text/markdown; charset=utf-8"), "json": (json_text, "application/json")}


@router.get("")
async def rehearse(request: Request) -> Response:
    """The first step of the case in the link; without one, a case drawn at random."""
    if not request.query_params:
        seed = random.randrange(SEEDS)
        return RedirectResponse(f"/rehearse?seed={seed}", 307, headers={"Cache-Control": "no-store"})
    return await page(request, {}, "")


@router.post("")
async def answered(request: Request) -> Response:
    """The same page after a button, with all that was said in the form."""
    try:
        fields = read_form(await request.body())
    except WorkloadError as error:
        return refusal(error)
    return await page(request, fields, fields.get("do", ""))


@router.post("/report.{kind}")
async def saved(request: Request, kind: str) -> Response:
    """The report as a file to keep."""
    if kind not in FILES:
        return html(render("problem.html", title="Not found", detail="A report is a .md or a .json file."), 404)
    try:
        fields = read_form(await request.body())
        case = await run_in_threadpool(read_case, request)
    except WorkloadError as error:
        return refusal(error)
    write, media = FILES[kind]
    text = await run_in_threadpool(write, act(read_rehearsal(case, fields), REPORT))
    headers = {"Content-Disposition": f'attachment; filename="rehearsal.{kind}"'}
    return Response(text.encode(errors="replace"), media_type=media, headers=headers)


def read_case(request: Request) -> Case:
    """The case of a link: a seed, or the inputs of a workload as in the lab's links."""
    values = single(request.query_params.multi_items())
    if "seed" in values:
        return case_of(read_seed(values["seed"]))
    return case_of_workload(read_workload(values))


def read_form(body: bytes) -> dict[str, str]:
    try:
        return dict(parse_qsl(body.decode(errors="replace"), keep_blank_values=True, max_num_fields=100))
    except ValueError:
        raise refused("form", "", "has too many fields: send it from the page") from None


async def page(request: Request, fields: dict[str, str], do: str) -> Response:
    try:
        case = await run_in_threadpool(read_case, request)
    except WorkloadError as error:
        return refusal(error)
    return html(await run_in_threadpool(drawn, act(read_rehearsal(case, fields), do), do))


def drawn(rehearsal: Rehearsal, do: str) -> str:
    at_report = rehearsal.at == REPORT
    view = None if at_report else step_view(rehearsal, rehearsal.at, asking=do in ("grade", "next"))
    shown = set() if view is None or view.graded else {*view.step.keys, *(p.name for p in view.picks)}
    if view:
        shown.add(view.note_name)
    return render(
        "rehearse.html",
        case=rehearsal.case,
        facts=facts(rehearsal.case),
        at=rehearsal.at,
        graded=[s.id for s in STEPS if s.id in rehearsal.graded],
        said=rehearsal.said,
        hidden=[n for n in field_names() if n not in shown],
        steps=STEPS,
        view=view,
        report=report_of(rehearsal) if at_report else None,
        accelerators=ACCELERATORS.values(),
    )


def refusal(error: WorkloadError) -> Response:
    detail = f"This link holds no case. {error} To start, open /rehearse: it draws a case."
    return html(render("problem.html", title="No such case", detail=detail), 422)
