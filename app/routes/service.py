"""What is asked of the server itself: is it well, and what does it understand."""

from html import escape

from fastapi import APIRouter, Response
from fastapi.responses import HTMLResponse, JSONResponse

from app.assets import asset_url
from app.model.sizing import size
from app.model.workload import Workload

router = APIRouter(include_in_schema=False)

DOCS = """<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>API · Pretraining Lab</title>
<link rel="stylesheet" href="{css}"></head>
<body><main id="docs"></main><script src="{bundle}"></script><script src="{start}"></script></body>
</html>
"""


@router.get("/healthz")
def healthz() -> Response:
    """200 when the default workload can be sized."""
    return JSONResponse({"status": "ok", "default_shape": size(Workload()).shape.id})


@router.get("/docs")
async def docs() -> HTMLResponse:
    names = {"css": "vendor/swagger-ui.css", "bundle": "vendor/swagger-ui-bundle.js", "start": "docs.js"}
    return HTMLResponse(DOCS.format(**{key: escape(asset_url(name)) for key, name in names.items()}))
