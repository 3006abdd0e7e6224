"""The web application: routes, static files, and what holds for every answer."""

import gc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import version

from fastapi import FastAPI, Request, Response
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware

from app import assets
from app.cards import all_cards
from app.model.sizing import size
from app.model.workload import Workload, WorkloadError
from app.problems import status_answer, workload_answer
from app.routes import accuracy, api, charts, docs, figure, grade, health, lab, model, rehearse, walkthrough
from app.safety import Safety


@asynccontextmanager
async def warmed_up(app: FastAPI) -> AsyncIterator[None]:
    """Read the cards and size once, then leave all that exists by now out of later garbage collections."""
    all_cards()
    size(Workload())
    gc.collect()
    gc.freeze()
    yield


async def refuse_workload(request: Request, error: Exception) -> Response:
    assert isinstance(error, WorkloadError)
    return workload_answer(error)


async def refuse_request(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    answer = status_answer(request, error.status_code, error.detail)
    answer.headers.update(error.headers or {})
    return answer


def create_app() -> FastAPI:
    app = FastAPI(
        title="Pretraining Lab",
        version=version("pretraining-lab"),
        description="Sizes one pretraining run. Numbers may be written 70e9, 70B, 16k or 16Ki.",
        docs_url=None,
        redoc_url=None,
        lifespan=warmed_up,
    )
    app.add_middleware(GZipMiddleware, minimum_size=500, compresslevel=1)
    app.add_middleware(Safety)
    app.add_exception_handler(WorkloadError, refuse_workload)
    app.add_exception_handler(HTTPException, refuse_request)
    app.router.routes.append(assets.route)
    for page in (lab, walkthrough, charts, figure, model, accuracy, rehearse, api, grade, docs, health):
        app.include_router(page.router)
    return app
