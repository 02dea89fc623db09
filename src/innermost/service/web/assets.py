"""The page: its files, read once at startup and served from memory."""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable
from importlib.resources import files

from starlette.requests import Request
from starlette.responses import Response

_HTML, _CSS, _SCRIPT = (f"text/{kind}; charset=utf-8" for kind in ("html", "css", "javascript"))
_SCRIPTS = (
    "dom.js",
    "export.js",
    "input.js",
    "labels.js",
    "link.js",
    "list_views.js",
    "messages.js",
    "nesting.js",
    "page.js",
    "panel.js",
    "records.js",
    "selection.js",
    "service.js",
    "state.js",
    "svg.js",
    "text_view.js",
)
"""The modules of the page: ``page.js`` and all that it imports, directly or indirectly."""
PAGE = {
    "/": ("service/page/index.html", _HTML),
    "/page.css": ("service/page/page.css", _CSS),
    "/entities.css": ("rendering/entities.css", _CSS),
    **{f"/{script}": (f"service/page/{script}", _SCRIPT) for script in _SCRIPTS},
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
