"""Predictions are compared with gold data character by character, whatever their tokens."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from innermost.corpus import Sentence, write
from innermost.errors import DataError
from innermost.evaluation.alignment import PredictedSentences, align
from innermost.evaluation.comparison import agreement
from innermost.evaluation.document_order import in_gold_order
from innermost.evaluation.systems import side_by_side
from innermost.nest import Span

GOOD = '{"tokens": ["old", "town"], "entities": [[0, 2, "GPE", 0.5]]}\n'
GOLD = [Sentence(["old", "town"], line=1), Sentence(["new", "town"], line=2)]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "predictions.jsonl"


def predictions(file: Path, gold: list[Sentence]) -> list[dict[Span, float | None]]:
    return [predicted for _, [predicted] in side_by_side([file], iter(gold))]


def test_every_form_of_an_entity(file: Path) -> None:
    forms = (
        '[0, 3, "A"], [0, 2, "A", 0.25], [0, 1, "A", 1], [1, 2, "B", null], '
        '{"start": 2, "end": 3, "label": "B", "score": 0.5}, '
        '{"start": 0, "end": 1, "label": "B"}, [0, 1, "C", 0.2], [0, 1, "C", 0.7]'
    )
    file.write_text(f'{{"tokens": ["a", "b", "c"], "entities": [{forms}], "id": "x"}}\n\n')
    assert predictions(file, [Sentence(["a", "b", "c"])]) == [
        {
            Span(0, 3, "A"): None,
            Span(0, 2, "A"): 0.25,
            Span(0, 1, "A"): 1.0,
            Span(1, 2, "B"): None,
            Span(2, 3, "B"): 0.5,
            Span(0, 1, "B"): None,
            Span(0, 1, "C"): 0.7,
        }
    ]


@pytest.mark.parametrize(
    "line", ["{", "[]", '{"tokens": ["a"], "entities": [[0, 2, "A"]]}', '{"tokens": 3}']
)
def test_a_bad_line_is_named(file: Path, line: str) -> None:
    file.write_text(GOOD + line + "\n")
    with pytest.raises(DataError) as raised:
        predictions(file, GOLD)
    assert str(raised.value).startswith(f"{file}:2:")


def test_other_words_are_named(file: Path) -> None:
    file.write_text(GOOD + '{"tokens": ["new", "city"], "entities": []}\n')
    with pytest.raises(DataError, match=r":2: token 1 is 'city'.*line 2 of the gold.*'town'"):
        predictions(file, GOLD)


def test_a_file_that_is_too_short_or_too_long_is_an_error(file: Path) -> None:
    file.write_text(GOOD)
    with pytest.raises(DataError, match="ends before the end of sentence 2 of the gold data"):
        predictions(file, GOLD)
    file.write_text(GOOD * 2)
    with pytest.raises(DataError, match=r":2: continues after the end .* which has 1 sentence\b"):
        predictions(file, GOLD[:1])
    file.write_text('{"tokens": ["oldtown", "hall"], "entities": []}\n')
    with pytest.raises(DataError, match=r":1: continues after the end"):
        predictions(file, GOLD[:1])


def test_a_missing_file_is_an_error_without_a_trace(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"nowhere\.jsonl: no such file"):
        predictions(tmp_path / "nowhere.jsonl", GOLD)


def test_systems_side_by_side(file: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.jsonl"
    file.write_text(GOOD + '{"tokens": ["new", "town"]}\n')
    other.write_text('{"text": "old town\\nnew town", "entities": []}\n')
    rows = list(side_by_side([file, other], iter(GOLD)))
    assert [sentence.tokens for sentence, _ in rows] == [s.tokens for s in GOLD]
    assert [predicted for _, predicted in rows] == [[{Span(0, 2, "GPE"): 0.5}, {}], [{}, {}]]


def test_a_model_predicts_for_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class FirstToken:
        """Finds one entity per sentence, and reads ahead like models that work in batches."""

        def __init__(self, path: str | Path, *, layer: str | None) -> None:
            assert (Path(path), layer) == (tmp_path, None)

        def predict_sentences(
            self, sentences: Iterable[Sentence]
        ) -> Iterator[list[tuple[int, int, str, int, float]]]:
            yield from [[(0, 1, sentence.tokens[0], 1, 0.5)] for sentence in list(sentences)]

    monkeypatch.setattr("innermost.runtime.load", FirstToken)
    rows = list(side_by_side([tmp_path], iter(GOLD)))
    assert [predicted for _, [predicted] in rows] == [
        {Span(0, 1, "old"): 0.5},
        {Span(0, 1, "new"): 0.5},
    ]


def test_a_compressed_file_and_a_brat_folder_are_read_as_they_are(tmp_path: Path) -> None:
    compressed = tmp_path / "predictions.jsonl.gz"
    compressed.write_bytes(gzip.compress(GOOD.encode()))
    gold = [Sentence(["old", "town"], [Span(0, 2, "GPE")], doc="a")]
    write(gold, tmp_path / "brat", format="brat")
    assert predictions(compressed, gold) == [{Span(0, 2, "GPE"): 0.5}]
    assert predictions(tmp_path / "brat", gold) == [{Span(0, 2, "GPE"): None}]
    assert agreement(compressed, tmp_path / "brat").f1 == 1.0


def sentence_of(doc: str | None, *tokens: str) -> Sentence:
    return Sentence(list(tokens), [Span(0, 1, "X")], doc=doc)


BOOKS = [
    sentence_of("b", "one"),
    sentence_of("b", "two"),
    sentence_of("a", "three"),
    sentence_of("c/d.txt", "four"),
]


@pytest.mark.parametrize("format", ["brat", "webanno", "ace", "native"])
def test_documents_are_matched_by_name(tmp_path: Path, format: str) -> None:
    predicted = tmp_path / ("p.jsonl" if format == "native" else "p")
    write(sorted(BOOKS, key=lambda s: s.doc or ""), predicted, format=format)
    rows = list(side_by_side([predicted, predicted], iter(BOOKS)))
    assert "".join(token for s, _ in rows for token in s.tokens) == "onetwothreefour"
    assert all(p.keys() == set(s.entities) for s, both in rows for p in both)
    gold = tmp_path / "gold.jsonl"
    write(BOOKS, gold)
    assert agreement(predicted, gold).f1 == agreement(gold, predicted).f1 == 1.0


@pytest.mark.parametrize(
    "predicted",
    [
        [BOOKS[2], BOOKS[0], BOOKS[3], BOOKS[1]],  # not consecutive
        [BOOKS[2], *BOOKS[:2]],  # one is missing
        [BOOKS[2], *BOOKS[:2], replace(BOOKS[3], doc="e")],  # another name
        [BOOKS[2], *BOOKS[:2], replace(BOOKS[3], doc=None)],
        [BOOKS[2], *BOOKS[:2], sentence_of("c/d", "five")],
        [BOOKS[2], *BOOKS],
    ],
)
def test_other_documents_are_an_error(predicted: list[Sentence]) -> None:
    source = PredictedSentences("-", in_gold_order(iter(BOOKS), iter(predicted)))
    with pytest.raises(DataError, match="same order or in documents with the same names"):
        list(align(BOOKS, [source]))


def test_documents_in_the_same_order_are_not_held() -> None:
    read: list[str] = []

    def stream(kind: str, docs: Iterable[str | None]) -> Iterator[Sentence]:
        for doc in docs:
            read.append(kind)
            yield sentence_of(doc, "word")

    for docs, ahead in (("abcd", 2), ([None] * 4, 2)):
        read.clear()
        ordered = in_gold_order(stream("gold", docs), stream("predicted", docs))
        next(ordered)
        assert len(read) == ahead
        assert len(list(ordered)) == 3


def test_names_do_not_matter_where_the_order_is_the_same(file: Path) -> None:
    write([replace(s, doc=f"other {n}") for n, s in enumerate(BOOKS)], file)
    assert [set(p) for p in predictions(file, BOOKS)] == [set(s.entities) for s in BOOKS]


def test_a_prediction_inside_a_token_or_over_two_sentences_is_wrong_and_nothing_else(
    file: Path,
) -> None:
    gold = [
        Sentence(["NF-kappa", "B", "binds"], [Span(0, 2, "P")]),
        Sentence(["Bob", "left"], [Span(0, 1, "P")]),
    ]
    text = "NF-kappa B binds Bob left"
    spans = [(0, 10), (3, 10), (11, 20), (17, 20)]
    entities = [{"start": a, "end": b, "label": "P", "score": 0.5} for a, b in spans]
    file.write_text(json.dumps({"text": text, "entities": entities}) + "\n")
    ((sentence, [predicted]),) = side_by_side([file], iter(gold))
    assert sentence.tokens == ["NF-", "kappa", "B", "binds", "Bob", "left"]
    assert sentence.entities == [Span(0, 3, "P"), Span(4, 5, "P")]
    assert set(predicted) == {(0, 3, "P"), (1, 3, "P"), (3, 5, "P"), (4, 5, "P")}


# The words of a text, cut into tokens and sentences in two ways.
words = st.lists(st.text("ab", min_size=1, max_size=4), min_size=1, max_size=8)


@st.composite
def tokenizations(draw: st.DrawFn, content: str) -> list[Sentence]:
    """Sentences of the characters, with random entities and a gap after each token."""
    cuts = draw(st.sets(st.integers(1, max(len(content) - 1, 1))))
    edges = sorted({0, len(content), *(cut for cut in cuts if cut < len(content))})
    tokens = [content[a:b] for a, b in pairwise(edges)]
    sentences: list[Sentence] = []
    while tokens:
        size = draw(st.integers(1, len(tokens)))
        entities = set()
        for _ in range(draw(st.integers(0, 3))):
            start = draw(st.integers(0, size - 1))
            entities.add(
                Span(start, draw(st.integers(start + 1, size)), draw(st.sampled_from("XY")))
            )
        sentences.append(Sentence(tokens[:size], sorted(entities)))
        if draw(st.booleans()):
            sentences.append(Sentence([], gaps=[" "]))
        tokens = tokens[size:]
    return sentences


def in_characters(sentences: list[Sentence]) -> set[tuple[int, int, str]]:
    """All entities by the characters that they cover, without spaces."""
    found = set()
    position = 0
    for sentence in sentences:
        edges = [position]
        for token in sentence.tokens:
            edges.append(edges[-1] + len(token))
        found |= {(edges[s], edges[e], label) for s, e, label in sentence.entities}
        position = edges[-1]
    return found


@given(st.data())
def test_alignment_keeps_every_entity_at_its_characters(data: Any) -> None:
    content = "".join(data.draw(words))
    gold = data.draw(tokenizations(content))
    systems = [data.draw(tokenizations(content)) for _ in range(2)]
    sources = [PredictedSentences(str(n), iter(system)) for n, system in enumerate(systems)]
    rows = list(align(gold, sources))
    aligned = [sentence for sentence, _ in rows]
    assert "".join(t for s in aligned for t in s.tokens) == content
    assert in_characters(aligned) == in_characters(gold)
    for number, system in enumerate(systems):
        found = [Sentence(s.tokens, list(p[number])) for s, p in rows]
        assert in_characters(found) == in_characters(system)
