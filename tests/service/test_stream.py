"""``POST /v1/extract/stream``: order, errors on their lines, backpressure."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

import innermost
from helpers.running_server import LONG, RunningServer
from helpers.streaming import HEAD, ChunkedReader, chunk


def stream(server: RunningServer, body: bytes) -> list[Any]:
    reply = server.post("/v1/extract/stream", body)
    assert (reply.status, reply.headers["content-type"]) == (200, "application/x-ndjson")
    return [json.loads(line) for line in reply.body.splitlines()]


def test_lines_in_order_with_errors_on_theirs(server: RunningServer) -> None:
    lines = [
        b'{"text": "The IL-2 gene is active.", "id": "a"}',
        b"not json",
        b"",
        b'{"tokens": ["IL-2", "gene"], "id": 7}',
        b'{"text": "x", "model": "none", "id": 8}',
        b'{"text": "' + b"x" * 400_000 + b'"}',
        b'{"text": "\xff"}',
        b'{"text": "The mayor of Ghent spoke.", "model": "litbank"}',
    ]
    answers = stream(server, b"\n".join(lines))
    assert [answer["line"] for answer in answers] == [1, 2, 4, 5, 6, 7, 8]
    assert [answer.get("error_type") for answer in answers] == [
        None, "invalid_request", None, "model_not_found", "too_large", "invalid_request", None,
    ]  # fmt: skip
    assert answers[4]["error"].startswith("the line has more than 300,000 bytes")
    assert [answer["id"] for answer in answers] == ["a", None, 7, 8, None, None, None]
    assert answers[-1]["model"] == "litbank"
    expected = innermost.load("genia")("The IL-2 gene is active.").to_dict()["entities"]
    got = answers[0]["document"]["entities"]
    assert [(e["start"], e["end"], e["score"]) for e in got] == [
        (e["start"], e["end"], e["score"]) for e in expected
    ]


def test_errors_speak_of_the_line(server: RunningServer) -> None:
    answers = stream(server, b'not json\n{"tokens": [["IL-2", "gene"]]}\n')
    assert answers[0]["error"].startswith("the line is not JSON: ")
    assert "got `array`; in a stream, `tokens` is one sentence" in answers[1]["error"]


def test_many_lines_keep_their_order(server: RunningServer) -> None:
    body = b"".join(b'{"id": %d, "text": "IL-%d gene"}\n' % (n, n) for n in range(300))
    answers = stream(server, body)
    assert [answer["id"] for answer in answers] == list(range(300))
    assert [answer["document"]["characters"] for answer in answers] == [
        len(f"IL-{n} gene") for n in range(300)
    ]


def test_an_empty_body(server: RunningServer) -> None:
    assert stream(server, b"") == []
    assert stream(server, b"\n\n") == []


def test_answers_come_while_the_body_is_still_being_sent(server: RunningServer) -> None:
    with server.socket() as connection:
        connection.sendall(HEAD + chunk(b'{"text": "IL-2 gene"}\n'))
        reader = ChunkedReader(connection)
        assert reader.line()["line"] == 1
        connection.sendall(chunk(b'{"text": "IL-3 '))
        connection.sendall(chunk(b'gene"}\n'))
        assert reader.line()["line"] == 2
        connection.sendall(b"0\r\n\r\n")
        assert reader.line() is None


def test_a_client_that_does_not_read_is_not_read_from(server: RunningServer) -> None:
    """The server stops reading long before 60 MB; then everything arrives, in order."""
    piece = chunk(b'{"id": "%s", "text": ""}\n' % (b"i" * 4000))
    with server.socket() as connection:
        connection.setblocking(False)
        pending, sent, stalled = HEAD, 0, 0
        while stalled < 50 and sent < 15_000:
            try:
                pending = pending[connection.send(pending) :]
                stalled = 0
                if not pending:
                    pending, sent = piece, sent + 1
            except BlockingIOError:
                stalled += 1
                time.sleep(0.02)
        assert stalled, "60 MB were taken while no answer was read"
        connection.settimeout(LONG)
        reader = ChunkedReader(connection)
        numbers = [reader.line()["line"] for _ in range(sent - 1)]
        assert numbers == list(range(1, sent))


def test_a_client_that_leaves_is_forgotten(server: RunningServer) -> None:
    with server.socket() as connection:
        connection.sendall(HEAD + chunk(b'{"text": "IL-2 gene"}\n' * 50))
    server.wait_for_metric("innermost_queue_tokens 0")


def test_a_line_that_is_wrong_keeps_its_id(server: RunningServer) -> None:
    lines = [
        b'{"id": 2, "text": "Bob", "foo": 1}',
        b'{"id": 5, "text": 7}',
        b'{"id": "six", "text": "a", "min_score": 9}',
        b'{"id": [7], "text": "a"}',
    ]
    answers = stream(server, b"\n".join(lines))
    assert [answer["id"] for answer in answers] == [2, 5, "six", None]
    assert {answer["error_type"] for answer in answers} == {"invalid_request"}


@pytest.mark.parametrize("text", [rb"bad \ud83d x", rb"\ude00", rb"\ud83d\ud83d"])
def test_half_of_a_character_is_named(server: RunningServer, text: bytes) -> None:
    (answer,) = stream(server, b'{"text": "' + text + b'"}')
    assert "lone surrogate" in answer["error"]
