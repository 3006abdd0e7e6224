"""The lab with one more page, for measurements alone: a slider whose answer is an empty fragment of 200 bytes.

What an event costs there is what browser, htmx and server take for any answer at all: the floor.
"""

from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from app.assets import asset_url
from app.main import create_app as create_lab
from app.pages import html, wants_fragment

EMPTY = "<p></p>".ljust(200)
PAGE = """<!doctype html>
<html lang="en"><head><title>Floor</title>
<meta name="htmx-config" content='{{"history": false, "includeIndicatorCSS": false}}'>
<script src="{htmx}" defer></script></head><body>
<form hx-get="/floor" hx-target="#answer" hx-swap="innerMorph" hx-trigger="input" hx-sync="this:queue last">
<input type="range" id="along-slider" name="along" max="40">
<input type="range" id="beside-slider" name="beside" max="40">
</form><div id="answer">{empty}</div></body></html>"""


async def floor(request: Request) -> Response:
    page = PAGE.format(htmx=asset_url("vendor/htmx.min.js"), empty=EMPTY)
    return html(EMPTY if wants_fragment(request) else page)


def create_app() -> FastAPI:
    app = create_lab()
    app.router.routes.append(Route("/floor", floor))
    return app
