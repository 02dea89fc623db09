"""``/v1/extract/stream``: JSON lines in and out, in order, while the body is still arriving.

Backpressure runs from the client's reading to the client's writing: answers that are not read stop
the writer, a stopped writer fills the window of lines in flight, and a full window stops the
reader. A bad line is answered with an error and its number; the others are unaffected. If the
reader itself fails, the last answer is an error, and the response is cut off. When the service
shuts down, the last answer is an error, too, and the response is complete.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from typing import NamedTuple

import msgspec
from anyio import current_time, move_on_after
from starlette.requests import Request
from starlette.types import Send

from innermost.service.errors import ClientGone, DrainingError, InternalError, ServiceError
from innermost.service.processes.batching import Extraction
from innermost.service.schemas import ServedModel, StreamError, StreamRequest
from innermost.service.service import Service
from innermost.service.web.bodies import body_too_slow, decode, disconnect, too_large
from innermost.service.web.errors import body_of

CONTENT_TYPE = "application/x-ndjson"
_DECODER = msgspec.json.Decoder(StreamRequest)


class _Named(msgspec.Struct):
    """Any line with an id, whatever else is wrong with it."""

    id: str | int | None = None


_ID_DECODER = msgspec.json.Decoder(_Named)


class Line(NamedTuple):
    number: int
    content: bytes | ServiceError

    @property
    def size(self) -> int:
        return len(self.content) if isinstance(self.content, bytes) else 0


class Pending(NamedTuple):
    """A line whose answer is pending, or known to be an error."""

    number: int
    size: int
    id: str | int | None
    model: ServedModel | None
    answer: Extraction | ServiceError


class Window:
    """Lines in flight, in order."""

    def __init__(self, max_lines: int, max_bytes: int) -> None:
        self._max_lines, self._max_bytes = max_lines, max_bytes
        self._lines: deque[Pending] = deque()
        self._bytes = 0
        self.ended = False
        """Whether its last line is known."""
        self._changed = asyncio.Event()

    async def wait_for_room(self) -> None:
        """Wait for room; a line larger than the window has it to itself."""
        while len(self._lines) >= self._max_lines or self._bytes >= self._max_bytes:
            await self._change()

    def put(self, pending: Pending) -> None:
        self._lines.append(pending)
        self._bytes += pending.size
        self._changed.set()

    def end(self) -> None:
        self.ended = True
        self._changed.set()

    async def get(self) -> Pending | None:
        """The next line; None after the last."""
        while not self._lines and not self.ended:
            await self._change()
        if not self._lines:
            return None
        pending = self._lines.popleft()
        self._bytes -= pending.size
        self._changed.set()
        return pending

    def clear(self) -> list[Pending]:
        lines = list(self._lines)
        self._lines.clear()
        self._bytes = 0
        return lines

    async def _change(self) -> None:
        self._changed.clear()
        await self._changed.wait()


class Stream:
    """One request to the stream route."""

    def __init__(self, service: Service, request: Request, send: Send) -> None:
        self._service = service
        self._settings = service.settings
        self._request = request
        self._send = send
        self._window = Window(self._settings.stream_lines, self._settings.max_body)
        self._next_line = 1
        self._client_gone = False
        self._failure: Exception | None = None
        self._draining: DrainingError | None = None

    async def run(self) -> None:
        loop = asyncio.get_running_loop()
        reader = loop.create_task(self._read())
        closing = loop.create_task(self._end_when_closing(reader))
        try:
            await self._write()
        finally:
            reader.cancel()
            closing.cancel()
            self._abandon()

    async def _end_when_closing(self, reader: asyncio.Task[None]) -> None:
        """When the service shuts down, answer what was read, then the next line with an error."""
        await self._service.closing.wait()
        if not self._window.ended:
            self._draining = DrainingError()
            self._end_with(self._draining)
            reader.cancel()

    def _end_with(self, error: ServiceError) -> None:
        self._window.put(Pending(self._next_line, 0, None, None, error))
        self._window.end()

    async def _read(self) -> None:
        """Put lines into the window, then wait for the client to disconnect."""
        try:
            async for line in lines(self._request, self._settings.max_body, self._settings.timeout):
                self._next_line = line.number
                await self._service.queue.wait_for_room(self._settings.max_queue_tokens)
                await self._window.wait_for_room()
                self._window.put(self._submit(line))
                self._next_line += 1
            self._window.end()
            await disconnect(self._request)
        except ClientGone:
            pass
        except Exception as error:  # the writer answers what was read, and raises it
            self._failure = error
            self._end_with(InternalError())
            return
        finally:
            self._window.end()
        self._client_gone = True
        self._abandon()

    def _submit(self, line: Line) -> Pending:
        id: str | int | None = None
        try:
            if isinstance(line.content, ServiceError):
                raise line.content
            try:
                request = decode(line.content, _DECODER, part="line")
            except ServiceError:
                id = _id_of(line.content)
                raise
            id = request.id
            model, job = self._service.line_job(request)
        except ServiceError as error:
            return Pending(line.number, line.size, id, None, error)
        extraction = self._service.queue.put([job])
        return Pending(line.number, line.size, id, model, extraction)

    async def _write(self) -> None:
        await asyncio.sleep(0)  # let the reader start: a client may wait for `100 Continue`
        headers = [(b"content-type", CONTENT_TYPE.encode())]
        await self._send({"type": "http.response.start", "status": 200, "headers": headers})
        while (pending := await self._window.get()) is not None:
            body = await self._answer(pending) + b"\n"
            await self._send({"type": "http.response.body", "body": body, "more_body": True})
        if self._failure is not None:
            raise self._failure
        if self._client_gone:
            raise ClientGone
        await self._send({"type": "http.response.body", "body": b""})
        if self._draining is not None:
            raise self._draining  # for the log: the response is complete

    async def _answer(self, pending: Pending) -> bytes:
        try:
            document = await self._document(pending.answer)
        except ServiceError as error:
            body = msgspec.structs.asdict(body_of(error))
            return msgspec.json.encode(StreamError(line=pending.number, id=pending.id, **body))
        model = pending.model
        return msgspec.json.encode(
            {
                "line": pending.number,
                "id": pending.id,
                "model": model and model.name,
                "version": model and model.version,
                "document": msgspec.Raw(document),
            }
        )

    async def _document(self, answer: Extraction | ServiceError) -> bytes:
        if isinstance(answer, ServiceError):
            raise answer
        await asyncio.wait([answer.future], timeout=self._settings.timeout)
        self._service.time_out(answer)  # does nothing if it is done
        return answer.future.result()[0]

    def _abandon(self) -> None:
        """Drop what is still in the window: nobody will receive it."""
        for pending in self._window.clear():
            if isinstance(pending.answer, Extraction):
                self._service.queue.abandon(pending.answer, ClientGone())
                pending.answer.future.exception()  # retrieved: nobody else will


async def lines(request: Request, limit: int, timeout: float) -> AsyncIterator[Line]:
    """The lines of a body, numbered from 1, without the blank ones.

    At most ``limit`` bytes of a line are kept. If no line arrives for ``timeout`` seconds, the last
    one is an error that says so; time in which the body is not read does not count.
    """
    left = timeout
    rest = b""
    number = 0
    too_long = False
    more = True
    while more:
        began = current_time()
        with move_on_after(left) as waiting:
            message = await request.receive()
        left -= current_time() - began
        if waiting.cancelled_caught:
            yield Line(number + 1, body_too_slow())
            return
        if message["type"] == "http.disconnect":
            raise ClientGone
        more = message.get("more_body", False)
        *complete, rest = (rest + message.get("body", b"")).split(b"\n")
        if not more and (rest or too_long):
            complete.append(rest)
        if complete:
            left = timeout
        for content in complete:
            number += 1
            if too_long or len(content) > limit:
                yield Line(number, too_large(limit, part="line"))
            elif content.strip():
                yield Line(number, content)
            too_long = False
        if len(rest) > limit:
            rest, too_long = b"", True


def _id_of(line: bytes) -> str | int | None:
    try:
        return _ID_DECODER.decode(line).id
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
