"""What ends requests early: a defect, a shutdown. The application runs without a server."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from starlette.requests import Request

from innermost.service.application import application
from innermost.service.errors import ServiceError
from innermost.service.jobs import Job
from innermost.service.schemas import ServedModel, StreamRequest
from innermost.service.service import Service
from innermost.service.settings import ModelSource, Settings
from innermost.service.web.streaming import lines

MODEL = ServedModel(name="m", version="1", types=["X"], tokenizer="unicode", default=True)
SCOPE = {
    "type": "http",
    "method": "POST",
    "path": "/v1/extract/stream",
    "headers": [(b"content-type", b"application/x-ndjson"), (b"x-request-id", b"mine")],
}
HANGING = 10.0
"""Seconds after which the request would never end."""


async def exchange(service: Service, body: bytes) -> list[dict[str, Any]]:
    """What is sent to a client that sends a body, then waits for the end of the response."""
    arriving = [{"type": "http.request", "body": body, "more_body": True}]
    sent: list[dict[str, Any]] = []

    async def receive() -> Any:
        return arriving.pop() if arriving else await asyncio.Event().wait()

    async def send(message: Any) -> None:
        sent.append(message)

    await asyncio.wait_for(application(service)(dict(SCOPE), receive, send), HANGING)
    return sent


async def answer(service: Service) -> None:
    """A worker whose documents are empty objects."""
    while True:
        for ticket in await service.queue.batch():
            ticket.extraction.answer(ticket.index, b"{}", 1)


def test_the_client_gets_an_error_and_the_log_a_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    line_job = Service.line_job

    def fail(self: Service, line: StreamRequest) -> tuple[ServedModel, Job]:
        if line.text == "bad":
            raise RuntimeError("a message that quotes the text")
        return line_job(self, line)

    monkeypatch.setattr(Service, "line_job", fail)

    async def run() -> tuple[Service, list[dict[str, Any]]]:
        service = Service(Settings(models=(ModelSource("m", "nowhere"),)))
        service.pool.models = {"m": MODEL}
        worker = asyncio.ensure_future(answer(service))
        sent = await exchange(service, b'{"text": "good"}\n{"text": "bad"}\n{"text": "next"}\n')
        worker.cancel()
        return service, sent

    service, sent = asyncio.run(run())
    assert service.in_flight == 0
    assert sent[0]["status"] == 200
    first, last = (json.loads(message["body"]) for message in sent[1:])
    assert (first["line"], first["document"]) == (1, {})
    assert (last["line"], last["error_type"]) == (2, "internal")
    assert all(message["more_body"] for message in sent[1:])  # never completed: it is cut off
    route = "/v1/extract/stream"
    assert service.metrics.requests.value(route=route, outcome="internal") == 1
    events = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    (failure,) = [event for event in events if event["event"] == "request failed"]
    assert (failure["request_id"], failure["exception"]) == ("mine", "RuntimeError")
    assert any(place.endswith(" fail") for place in failure["trace"])


def test_a_request_that_outlasts_the_shutdown(capsys: pytest.CaptureFixture[str]) -> None:
    """uvicorn cancels it."""
    sent: list[dict[str, Any]] = []

    async def receive() -> Any:
        return await asyncio.Event().wait()

    async def send(message: Any) -> None:
        sent.append(message)

    async def run() -> None:
        service = Service(Settings(models=(ModelSource("m", "nowhere"),)))
        service.pool.models = {"m": MODEL}
        scope = {**SCOPE, "path": "/v1/extract"}
        request = asyncio.ensure_future(application(service)(scope, receive, send))
        await asyncio.sleep(0.01)
        request.cancel()
        await request

    asyncio.run(run())
    assert sent[0]["status"] == 503
    assert json.loads(sent[1]["body"])["error_type"] == "draining"
    (event,) = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    assert (event["status"], event["outcome"]) == (503, "draining")


def test_bytes_that_end_no_line_do_not_keep_a_stream_open() -> None:
    async def trickle() -> Any:
        await asyncio.sleep(0.02)
        return {"type": "http.request", "body": b"x", "more_body": True}

    async def read() -> list[Any]:
        request = Request({"type": "http", "headers": []}, trickle)
        return [line.content async for line in lines(request, 1000, 0.2)]

    (error,) = asyncio.run(asyncio.wait_for(read(), HANGING))
    assert isinstance(error, ServiceError)
