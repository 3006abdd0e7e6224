"""The page about the API."""

import pytest
from playwright.sync_api import Page

from app.model.fields import FIELDS
from app.model.workload import Workload
from tests.accessibility import violations


def test_page_names_every_input(client):
    """Each field of the workload has its row."""
    page = client.get("/docs").text

    assert all(f'<th scope="row"><code>{name}</code></th>' in page for name in FIELDS)
    assert set(FIELDS) == set(Workload.model_fields)


def test_examples_are_true(client):
    """Each link of the page that asks the API gets what the page says."""
    assert client.get("/api/size?params=70B&gpus=512").json()["workload"]["params"] == 70e9
    assert len(client.get("/api/layouts?params=70B&gpus=512&top=5").json()["layouts"]) == 5
    assert client.get("/api/size?gpus=0").status_code == 422


@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("address", ["/docs", "/nothing"])
def test_page_passes_axe(page: Page, address, scheme):
    """Neither the page about the API nor the one for a dead link breaks a rule of axe."""
    page.emulate_media(color_scheme=scheme)
    page.goto(address)

    assert violations(page) == []


@pytest.mark.browser
def test_page_needs_no_sideways_scrolling_on_a_phone(page: Page):
    """At 360 px only the tables scroll, each in its own frame."""
    page.set_viewport_size({"width": 360, "height": 740})
    page.goto("/docs")

    assert page.evaluate("document.documentElement.scrollWidth") == 360
