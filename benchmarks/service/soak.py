"""Mixed load for a long time, and the memory of the service along the way."""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.service.server import Server

CLIENTS = 8
EVERY = 10.0
"""Seconds between memory measurements."""
SETTLED = 5.0
"""Minutes after which the memory should be flat."""


async def soak(
    server: Server, texts: Sequence[str], minutes: float, curve: Path | None
) -> dict[str, Any]:
    statuses: Counter[str] = Counter()
    end = time.monotonic() + 60 * minutes
    clients = [
        asyncio.ensure_future(_client(server.port, texts, number, end, statuses))
        for number in range(CLIENTS)
    ]
    began = time.monotonic()
    samples: list[tuple[float, float]] = []
    while time.monotonic() < end:
        await asyncio.sleep(min(EVERY, 60 * minutes / 20))
        samples.append(((time.monotonic() - began) / 60, server.memory() / 1e6))
    await asyncio.gather(*clients)
    if curve is not None:
        curve.write_text(_svg(samples), encoding="utf-8")
    settled = [mb for minute, mb in samples if minute >= min(SETTLED, minutes / 2)]
    third = max(len(settled) // 3, 1)
    return {
        "minutes": minutes,
        "answers": dict(statuses),
        "memory_mb": {
            "first": round(samples[0][1], 1),
            "after_settling": round(sum(settled[:third]) / third, 1),
            "at_the_end": round(sum(settled[-third:]) / third, 1),
            "highest": round(max(mb for _, mb in samples), 1),
        },
        "worker_restarts": _restarts(server.get("/metrics")),
    }


def _restarts(metrics: str) -> int:
    name = "innermost_worker_restarts_total "
    line = next(line for line in metrics.splitlines() if line.startswith(name))
    return int(float(line.removeprefix(name)))


async def _client(
    port: int, texts: Sequence[str], number: int, end: float, statuses: Counter[str]
) -> None:
    """Sends sentences, documents, lists, streams and bad requests; sometimes disconnects early."""
    chance = random.Random(number)
    kinds = (_sentence, _many, _document, _stream, _bad, _huge, _leave)
    weights = (60, 12, 6, 8, 6, 2, 6)
    while time.monotonic() < end:
        (kind,) = chance.choices(kinds, weights)
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        try:
            outcome = await kind(reader, writer, texts, chance)
        except ConnectionError as error:
            outcome = type(error).__name__
        finally:
            writer.close()
        statuses[f"{kind.__name__[1:]} {outcome}"] += 1
        await asyncio.sleep(chance.random() / 5)


def _request(path: str, body: bytes) -> bytes:
    head = f"POST {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json"
    return f"{head}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body


async def _ask(reader: Any, writer: Any, path: str, body: bytes) -> str:
    writer.write(_request(path, body))
    await writer.drain()
    return (await reader.read())[9:12].decode()


async def _sentence(reader: Any, writer: Any, texts: Sequence[str], chance: random.Random) -> str:
    body = {"text": chance.choice(texts), "offsets": chance.choice(["codepoint", "utf16", "byte"])}
    return await _ask(reader, writer, "/v1/extract", json.dumps(body).encode())


async def _many(reader: Any, writer: Any, texts: Sequence[str], chance: random.Random) -> str:
    # New words all the time: the word cache must stay within its limit.
    new = [
        f"{text} {chance.getrandbits(40):x} {chance.getrandbits(40):x}-factor"
        for text in chance.sample(texts, 20)
    ]
    return await _ask(reader, writer, "/v1/extract", json.dumps({"texts": new}).encode())


async def _document(reader: Any, writer: Any, texts: Sequence[str], chance: random.Random) -> str:
    text = " ".join(chance.choice(texts) for _ in range(chance.randrange(20, 200)))
    return await _ask(reader, writer, "/v1/extract", json.dumps({"text": text}).encode())


async def _stream(reader: Any, writer: Any, texts: Sequence[str], chance: random.Random) -> str:
    lines = "\n".join(json.dumps({"text": chance.choice(texts)}) for _ in range(40))
    return await _ask(reader, writer, "/v1/extract/stream", f"{lines}\nbad".encode())


async def _bad(reader: Any, writer: Any, texts: Sequence[str], chance: random.Random) -> str:
    return await _ask(reader, writer, "/v1/extract", chance.randbytes(200))


async def _huge(reader: Any, writer: Any, texts: Sequence[str], chance: random.Random) -> str:
    return await _ask(reader, writer, "/v1/extract", b'{"text": "' + b"x" * 3_000_000 + b'"}')


async def _leave(reader: Any, writer: Any, texts: Sequence[str], chance: random.Random) -> str:
    writer.write(_request("/v1/extract", json.dumps({"texts": list(texts[:50])}).encode()))
    await writer.drain()
    await asyncio.sleep(chance.random() / 50)
    return "gone"


def _svg(samples: Sequence[tuple[float, float]]) -> str:
    width, height, left, bottom = 640, 240, 56, 36
    last = max(minute for minute, _ in samples)
    top = 1.15 * max(mb for _, mb in samples)

    def place(minute: float, mb: float) -> str:
        x = left + (width - left - 12) * minute / last
        y = height - bottom - (height - bottom - 12) * mb / top
        return f"{x:.1f},{y:.1f}"

    points = " ".join(place(*sample) for sample in samples)
    style = 'font-family="sans-serif" font-size="12" fill="#555"'
    step = 100 if top > 250 else 50
    grid = "".join(
        f'<text x="{left - 8}" y="{place(0, mb).split(",")[1]}" text-anchor="end" {style}>'
        f"{mb}</text>"
        f'<polyline points="{place(0, mb)} {place(last, mb)}" stroke="#ddd" fill="none"/>'
        for mb in range(0, int(top) + 1, step)
    )
    minutes = "".join(
        f'<text x="{place(minute, 0).split(",")[0]}" y="{height - 18}" text-anchor="middle" '
        f"{style}>{minute}</text>"
        for minute in range(0, int(last) + 1, max(int(last) // 6, 1))
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" '
        'aria-label="Resident memory in MB over minutes of mixed load">'
        f'<rect width="{width}" height="{height}" fill="white"/>{grid}{minutes}'
        f'<polyline points="{points}" fill="none" stroke="#0072b2" stroke-width="2"/>'
        f'<text x="{width / 2}" y="{height - 2}" text-anchor="middle" {style}>minutes</text>'
        f'<text x="12" y="14" {style}>MB</text></svg>\n'
    )
