"""A class: learners who each drag a fifth of the time against one server, over the wire.

Each replays what htmx does with `queue last`: one request under way, and then the newest value. All learners share
the server's cores with this script, and none waits for a browser to draw: harder on the server than a real class.
"""

import asyncio
import gzip
import json
import random
import re
import time
from dataclasses import dataclass, field
from html import unescape
from urllib.parse import quote

from app.cards import all_cards
from app.form import exact_text, was_query
from app.model.workload import Workload
from bench.designs import STOPS
from bench.report import held, quantile, table
from bench.serving import PRODUCT, running

LEARNERS = 30
DRAG_S = 2.0
REST_S = 8.0
EVERY_S = 0.016
CORES = 2
MOST_MS = 150.0
MOST_GROWTH_PERCENT = 5.0
"""Memory counts as flat when the class adds at most this much to what a class before it left: full caches."""


@dataclass
class Seen:
    """What the learners saw; times from the event to its whole answer. [ms]"""

    times: list[float] = field(default_factory=list)
    events: int = 0
    drags: int = 0
    lost: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Gesture:
    """One drag: a slider moved from stop to stop, to the end of its scale and back."""

    workload: Workload
    slider: str
    start: int

    def text(self, event: int) -> str:
        """The value of the slider at an event."""
        stops = STOPS[self.slider]
        turn = (self.start + event) % (2 * len(stops) - 2)
        return exact_text(stops[min(turn, 2 * len(stops) - 2 - turn)])

    def query(self, event: int) -> str:
        base = {k: v for k, v in self.workload.model_dump(exclude_none=True).items() if k != self.slider}
        sent = "&".join(f"{k}={quote(exact_text(v))}" for k, v in base.items())
        return f"{sent}&{self.slider}={quote(self.text(event))}&was={quote(was_query(self.workload))}"


def measure(short: bool) -> str:
    seconds = 5.0 if short else 60.0
    with running(PRODUCT, cores=CORES) as server:
        fresh = server.resident_bytes()
        asyncio.run(lesson(server.port, seconds, seed=0))
        before = server.resident_bytes()
        seen = asyncio.run(lesson(server.port, seconds, seed=1))
        memory = (fresh, before, server.resident_bytes())
    return table(("measure", "figure"), rows(seen, memory, seconds))


def rows(seen: Seen, memory: tuple[int, int, int], seconds: float) -> list[tuple[str, str]]:
    late = quantile(seen.times, 0.95)
    fresh, before, after = memory
    growth = 100 * (after / before - 1)
    return [
        (f"{LEARNERS} learners for {seconds:.0f} s", f"{seen.drags} drags, {seen.events:,} events"),
        ("answers", f"{len(seen.times):,}, {len(seen.times) / seconds:.0f} a second"),
        ("median ms", f"{quantile(seen.times, 0.5):.0f}"),
        ("p95 ms", f"{late:.0f}, {held(late, MOST_MS)}"),
        ("p99 ms", f"{quantile(seen.times, 0.99):.0f}"),
        ("lost: no 200, or a drag's last value not shown", f"{len(seen.lost)}, {held(len(seen.lost), 0)}"),
        ("memory of the fresh server, MB", f"{fresh / 1e6:.0f}"),
        ("after a class that filled the caches, MB", f"{before / 1e6:.0f}"),
        ("after the class measured, MB", f"{after / 1e6:.0f}"),
        ("growth over it, %", f"{growth:+.1f}, {held(growth, MOST_GROWTH_PERCENT)}"),
    ]


async def lesson(port: int, seconds: float, seed: int) -> Seen:
    """All learners at once."""
    seen = Seen()
    end = time.perf_counter() + seconds
    await asyncio.gather(*(learner(port, random.Random(1000 * seed + i), end, seen) for i in range(LEARNERS)))
    return seen


async def learner(port: int, draw: random.Random, end: float, seen: Seen) -> None:
    """Rests, drags, rests: a fifth of the time is dragging."""
    await asyncio.sleep(draw.uniform(0, min(REST_S + DRAG_S, end - time.perf_counter())))
    while time.perf_counter() < end:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)  # the server has closed the idle one
        await drag(reader, writer, gesture(draw), seen)
        writer.close()
        await asyncio.sleep(min(draw.uniform(0.5, 1.5) * REST_S, max(0.0, end - time.perf_counter())))


def gesture(draw: random.Random) -> Gesture:
    """A drag from some card, whose price makes it the only one of its kind."""
    workload = draw.choice(all_cards()).workload.changed(gpu_hour_price=round(draw.uniform(1, 9), 4))
    sliders = [name for name in STOPS if not (name == "params" and (workload.model or workload.own_model))]
    return Gesture(workload, draw.choice(sliders), draw.randrange(200))


async def drag(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, moved: Gesture, seen: Seen) -> None:
    start = time.perf_counter()
    last = round(DRAG_S / EVERY_S)
    sent = -1
    body = b""
    while sent < last:
        newest = min(last, int((time.perf_counter() - start) / EVERY_S))
        if newest == sent:
            await asyncio.sleep(start + (sent + 1) * EVERY_S - time.perf_counter())
            continue
        sent = newest
        status, body = await get(reader, writer, f"/?{moved.query(sent)}")
        seen.times.append(1000 * (time.perf_counter() - start - sent * EVERY_S))
        if status != 200:
            seen.lost.append(f"{status} for {moved.query(sent)}")
    seen.events += last + 1
    seen.drags += 1
    if shown_text(body, moved.slider) != moved.text(last):
        seen.lost.append(f"last value of {moved.query(last)}")


def shown_text(body: bytes, slider: str) -> str:
    """What the fragment says it read for a slider."""
    state = re.search(r"data-state='([^']*)'", body.decode())
    return str(json.loads(unescape(state[1]))["sliders"][slider][0]) if state else ""


async def get(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, address: str) -> tuple[int, bytes]:
    """One request of a kept connection, as a browser with htmx sends it."""
    request = f"GET {address} HTTP/1.1\r\nHost: 127.0.0.1\r\nHX-Request: true\r\nAccept-Encoding: gzip\r\n\r\n"
    writer.write(request.encode())
    head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
    length = re.search(r"content-length: (\d+)", head)
    assert length, head
    body = await reader.readexactly(int(length[1]))
    return int(head.split(" ", 2)[1]), gzip.decompress(body) if "content-encoding: gzip" in head else body
