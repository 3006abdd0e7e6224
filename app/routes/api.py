"""The engine for programs: the fields of the form in, JSON out."""

import json
from typing import Any

from fastapi import APIRouter, Request, Response
from starlette.concurrency import run_in_threadpool

from app.answers import MOST_LAYOUTS, layouts_json, size_json
from app.brought import model_json
from app.formats.huggingface import FormatError, read_config
from app.model.answer import Sizing
from app.model.workload import Problem, WorkloadError, read_workload
from app.openapi import BODY, CONFIG_BODY, PARAMETERS, TOP, WAS, CountedModel, LayoutList, Refusal
from app.query import read_query, read_top, read_was, repeated, short, single

router = APIRouter(prefix="/api", tags=["engine"])

REFUSED = {"model": Refusal, "description": "Names each refused field, its value and its bound"}
DESIGN: dict[str, Any] = {"response_model": Sizing, "responses": {422: REFUSED}}
LAYOUTS: dict[str, Any] = {"response_model": LayoutList, "responses": {422: REFUSED}}
COUNTED: dict[str, Any] = {"response_model": CountedModel, "responses": {422: REFUSED}}


def json_answer(body: bytes) -> Response:
    return Response(body, media_type="application/json")


@router.get("/size", summary="Size one design", openapi_extra={"parameters": [*PARAMETERS, WAS]}, **DESIGN)
def size_query(request: Request) -> Response:
    """Every figure of the recommended design; inputs left out take their defaults."""
    return json_answer(size_json(*read_query(request.query_params.multi_items())))


@router.post("/size", summary="Size one design", openapi_extra={"requestBody": BODY}, **DESIGN)
async def size_body(request: Request) -> Response:
    """The same, with the inputs as one JSON object."""
    values = read_object(await request.body())
    was = values.pop("was", None)
    if was is not None and not isinstance(was, str):
        raise refused("was", was, "is not text: give the query string of a workload")
    workload = read_workload(values)
    return json_answer(await run_in_threadpool(size_json, workload, read_was(was) if was else None))


@router.get("/layouts", summary="Best layouts", openapi_extra={"parameters": [*PARAMETERS, TOP]}, **LAYOUTS)
def layouts(request: Request) -> Response:
    """The fastest layouts that fit; where none does, those nearest to fitting."""
    values = single(request.query_params.multi_items())
    top = read_top(values.pop("top", "10"), MOST_LAYOUTS)
    return json_answer(layouts_json(read_workload(values), top))


@router.post("/model", summary="Count a model", openapi_extra={"requestBody": CONFIG_BODY}, **COUNTED)
async def count_model(request: Request) -> Response:
    """Reads a `config.json` of Hugging Face; `own_model` then is an input of the other calls."""
    body = await request.body()
    try:
        return json_answer(model_json(await run_in_threadpool(read_config, body)))
    except FormatError as error:
        raise WorkloadError((error.problem,)) from None


def read_object(body: bytes) -> dict[str, Any]:
    """A JSON object in which each name stands once and numbers are finite."""
    try:
        values = json.loads(body or b"{}", object_pairs_hook=unique, parse_constant=no_constant)
    except WorkloadError:
        raise
    except (ValueError, RecursionError) as error:
        start = body[:100].decode(errors="replace")
        raise refused("body", start, f"is not JSON: {short(str(error), 80)}") from None
    if not isinstance(values, dict):
        raise refused("body", values, 'is not a JSON object: give one such as {"gpus": 64}')
    return values


def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    names = [name for name, _ in pairs]
    for name, value in pairs:
        if names.count(name) > 1:
            raise refused(name, value, repeated(names.count(name)))
    return dict(pairs)


def no_constant(word: str) -> float:
    raise refused("body", word, f"holds {word}, which is no number of JSON: give a finite number")


def refused(field: str, value: object, message: str) -> WorkloadError:
    return WorkloadError((Problem(short(field), short(str(value)), message),))
