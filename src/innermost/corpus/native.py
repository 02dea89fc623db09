"""The native format: JSON lines, one sentence a line.

    {"tokens": ["IL-2", "gene"], "entities": [[0, 2, "DNA"], [0, 1, "protein"]]}

plus any of ``id``, ``doc`` and other keys, which are kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import IO, Any

import msgspec

from innermost.corpus.files import Source, open_output
from innermost.corpus.format import Options
from innermost.corpus.report import Report
from innermost.corpus.sentence import Sentence
from innermost.errors import DataError
from innermost.nest import Span

_FIELDS = frozenset({"tokens", "entities", "gaps", "id", "doc"})
_decode = msgspec.json.Decoder().decode
_encode = msgspec.json.Encoder().encode


class NativeFormat:
    name = "native"
    description = "JSON lines with tokens and token spans, or text and character spans"
    suffixes = (".jsonl",)

    def sniff(self, source: Source) -> bool:
        first = source.head().lstrip().split(b"\n", 1)[0]
        try:
            record = _decode(first)
        except (msgspec.DecodeError, UnicodeDecodeError):
            return False
        return (
            isinstance(record, dict)
            and isinstance(record.get("tokens"), list)
            and all(isinstance(item, list) for item in record.get("entities", ()))
        )

    def read(
        self,
        source: Source,
        options: Options,
        report: Report,
        *,
        on_error: Callable[[DataError], None] | None = None,
    ) -> Iterator[Sentence]:
        """The sentences; with ``on_error`` a bad line is handed to it and reading goes on."""
        options.check_settings(self.name, ())
        return read_lines(source.lines(), source.path, report, on_error=on_error)

    def write(
        self, sentences: Iterable[Sentence], path: Path | str, options: Options, report: Report
    ) -> None:
        options.check_settings(self.name, ())
        with open_output(path) as sink:
            write_lines(sentences, sink)


FORMAT = NativeFormat()


def read_lines(
    lines: Iterable[bytes],
    path: str | Path,
    report: Report,
    *,
    on_error: Callable[[DataError], None] | None = None,
) -> Iterator[Sentence]:
    """The sentences of a file's lines; a bad line is an error that names file and line."""
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            sentence = _sentence_of_line(line, path, number)
        except DataError as error:
            if on_error is None:
                raise
            on_error(error)
        else:
            yield sentence


def _sentence_of_line(line: bytes, path: str | Path, number: int) -> Sentence:
    try:
        return _sentence(_decode(line), number)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise DataError(f"not valid JSON: {error}", path=path, line=number) from None
    except _Wrong as wrong:
        raise DataError(str(wrong), path=path, line=number, hint=wrong.hint) from None


def write_lines(sentences: Iterable[Sentence], sink: IO[bytes]) -> None:
    for sentence in sentences:
        sink.write(encode(sentence) + b"\n")


def encode(sentence: Sentence) -> bytes:
    """One line of the token form, without the line end."""
    record: dict[str, Any] = {}
    for key in ("id", "doc"):
        if (value := getattr(sentence, key)) is not None:
            record[key] = value
    record["tokens"] = sentence.tokens
    record["entities"] = sentence.entities
    if sentence.gaps is not None:
        record["gaps"] = sentence.gaps
    return _encode(record | sentence.extra)


class _Wrong(Exception):  # noqa: N818
    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint


def _sentence(record: Any, line: int) -> Sentence:
    if not isinstance(record, dict):
        raise _Wrong(f"expected a JSON object, found {_kind(record)}")
    tokens = record.get("tokens")
    if not isinstance(tokens, list) or not all(isinstance(t, str) for t in tokens):
        raise _Wrong(
            'expected "tokens": a list of strings',
            'e.g. {"tokens": ["IL-2", "gene"], "entities": [[0, 2, "DNA"]]}',
        )
    if not tokens and "gaps" not in record:
        raise _Wrong("the sentence has no tokens", "remove the line")
    if any(not token for token in tokens):
        raise _Wrong(
            f"token {tokens.index('')} is empty", "every token needs at least one character"
        )
    gaps = record.get("gaps")
    if gaps is not None and not (
        isinstance(gaps, list)
        and len(gaps) == len(tokens) + 1
        and all(isinstance(g, str) for g in gaps)
    ):
        raise _Wrong('expected "gaps": a list of strings, one more than there are tokens')
    given = record.get("entities", [])
    if not isinstance(given, list):
        raise _Wrong(f'expected "entities": a list, found {_kind(given)}')
    return Sentence(
        tokens=tokens,
        entities=[_span(item, index, len(tokens)) for index, item in enumerate(given)],
        gaps=gaps,
        id=_name(record, "id"),
        doc=_name(record, "doc"),
        extra={key: value for key, value in record.items() if key not in _FIELDS},
        line=line,
    )


def _span(item: Any, index: int, length: int) -> Span:
    match item:
        case [int(start), int(end), str(label)]:
            span = Span(start, end, label)
        case _:
            raise _Wrong(f"entity {index} is not [start, end, label]: {item!r}")
    if not 0 <= start < end <= length:
        reason = "is empty" if start == end else f"is outside the sentence of {length} tokens"
        raise _Wrong(
            f"entity {index} [{start}, {end}, {label!r}] {reason}",
            "start is inclusive, end is exclusive, both count tokens from 0",
        )
    if not label or label != "".join(label.split()):
        raise _Wrong(
            f"entity {index} has the label {label!r}",
            "a label is a non-empty word without white space",
        )
    return span


def _name(record: dict[str, Any], key: str) -> str | None:
    value = record.get(key)
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, int):
        return str(value)
    raise _Wrong(f'expected "{key}": a string, found {_kind(value)}')


def _kind(value: Any) -> str:
    return {dict: "an object", list: "a list", str: "a string", type(None): "null"}.get(
        type(value), f"{value!r}"
    )
