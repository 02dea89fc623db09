"""A load generator that costs little itself: prepared requests over plain sockets."""

from __future__ import annotations

import asyncio
import random
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import msgspec


@dataclass(frozen=True, slots=True)
class Exchange:
    request: int
    """Index among the prepared requests."""
    status: int
    seconds: float
    """Counted from the moment when it was due to be sent."""
    body: bytes


def prepared(path: str, bodies: Sequence[object]) -> list[bytes]:
    """Requests as bytes."""
    requests = []
    for body in bodies:
        content = msgspec.json.encode(body)
        head = (
            f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(content)}\r\n\r\n"
        )
        requests.append(head.encode() + content)
    return requests


class Connection(asyncio.Protocol):
    """One keep-alive connection with at most one request in flight."""

    def __init__(self, finished: Callable[[Connection, Exchange], None]) -> None:
        self._finished = finished
        self._buffer = b""
        self._request = -1
        self._due = 0.0
        self.lost: Exception | str | None = None
        self.idle = True

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport

    def send(self, number: int, request: bytes, due: float) -> None:
        self.idle = False
        self._request, self._due = number, due
        self._transport.write(request)  # type: ignore[attr-defined]

    def data_received(self, data: bytes) -> None:
        self._buffer = self._buffer + data if self._buffer else data
        head = self._buffer.find(b"\r\n\r\n")
        if head < 0:
            return
        at = self._buffer.find(b"content-length: ", 0, head) + len(b"content-length: ")
        length = int(self._buffer[at : self._buffer.find(b"\r\n", at)])
        if len(self._buffer) < head + 4 + length:
            return
        now = time.perf_counter()
        status, body = int(self._buffer[9:12]), self._buffer[head + 4 :]
        self._buffer = b""
        self.idle = True
        self._finished(self, Exchange(self._request, status, now - self._due, body))

    def connection_lost(self, error: Exception | None) -> None:
        self.lost = error or "closed"

    def close(self) -> None:
        self._transport.close()


async def saturate(
    port: int,
    requests: Sequence[bytes],
    *,
    clients: int,
    seconds: float,
    pause_after_error: float = 0.0,
    ramp: float = 0.0,
) -> tuple[list[Exchange], float]:
    """Each client sends its next request when it has its response.

    They start ``ramp`` seconds after one another. One that is refused waits ``pause_after_error``
    seconds.
    """
    loop = asyncio.get_running_loop()
    exchanges: list[Exchange] = []
    counter = iter(range(10**9))
    end = time.perf_counter() + seconds

    def next_request(connection: Connection) -> None:
        number = next(counter) % len(requests)
        connection.send(number, requests[number], time.perf_counter())

    def finished(connection: Connection, exchange: Exchange) -> None:
        exchanges.append(exchange)
        if time.perf_counter() >= end:
            return
        if exchange.status != 200 and pause_after_error:
            loop.call_later(pause_after_error, next_request, connection)
        else:
            next_request(connection)

    connections = await _connect(port, clients, finished)
    began = time.perf_counter()
    for connection in connections:
        next_request(connection)
        await asyncio.sleep(ramp)
    await _until_idle(connections, end)
    took = max(time.perf_counter() - began, seconds)
    for connection in connections:
        connection.close()
    return exchanges, took


async def arrive(
    port: int, requests: Sequence[bytes], *, clients: int, rate: float, seconds: float
) -> list[Exchange]:
    """Requests arrive at random moments, ``rate`` per second, whether or not earlier ones are done.

    An arrival that finds no idle connection waits for one, and its time counts from its arrival.
    """
    loop = asyncio.get_running_loop()
    exchanges: list[Exchange] = []
    waiting: list[tuple[int, float]] = []
    chance = random.Random(1)

    def finished(connection: Connection, exchange: Exchange) -> None:
        exchanges.append(exchange)
        if waiting:
            number, due = waiting.pop(0)
            connection.send(number, requests[number], due)
        else:
            idle.append(connection)

    connections = await _connect(port, clients, finished)
    idle = deque(connections)
    began = loop.time()
    due, end, number = began, began + seconds, 0
    offset = time.perf_counter() - began
    while due < end:
        due += chance.expovariate(rate)
        if (pause := due - loop.time()) > 0:
            await asyncio.sleep(pause)
        index = number % len(requests)
        if idle:
            # In turn: the service closes connections that are idle for long.
            idle.popleft().send(index, requests[index], due + offset)
        else:
            waiting.append((index, due + offset))
        number += 1
    await _until_idle(connections, time.perf_counter())
    for connection in connections:
        connection.close()
    return exchanges


async def _connect(
    port: int, clients: int, finished: Callable[[Connection, Exchange], None]
) -> list[Connection]:
    loop = asyncio.get_running_loop()
    pairs = [
        await loop.create_connection(lambda: Connection(finished), "127.0.0.1", port)
        for _ in range(clients)
    ]
    return [connection for _, connection in pairs]


async def _until_idle(connections: Sequence[Connection], end: float) -> None:
    """Wait until the time is up and every response has arrived."""
    await asyncio.sleep(max(end - time.perf_counter(), 0))
    limit = time.perf_counter() + 60
    while not all(connection.idle for connection in connections):
        if lost := next((c.lost for c in connections if c.lost and not c.idle), None):
            raise RuntimeError(f"a connection was lost with a request under way: {lost}")
        if time.perf_counter() > limit:
            raise RuntimeError("some requests were never answered")
        await asyncio.sleep(0.01)
