"""What the page weighs on the wire before any chart is loaded, as the browser counts it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Page, sync_playwright

from bench.report import held, table
from bench.serving import PRODUCT, running
from tests.chromium import installed

MOST_BYTES = 150_000


@dataclass(frozen=True)
class Load:
    """Bytes received for each address that the page asked for, headers included."""

    at_once: dict[str, int]
    for_charts: dict[str, int]


def page_load(page: Page, url: str) -> Load:
    """Opens the page, waits until the network is quiet, then looks at the charts."""
    session = page.context.new_cdp_session(page)
    addresses: dict[str, str] = {}
    received: dict[str, int] = {}

    def asked(event: Mapping[str, Any]) -> None:
        addresses[event["requestId"]] = event["request"]["url"]

    def finished(event: Mapping[str, Any]) -> None:
        address = addresses[event["requestId"]]
        if not address.startswith("data:"):
            received[address] = received.get(address, 0) + int(event["encodedDataLength"])

    session.on("Network.requestWillBeSent", asked)
    session.on("Network.loadingFinished", finished)
    session.send("Network.enable")
    page.goto(url, wait_until="networkidle")
    at_once = dict(received)
    page.locator("#charts").scroll_into_view_if_needed()
    page.locator("#charts .js-plotly-plot").first.wait_for()
    page.wait_for_load_state("networkidle")
    session.detach()
    return Load(at_once, {address: size for address, size in received.items() if address not in at_once})


def measure(short: bool) -> str:
    with running(PRODUCT) as server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=installed())
        load = page_load(browser.new_page(), f"{server.url}/")
        browser.close()
    total = sum(load.at_once.values())
    rows = [
        *files(load.at_once),
        ("**before the charts**", f"{total:,}, {held(total, MOST_BYTES)}"),
        *files(load.for_charts),
        ("**more, once the charts are looked at**", f"{sum(load.for_charts.values()):,}"),
    ]
    return table(("requested", "bytes on the wire"), rows)


def files(received: dict[str, int]) -> list[tuple[str, str]]:
    return [(urlsplit(address).path.split("/", 3)[-1] or "the page", f"{size:,}") for address, size in received.items()]
