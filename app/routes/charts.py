"""The charts of one workload: a fragment for the lab, a page of its own where scripts are off."""

from collections.abc import Sequence

from fastapi import APIRouter, Request, Response
from starlette.concurrency import run_in_threadpool

from app.charts import Chart, charts
from app.form import Fault, fault_of
from app.model.workload import WorkloadError
from app.pages import Recent, html, render, wants_fragment
from app.query import read_query

router = APIRouter(include_in_schema=False)

CHARTS: Recent[tuple[Chart, ...]] = Recent(most=128)


@router.get("/charts")
async def workload_charts(request: Request) -> Response:
    """The three charts with their tables; a refusal names what is wrong."""
    try:
        workload, _ = read_query(request.query_params.multi_items())
    except WorkloadError as error:
        return html(drawn(request, faults=[fault_of(p) for p in error.problems]), 422)
    query = workload.query()
    found = CHARTS.get(query)
    if found is None:
        found = await run_in_threadpool(charts, workload)
        CHARTS.put(query, found)
    return html(drawn(request, found, query=query))


def drawn(request: Request, charts: Sequence[Chart] = (), faults: Sequence[Fault] = (), query: str = "") -> str:
    """The fragment; or the page, with its tables open for want of a script."""
    fragment = wants_fragment(request)
    template = "charts.html" if fragment else "charts_page.html"
    return render(template, charts=charts, faults=faults, query=query, tables_open=not fragment)
