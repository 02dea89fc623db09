"""Columns in which every token has as many tags as entities cover it, in no fixed order."""

from __future__ import annotations

from collections import defaultdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from innermost.corpus import Options, Report, Source
from innermost.corpus.formats.columns import FORMAT
from innermost.corpus.formats.columns.tag_sets import spans_of_tag_sets
from innermost.corpus.shared.tag_schemes import split_tag
from innermost.errors import DataError, UsageError
from innermost.nest import Span

LENGTH = 6
NESTED = """\
the B-PER
wife I-PER
of I-PER
the I-PER B-ORG
Bank B-ORG I-ORG I-PER
of I-ORG I-PER I-ORG
Spain B-GPE I-ORG I-ORG I-PER
spoke O

"""
SPANS = [Span(0, 7, "PER"), Span(3, 7, "ORG"), Span(4, 7, "ORG"), Span(6, 7, "GPE")]


@st.composite
def nested_spans(draw):
    """Spans of which no two of one type cross."""
    edges = st.tuples(st.integers(0, LENGTH), st.integers(0, LENGTH)).filter(lambda e: e[0] < e[1])
    spans = []
    for (start, end), label in draw(st.lists(st.tuples(edges, st.sampled_from("XY")), max_size=7)):
        crosses = any(
            label == other.label and (s < start < e < end or start < s < end < e)
            for s, e, _ in spans
            for other in [Span(s, e, _)]
        )
        if not crosses:
            spans.append(Span(start, end, label))
    return spans


def tag_sets(spans, scheme):
    sets = [[] for _ in range(LENGTH)]
    for start, end, label in spans:
        for position in range(start, end):
            is_first, is_last = position == start, position == end - 1
            prefix = "B" if is_first else "I"
            if scheme == "iobes" and is_last:
                prefix = "S" if is_first else "E"
            sets[position].append((prefix, label))
    return sets


@given(spans=nested_spans(), scheme=st.sampled_from(["bio", "iobes"]), data=st.data())
def test_nested_spans_come_back_from_tags_in_any_order(spans, scheme, data):
    sets = [data.draw(st.permutations(tags)) for tags in tag_sets(spans, scheme)]
    result = spans_of_tag_sets(sets)
    assert sorted(result.spans) == sorted(spans)
    assert not result.begun_inside


tags = st.lists(st.sampled_from(["B-X", "I-X", "E-X", "S-X", "B-Y", "I-Y", "O"]), max_size=4)


@given(sets=st.lists(tags, max_size=LENGTH))
def test_any_tags_give_spans_that_need_as_many_tags(sets):
    """Every tag belongs to one span, and the order of tags within a token does not matter."""
    split = [[split_tag(tag) for tag in tags] for tags in sets]
    result = spans_of_tag_sets(split)
    covered = defaultdict(int)
    for start, end, label in result.spans:
        for position in range(start, end):
            covered[position, label] += 1
    given = defaultdict(int)
    for position, tags in enumerate(split):
        for prefix, label in tags:
            given[position, label] += prefix != "O"
    assert covered == {key: count for key, count in given.items() if count}
    assert spans_of_tag_sets([tags[::-1] for tags in split]).spans == result.spans


def read_text(tmp_path, text, **settings):
    path, report = tmp_path / "a.txt", Report()
    path.write_text(text)
    return list(FORMAT.read(Source(path), Options(settings=settings), report)), report


@pytest.mark.parametrize("separator", [" ", "\t"])
def test_tag_sets_are_detected(tmp_path, separator):
    flat = "Bob B-PER\nspoke O\n\n" * 20
    (*_, sentence), report = read_text(tmp_path, (flat + NESTED).replace(" ", separator))
    assert sentence.entities == SPANS
    assert not report.counts


def test_few_lines_with_more_tags_are_slips_unless_a_setting_says_otherwise(tmp_path):
    text = "Bob B-PER\nspoke O\n\n" * 3 + "the B-PER\nwife I-PER\nof I-PER\nBob I-PER B-PER\n"
    (*_, sentence), report = read_text(tmp_path, text)
    assert sentence.entities == [Span(0, 4, "PER")]
    assert ": --read-set tags=2+" in report.examples[0].detail
    (*_, sentence), report = read_text(tmp_path, text, tags="2+")
    assert sentence.entities == [Span(0, 4, "PER"), Span(3, 4, "PER")]
    assert not report.counts


def test_ambiguous_tags_are_reported(tmp_path):
    text = "the B-ORG\nBank I-ORG B-ORG\nof I-ORG\nSpain I-ORG B-ORG\nspoke O\n"
    (sentence,), report = read_text(tmp_path, text, tags="2+")
    assert sentence.entities == [Span(0, 4, "ORG"), Span(1, 2, "ORG"), Span(3, 4, "ORG")]
    (event,) = report.examples
    assert (event.kind, event.what, event.line) == ("odd", "ambiguous tags of one type", 3)


def test_tags_that_continue_nothing_and_values_that_are_no_tags(tmp_path):
    (sentence,), report = read_text(tmp_path, "Bob I-PER I-NAME\n", tags="2+")
    assert sentence.entities == [Span(0, 1, "NAME"), Span(0, 1, "PER")]
    assert dict(report.counts) == {("odd", "tag without a beginning"): 2}
    with pytest.raises(DataError, match="'x' is not a tag"):
        read_text(tmp_path, "Bob B-PER x\n", tags="2+")
    with pytest.raises(UsageError, match="column numbers"):
        read_text(tmp_path, "Bob B-PER x\n", tags="+")
