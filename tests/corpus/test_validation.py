"""Sentences that a program built: writing refuses what reading would refuse."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from corpus.cases import each_case, options, skip_unless_installed
from innermost import corpus
from innermost.corpus import Sentence
from innermost.corpus.validation import checked
from innermost.errors import DataError
from innermost.nest import Span

GOOD = Sentence(["The", "mayor"], [Span(0, 2, "PERSON")])
SPANS = [
    ([1, 3, "X"], "[1, 3, 'X'] is outside the sentence of 2 tokens"),
    ([-1, 1, "X"], "[-1, 1, 'X'] is outside"),
    ([1, 1, "X"], "[1, 1, 'X'] is empty"),
    ([2, 0, "X"], "[2, 0, 'X'] ends before it starts"),
    ([0, 1, ""], "the label ''"),
    ([0, 1, " X"], "the label ' X'"),
    ([0, 1, 7], "is not a start, an end and a label"),
    ([0, 1], "is not a start, an end and a label"),
    ([0.0, 1, "X"], "is not a start, an end and a label"),
    ([False, True, "X"], "true or false"),
]
FIELDS: list[tuple[dict[str, Any], str]] = [
    ({"tokens": ["a", ""]}, "token 1 is empty"),
    ({"tokens": ["a", 1]}, "token 1 is 1, not a string"),
    ({"tokens": "ab"}, "the tokens are 'ab'"),
    ({"tokens": ["a"], "entities": "X"}, "the entities are 'X'"),
    ({"tokens": ["a"], "gaps": [""]}, "1 gaps for 1 tokens"),
    ({"tokens": ["a"], "gaps": ["", None]}, "gap 1 is None"),
    (
        {"tokens": ["a"], "entities": [Span(0, 1, "X")], "scores": {Span(0, 1, "X"): 2}},
        "the score 2",
    ),
]
BAD = [({"tokens": ["a", "b"], "entities": [span]}, message) for span, message in SPANS] + FIELDS


@pytest.mark.parametrize(("fields", "message"), BAD)
def test_a_bad_sentence_is_named_by_its_number(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError) as caught:
        list(checked([GOOD, GOOD, Sentence(**fields)], origin="train data"))
    assert str(caught.value).startswith("train data: sentence 3: ")
    assert message in str(caught.value)


@pytest.mark.parametrize("fields", [fields for fields, _ in BAD if "scores" not in fields])
def test_reading_would_refuse_it_too(fields: dict[str, Any], tmp_path: Any) -> None:
    (tmp_path / "x.jsonl").write_text(json.dumps({"entities": []} | fields) + "\n")
    with pytest.raises(DataError):
        list(corpus.read(tmp_path / "x.jsonl", format="native"))


def test_what_is_no_sentence() -> None:
    with pytest.raises(DataError, match="sentence 1: expected a Sentence, found 'The mayor'"):
        list(checked(["The mayor"]))  # type: ignore[list-item]


@pytest.mark.parametrize("form", [tuple, list])
def test_plain_spans_become_spans_in_a_copy(form: type) -> None:
    plain = [form(span) for span in GOOD.entities]
    given = Sentence(GOOD.tokens, plain)
    assert list(checked([given])) == [GOOD]
    assert given.entities is plain


def test_numbers_and_strings_of_numpy_become_plain() -> None:
    tokens: Any = tuple(np.array(GOOD.tokens))
    (sentence,) = checked([Sentence(tokens, [Span(np.int64(0), np.int64(2), np.str_("PERSON"))])])  # type: ignore[arg-type]
    assert sentence == GOOD
    assert {type(value) for value in (*sentence.tokens, *sentence.entities[0])} == {int, str}


def test_a_good_sentence_is_passed_on_as_it_is() -> None:
    (sentence,) = checked([GOOD])
    assert sentence is GOOD


@each_case
def test_nothing_is_written_if_a_sentence_is_bad(case: Any, tmp_path: Any) -> None:
    skip_unless_installed(case.format)
    sentences = [GOOD, Sentence(["a", "b"], [Span(1, 3, "X")])]
    with pytest.raises(DataError, match="sentence 2: "):
        corpus.write(
            iter(sentences), tmp_path / case.file, format=case.format, options=options(case.writing)
        )
    assert not list(tmp_path.iterdir())
