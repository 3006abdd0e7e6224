"""Bringing a model: a `config.json` in, its counts out, and a link that opens it in the lab."""

from collections.abc import Sequence

from fastapi import APIRouter, Request, Response
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException

from app.brought import Counts, counts_of_given, counts_of_reading, named
from app.form import readable
from app.formats.huggingface import KNOWN_TYPES, FormatError, read_config
from app.model.transformer import given_model
from app.model.workload import Problem, Workload, WorkloadError
from app.pages import html, render
from app.query import read_query
from app.safety import FILE_LIMIT_BYTES

router = APIRouter(include_in_schema=False)


@router.get("/model")
async def asked(request: Request) -> Response:
    """The form, and the counts of the model that the lab has now."""
    workload, problems = workload_of(request)
    model = given_model(workload)
    return page(workload, counts_of_given(model, workload) if model else None, problems)


@router.post("/model")
async def brought(request: Request) -> Response:
    """What a file says; it is read and forgotten."""
    workload, problems = workload_of(request)
    text = name = ""
    try:
        text, name, file = await given(request)
        reading = named(await run_in_threadpool(read_config, file or text), name)
    except FormatError as error:
        return page(workload, None, (*problems, error.problem), text, name)
    return page(workload, counts_of_reading(reading, workload), problems)


def workload_of(request: Request) -> tuple[Workload, tuple[Problem, ...]]:
    """The workload of the lab that leads here, as far as it can be read, and what cannot."""
    try:
        return read_query(request.query_params.multi_items())[0], ()
    except WorkloadError as error:
        workload, problems = readable({k: v for k, v in request.query_params.items() if k != "was"})
        return workload, problems or error.problems


async def given(request: Request) -> tuple[str, str, bytes]:
    """The pasted text, the name that the model is to have, and what a chosen file holds."""
    try:
        async with request.form(max_files=1, max_fields=10, max_part_size=FILE_LIMIT_BYTES) as form:
            text, name, file = (form.get(field, "") for field in ("config", "name", "file"))
            content = await file.read() if isinstance(file, UploadFile) else b""
    except HTTPException as error:
        if error.status_code != 400:
            raise
        raise FormatError("config.json", f"cannot be read ({error.detail}): paste it, or choose the file") from None
    pasted = text if isinstance(text, str) else ""
    if not content and not pasted.strip():
        raise FormatError("config.json", "is missing: choose the file, or paste its text")
    return pasted, name if isinstance(name, str) else "", content


def page(
    workload: Workload, counts: Counts | None, problems: Sequence[Problem], text: str = "", name: str = ""
) -> Response:
    content = render(
        "model.html", counts=counts, problems=problems, query=workload.query(), text=text, name=name, types=KNOWN_TYPES
    )
    return html(content, 422 if problems else 200)
