"""Files saved on Windows: a byte order mark and CRLF change nothing in any format."""

from __future__ import annotations

from pathlib import Path

import pytest

from corpus.cases import CASES, Case, options
from innermost.corpus import Report, Sentence, read, registry, write
from innermost.nest import Span

BINARY = {"docbin", "datasets"}
TEXTS = [case for case in CASES if case.format not in BINARY]
BY_OFFSETS = {"brat", "ace"}
"""Formats with the text in a file of its own: there CRLF is part of the text."""


def corpus() -> list[Sentence]:
    return [
        Sentence(["Ada", "met", "Zoë", "."], [Span(0, 1, "PER"), Span(2, 3, "PER")], doc="one"),
        Sentence(["Oslo", "University"], [Span(0, 2, "ORG"), Span(0, 1, "LOC")], doc="two"),
    ]


@pytest.mark.parametrize("case", TEXTS, ids=lambda case: case.id)
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"], ids=["", "mark"])
@pytest.mark.parametrize("line_end", [b"\n", b"\r\n"], ids=["LF", "CRLF"])
def test_marks_and_line_ends_change_nothing(
    case: Case, mark: bytes, line_end: bytes, tmp_path: Path
) -> None:
    path = tmp_path / case.file
    write(corpus(), path, format=case.format, options=options(case.writing))
    expected = _read(path, case)
    files = [f for f in path.rglob("*") if f.is_file()] if path.is_dir() else [path]
    for file in files:
        data = file.read_bytes()
        assert b"\r" not in data
        is_text_of_offsets = case.format in BY_OFFSETS and file.suffix != ".ann"
        file.write_bytes(mark + (data if is_text_of_offsets else data.replace(b"\n", line_end)))
    assert _read(path, case) == expected
    if not path.is_dir():
        assert [s.tokens for s in read(path, options=options(case.reading))] == [
            tokens for tokens, _ in expected
        ]


def _read(path: Path, case: Case) -> list[tuple[list[str], list[Span]]]:
    report = Report()
    sentences = read(path, format=case.format, options=options(case.reading), report=report)
    found = [(sentence.tokens, sentence.entities) for sentence in sentences]
    assert not report.total("lost"), report.examples
    return found


def test_every_text_format_is_tested() -> None:
    assert {case.format for case in TEXTS} == set(registry.names()) - BINARY
