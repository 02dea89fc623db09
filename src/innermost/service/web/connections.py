"""Connections that do not wait forever for slow or silent clients.

uvicorn bounds neither the time nor the size of a request's head, and keeps the rest of a response
for a client that does not read it.
"""

from __future__ import annotations

import asyncio
from http import HTTPStatus
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from innermost.service.service import Service
from innermost.service.web.access import OTHER, new_id, record
from innermost.service.web.errors import HttpError, content_of

MAX_HEAD = 1 << 16
"""Maximum bytes of the request line and headers."""
_GRACE = 0.5
"""Seconds for a request that was in transit when the port was closed."""


def connection_class(service: Service) -> type[HttpToolsProtocol]:
    settings = service.settings
    timeouts = {"head_timeout": settings.head_timeout, "read_timeout": settings.timeout}
    return type("Connection", (_Connection,), {"service": service, **timeouts})


class _LingeringTransport:
    """The transport of a response, closed only once the request is complete too."""

    def __init__(self, connection: _Connection, transport: asyncio.Transport) -> None:
        self.write = transport.write
        self.is_closing = transport.is_closing
        self.close = connection.close_when_received


class _Connection(HttpToolsProtocol):
    service: Service
    head_timeout: float
    """Seconds for a request's head to arrive."""
    read_timeout: float
    """Seconds within which the client must read part of a response."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._head_bytes = 0
        self._in_head = True
        self._head_began = 0.0
        self._head_timer: asyncio.TimerHandle | None = None
        self._close_wanted = False
        self._unread = 0
        self._unread_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._lingering: Any = _LingeringTransport(self, transport)
        self._start_head_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_head_timer()
        self._stop_unread_timer()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        while data and not self.transport.is_closing():
            piece = data
            if self._in_head:
                piece = data[: MAX_HEAD - self._head_bytes]
                self._head_bytes += len(piece)
                if self._head_timer is None:
                    self._start_head_timer()
            super().data_received(piece)
            data = data[len(piece) :]
            if self._in_head and self._head_bytes >= MAX_HEAD and not self.transport.is_closing():
                message = f"the headers have more than {MAX_HEAD:,} bytes"
                self._refuse(431, "head_too_large", message)

    def on_headers_complete(self) -> None:
        self._in_head = False
        self._stop_head_timer()
        super().on_headers_complete()
        if self.cycle is not None:
            self.cycle.transport = self._lingering

    def on_message_complete(self) -> None:
        self._in_head = True
        self._head_bytes = 0
        super().on_message_complete()
        if self._close_wanted:
            self.transport.close()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if not self._in_head:  # answered early: the rest of the body is read and discarded
            seconds = min(self.head_timeout, self.read_timeout)
            self.loop.call_later(seconds, self._stop_discarding, self.cycle)

    def send_400_response(self, msg: str) -> None:
        self._refuse(400, "bad_request", "this is not a valid HTTP request")

    def shutdown(self) -> None:
        """The port is closed. Requests in transit on this connection are still answered."""
        if self.cycle is None or self.cycle.response_complete:
            self.loop.call_later(_GRACE, super().shutdown)
        else:
            super().shutdown()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._start_unread_timer()

    def resume_writing(self) -> None:
        self._stop_unread_timer()
        super().resume_writing()

    def timeout_keep_alive_handler(self) -> None:
        """Idle for too long: close, unless there is still something to read."""
        if not self.transport.get_write_buffer_size():
            super().timeout_keep_alive_handler()
        elif self._unread_timer is None:
            self._start_unread_timer()

    def _start_unread_timer(self) -> None:
        self._unread = self.transport.get_write_buffer_size()
        self._unread_timer = self.loop.call_later(self.read_timeout, self._check_reading)

    def _stop_unread_timer(self) -> None:
        if self._unread_timer is not None:
            self._unread_timer.cancel()
            self._unread_timer = None

    def _check_reading(self) -> None:
        """Disconnect a client that has stopped reading, and drop its unread data."""
        unread = self.transport.get_write_buffer_size()
        self._unread_timer = None
        if unread and unread == self._unread:
            self.transport.abort()
        elif unread:
            self._start_unread_timer()
        elif self.cycle is None or self.cycle.response_complete:
            self.transport.close()

    def _start_head_timer(self) -> None:
        self._head_began = self.loop.time()
        self._head_timer = self.loop.call_later(self.head_timeout, self._head_timed_out)

    def _stop_head_timer(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _head_timed_out(self) -> None:
        self._head_timer = None
        if self._in_head and not self.transport.is_closing():
            self._refuse(408, "timeout", "the request did not arrive in time")

    def close_when_received(self) -> None:
        """Closing while a body is still arriving is a reset: the client may lose its response."""
        if self._in_head:
            self.transport.close()
        self._close_wanted = True

    def _stop_discarding(self, cycle: object) -> None:
        if self.cycle is cycle and not self._in_head:
            self.transport.close()

    def _refuse(self, status: int, error_type: str, message: str) -> None:
        """Respond and close; only close if an earlier request is still waiting for its response."""
        cycle = self.cycle
        due = cycle is not None and not cycle.response_complete
        if due and (self._in_head or cycle.response_started):
            self.transport.close()
            return
        request_id = new_id()
        content = content_of(HttpError(status, error_type, message))
        head = (
            f"HTTP/1.1 {status} {HTTPStatus(status).phrase}\r\n"
            "content-type: application/json\r\n"
            f"x-request-id: {request_id.decode()}\r\n"
            f"content-length: {len(content)}\r\n"
            "connection: close\r\n\r\n"
        )
        self.transport.write(head.encode() + content)
        self.transport.close()
        record(
            self.service,
            request_id=request_id,
            method=None,
            route=OTHER,
            status=status,
            outcome=error_type,
            seconds=self.loop.time() - self._head_began,
        )
