"""What the browser tests share: the lab opened, and words for what a person does with it."""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Page


@pytest.fixture
def lab(page: Page) -> Iterator[Page]:
    """The lab, opened and ready. A test fails when the page's script threw, whatever else it found."""
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.set_default_timeout(5000)
    page.goto("/")
    page.wait_for_function("window.htmx && document.getElementById('dock-all').textContent")
    yield page
    assert faults == []


@pytest.fixture
def settled(lab: Page) -> Callable[[str], None]:
    """Waits until the address holds a text, as it does when a drag has ended and its answer is shown."""

    def wait(part: str) -> None:
        lab.wait_for_function("part => location.search.includes(part)", arg=part)

    return wait
