"""Character spans to token spans: the same offsets as by exhaustive search."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.operations import count_lines
from innermost.nest import Span
from innermost.text import align
from innermost.text.align import BLANK, MADE_TOKEN, SPLIT, TRIMMED, WIDENED

TEXT = "ab-cd  ef\u200bgh ij"


@st.composite
def cases(draw):
    """A text, sentences of tokens that need not cover it, and spans anywhere in it."""
    text = draw(st.text(st.sampled_from("ab \n\u200b"), min_size=1, max_size=16))
    places = st.integers(0, len(text))
    edges = sorted(draw(st.sets(places)))
    pairs = [(a, b) for a, b in pairwise(edges) if draw(st.booleans())]
    tokens = [(a, b) for a, b in pairs if text[a:b].strip()]
    cut = draw(st.integers(0, len(tokens)))
    drawn = draw(st.lists(st.tuples(places, places, st.sampled_from("XY")), max_size=5))
    spans = [Span(min(a, b), max(a, b), label) for a, b, label in drawn if a != b]
    return text, [tokens[:cut], tokens[cut:]], spans


@given(cases(), st.booleans())
def test_every_span_covers_exactly_the_tokens_it_touches(case, split):
    text, sentences, spans = case
    result = align(text, sentences, spans, split=split)
    tokens = [token for sentence in result.tokens for token in sentence]
    assert all(a < b for a, b in tokens)
    assert all(one[1] <= two[0] for one, two in pairwise(tokens))
    assert len(result.spans) == len(spans)
    for given_span, found in zip(spans, result.spans, strict=True):
        touched = [
            i for i, (a, b) in enumerate(tokens) if a < given_span.end and given_span.start < b
        ]
        if found is None:
            assert not touched
            assert not text[given_span.start : given_span.end].strip()
            continue
        assert list(range(found.start, found.end)) == touched
        assert found.label == given_span.label
        start, end = tokens[found.start][0], tokens[found.end - 1][1]
        if split:
            assert given_span.start <= start
            assert end <= given_span.end
        dropped = text[given_span.start : start] + text[end : given_span.end]
        assert not dropped.replace("\u200b", "").strip()


@given(cases())
def test_tokens_are_only_split_and_added_never_moved(case):
    text, sentences, spans = case
    result = align(text, sentences, spans, split=True)
    after = {p for sentence in result.tokens for token in sentence for p in token}
    for sentence in sentences:
        assert {p for token in sentence for p in token} <= after
    wide = align(text, sentences, spans, split=False)
    if not any(case.what == MADE_TOKEN for case in wide.cases):
        assert [t for s in wide.tokens for t in s] == [t for s in sentences for t in s]


@pytest.mark.parametrize(
    ("span", "split", "tokens", "what"),
    [
        ((0, 5), True, ["ab-cd"], None),
        ((0, 2), True, ["ab"], SPLIT),
        ((0, 2), False, ["ab-cd"], WIDENED),
        ((5, 9), True, ["ef"], TRIMMED),
        ((9, 10), True, ["\u200b"], MADE_TOKEN),
        ((5, 7), True, None, BLANK),
        ((12, 15), True, ["ij"], MADE_TOKEN),
    ],
)
def test_each_case_is_named(span, split, tokens, what):
    sentences = [[(0, 5), (7, 9), (10, 12)]]
    result = align(TEXT, sentences, [Span(*span, "X")], split=split)
    flat = [TEXT[a:b] for sentence in result.tokens for a, b in sentence]
    found = result.spans[0]
    assert (flat[found.start : found.end] if found else None) == tokens
    assert what in {case.what for case in result.cases} or (what is None and not result.cases)


def test_words_of_a_nest_over_text_without_tokens():
    spans = [Span(0, 9, "X"), Span(3, 5, "Y")]
    result = align("one two x", [[]], spans, split=True)
    assert result.spans == [Span(0, 4, "X"), Span(1, 2, "Y")]
    assert result.tokens == [[(0, 3), (4, 5), (5, 7), (8, 9)]]


def test_overlapping_spans_of_invisible_characters_share_their_tokens():
    spans = [Span(0, 3, "X"), Span(0, 5, "X")]
    result = align(" \u200b  \u200b", [[], []], spans, split=False)
    assert [token for sentence in result.tokens for token in sentence] == [(1, 2), (4, 5)]
    assert result.spans == [Span(0, 1, "X"), Span(0, 2, "X")]


INVISIBLE = "\u200b"
MANY = {
    "words without tokens": lambda n: ("a " * n, [(2 * i, 2 * i + 1) for i in range(n)]),
    "invisible words": lambda n: ((INVISIBLE + " ") * n, [(2 * i, 2 * i + 1) for i in range(n)]),
    "invisible beginnings": lambda n: (INVISIBLE * n, [(0, i + 1) for i in range(n)]),
    "blanks before a word": lambda n: (" " * n + "a", [(i, n + 1) for i in range(n)]),
    "cuts in a word": lambda n: ("a" * n, [(i, i + 1) for i in range(n)]),
}


@pytest.mark.parametrize("kind", MANY)
def test_many_spans_take_little_more_than_linear_time(kind):
    def operations(number):
        text, places = MANY[kind](number)
        spans = [Span(start, end, "X") for start, end in places]
        return count_lines(lambda: align(text, [[(0, 1)]], spans, split=True))

    assert operations(1600) < 8 * 2 * operations(200) + 100


@given(cases())
def test_text_without_tokens_gets_them_piece_by_piece(case):
    """Against trying every stretch between two edges of spans."""
    text, sentences, spans = case
    tokens = [token for sentence in sentences for token in sentence]
    result = align(text, sentences, spans, split=False)
    made = {tuple(c.span[:2]) for c in result.cases if c.what == MADE_TOKEN}
    edges = sorted({0, len(text), *(edge for span in spans for edge in span[:2])})
    for start, end in pairwise(edges):
        over = [span for span in spans if span.start <= start and end <= span.end]
        for index in range(start, end):
            is_free = not any(a <= index < b for a, b in tokens)
            is_seen = text[index] in "ab" and bool(over)
            inside = [piece for piece in made if piece[0] <= index < piece[1]]
            assert len(inside) <= 1
            if is_free and is_seen:
                assert len(inside) == 1
            if inside:
                assert is_free
                assert over
