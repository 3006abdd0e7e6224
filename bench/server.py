"""Time of the server for one answer, in process, without a network: request in, packed fragment out."""

import asyncio
import gc
import time
from collections.abc import Iterable, MutableMapping
from typing import Any

from fastapi import FastAPI

from app.main import create_app
from app.model.sizing import size
from app.model.workload import Workload
from app.query import read_query
from bench.designs import distinct_queries, llama_query
from bench.report import held, quantile, table

MOST_TAIL = 3.0
"""p99 over the median."""
HEADERS = [(b"host", b"127.0.0.1"), (b"hx-request", b"true"), (b"accept-encoding", b"gzip")]


def measure(short: bool) -> str:
    count = 40 if short else 1000
    small, large = Workload(), read_query_workload(llama_query())
    rows = asyncio.run(fragment_rows(small, large, count))
    for name, model in (("Llama 3 405B", "llama-3.1-405b"), ("DeepSeek-V3", "deepseek-v3")):
        rows.append(size_row(f"`size()`, {name}, 131,072 GPUs", large.changed(gpus=131_072, model=model), count))
    return table(("answer", "queries", "median ms", "p99 ms", "p99 over median"), rows)


def read_query_workload(query: str) -> Workload:
    pairs = (pair.split("=", 1) for pair in query.split("&"))
    return read_query((name, value) for name, value in pairs)[0]


async def fragment_rows(small: Workload, large: Workload, count: int) -> list[tuple[str, ...]]:
    app = create_app()
    rows = []
    async with app.router.lifespan_context(app):
        for name, workload, bar in (("fragment, 64 GPUs", small, 6.0), ("fragment, 16,384 GPUs", large, 12.0)):
            await times_ms(app, distinct_queries(workload, 50, seed=0))
            queries = list(distinct_queries(workload, count, seed=1))
            rows.append(row(name, await times_ms(app, queries), bar, MOST_TAIL))
        rows.append(row("the last of them again, from the cache", await times_ms(app, queries[-200:])))
    return rows


async def times_ms(app: FastAPI, queries: Iterable[str]) -> list[float]:
    times = []
    for query in queries:
        start = time.perf_counter()
        status = await status_of(app, query)
        times.append(1000 * (time.perf_counter() - start))
        assert status == 200, query
    return times


async def status_of(app: FastAPI, query: str) -> int:
    """The status of one answer, once all of its body is made."""
    status = 0

    async def receive() -> MutableMapping[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: MutableMapping[str, Any]) -> None:
        nonlocal status
        if message["type"] == "http.response.start":
            status = message["status"]

    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "GET", "scheme": "http",
        "path": "/", "raw_path": b"/", "root_path": "", "query_string": query.encode(), "headers": HEADERS,
        "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 80),
    }  # fmt: skip
    await app(scope, receive, send)
    return status


def size_row(name: str, workload: Workload, count: int) -> tuple[str, ...]:
    """`size()` on queries that no cache knows."""
    gc.collect()
    times = []
    for query in distinct_queries(workload, count // 2, seed=2):
        asked = read_query_workload(query.split("&was=")[0])
        start = time.perf_counter()
        size(asked)
        times.append(1000 * (time.perf_counter() - start))
    return row(name, times, 12.0)


def row(name: str, times: list[float], bar: float | None = None, tail_bar: float | None = None) -> tuple[str, ...]:
    middle, late = quantile(times, 0.5), quantile(times, 0.99)
    return (
        name,
        f"{len(times)}",
        f"{middle:.1f}" + (f", {held(middle, bar)}" if bar else ""),
        f"{late:.1f}",
        f"{late / middle:.1f}" + (f", {held(late / middle, tail_bar)}" if tail_bar else ""),
    )
