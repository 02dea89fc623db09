"""Files with the suffix of plain text: most are plain text, some are corpora."""

from __future__ import annotations

from pathlib import Path

import pytest

from innermost.corpus import Report, Sentence, Source, write
from innermost.corpus.reading import ReadingOptions
from innermost.prediction.inputs import InputOptions, read_records
from innermost.prediction.inputs.detection import format_of

COLUMNS = "Ada B-PER\nmet O\nBob B-PER\n\nNobody O\ncame O\n"
OPTIONS = InputOptions(ReadingOptions(), "english")


def detected(text: str, folder: Path) -> str:
    path = folder / "a.txt"
    path.write_text(text, encoding="utf-8")
    return format_of(Source(path), OPTIONS)


def test_columns_of_tokens_and_tags_are_read_without_the_tags(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text(COLUMNS)
    records = list(read_records([str(path)], OPTIONS, Report()))
    assert [record.tokens for record in records] == [["Ada", "met", "Bob"], ["Nobody", "came"]]


@pytest.mark.parametrize(
    "text",
    [
        COLUMNS.replace(" ", "\t"),
        "# newdoc id = a\n-DOCSTART- O\n\n" + COLUMNS,
        "Nobody O\ncame O\ntoday O\n",
        "Ada NNP B-PER O\nmet VBD O O\nBob NNP B-PER O\n",
    ],
)
def test_variants_of_columns(text: str, tmp_path: Path) -> None:
    assert detected(text, tmp_path) == "columns"


@pytest.mark.parametrize("format", ["pubtator", "webanno", "conllu"])
def test_formats_that_plain_text_cannot_resemble(format: str, tmp_path: Path) -> None:
    written = tmp_path / "written"
    sentence = Sentence(["Ada", "left"], gaps=["", " ", "\n"], doc="1")
    write([sentence], written, format=format)
    (file,) = written.iterdir() if written.is_dir() else [written]
    assert detected(file.read_text(encoding="utf-8"), tmp_path) == format


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Ada left\nBob stayed\n",
        "Ada met Bob .\n",
        "vitamin B-6\nvitamin B-12\nvitamin B-1\n",
        "blood group O\n",
        COLUMNS + "Nobody came today.\n",
        COLUMNS + "today\n",
        "O\nO\nO\n",
        "[PER Ada] left\n",
        '{"text": "Ada left"}\n',
    ],
)
def test_plain_text_stays_plain_text(text: str, tmp_path: Path) -> None:
    assert detected(text, tmp_path) == "text"


def test_the_requested_format_counts(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text(COLUMNS)
    options = InputOptions(ReadingOptions(format="text"), "english")
    assert format_of(Source(path), options) == "text"
