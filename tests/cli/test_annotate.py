"""``innermost annotate``: text annotated by several models together."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import innermost as package
from helpers.cli import Result, innermost
from innermost.corpus import Sentence, read, write

LINES = [
    "The wife of the mayor of Bristol kept the inn by the harbour. Her uncle had gone to Wales.",
    "Go on! The captain of the old ship came home to the village in the north.",
]


@pytest.fixture
def annotate(tmp_path: Path) -> Any:
    def call(*arguments: object, lines: list[str] = LINES) -> tuple[Result, Path]:
        text, out = tmp_path / "text.txt", tmp_path / "silver.jsonl"
        text.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return innermost("annotate", *arguments, "--text", text, "--out", out), out

    return call


def test_a_model_with_itself_finds_what_it_finds_alone(annotate: Any) -> None:
    done, out = annotate("litbank", "litbank")
    assert done.code == 0, done.err
    annotated = list(read(out))
    assert sorted(len(s.tokens) for s in annotated) == [7, 14, 15]  # "Go on!" is too short
    assert {s.doc for s in annotated} == {"text.txt:1", "text.txt:2"}  # as predict names them
    alone = package.load("litbank").predict_sentences(annotated)
    for sentence, spans in zip(annotated, alone, strict=True):
        assert set(sentence.entities) == {span[:3] for span in spans}
    entities = sum(len(s.entities) for s in annotated)
    assert entities > 5
    assert f"3 sentences, {entities} entities" in done.err


def test_a_layer(annotate: Any) -> None:
    done, out = annotate("english", "--layer", "mentions")
    assert done.code == 0, done.err
    annotated = list(read(out))
    nlp = package.load("english", layer="mentions")
    for sentence, spans in zip(annotated, nlp.predict_sentences(annotated), strict=True):
        assert set(sentence.entities) == {span[:3] for span in spans}
    assert {label for s in annotated for _, _, label in s.entities} <= set(nlp.types)


def test_text_like_the_data_is_taken_first(annotate: Any, tmp_path: Path) -> None:
    data = tmp_path / "train.jsonl"
    write([Sentence(["The", "captain", "of", "the", "ship", "sailed", "home"], [])], data)
    prices = [f"The price of wheat rose by {n} per cent in the markets." for n in range(20)]
    lines = [*prices, LINES[1], *prices]
    done, out = annotate("litbank", "--like", data, "--tokens", 15, lines=lines)
    assert done.code == 0, done.err
    assert [s.tokens[1] for s in read(out)] == ["captain"]


def test_models_of_different_types_are_refused(annotate: Any) -> None:
    done, out = annotate("litbank", "genia")
    assert done.code == 2
    assert "different types" in done.err
    assert not out.exists()


def test_text_without_sentences_is_refused(annotate: Any) -> None:
    done, _ = annotate("litbank", lines=["Go on!"])
    assert done.code == 1
    assert "no sentences" in done.err


def test_the_text_is_not_overwritten(tmp_path: Path) -> None:
    text = tmp_path / "text.txt"
    text.write_text(LINES[0])
    refused = innermost("annotate", "litbank", "--text", text, "--out", text)
    assert refused.code == 2
    assert "is also the input" in refused.err
    assert text.read_text() == LINES[0]
