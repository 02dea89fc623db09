"""Text with character spans to sentences and back: every entity kept, every character too."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from innermost.corpus import Context, Options, Report
from innermost.corpus.shared.character_spans import (
    sentences_from_text,
    text_of,
)
from innermost.errors import DataError, UsageError
from innermost.nest import Span

TEXT = "The IL-2 gene fell. Its promoter rose.\n\nThen it ended."


def sentences(text, spans, report=None, **options):
    context = Context(Options(**options), report or Report(), "x.txt", 3)
    return sentences_from_text(text, spans, context)


def span_of(phrase, label="X"):
    start = TEXT.index(phrase)
    return Span(start, start + len(phrase), label)


@st.composite
def annotated(draw):
    text = draw(st.text(st.sampled_from("aB. \n-'\u200b😀") | st.characters(), max_size=40))
    pairs = draw(st.lists(st.tuples(*[st.integers(0, len(text))] * 2), max_size=5))
    return text, [Span(min(p), max(p), f"X{i}") for i, p in enumerate(pairs) if p[0] != p[1]]


@given(annotated(), st.sampled_from(["unicode", "ptb", "genia", "whitespace"]))
def test_text_and_entities_come_back(case, tokenizer):
    text, spans = case
    report = Report()
    found = sentences(text, spans, report, tokenizer=tokenizer)
    again, back = text_of(found)
    assert again == text
    assert len(back) + report.total("lost") == len(spans)
    wanted = {s.label: s for s in spans if text[s.start : s.end].strip()}
    assert wanted.keys() == {s.label for s in back}
    for start, end, label in back:
        assert wanted[label].start <= start < end <= wanted[label].end
    # Spans that already fit come through unchanged and unreported.
    second = Report()
    sentences_from_text(again, back, Context(Options(), second, "x"), tokens=_offsets(found))
    assert not second.counts


def _offsets(found):
    position, result = 0, []
    for sentence in found:
        result.append([(position + a, position + b) for a, b in sentence.token_offsets()])
        position += len(sentence.text)
    return result


def test_sentences_are_joined_where_an_entity_runs_over_their_border():
    report = Report()
    spans = [span_of("fell. Its"), span_of("it", "Y")]
    found = sentences(TEXT, spans, report, tokenizer="ptb")
    assert [len(s.tokens) for s in found] == [9, 4]
    assert [s.entities for s in found] == [[Span(3, 6, "X")], [Span(1, 2, "Y")]]
    assert report.counts == {("changed", "entity across sentences"): 1}
    assert {s.doc for s in found} == {"x.txt:3"}


def test_a_span_inside_a_token_is_split_widened_or_refused():
    span = span_of("IL")
    found = {}
    for policy in ("split", "widen"):
        report = Report()
        first, *_ = sentences(TEXT, [span], report, tokenizer="genia", inside_token=policy)
        found[policy] = first.tokens[first.entities[0].start]
        assert report.total("changed") == 1
    assert found == {"split": "IL", "widen": "IL-2"}
    with pytest.raises(DataError, match="does not fit the tokens") as error:
        sentences(TEXT, [span], tokenizer="genia", inside_token="error")
    assert (error.value.path, error.value.line) == ("x.txt", 3)
    with pytest.raises(UsageError, match="inside_token"):
        Options(inside_token="cut")


@pytest.mark.parametrize("span", [(3, 3), (5, 4), (-1, 2), (0, 999)])
def test_spans_outside_the_text_are_refused(span):
    with pytest.raises(DataError, match="empty or outside"):
        sentences(TEXT, [Span(*span, "X")])


@pytest.mark.parametrize(
    "tokens", [[[(0, 3), (2, 5)]], [[(4, 8)], [(0, 3)]], [[(2, 2)]], [[(0, 99)]]]
)
def test_tokens_out_of_order_are_refused(tokens):
    with pytest.raises(DataError, match="token"):
        sentences_from_text(TEXT, [], Context(Options(), Report(), "x"), tokens=tokens)


def test_a_text_without_tokens_is_one_empty_sentence():
    (sentence,) = sentences(" \n", [Span(0, 1, "X")], report := Report())
    assert (sentence.tokens, sentence.text) == ([], " \n")
    assert report.counts == {("lost", "span of whitespace only"): 1}
