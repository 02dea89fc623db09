"""Tags of one column: against the rule, position by position."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from innermost.corpus.shared.tag_schemes import SCHEMES, spans_of, split_tag, tags_of
from innermost.errors import UsageError
from innermost.nest import Span

tags = st.lists(
    st.just(("O", "")) | st.tuples(st.sampled_from("BIESLUM"), st.sampled_from("xy")), max_size=9
)


def continues(tags, position):
    """Whether a tag belongs to the entity of the one before it."""
    if position == 0:
        return False
    (before, label_before), (prefix, label) = tags[position - 1 : position + 1]
    return before in "BIM" and prefix not in "BSUO" and label == label_before


@given(tags)
def test_spans_follow_from_each_pair_of_tags(tags):
    starts = [i for i, tag in enumerate(tags) if tag[0] != "O" and not continues(tags, i)]
    expected = []
    for start in starts:
        end = start + 1
        while end < len(tags) and continues(tags, end):
            end += 1
        expected.append(Span(start, end, tags[start][1]))
    begun_inside = [i for i in starts if tags[i][0] not in "BSU"]
    assert spans_of(tags) == (expected, begun_inside)


@st.composite
def flat_spans(draw):
    edges = sorted(draw(st.sets(st.integers(0, 10), max_size=8)))
    pairs = pairwise(edges)
    return [Span(a, b, draw(st.sampled_from("xy"))) for a, b in pairs if draw(st.booleans())]


@given(flat_spans(), st.sampled_from(SCHEMES))
def test_every_scheme_reads_back(spans, scheme):
    written = tags_of(spans, 10, scheme)
    assert len(written) == 10
    back, begun_inside = spans_of(map(split_tag, written))
    assert back == spans
    assert scheme == "iob1" or not begun_inside


def test_the_schemes():
    spans = [Span(0, 1, "x"), Span(1, 3, "x"), Span(3, 6, "y"), Span(7, 8, "y")]
    assert {scheme: "".join(tag[0] for tag in tags_of(spans, 9, scheme)) for scheme in SCHEMES} == {
        "bio": "BBIBIIOBO",
        "iob1": "IBIIIIOIO",
        "iobes": "SBEBIEOSO",
        "bilou": "UBLBILOUO",
    }
    with pytest.raises(UsageError, match="unknown tag scheme 'bmes'"):
        tags_of(spans, 9, "bmes")


@pytest.mark.parametrize(
    ("tag", "parts"),
    [("O", ("O", "")), ("B-a-b", ("B", "a-b")), ("B-", None), ("-x", None), ("X-x", None)]
    + [("B", None), ("o", None), ("BI-x", None), ("", None)],
)
def test_splitting_a_tag(tag, parts):
    assert split_tag(tag) == parts
