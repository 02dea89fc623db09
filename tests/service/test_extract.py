"""``POST /v1/extract`` as clients see it."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

import innermost
from helpers.running_server import RunningServer

TEXT = "The human interleukin-2 receptor alpha chain gene promoter is bound by NF-kappa B."
ENTITY_KEYS = ("start", "end", "label", "text", "level", "score", "parent")


def entities(document: dict[str, Any]) -> list[dict[str, Any]]:
    return [{key: entity[key] for key in ENTITY_KEYS} for entity in document["entities"]]


def test_one_text(server: RunningServer) -> None:
    answer = server.extract(text=TEXT)
    (document,) = answer["documents"]
    assert answer["model"] == "genia"
    assert entities(document) == innermost.load("genia")(TEXT).to_dict()["entities"]
    assert len(entities(document)) > 2
    assert document["truncated"] is False
    assert document["dropped"] == []


def test_many_clients_get_their_own_answers(server: RunningServer) -> None:
    texts = [f"{TEXT} Sample {number} has IL-{number} in it." for number in range(40)]
    with ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(lambda text: server.extract(texts=[text, "x"]), texts))
    nlp = innermost.load("genia")
    for text, answer in zip(texts, answers, strict=True):
        first, second = answer["documents"]
        assert entities(first) == nlp(text).to_dict()["entities"]
        assert second["characters"] == 1


def test_the_other_model_and_options(server: RunningServer) -> None:
    text = "😀 The daughter of the mayor of Bristol waited."
    answer = server.extract(texts=[text], model="litbank", types=["PER"], offsets="byte")
    (document,) = answer["documents"]
    assert {entity["label"] for entity in document["entities"]} == {"PER"}
    for entity in document["entities"]:
        cut = text.encode()[entity["start"] : entity["end"]]
        assert cut.decode() == entity["text"]


def test_integers_may_be_written_as_floats(server: RunningServer) -> None:
    text = "The IL-2 gene promoter is active."
    assert server.extract(text=text, max_depth=1.0) == server.extract(text=text, max_depth=1)


def test_nothing_in_nothing_out(server: RunningServer) -> None:
    assert server.extract(texts=[])["documents"] == []
    (document,) = server.extract(text="")["documents"]
    assert (document["entities"], document["characters"], document["windows"]) == ([], 0, 0)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({}, "exactly one of"),
        ({"text": "a", "texts": ["a"]}, "exactly one of"),
        ({"text": 1}, "Expected `str | null`, got `int`"),
        ({"texts": ["a", 1]}, "Expected `str`, got `int`"),
        ({"text": "a", "typos": 1}, "unknown field `typos`; did you mean `types`?"),
        ({"text": "a", "q": 1}, "unknown field `q`; the fields are: "),
        ({"text": "a", "types": []}, "length >= 1"),
        ({"text": "a", "types": ["gene"]}, "no type 'gene'; it has: DNA, RNA"),
        ({"text": "a", "min_score": {"gene": 0.5}}, "no type 'gene'"),
        ({"text": "a", "min_score": 1.5}, "<= 1"),
        ({"text": "a", "max_depth": 0}, "`max_depth` must be an integer from 1 to 1,000,000"),
        ({"text": "a", "max_depth": 1.5}, "an integer from 1"),
        ({"text": "a", "offsets": "utf32"}, "`offsets` must be one of: codepoint, utf16, byte"),
        ({"tokens": [["a", ""]]}, "length >= 1"),
        ({"tokens": ["IL-2", "gene"]}, "got `str`; `tokens` is a list of sentences, each a list"),
        ([], "Expected `object`, got `array`"),
    ],
)
def test_bad_bodies(server: RunningServer, body: Any, message: str) -> None:
    reply = server.post("/v1/extract", body)
    assert (reply.status, reply.json["error_type"]) == (422, "invalid_request")
    assert message in reply.json["error"]
    assert set(reply.json) == {"error", "error_type", "detail"}
    assert reply.json["detail"]["at"].startswith("$")


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"nonsense",
        b'{"text": "\xff"}',
        b'{"text": "\xed\xa0\x80"}',
        b'{"text": "\\ud800 lone"}',
        b'{"text": "a", "min_score": 1e999}',
        b'{"text": "a", "max_depth": 99999999999999999999999999}',
        b'{"text": "a", "min_score": NaN}',
        b'{"types": ' + b"[" * 100_000,
        b'{"min_score": ' + b'{"a":' * 50_000,
        b"[" * 200_000,
        b"\xef\xbb\xbf{}",
        b"\x00" * 1000,
    ],
)
def test_bytes_that_are_no_request(server: RunningServer, body: bytes) -> None:
    reply = server.post("/v1/extract", body)
    assert (reply.status, reply.json["error_type"]) == (422, "invalid_request")
    assert set(reply.json["detail"]) in ({"at"}, {"byte"})


@pytest.mark.parametrize(
    ("body", "detail"),
    [
        (b'{"texts": ["a", "b", 3]}', {"at": "$.texts[2]"}),
        (b'{"txt": "a"}', {"at": "$.txt"}),
        (b"[]", {"at": "$"}),
        (b"{}", {"at": "$"}),
        (b'{"text": "a", "texts": ["a"]}', {"at": "$"}),
        (b'{"texts": ["a", "\\ud800"]}', {"at": "$.texts[1]"}),
        (b'{"\\ud800": 1}', {"at": "$"}),
        (b'{"text": "caf\xe9"}', {"byte": 13}),
        (b'{"text": }', {"byte": 9}),
        (b'{"text": "a"', {"byte": 12}),
    ],
)
def test_the_place_of_an_error_is_named(
    server: RunningServer, body: bytes, detail: dict[str, Any]
) -> None:
    assert server.post("/v1/extract", body).json["detail"] == detail


def test_an_empty_body(server: RunningServer) -> None:
    for body in (b"", b" \n"):
        assert server.post("/v1/extract", body).json["error"] == "the body is empty"


@pytest.mark.parametrize("options", [{"types": ["gene"]}, {"min_score": {"gene": 0.5}}])
def test_the_place_of_an_unknown_type_is_named(
    server: RunningServer, options: dict[str, Any]
) -> None:
    detail = server.post("/v1/extract", {"text": "a", **options}).json["detail"]
    assert detail["at"] == f"$.{next(iter(options))}"
    assert detail["unknown"] == ["gene"]


def test_unknown_model(server: RunningServer) -> None:
    reply = server.post("/v1/extract", {"text": "a", "model": "geniuz"})
    assert (reply.status, reply.json["error_type"]) == (404, "model_not_found")
    assert reply.json["detail"] == {"models": ["genia", "litbank"]}


def test_a_body_over_the_limit(server: RunningServer) -> None:
    """Announced or not, and the connection can be used again."""

    def chunks() -> Iterator[bytes]:
        yield b'{"text": "'
        for _ in range(10 * 1024):
            yield b"x" * 1024
        yield b'"}'

    announced = b'{"text": "' + b"x" * 10_000_000 + b'"}'
    for body in (announced, chunks()):
        connection = server.connect()
        connection.request("POST", "/v1/extract", body, {"Content-Type": "application/json"})
        response = connection.getresponse()
        error = json.loads(response.read())
        assert (response.status, error["error_type"]) == (413, "too_large")
        assert error["detail"] == {"max_body": 300_000}
        connection.request("GET", "/livez")
        assert connection.getresponse().status == 200
        connection.close()


def test_a_body_over_the_limit_on_a_connection_to_be_closed(server: RunningServer) -> None:
    """The answer is not lost, although the body is still being sent."""
    body = b'{"text": "' + b"x" * 5_000_000 + b'"}'
    for _ in range(5):
        reply = server.post("/v1/extract", body, Connection="close")
        assert (reply.status, reply.headers["connection"]) == (413, "close")


def test_too_many_texts(server: RunningServer) -> None:
    reply = server.post("/v1/extract", {"texts": ["a"] * 51})
    assert (reply.status, reply.json["detail"]) == (413, {"max_texts": 50})


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", ""])
def test_a_body_that_is_not_declared_as_json(server: RunningServer, kind: str) -> None:
    reply = server.request("POST", "/v1/extract", b'{"text": "a"}', {"Content-Type": kind})
    assert (reply.status, reply.json["error_type"]) == (415, "unsupported_media_type")


@pytest.mark.parametrize("route", ["/v1/extract", "/v1/extract/stream"])
def test_a_compressed_body(server: RunningServer, route: str) -> None:
    body = gzip.compress(b'{"text": "a"}')
    reply = server.post(route, body, **{"Content-Encoding": "gzip"})
    assert (reply.status, reply.json["error_type"]) == (415, "unsupported_media_type")
    assert "send the body uncompressed" in reply.json["error"]
    plain = server.post(route, b'{"text": "a"}', **{"Content-Encoding": "identity"})
    assert plain.status == 200


def test_wrong_path_and_method(server: RunningServer) -> None:
    missing = server.request("GET", "/v2/extract")
    assert (missing.status, missing.json["error_type"]) == (404, "not_found")
    wrong = server.request("GET", "/v1/extract")
    assert (wrong.status, wrong.json["error_type"]) == (405, "method_not_allowed")
    assert wrong.headers["allow"] == "POST"


def test_request_ids(server: RunningServer) -> None:
    given = server.post("/v1/extract", {"text": "a"}, **{"X-Request-ID": "abc-123"})
    assert given.headers["x-request-id"] == "abc-123"
    replaced = server.post("/v1/extract", [], **{"X-Request-ID": "not valid!"})
    assert len(replaced.headers["x-request-id"]) == 16


def test_logs_have_no_text(server: RunningServer) -> None:
    server.extract(text="Quicksilver IL-2 secrets", types=["protein"])
    server.post("/v1/extract", {"text": "Quicksilver", "Quicksilver": "Quicksilver"})
    server.post("/v1/extract?Quicksilver", b"Quicksilver")
    server.request("GET", "/Quicksilver")
    server.post("/v1/extract/stream", b'{"text": "Quicksilver"}\nQuicksilver\n')
    last = server.post("/v1/extract", {"text": "a"}).headers["x-request-id"]
    server.wait_for(lambda: last in server.log_text())  # a line is written after its response
    assert "Quicksilver" not in server.log_text()
