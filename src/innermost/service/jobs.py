"""Messages between the server and its workers: msgpack in frames over pipes."""

from __future__ import annotations

import struct
from typing import BinaryIO

import msgspec

from innermost.service.schemas import ServedModel

HEADER = struct.Struct("<Q")
"""Before each message: its length in bytes."""


class Job(msgspec.Struct, array_like=True):
    """One text, or the tokens of one sentence, and the options of the extraction."""

    model: str
    text: str | None
    tokens: list[str] | None
    types: list[str] | None
    min_score: float | dict[str, float]
    max_depth: int | None
    offsets: str


class Answer(msgspec.Struct, array_like=True):
    """The document of one job."""

    document: bytes
    """JSON; empty if the job failed."""
    tokens: int
    problem: str | None = None
    """The kind of exception that the job raised."""


class Answers(msgspec.Struct, array_like=True):
    """The documents of a batch, in the same order."""

    answers: list[Answer]
    sentences: int
    tokens: int
    stages: dict[str, float]
    """Seconds spent in each stage."""


class Ready(msgspec.Struct, tag=True):
    """The first message of a worker whose models are loaded and warm."""

    models: list[ServedModel]
    notes: list[str] = []
    """Warnings while they were loaded."""


class Failed(msgspec.Struct, tag=True):
    """The first message of a worker that cannot load its models."""

    error: str


Greeting = Ready | Failed


def frame(message: object) -> bytes:
    body = msgspec.msgpack.encode(message)
    return HEADER.pack(len(body)) + body


def read_frame(stream: BinaryIO) -> bytes | None:
    """The body of the next message; None when the other side is gone."""
    header = stream.read(HEADER.size)
    if len(header) < HEADER.size:
        return None
    (length,) = HEADER.unpack(header)
    body = stream.read(length)
    return body if len(body) == length else None
