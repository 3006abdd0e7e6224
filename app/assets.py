"""Static files: read once, served under a hash of their content, so that browsers may keep them for ever."""

import gzip
import hashlib
import mimetypes
from functools import cache
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

STATIC = Path(__file__).parent / "static"
FOR_EVER = "public, max-age=31536000, immutable"
PACKABLE = ("text/", "application/javascript", "application/json", "image/svg+xml")


@cache
def files() -> dict[str, bytes]:
    """Every file under static/, by its path there."""
    paths = (p for p in sorted(STATIC.rglob("*")) if p.is_file() and not p.name.startswith("."))
    return {p.relative_to(STATIC).as_posix(): p.read_bytes() for p in paths}


@cache
def digest() -> str:
    """One hash for the whole folder, so that a style sheet may name its fonts by relative paths."""
    total = hashlib.sha256()
    for name, content in files().items():
        total.update(f"{name} {len(content)} ".encode() + content)
    return total.hexdigest()[:12]


@cache
def asset_url(name: str) -> str:
    """The address of a file under static/, for templates."""
    if name not in files():
        raise FileNotFoundError(f"app/static/{name} is missing; 'make setup' lays the vendored files")
    return f"/static/{digest()}/{name}"


@cache
def packed(name: str) -> bytes:
    return gzip.compress(files()[name], compresslevel=9, mtime=0)


def media_type(name: str) -> str:
    return {".js": "text/javascript", ".woff2": "font/woff2"}.get(Path(name).suffix) or (
        mimetypes.guess_type(name)[0] or "application/octet-stream"
    )


def serve_asset(request: Request) -> Response:
    """A file; one asked for under an older hash is answered too, but not to be kept."""
    name = request.path_params["name"]
    if name not in files():
        return Response("Not found", 404, media_type="text/plain")
    kept = FOR_EVER if request.path_params["digest"] == digest() else "no-cache"
    headers = {"Cache-Control": kept, "Vary": "Accept-Encoding"}
    kind = media_type(name)
    if kind.startswith(PACKABLE) and "gzip" in request.headers.get("accept-encoding", ""):
        return Response(packed(name), media_type=kind, headers={**headers, "Content-Encoding": "gzip"})
    return Response(files()[name], media_type=kind, headers=headers)


route = Route("/static/{digest}/{name:path}", serve_asset)
