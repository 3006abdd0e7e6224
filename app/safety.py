"""What holds for every answer: security headers, bounded bodies, and no stack trace for a visitor."""

import logging

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.problems import status_answer

BODY_LIMIT_BYTES = 64 * 1024
FILE_LIMIT_BYTES = 1024 * 1024
TAKES_A_FILE = ("/model", "/api/model")

EMPTY_STYLE = "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"
"""The hash of no text at all: Plotly adds an empty style element and fills it through the object model."""

POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        f"style-src 'self' {EMPTY_STYLE}",
        "img-src 'self' data:",
        "font-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)
HEADERS = [
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
]

log = logging.getLogger("app")


class Safety:
    """ASGI middleware around all others."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        started = False

        async def send_with_headers(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                message["headers"] = [*message.get("headers", ()), *HEADERS]
            await send(message)

        try:
            limit = FILE_LIMIT_BYTES if scope["path"] in TAKES_A_FILE else BODY_LIMIT_BYTES
            await self.app(scope, bounded(receive, limit), send_with_headers)
        except Exception:
            log.exception("%s failed", scope["path"])
            if started:
                raise
            answer = status_answer(Request(scope), 500, "The lab failed here; its log says why.")
            await answer(scope, receive, send_with_headers)


def bounded(receive: Receive, limit: int) -> Receive:
    """The same body, or a 413 as soon as it has grown beyond the limit. [bytes]"""
    read = 0

    async def receive_bounded() -> Message:
        nonlocal read
        message = await receive()
        read += len(message.get("body", b""))
        if read > limit:
            raise HTTPException(413, f"The body is longer than {limit} bytes.")
        return message

    return receive_bounded
