"""The page: four files, read once at startup and served from memory."""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable
from importlib.resources import files

from starlette.requests import Request
from starlette.responses import Response

PAGE = {
    "/": ("service/page/index.html", "text/html; charset=utf-8"),
    "/page.css": ("service/page/page.css", "text/css; charset=utf-8"),
    "/page.js": ("service/page/page.js", "text/javascript; charset=utf-8"),
    "/entities.css": ("rendering/entities.css", "text/css; charset=utf-8"),
}
"""Paths and their files in the package; the style of entities is shared with other outputs."""
POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "connect-src 'self'",
        "img-src 'self' data: blob:",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)


def page() -> dict[str, Callable[[Request], Awaitable[Response]]]:
    """The endpoints by path."""
    package = files("innermost")
    return {
        path: _asset((package / name).read_bytes(), kind) for path, (name, kind) in PAGE.items()
    }


def _asset(content: bytes, kind: str) -> Callable[[Request], Awaitable[Response]]:
    etag = f'"{hashlib.sha256(content).hexdigest()[:32]}"'
    headers = {
        "ETag": etag,
        "Cache-Control": "no-cache",
        "Content-Security-Policy": POLICY,
        "Referrer-Policy": "no-referrer",
        "Cross-Origin-Opener-Policy": "same-origin",
    }

    async def asset(request: Request) -> Response:
        if etag in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers=headers)
        return Response(content, media_type=kind, headers=headers)

    return asset
