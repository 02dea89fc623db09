"""Entities in their text: order, parents, and how a document is displayed."""

from __future__ import annotations

from itertools import accumulate, pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from innermost.document import Document, ScoredSpan, assemble
from innermost.errors import UsageError

TOKENS = [(0, 3), (4, 8), (9, 10), (11, 15), (16, 20)]
TEXT = "the bank a pond bank"


def document(*spans: tuple[int, int, str]) -> Document:
    found = [ScoredSpan(start, end, label, 1, 0.5) for start, end, label in spans]
    return assemble(TEXT, [TOKENS], [found])


def naive_parent(places: list[tuple[int, int]], index: int) -> int | None:
    start, end = places[index]
    larger = [
        (b - a, number)
        for number, (a, b) in enumerate(places)
        if a <= start and end <= b and (a, b) != (start, end)
    ]
    return min(larger)[1] if larger else None


SPANS = st.tuples(st.integers(0, 4), st.integers(1, 5), st.sampled_from("XYZ")).filter(
    lambda span: span[0] < span[1]
)


@given(st.lists(SPANS, unique=True))
def test_parents_against_brute_force(spans: list[tuple[int, int, str]]) -> None:
    made = document(*spans)
    places = [(e.start, e.end) for e in made.entities]
    assert [e.parent for e in made.entities] == [
        naive_parent(places, index) for index in range(len(places))
    ]
    assert len(made.entities) == len(spans)


@given(
    st.lists(st.tuples(SPANS, st.integers(1, 3), st.sampled_from([0.2, 0.5, 0.9])), max_size=8),
    st.none() | st.sets(st.sampled_from("XYZ")),
    st.sampled_from([0.0, 0.5, {"X": 0.9, "Y": 0.5}]),
    st.none() | st.integers(1, 3),
)
def test_selection_against_brute_force(
    spans: list[tuple[tuple[int, int, str], int, float]],
    types: set[str] | None,
    min_score: float | dict[str, float],
    max_depth: int | None,
) -> None:
    scored = [ScoredSpan(*span, level, score) for span, level, score in spans]
    least = min_score if isinstance(min_score, dict) else dict.fromkeys("XYZ", min_score)
    expected = [
        span
        for span in scored
        if (types is None or span.label in types)
        and span.score >= least.get(span.label, 0)
        and span.level <= (max_depth or 9)
    ]
    everything = assemble(TEXT, [TOKENS], [scored])
    selection = everything.select(types=types, min_score=min_score, max_depth=max_depth)
    assert selection == assemble(TEXT, [TOKENS], [expected])


def test_selecting_types_that_the_model_does_not_have() -> None:
    spans = [[ScoredSpan(0, 1, "GENE", 1, 0.5)]]
    known = assemble(TEXT, [TOKENS], spans, ["GENE", "CELL"])
    assert known.select(types=["CELL"], min_score={"GENE": 0.9}).entities == ()
    with pytest.raises(UsageError, match="no type 'GENES'\n  did you mean 'GENE'"):
        known.select(types=["GENES"])
    with pytest.raises(UsageError, match="no type 'X'"):
        known.select(min_score={"X": 0.5})
    unknown = assemble(TEXT, [TOKENS], spans)
    assert unknown.select(types=["X"]).entities == ()


@pytest.mark.parametrize("wrong", [{"min_score": 7}, {"min_score": {"X": -1}}, {"max_depth": 0}])
def test_bounds_that_no_entity_can_have_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match=f"{next(iter(wrong))} is"):
        document((0, 4, "X")).select(**wrong)


def test_selecting_a_string_instead_of_a_list() -> None:
    with pytest.raises(UsageError, match="types is 'XY'"):
        document((0, 4, "X")).select(types="XY")


def test_equal_places_share_their_parent() -> None:
    made = document((0, 4, "X"), (1, 2, "Y"), (1, 2, "X"))
    assert [(e.label, e.parent) for e in made.entities] == [("X", None), ("X", 0), ("Y", 0)]


def test_sentences_are_counted_on() -> None:
    spans = [[ScoredSpan(0, 1, "X", 1, 0.5)], [ScoredSpan(1, 2, "Y", 1, 0.5)]]
    made = assemble(TEXT, [TOKENS[:2], TOKENS[2:]], spans)
    assert [(e.text, e.token_start, e.token_end) for e in made.entities] == [
        ("the", 0, 1),
        ("pond", 3, 4),
    ]
    assert made.token_offsets() == TOKENS
    assert made.tokens == TEXT.split()


def test_tree() -> None:
    made = document((0, 4, "X"), (0, 2, "Y"), (1, 2, "Z"), (3, 4, "Y"), (4, 5, "X"))
    assert made.tree().splitlines() == [
        "the bank a pond  X 0.50",
        "├─ the bank  Y 0.50",
        "│  └─ bank  Z 0.50",
        "└─ pond  Y 0.50",
        "bank  X 0.50",
    ]
    assert str(made).startswith(f"{TEXT}\nthe bank")
    assert str(document()) == TEXT


def test_to_dict() -> None:
    made = document((0, 2, "X"), (1, 2, "Y"))
    assert made.to_dict() == {
        "text": TEXT,
        "entities": [
            {
                "start": 0,
                "end": 8,
                "label": "X",
                "text": "the bank",
                "level": 1,
                "score": 0.5,
                "parent": None,
            },
            {
                "start": 4,
                "end": 8,
                "label": "Y",
                "text": "bank",
                "level": 1,
                "score": 0.5,
                "parent": 0,
            },
        ],
    }
    assert made.children() == [0]
    assert made.children(0) == [1]


@given(st.lists(SPANS, unique=True), st.sampled_from([[5], [2, 3], [1, 1, 3]]))
def test_sentences_of_a_document_hold_its_text_its_entities_and_their_scores(
    spans: list[tuple[int, int, str]], sizes: list[int]
) -> None:
    edges = [0, *accumulate(sizes)]
    sentences = [TOKENS[a:b] for a, b in pairwise(edges)]
    inside = [
        [
            ScoredSpan(start - a, end - a, label, 1, 0.5)
            for start, end, label in spans
            if a <= start and end <= b
        ]
        for a, b in pairwise(edges)
    ]
    made = assemble(f" {TEXT} \n", [[(a + 1, b + 1) for a, b in s] for s in sentences], inside)
    built = made.to_sentences(id="i", doc="d", extra={"key": 1})
    assert "".join(sentence.text for sentence in built) == made.text
    found = []
    position = 0
    for sentence in built:
        assert (sentence.id, sentence.doc, sentence.extra) == ("i", "d", {"key": 1})
        offsets = sentence.token_offsets()
        for start, end, label in sentence.entities:
            place = position + offsets[start][0], position + offsets[end - 1][1]
            found.append((*place, label))
        assert set(sentence.scores) == set(sentence.entities)
        position += len(sentence.text)
    assert sorted(found) == sorted((e.start, e.end, e.label) for e in made.entities)


def test_a_document_without_tokens_is_one_sentence() -> None:
    (sentence,) = assemble(" \n", [], []).to_sentences()
    assert (sentence.tokens, sentence.text) == ([], " \n")
