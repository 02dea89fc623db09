"""The load generator, against a server with arbitrary answers."""

from __future__ import annotations

import asyncio
import json

from benchmarks.service.client import arrive, prepared, saturate
from benchmarks.service.sentences import LENGTH, sentences


class Counting(asyncio.Protocol):
    """Answers with the number of the request, every third time with 429, in two pieces."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        number = json.loads(data.partition(b"\r\n\r\n")[2])["number"]
        body = b"%d" % number
        status = 429 if number % 3 == 0 else 200
        head = f"HTTP/1.1 {status} x\r\ncontent-length: {len(body)}\r\n\r\n".encode()
        self._transport.write(head)  # type: ignore[attr-defined]
        asyncio.get_running_loop().call_soon(self._transport.write, body)  # type: ignore[attr-defined]


def test_every_answer_is_counted_for_its_own_request() -> None:
    async def run() -> None:
        server = await asyncio.get_running_loop().create_server(Counting, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        requests = prepared("/", [{"number": number} for number in range(7)])
        saturated, _ = await saturate(port, requests, clients=3, seconds=0.2)
        arrived = await arrive(port, requests, clients=3, rate=200, seconds=0.2)
        server.close()
        for exchanges in (saturated, arrived):
            assert len(exchanges) > 5
            for exchange in exchanges:
                assert exchange.body == b"%d" % exchange.request
                assert exchange.status == (429 if exchange.request % 3 == 0 else 200)
                assert exchange.seconds > 0

    asyncio.run(run())


def test_sentences_have_thirty_tokens() -> None:
    texts = sentences(200, None)
    assert len(set(texts)) == 200
    assert {len(text.split()) for text in texts} == {LENGTH}
