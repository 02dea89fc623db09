"""Brackets, layers and offsets in UTF-16, against one character at a time."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from innermost.corpus import Context, Options, Report, Sentence
from innermost.corpus.shared.bracketing import bracketed
from innermost.corpus.shared.crossings import without_crossings
from innermost.corpus.shared.unsupported import layers, lose_sentence, report_unheld, with_extra
from innermost.corpus.shared.utf16 import characters_of, has_wide, units_of
from innermost.nest import Span, crossing

TEXT = "abcdefgh"


@st.composite
def span_lists(draw):
    pairs = draw(st.lists(st.tuples(st.integers(0, 7), st.integers(1, 8)), max_size=6))
    return [Span(a, b, draw(st.sampled_from("xy"))) for a, b in pairs if a < b]


def context(**kwargs):
    return Context(Options(), Report(), "x", 3, **kwargs)


@given(span_lists())
def test_brackets_open_and_close_around_their_spans(spans):
    place = context()
    kept = without_crossings(dict.fromkeys(spans), place, text=lambda s: TEXT[s.start : s.end])
    assert not any(crossing(a, b) for a in kept for b in kept)
    assert len(kept) + place.report.counts["lost", "crossing span"] == len(set(spans))
    marked = bracketed(
        TEXT, kept, plain=str.upper, opening=lambda x: f"<{x}", closing=lambda x: f"{x}>"
    )
    position, open_at, back = 0, [], []
    characters = iter(marked)
    for character in characters:
        if character == "<":
            open_at.append((position, next(characters)))
        elif character in "xy":
            assert next(characters) == ">"
            start, label = open_at.pop()
            assert label == character
            back.append(Span(start, position, label))
        else:
            assert character == TEXT[position].upper()
            position += 1
    assert position == len(TEXT)
    assert not open_at
    assert sorted(back) == sorted(kept)


def test_a_lost_span_is_described():
    place = context()
    long = "z" * 100
    without_crossings([Span(0, 3, "x"), Span(2, 4, "y")], place, text=lambda _: long)
    (event,) = place.report.examples
    assert event.detail == f"y {'z' * 60!r} crosses x {'z' * 60!r}"
    assert (event.kind, event.line) == ("lost", 3)


@given(span_lists())
def test_layers_are_as_few_as_possible_and_without_overlaps(spans):
    found = layers(spans)
    assert sorted(span for layer in found for span in layer) == sorted(spans)
    for layer in found:
        assert all(a.end <= b.start for a, b in pairwise(layer))
    depth = max((sum(s.start <= t < s.end for s in spans) for t in range(8)), default=0)
    assert len(found) == depth


def test_outer_spans_are_in_the_first_layer():
    spans = [Span(1, 2, "x"), Span(0, 3, "y"), Span(0, 3, "x"), Span(3, 4, "x")]
    assert layers(spans) == [
        [Span(0, 3, "x"), Span(3, 4, "x")],
        [Span(0, 3, "y")],
        [Span(1, 2, "x")],
    ]


@given(st.text(st.sampled_from("aé\uffff\U00010000😀"), max_size=8))
def test_utf16_offsets_are_those_of_the_encoding(text):
    def units(part):
        return len(part.encode("utf-16-le")) // 2

    assert units_of(text) == units(text)
    assert characters_of(text) == {units(text[:n]): n for n in range(len(text) + 1)}
    assert has_wide(text) == (units(text) != len(text))


FULL = Sentence(
    ["a", "b"],
    [Span(0, 1, "x")],
    gaps=["", "  ", ""],
    id="i",
    doc="d",
    extra={"k": 1, "l": 2},
    scores={Span(0, 1, "x"): 0.5},
)
CASES = {
    "id": {("lost", "sentence id"): 1},
    "doc": {("lost", "document name"): 1},
    "extra": {("lost", "extra key"): 2},
    "scores": {("changed", "scores"): 1},
    "gaps": {("changed", "whitespace"): 1},
}


@pytest.mark.parametrize("missing", CASES)
def test_what_a_format_cannot_hold_is_reported(missing):
    for as_argument in (True, False):
        held = frozenset(CASES) - {missing}
        place = context(holds=frozenset() if as_argument else held)
        report_unheld(FULL, 4, place, holds=held if as_argument else None)
        assert place.report.counts == CASES[missing]
        assert "of sentence 4" in place.report.examples[0].detail


def test_nothing_is_reported_of_what_a_sentence_does_not_have():
    place = context()
    report_unheld(Sentence(["a", "b"], gaps=["\n", " ", "  "]), 1, place)
    report_unheld(Sentence(["a", "b"], doc="x:1", unnamed=True), 1, place)
    assert not place.report.counts
    lose_sentence(Sentence(["a"], [Span(0, 1, "X")]), 9, "why", place)
    assert str(place.report.examples[0]) == "x:3: lost: sentence: sentence 9: why"
    assert (place.report.unwritten_sentences, place.report.unwritten_entities) == (1, 1)


def test_extra_keys_never_replace_those_of_the_format():
    place = context()
    record = with_extra({"text": "a", "k": 0}, FULL, 2, place, placed=("l",))
    assert record == {"text": "a", "k": 0}
    assert place.report.counts == {("lost", "extra key"): 1}
    assert with_extra({}, FULL, 2, place) == {"k": 1, "l": 2}
