"""What many tests share: a client without a network, and for the browser a running server."""

import threading
from collections.abc import Iterator
from typing import Any

import pytest
import uvicorn
from hypothesis import settings
from playwright.sync_api import Page
from starlette.testclient import TestClient

from tests.chromium import installed

settings.register_profile("lab", deadline=None)
settings.load_profile("lab")


@pytest.fixture(scope="session")
def client() -> Iterator[TestClient]:
    """The application, called in process; a crash shows as the 500 that a visitor would see."""
    from app.main import create_app

    with TestClient(create_app(), raise_server_exceptions=False) as client:
        yield client


@pytest.fixture(scope="session")
def base_url() -> Iterator[str]:
    """The address of the application on a free port of this machine; `page.goto("/")` opens the lab."""
    from app.main import create_app

    config = uvicorn.Config(create_app(), host="127.0.0.1", port=0, log_level="error")
    server = uvicorn.Server(config)
    listening = config.bind_socket()
    listening.listen()
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    server.should_exit = True
    thread.join(timeout=10)


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    """This machine's own Chromium where it has one."""
    return {**browser_type_launch_args, "executable_path": installed()}


@pytest.fixture
def page(page: Page, base_url: str) -> Iterator[Page]:
    """A page that must stay quiet: no script error, no breach of the policy, no request to elsewhere."""
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda m: faults.append(m.text) if is_fault(m.type, m.text) else None)
    page.on("request", lambda r: faults.append(r.url) if not r.url.startswith((base_url, "data:")) else None)
    yield page
    assert faults == []


def is_fault(kind: str, text: str) -> bool:
    """Errors and warnings, but for the browser's own line about a refusal that the test asked for."""
    return kind in ("error", "warning") and not text.startswith("Failed to load resource")
