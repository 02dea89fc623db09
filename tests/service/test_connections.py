"""Clients that are slow, silent or do not speak HTTP. The server runs in this process."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import pytest

from helpers.running_server import LONG
from innermost.model_folder.installed import installed
from innermost.service.server import Server
from innermost.service.settings import ModelSource, Settings
from innermost.service.web.connections import MAX_HEAD
from innermost.service.web.openapi import openapi

HEAD = b"POST /v1/extract HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    settings = Settings(
        models=(ModelSource("genia", str(installed()["genia"])),),
        head_timeout=0.5,
        timeout=0.5,
        keep_alive=0.3,
        access_log=False,
        max_body=1000,
    )
    listener = socket.create_server(("127.0.0.1", 0))
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 2048)
    server = Server(settings)
    thread = threading.Thread(target=server.run, args=([listener],))
    thread.start()
    wait_for(lambda: server.service.ready)
    yield server
    server.should_exit = True
    thread.join(LONG)


@pytest.fixture(scope="module")
def port(server: Server) -> int:
    port: int = server.servers[0].sockets[0].getsockname()[1]
    return port


def wait_for(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + LONG
    while not condition() and time.monotonic() < end:
        time.sleep(0.02)


def talk(port: int, *pieces: bytes) -> tuple[int, Any]:
    """Send, then read until the server closes or the answer is complete."""
    with socket.create_connection(("127.0.0.1", port), timeout=LONG) as connection:
        for piece in pieces:
            connection.sendall(piece)
        received = b""
        while not received.endswith(b"}"):
            data = connection.recv(65536)
            if not data:
                break
            received += data
    head, _, body = received.partition(b"\r\n\r\n")
    return int(head.split()[1]), json.loads(body)


def test_silence(port: int) -> None:
    status, error = talk(port)
    assert (status, error["error_type"]) == (408, "timeout")


def test_a_head_that_never_ends(port: int) -> None:
    status, _ = talk(port, b"GET /livez HTTP/1.1\r\nHost: x\r\nX-Slow: ")
    assert status == 408


def test_a_body_that_never_ends(port: int) -> None:
    status, error = talk(port, HEAD + b'Content-Length: 100\r\n\r\n{"text"')
    assert (status, error["error_type"]) == (408, "timeout")


def test_a_head_that_is_too_large(port: int) -> None:
    status, error = talk(port, b"GET /livez HTTP/1.1\r\nX-Long: " + b"x" * 70_000)
    assert (status, error["error_type"]) == (431, "head_too_large")


def test_http_1_0(port: int) -> None:
    assert talk(port, b"GET /livez HTTP/1.0\r\n\r\n") == (200, {"status": "alive"})


@pytest.mark.parametrize(("size", "expected"), [(MAX_HEAD, 200), (MAX_HEAD + 1, 431)])
@pytest.mark.parametrize("pieces", [1, 3])
def test_the_exact_limit_of_the_head(port: int, size: int, expected: int, pieces: int) -> None:
    head, end = b"GET /livez HTTP/1.1\r\nHost: x\r\nX-Long: ", b"\r\n\r\n"
    request = head + b"x" * (size - len(head) - len(end)) + end
    step = len(request) // pieces + 1
    status, _ = talk(port, *(request[i : i + step] for i in range(0, size, step)))
    assert status == expected


def test_each_of_several_requests_sent_at_once_has_its_own_limit(port: int) -> None:
    request = HEAD + b"X: %s\r\nContent-Length: 21\r\n\r\n" % (b"x" * 30_000)
    request += b'{"text": "IL-2 gene"}'
    with socket.create_connection(("127.0.0.1", port), timeout=LONG) as connection:
        connection.sendall(request * 5)
        received = b""
        while received.count(b'"documents"') < 5:
            received += connection.recv(65536)
    assert received.count(b"HTTP/1.1 200") == 5


@pytest.mark.parametrize(
    "request_",
    [b"\x16\x03\x01 TLS?\r\n\r\n", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n",
     HEAD + b"Content-Length: -1\r\n\r\n", HEAD + b"Content-Length: ten\r\n\r\n",
     HEAD + b"Transfer-Encoding: chunked\r\n\r\nxyz\r\n"],
)  # fmt: skip
def test_what_is_not_http(port: int, request_: bytes) -> None:
    status, error = talk(port, request_)
    assert status in (400, 408)
    assert error["error_type"] in ("bad_request", "timeout")


def test_an_answer_before_the_end_of_the_body(port: int) -> None:
    """The rest is discarded for a while, then the connection is closed."""
    with socket.create_connection(("127.0.0.1", port), timeout=LONG) as connection:
        connection.sendall(HEAD + b"Content-Length: 1000000\r\n\r\n" + b"x" * 10_000)
        assert connection.recv(65536).startswith(b"HTTP/1.1 413")
        while connection.recv(65536):
            pass


@pytest.mark.parametrize("requests", [1, 20])
def test_a_client_that_does_not_read_its_answers(server: Server, port: int, requests: int) -> None:
    """It is disconnected, so that they do not stay in memory."""
    answered = server.service.metrics.requests
    before = answered.value(route="/openapi.json", outcome="ok")
    request = b"GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n"
    with socket.socket() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        connection.connect(("127.0.0.1", port))
        connection.sendall(request * requests)
        wait_for(lambda: answered.value(route="/openapi.json", outcome="ok") > before)
        wait_for(lambda: not server.server_state.connections)
        connection.settimeout(LONG)
        received = 0
        with suppress(ConnectionResetError):
            while data := connection.recv(1 << 20):
                received += len(data)
        assert received < len(openapi())


def test_everyone_else_is_unharmed(port: int) -> None:
    body = b'{"text": "IL-2 gene"}'
    status, answer = talk(port, HEAD + b"Content-Length: %d\r\n\r\n" % len(body), body)
    assert status == 200
    assert answer["documents"][0]["characters"] == 9
