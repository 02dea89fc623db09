"""The routes of the service that the page uses, with answers chosen by a test."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from typing import Any

from innermost.service.web.assets import PAGE, POLICY

Answer = tuple[int, Any]
"""A status and a body."""
_STARTING: Answer = (503, {"error": "the models are being loaded"})


class StubService:
    """``extract`` takes the request and returns the answer; tests replace it."""

    def __init__(self, models: list[dict[str, Any]], extract: Callable[[Any], Answer]) -> None:
        self.models = models
        self.extract = extract
        self.key: str | None = None
        self.starting = False
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.address = f"http://127.0.0.1:{self._server.server_port}/"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        service = self

        def models() -> Answer:
            return 200, {"models": service.models}

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *arguments: object) -> None:
                pass

            def do_GET(self) -> None:
                if self.path in PAGE:
                    name, kind = PAGE[self.path]
                    self._send(200, (files("innermost") / name).read_bytes(), kind)
                elif self.path == "/v1/models":
                    self._answer(lambda: _STARTING if service.starting else models())
                else:
                    self._send(404, b"", "text/plain")

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                self._answer(lambda: service.extract(json.loads(body)))

            def _answer(self, make: Callable[[], Answer]) -> None:
                status, body = make()
                authorization = self.headers["Authorization"]
                if service.key and authorization != f"Bearer {service.key}":
                    error = "the key is not valid" if authorization else "it needs an API key"
                    status, body = 401, {"error": error}
                self._send(status, json.dumps(body).encode(), "application/json")

            def _send(self, status: int, content: bytes, kind: str) -> None:
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(content)))
                self.send_header("Content-Security-Policy", POLICY)
                self.end_headers()
                self.wfile.write(content)

        return Handler
