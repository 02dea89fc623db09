"""Reading the body of a request: bounded in size and time, and checked against its schema."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import get_close_matches
from typing import TypeVar, get_args

import msgspec
from anyio import move_on_after
from starlette.requests import Request

from innermost.service.errors import ClientGone, InvalidRequestError, ServiceError, TooLargeError
from innermost.service.schemas import DEEPEST, Offsets
from innermost.service.web.errors import HttpError
from innermost.service.web.places import (
    broken_byte,
    invalid_byte,
    lone_surrogate,
    path_of,
    unknown_field,
)

T = TypeVar("T")
_NESTING = {
    "Expected `array`, got `str`": (
        '; `tokens` is a list of sentences, each a list of tokens: [["IL-2", "gene"]]'
    ),
    "Expected `str`, got `array`": (
        '; in a stream, `tokens` is one sentence, a list of tokens: ["IL-2", "gene"]'
    ),
}
"""What to add to an error about `tokens` that are nested too little or too much."""
_EXPECTED = {
    "$.max_depth": f"`max_depth` must be an integer from 1 to {DEEPEST:,}",
    "$.offsets": f"`offsets` must be one of: {', '.join(get_args(Offsets))}",
}
"""What to say of fields about which msgspec says too little, or something else."""
_JSON_TYPES = ("application/json", "application/x-ndjson", "application/jsonl")


def check_headers(request: Request) -> None:
    """Require JSON: a foreign web page can post forms and plain text here, but not JSON."""
    content_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if content_type not in _JSON_TYPES:
        raise HttpError(
            415,
            "unsupported_media_type",
            f"the body must be JSON, not {content_type or 'of an unnamed type'}: "
            "send the header Content-Type: application/json",
        )
    encoding = request.headers.get("content-encoding", "identity").strip().lower()
    if encoding not in ("", "identity"):
        message = f"Content-Encoding: {encoding} is not supported: send the body uncompressed"
        raise HttpError(415, "unsupported_media_type", message)


async def read_body(request: Request, *, limit: int, timeout: float) -> bytes:
    """The whole body. Too many bytes are refused on arrival, whatever the headers announced."""
    announced = request.headers.get("content-length", "0")
    if announced.isdecimal() and int(announced) > limit:
        raise too_large(limit)
    chunks: list[bytes] = []
    size, more = 0, True
    with move_on_after(timeout):
        while more:
            message = await request.receive()
            if message["type"] == "http.disconnect":
                raise ClientGone
            chunk, more = message.get("body", b""), message.get("more_body", False)
            size += len(chunk)
            if size > limit:
                raise too_large(limit)
            chunks.append(chunk)
    if more:
        raise body_too_slow()
    return chunks[0] if len(chunks) == 1 else b"".join(chunks)


async def disconnect(request: Request) -> None:
    """Wait until the client disconnects. The body has been read."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


def body_too_slow() -> ServiceError:
    headers = {"Connection": "close"}
    return HttpError(408, "timeout", "the body did not arrive in time", headers=headers)


def too_large(limit: int, *, part: str = "body") -> ServiceError:
    message = f"the {part} has more than {limit:,} bytes: send less at a time"
    return TooLargeError(message, max_body=limit)


def decode(body: bytes, decoder: msgspec.json.Decoder[T], *, part: str = "body") -> T:
    """The body, or a line of it, as the decoder's type; problems are a 422."""
    try:
        return decoder.decode(body)
    except msgspec.ValidationError as error:
        message, _, quoted = str(error).partition(" - at ")
        place = quoted.strip("`")
        hint = _NESTING.get(message, "") if re.fullmatch(r"\$\.tokens\[\d+\]", place) else ""
        hint += _suggestion(message, getattr(decoder.type, "__struct_fields__", ()))
        explanation = _EXPECTED.get(place, message) + hint
        raise InvalidRequestError(explanation, at=path_of(message, place)) from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        if (path := lone_surrogate(body)) is not None:
            message = f"the {part} has a lone surrogate: half of a character"
            raise InvalidRequestError(message, at=path) from None
        if (byte := invalid_byte(body)) is not None:
            raise InvalidRequestError(f"the {part} is not UTF-8", byte=byte) from None
        message = f"the {part} is not JSON: {error}" if body.strip() else f"the {part} is empty"
        raise InvalidRequestError(message, byte=broken_byte(str(error), body)) from None
    except RecursionError:
        raise InvalidRequestError(f"the {part} is nested too deeply", at="$") from None


def _suggestion(message: str, fields: Sequence[str]) -> str:
    """The field that is most likely meant by an unknown one, or all fields."""
    unknown = unknown_field(message)
    if unknown is None or not fields:
        return ""
    if close := get_close_matches(unknown, fields, n=1):
        return f"; did you mean `{close[0]}`?"
    return f"; the fields are: {', '.join(fields)}"
