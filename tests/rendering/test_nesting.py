"""Pieces, lanes and chunks, each against a slow definition of what it is."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from helpers.documents import Place, document, places
from innermost.document import Document, Entity
from innermost.rendering.nesting import chunks, lanes, pieces

TEXT = "abcdefghijklmnop"


@given(places(len(TEXT)))
def test_pieces_never_cross_and_cover_their_entities(found: list[Place]) -> None:
    entities = document(TEXT, found).entities
    result = pieces(entities)
    assert result == sorted(result, key=lambda p: (p.start, p.depth))
    for a in result:
        assert a.start < a.end
        assert not any(a.start < b.start < a.end < b.end for b in result)
    for index, entity in enumerate(entities):
        parts = [(p.start, p.end) for p in result if p.entity == index]
        assert parts[0][0] == entity.start
        assert parts[-1][1] == entity.end
        assert all(left[1] == right[0] for left, right in pairwise(parts))


@given(places(len(TEXT)))
def test_at_each_character_the_pieces_are_its_entities_from_outer_to_inner(
    found: list[Place],
) -> None:
    entities = document(TEXT, found).entities
    result = pieces(entities)
    for at in range(len(TEXT)):
        around = sorted((p.depth, p.entity) for p in result if p.start <= at < p.end)
        expected = [i for i, e in enumerate(entities) if e.start <= at < e.end]
        assert around == list(enumerate(expected))


@given(places(len(TEXT)))
def test_entities_that_do_not_cross_are_whole(found: list[Place]) -> None:
    entities = document(TEXT, found).entities
    result = pieces(entities)
    for index, a in enumerate(entities):
        if not any(_crossing(a, b) for b in entities):
            assert sum(p.entity == index for p in result) == 1


def _crossing(a: Entity, b: Entity) -> bool:
    return a.start < b.start < a.end < b.end or b.start < a.start < b.end < a.end


@given(places(len(TEXT)))
def test_a_lane_is_the_length_of_the_longest_chain_below(found: list[Place]) -> None:
    entities = document(TEXT, found).entities
    assert lanes(entities) == [_longest(entities, i) for i in range(len(entities))]


def _longest(entities: tuple[Entity, ...], index: int) -> int:
    inner = [i for i in range(index + 1, len(entities)) if entities[i].start < entities[index].end]
    return max((1 + _longest(entities, i) for i in inner), default=0)


@given(
    st.lists(st.tuples(st.integers(1, 900), st.sampled_from("\n ")), max_size=30),
    st.lists(st.tuples(st.integers(0, 9000), st.integers(1, 1500)), max_size=8),
)
def test_chunks_are_the_text_and_divide_no_entity(
    words: list[tuple[int, str]], spans: list[tuple[int, int]]
) -> None:
    text = "".join("x" * size + end for size, end in words)
    made: Document = document(
        text,
        [(s, min(s + n, len(text)), "X") for s, n in dict.fromkeys(spans) if s < len(text)],
    )
    result = chunks(text, made.entities)
    assert "".join(text[a:b] for a, b in result) == text
    for _, end in result[:-1]:
        assert text[end - 1] in "\n "
        assert not any(e.start < end < e.end for e in made.entities)
    for start, end in result:
        divisible = [
            at
            for at in range(start + 400, end - 1)
            if text[at] == "\n" and not any(e.start <= at < e.end - 1 for e in made.entities)
        ]
        assert not divisible
