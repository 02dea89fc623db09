"""Differences between two sides: every entity is in exactly one list, with a correct note."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.documents import places
from innermost.corpus import Sentence
from innermost.errors import UsageError
from innermost.evaluation.analysis.differences import (
    Difference,
    DifferenceCounts,
    corpus_differences,
    sentence_difference,
    text_differences,
)
from innermost.evaluation.report.diff import page
from innermost.nest import Span

TEXT = "the mayor of Ghent"


def difference(
    first: list[tuple[int, int, str]], second: list[tuple[int, int, str]], gold: object = None
) -> Difference:
    sides = tuple({Span(*place): 0.5 for place in side} for side in (first, second))
    return Difference(1, None, TEXT, sides, gold)  # type: ignore[arg-type]


@given(places(len(TEXT)), places(len(TEXT)))
def test_every_entity_is_quiet_on_both_sides_or_loud_on_one(
    first: list[tuple[int, int, str]], second: list[tuple[int, int, str]]
) -> None:
    found = difference(first, second)
    left, right = found.boxes()
    assert {b[:3] for b in left} == set(first)
    assert {b[:3] for b in right} == set(second)
    same = set(first) & set(second)
    for side in (left, right):
        assert {b[:3] for b in side if b.kind == "quiet"} == same
        assert all(b.note for b in side if b.kind == "only")
    assert bool(found) == (set(first) != set(second))


@pytest.mark.parametrize(
    ("first", "second", "notes"),
    [
        ([(0, 9, "PER")], [], (["only here"], [])),
        ([(13, 18, "GPE")], [(13, 18, "LOC")], (["LOC there"], ["GPE there"])),
        (
            [(13, 18, "GPE")],
            [(13, 18, "FAC"), (13, 18, "LOC")],
            (["FAC there"], ["GPE there", "GPE there"]),
        ),
        ([(0, 9, "PER")], [(4, 9, "PER")], (["other boundaries"], ["other boundaries"])),
        ([(0, 9, "PER")], [(4, 18, "X")], (["other type, boundaries"],) * 2),
    ],
)
def test_notes(
    first: list[tuple[int, int, str]],
    second: list[tuple[int, int, str]],
    notes: tuple[list[str], list[str]],
) -> None:
    left, right = difference(first, second).boxes()
    assert ([b.note for b in left], [b.note for b in right]) == notes


def test_with_gold_data_each_difference_is_right_or_wrong() -> None:
    found = difference([(0, 9, "PER")], [(13, 18, "GPE")], frozenset([Span(13, 18, "GPE")]))
    left, right = found.boxes()
    assert left[0].note == "only here, wrong"
    assert right[0].note == "only here, right"


def test_token_offsets_become_characters() -> None:
    sentence = Sentence(["a", "b", "c"], [Span(0, 2, "X")], doc="d", gaps=["", "  ", " ", "\n"])
    found = sentence_difference(4, sentence, [{Span(0, 2, "X"): None}, {Span(2, 3, "Y"): 0.2}])
    assert found.text == "a  b c"
    assert found.sides == ({Span(0, 4, "X"): None}, {Span(5, 6, "Y"): 0.2})
    assert found.gold == {Span(0, 4, "X")}
    assert (found.number, found.doc) == (4, "d")
    assert found.to_dict(["A", "B"])["only"] == [
        {"start": 0, "end": 4, "label": "X", "in": "A", "note": "only here, right"},
        {"start": 5, "end": 6, "label": "Y", "score": 0.2, "in": "B", "note": "only here, wrong"},
    ]


def test_gold_against_gold_is_no_difference() -> None:
    sentences = [Sentence(["a", "b"], [Span(0, 1, "X")]), Sentence(["c"], [])]
    found = list(corpus_differences(["gold", "gold"], sentences))
    assert [bool(d) for d in found] == [False, False]
    assert found[0].both == {Span(0, 1, "X")}


def test_gold_needs_data() -> None:
    with pytest.raises(UsageError, match="cannot be compared on plain text"):
        list(text_differences(["gold", "genia"], ["a text"]))


@given(st.lists(st.tuples(places(len(TEXT)), places(len(TEXT))), max_size=4))
def test_counts_add_up(pairs: list[tuple[list[tuple[int, int, str]], ...]]) -> None:
    counts = DifferenceCounts()
    for pair in pairs:
        counts.add(difference(*pair))
    assert counts.texts == len(pairs)
    assert counts.differing == sum(set(a) != set(b) for a, b in pairs)
    assert counts.both + counts.only[0] == sum(len(a) for a, _ in pairs)
    assert counts.both + counts.only[1] == sum(len(b) for _, b in pairs)


class Tags(HTMLParser):
    def __init__(self, source: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.marks: list[dict[str, str | None]] = []
        self.feed(source)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "mark":
            self.marks.append(dict(attrs))
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_page_draws_both_sides() -> None:
    evil = "<script>alert(1)</script>"
    found = difference([(0, 9, "PER"), (13, 18, evil)], [(0, 9, "PER")])
    source = page([found], [evil, "B"], evil, [evil])
    assert "<script" not in source
    marks = Tags(source.removeprefix("<!doctype html>")).marks
    assert [(m["data-type"], m.get("data-note")) for m in marks] == [
        ("PER", None),
        (evil, "only here"),
        ("PER", None),
    ]
