"""Pages and fragments: the one place that knows HTMX's headers, templates and the cache."""

from collections import OrderedDict
from pathlib import Path
from typing import Generic, TypeVar

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from app.assets import asset_url

T = TypeVar("T")

TEMPLATES = Environment(
    loader=FileSystemLoader(Path(__file__).parent / "templates"),
    autoescape=True,
    trim_blocks=True,
    lstrip_blocks=True,
    undefined=StrictUndefined,
)
TEMPLATES.globals["asset_url"] = asset_url
TEMPLATES.policies["json.dumps_kwargs"] = {"ensure_ascii": False, "separators": (",", ":")}


def wants_fragment(request: Request) -> bool:
    """Whether HTMX asks for the inside of one element; a restored history entry wants the page."""
    headers = request.headers
    return (
        headers.get("HX-Request") == "true"
        and headers.get("HX-Request-Type") != "full"
        and "HX-Boosted" not in headers
        and "HX-History-Restore-Request" not in headers
    )


def render(template: str, **context: object) -> str:
    return TEMPLATES.get_template(template).render(**context)


def html(content: str | bytes, status: int = 200) -> Response:
    """An answer of which a browser may hold both forms, page and fragment, under one address."""
    return HTMLResponse(content, status, headers={"Vary": "HX-Request", "Cache-Control": "no-cache"})


class Recent(Generic[T]):
    """The last `most` answers by key: bounded, so that memory stays flat."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._held: OrderedDict[str, T] = OrderedDict()

    def get(self, key: str) -> T | None:
        if key in self._held:
            self._held.move_to_end(key)
        return self._held.get(key)

    def put(self, key: str, answer: T) -> None:
        self._held[key] = answer
        if len(self._held) > self._most:
            self._held.popitem(last=False)
