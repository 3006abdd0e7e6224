"""From an input event to the painted answer, in real Chromium, beside the floor of an empty fragment."""

from dataclasses import dataclass
from pathlib import Path
from statistics import median

from playwright.sync_api import Page, ViewportSize, sync_playwright

from bench.designs import Start, starts
from bench.report import held, quantile, table
from bench.serving import WITH_FLOOR, running
from tests.chromium import installed

DRAG = Path(__file__).with_name("drag.js").read_text(encoding="utf-8")
EVERY_MS = 16
SHARES = (0.50, 0.95, 0.99)
BARS_MS = (None, 50.0, 80.0)
MOST_OVER_FLOOR = 2.5
VIEWPORT = ViewportSize(width=1440, height=900)


@dataclass(frozen=True)
class Drag:
    """What one drag gave; times from an event until its answer is drawn, and until it is seen. [ms]"""

    name: str
    events: int
    drawn: tuple[float, ...]
    seen: tuple[float, ...]
    last_shown: bool

    def quantiles(self, until: str) -> tuple[float, ...]:
        return tuple(quantile(getattr(self, until), share) for share in SHARES)


def measure(short: bool) -> str:
    """Two tables: the floor, then each drag, as medians over the rounds; each round has its own floor."""
    rounds = []
    with running(WITH_FLOOR, cores=2) as server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=installed())
        version = browser.version
        page = browser.new_page(viewport=VIEWPORT)
        for _ in range(1 if short else 3):
            rounds.append(one_round(page, server.url, 2000 if short else 10_000))
        browser.close()
    note = f"Chromium {version}, {len(rounds)} rounds; each figure is the median of the rounds."
    return "\n\n".join((drags_table(rounds, "seen"), drags_table(rounds, "drawn"), note))


def drags_table(rounds: list[list[Drag]], until: str) -> str:
    floors = [drags[0] for drags in rounds]
    rows = [row([drags[i] for drags in rounds], floors, until) for i in range(len(rounds[0]))]
    head = (
        f"until {until}",
        "answered of events",
        "p50 ms",
        "p95 ms",
        "p99 ms",
        "over the floor at each",
        "last shown",
    )
    return table(head, rows)


def one_round(page: Page, url: str, milliseconds: int) -> list[Drag]:
    drags = [drag(page, "floor: 200 bytes", f"{url}/floor", "along", "beside", milliseconds)]
    for start in starts():
        for along in start.sliders:
            address = f"{url}/?{start.query}"
            drags.append(drag(page, label(start, along), address, along, "checkpoint_minutes", milliseconds))
    return drags


def label(start: Start, along: str) -> str:
    return f"{start.name}: `{along}`"


def drag(page: Page, name: str, address: str, along: str, beside: str, milliseconds: int) -> Drag:
    """One drag on a fresh page, after a short one that warms up browser and server."""
    page.goto(address)
    order = {"along": along, "beside": beside, "every": EVERY_MS}
    page.evaluate(DRAG, {**order, "milliseconds": 2000})
    page.goto(address)
    seen = page.evaluate(DRAG, {**order, "milliseconds": milliseconds})
    return Drag(name, seen["events"], tuple(seen["drawn"]), tuple(seen["seen"]), seen["lastShown"])


def row(drags: list[Drag], floors: list[Drag], until: str) -> tuple[str, ...]:
    """One drag over all rounds; the ratio is to the floor of the same round."""
    quantiles = [median(values) for values in zip(*(d.quantiles(until) for d in drags), strict=True)]
    times = (f"{q:.0f}, {held(q, bar)}" if bar else f"{q:.0f}" for q, bar in zip(quantiles, BARS_MS, strict=True))
    over = [
        median(d.quantiles(until)[i] / f.quantiles(until)[i] for d, f in zip(drags, floors, strict=True))
        for i in range(len(SHARES))
    ]
    is_floor = drags == floors
    ratios = "1" if is_floor else f"{', '.join(f'{o:.2f}' for o in over)}, {held(max(over), MOST_OVER_FLOOR)}"
    counts = f"{median(len(d.seen) for d in drags):.0f} of {median(d.events for d in drags):.0f}"
    return (drags[0].name, counts, *times, ratios, "yes" if all(d.last_shown for d in drags) else "**no**")
