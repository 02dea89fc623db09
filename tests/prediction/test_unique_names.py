"""Outputs that need a name each."""

from __future__ import annotations

from pathlib import Path

from helpers.cli import ok
from innermost.corpus import Sentence, write
from innermost.prediction.unique_names import UniqueNames


def test_names_that_occur_twice_get_numbers() -> None:
    names = UniqueNames()
    given = [names.take(name) for name in ("a", "a", "b", "a", "a-2")]
    assert given == ["a", "a-2", "b", "a-3", "a-2-2"]


def test_another_name_is_preferred_to_a_number_unless_it_is_taken() -> None:
    names = UniqueNames()
    given = [names.take("a", "a-3"), names.take("a-3"), names.take("a", "a-3"), names.take("a")]
    assert given == ["a", "a-3", "a-3-2", "a-2"]


def test_texts_of_one_name_never_become_one_document(tmp_path: Path) -> None:
    data, out = tmp_path / "data.jsonl", tmp_path / "brat"
    texts = [("a", "one"), ("a-3", "two"), ("a", "three")]
    write([Sentence([text], doc=doc) for doc, text in texts], data)
    lines = [f'{{"text": "{text}", "doc": "{doc}"}}\n' for doc, text in texts]
    data.write_text("".join(lines), encoding="utf-8")
    ok("predict", "-m", "litbank", "--input", data, "-f", "brat", "-o", out)
    written = {path.read_text(encoding="utf-8").strip() for path in out.glob("*.txt")}
    assert written == {"one", "two", "three"}
