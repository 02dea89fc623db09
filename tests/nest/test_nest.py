from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.operations import count_lines
from innermost import nest
from innermost.nest import Span
from innermost.nest.target import B, E, I, O, S


@st.composite
def spans(draw, labels="AB", length=8):
    starts = draw(
        st.lists(st.tuples(st.integers(0, length - 1), st.integers(1, length)), max_size=8)
    )
    return [
        Span(start, min(start + width, length), draw(st.sampled_from(labels)))
        for start, width in starts
    ]


@given(spans(labels="A"))
def test_a_tree_keeps_every_span_or_says_so(given_spans):
    forest = nest.tree(given_spans)
    kept = flatten(forest.roots)
    assert sorted(kept + forest.left_out) == sorted(set(given_spans))
    assert forest.duplicates == len(given_spans) - len(set(given_spans))
    assert not any(nest.crossing(a, b) for a in kept for b in kept)
    for span in forest.left_out:
        assert any(nest.crossing(span, other) for other in kept)


@given(spans(labels="A"))
def test_children_lie_directly_inside_their_parent(given_spans):
    waiting = list(nest.tree(given_spans).roots)
    while waiting:
        node = waiting.pop()
        for child in node.children:
            assert node.span.contains(child.span)
        waiting.extend(node.children)


@given(spans())
def test_levels_count_the_longest_chain_around(given_spans):
    def chain(span):
        around = {o for o in given_spans if o.label == span.label and o.contains(span)}
        return 1 + max((chain(o) for o in around), default=0)

    assert nest.levels(given_spans) == [chain(s) for s in given_spans]


@given(spans())
def test_one_inner_term_for_each_entity_of_two_or_more_tokens(given_spans):
    target = nest.target(given_spans, 8, ["A", "B"])
    for index, label in enumerate("AB"):
        forest = nest.tree([s for s in given_spans if s.label == label])
        multi = [s for s in flatten(forest.roots) if s.end - s.start > 1]
        terms = [(t.start, t.end) for t in target.inner if t.type == index]
        assert sorted(terms) == sorted((s.start, s.end) for s in multi)
    assert all(len(term.tags) == term.end - term.start for term in target.inner)


def test_the_tags_of_a_nest():
    target = nest.target(
        [Span(0, 4, "A"), Span(1, 3, "A"), Span(2, 3, "A"), Span(4, 5, "A")], 6, ["A"]
    )
    assert target.outer == [[B, I, I, E, S, O]]
    inner = {(t.start, t.end): t.tags for t in target.inner}
    assert inner == {(0, 4): [O, B, E, O], (1, 3): [O, S]}


def test_all_o_when_nothing_is_inside():
    target = nest.target([Span(1, 4, "A")], 5, ["A"])
    assert [t.tags for t in target.inner] == [[O, O, O]]


def test_the_later_shorter_of_two_crossing_spans_is_left_out_and_counted():
    crossing = [Span(0, 3, "A"), Span(2, 4, "A"), Span(2, 4, "A")]
    target = nest.target(crossing, 4, ["A"])
    assert target.outer == [[B, I, E, O]]
    assert (target.crossings, target.duplicates) == (1, 1)
    same_length = nest.tree([Span(1, 3, "A"), Span(0, 2, "A")])
    assert same_length.left_out == [Span(1, 3, "A")]


def test_crossing_spans_of_different_types_are_fine():
    target = nest.target([Span(0, 3, "A"), Span(2, 4, "B"), Span(0, 3, "B")], 4, ["A", "B"])
    assert target.crossings == 1
    assert nest.target([Span(0, 3, "A"), Span(2, 4, "B")], 4, ["A", "B"]).crossings == 0


def test_an_unknown_type_is_named():
    with pytest.raises(ValueError, match="C"):
        nest.target([Span(0, 1, "C")], 2, ["A", "B"])


@given(spans())
def test_crossings_are_counted_as_by_trying_every_pair(given_spans):
    pairs = combinations(given_spans, 2)
    assert nest.count_crossings(given_spans) == sum(nest.crossing(a, b) for a, b in pairs)


@given(spans(labels="A"))
def test_the_longest_spans_are_kept(given_spans):
    """Against the rule itself: longest first, a span is kept if it crosses none that is kept."""
    distinct = sorted(set(given_spans), key=lambda s: (s.start - s.end, s.start))
    kept = []
    for span in distinct:
        if not any(nest.crossing(span, other) for other in kept):
            kept.append(span)
    separated, crossings = nest.separate(distinct)
    assert separated == kept
    assert [crossing.lost for crossing in crossings] == [s for s in distinct if s not in kept]
    assert all(nest.crossing(lost, other) and other in kept for lost, other in crossings)


SHAPES = {
    "flat": lambda n: [Span(i, i + 1, "A") for i in range(n)],
    "chain": lambda n: [Span(0, i + 1, "A") for i in range(n)],
    "crossing": lambda n: [Span(i, i + n, "A") for i in range(n)],
    "onion": lambda n: [Span(i, 2 * n - i, "A") for i in range(n)],
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("function", [nest.tree, nest.levels, nest.count_crossings])
def test_many_spans_take_little_more_than_linear_time(function, shape):
    few, many = SHAPES[shape](200), SHAPES[shape](1600)
    operations = count_lines(lambda: function(few))
    assert count_lines(lambda: function(many)) < 8 * 2 * operations + 100


def flatten(roots):
    """The spans of a forest, outer before inner, left before right."""
    return [span for node in roots for span in (node.span, *flatten(node.children))]
