"""The outermost layer: request IDs, API keys, error responses, access log, metrics."""

from __future__ import annotations

import asyncio
import base64
import binascii
import hmac
import re
import time

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from innermost.service import logs
from innermost.service.errors import ClientGone, DrainingError, InternalError, ServiceError
from innermost.service.service import Service
from innermost.service.web.access import OTHER, PROBES, new_id, record
from innermost.service.web.assets import PAGE
from innermost.service.web.errors import HttpError, content_of, headers_of, status_of

_REQUEST_ID = re.compile(rb"[A-Za-z0-9._:-]{1,128}")
_OPEN = frozenset((*PAGE, *PROBES, "/openapi.json"))
"""Paths that need no API key: the page, the probes of orchestrators, and the API contract."""
_GONE = 499


class Boundary:
    def __init__(self, app: ASGIApp, service: Service, paths: frozenset[str]) -> None:
        self._app = app
        self._service = service
        self._paths = paths
        self._keys = [key.encode() for key in service.settings.api_keys]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        exchange = Exchange(scope, send, self._service)
        try:
            self._authorize(scope)
            await self._app(scope, receive, exchange.send)
        except ClientGone:
            exchange.status, exchange.outcome = _GONE, "client_gone"
            self._service.metrics.abandoned.add()
        except asyncio.CancelledError:  # only a shutdown that takes too long cancels requests
            await exchange.fail(DrainingError())
        except ServiceError as error:
            await exchange.fail(error)
        except Exception as error:
            logs.exception("request failed", error, request_id=exchange.id.decode())
            await exchange.fail(InternalError())
        finally:
            self._record(scope, exchange)

    def _authorize(self, scope: Scope) -> None:
        if not self._keys or scope["path"] in _OPEN:
            return
        offered = _credentials(_header(scope, b"authorization"))
        # All keys are compared, each in constant time, whether or not an earlier one matches.
        if any([hmac.compare_digest(offered, key) for key in self._keys]):  # noqa: C419
            return
        headers = {"WWW-Authenticate": 'Bearer realm="innermost"'}
        message = "the API key is not valid"
        if not offered:
            message = "this service needs an API key: send the header Authorization: Bearer KEY"
        raise HttpError(401, "unauthorized", message, headers=headers)

    def _record(self, scope: Scope, exchange: Exchange) -> None:
        path = scope["path"]
        record(
            self._service,
            request_id=exchange.id,
            method=scope["method"],
            route=path if path in self._paths else OTHER,
            status=exchange.status,
            outcome=exchange.outcome,
            seconds=time.perf_counter() - exchange.began,
            **scope.get("log", {}),
        )


class Exchange:
    """One request and its response."""

    def __init__(self, scope: Scope, send: Send, service: Service) -> None:
        self.began = time.perf_counter()
        self.status = 0
        self.outcome = "ok"
        self._send = send
        self._service = service
        offered = _header(scope, b"x-request-id")
        self.id = offered if _REQUEST_ID.fullmatch(offered) else new_id()

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            own = [(b"x-request-id", self.id), (b"x-content-type-options", b"nosniff")]
            if self._service.draining:  # the next request should go to another server
                own.append((b"connection", b"close"))
            message["headers"] = [*message["headers"], *own]
        await self._send(message)

    async def fail(self, error: ServiceError) -> None:
        """Respond with an error; a response that has started is cut off, unless it is complete."""
        self.outcome = error.error_type
        if self.status:
            return
        content = content_of(error)
        headers = [
            (b"content-type", b"application/json"),
            (b"content-length", str(len(content)).encode()),
            *((name.lower().encode(), value.encode()) for name, value in headers_of(error).items()),
        ]
        start = {"type": "http.response.start", "status": status_of(error), "headers": headers}
        await self.send(start)
        await self.send({"type": "http.response.body", "body": content})


def _header(scope: Scope, name: bytes) -> bytes:
    values = (value for key, value in scope["headers"] if key == name)
    return next(values, b"")


def _credentials(authorization: bytes) -> bytes:
    """The key of ``Bearer KEY``, or of ``Basic``, where it is the password."""
    scheme, _, value = authorization.partition(b" ")
    if scheme.lower() == b"basic":
        try:
            return base64.b64decode(value.strip(), validate=True).partition(b":")[2]
        except binascii.Error:
            return b""
    return value.strip() if scheme.lower() == b"bearer" else b""
