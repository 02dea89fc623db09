"""Windows of documents, compared with windows that are computed one sentence at a time."""

from __future__ import annotations

from itertools import combinations, count, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from innermost.parts.transformer.document_windows import (
    CONTEXTS,
    SHORTEST,
    Pieces,
    Style,
    document_pieces,
    shared_runs,
    window_numbers,
)
from innermost.parts.transformer.subwords import Subwords
from innermost.parts.transformer.windows import embed, lay_out

Document = list[list[list[int]]]

documents = st.lists(
    st.lists(st.lists(st.integers(1, 9), max_size=12), min_size=1, max_size=9),
    min_size=1,
    max_size=4,
)
"""Documents of sentences of words, each given by its number of sub-words."""
styles = st.sampled_from(["sentence", "shared"])


def numbered(shapes: list[list[list[int]]]) -> list[Document]:
    """Every sub-word of all documents has another number, in order."""
    number = count()
    return [[[[next(number) for _ in range(n)] for n in s] for s in d] for d in shapes]


def flat(sentence: list[list[int]]) -> list[int]:
    return [piece for word in sentence for piece in word]


@given(documents, st.integers(1, 60), st.integers(0, 12), styles)
def test_windows_of_any_document(
    shapes: list[list[list[int]]], capacity: int, context: int, style: Style
) -> None:
    for document in numbered(shapes):
        everything = [piece for sentence in document for piece in flat(sentence)]
        pieces = list(document_pieces(document, capacity, context, style))
        numbers = window_numbers(pieces)
        assert len(pieces) == len(document)  # every sentence once, in order
        for sentence, own in zip(document, pieces, strict=True):
            end = own.first + int(own.counts.sum())
            assert own.ids[own.first : end].tolist() == flat(sentence)
            assert own.counts.tolist() == [len(word) for word in sentence]
        for number in set(numbers):
            inside = [own for own, n in zip(pieces, numbers, strict=True) if n == number]
            ids = inside[0].ids
            assert all(own.ids is ids for own in inside)
            size = sum(int(own.counts.sum()) for own in inside)
            if not size:
                continue
            # A stretch of this document, and of no other.
            start = int(ids[0]) - everything[0]
            assert ids.tolist() == everything[start : start + len(ids)]
            before, after = inside[0].first, len(ids) - inside[0].first - size
            assert before <= context
            assert after <= context
            if len(inside) > 1:
                assert style == "shared"
                assert len(ids) <= min(capacity, max(SHORTEST, CONTEXTS * context))
                assert before == min(context, start + before)
                assert after == min(context, len(everything) - start - before - size)
            else:
                assert len(ids) <= max(capacity, size)


@given(st.lists(st.integers(0, 20), max_size=8), st.integers(0, 6), st.integers(1, 60))
def test_runs_are_few_and_of_similar_size(sizes: list[int], context: int, limit: int) -> None:
    """By trying every way to cut the document."""

    def read(start: int, end: int) -> int:
        """The sub-words of a window of several sentences; one sentence always fits."""
        if end - start == 1:
            return 0
        before, after = sum(sizes[:start]), sum(sizes[end:])
        return min(context, before) + sum(sizes[start:end]) + min(context, after)

    ways = [
        [0, *cuts, len(sizes)]
        for n in range(len(sizes))
        for cuts in combinations(range(1, len(sizes)), n)
    ]
    largest = {tuple(way): max(read(a, b) for a, b in pairwise(way)) for way in ways}
    allowed = {way: size for way, size in largest.items() if size <= limit}
    runs = shared_runs(sizes, context, limit)
    if not sizes:
        assert runs == []
        return
    way = (0, *(run.stop for run in runs))
    assert [(run.start, run.stop) for run in runs] == list(pairwise(way))
    assert len(way) == min(map(len, allowed))
    assert allowed[way] == min(size for other, size in allowed.items() if len(other) == len(way))


RECORDED = {
    0: [(0, 3, 0), (3, 4, 0), (4, 10, 0), (10, 11, 0), (11, 25, 0), (25, 28, 0)],
    2: [(0, 5, 0), (1, 6, 2), (2, 12, 2), (8, 13, 2), (11, 25, 0), (23, 28, 2)],
    5: [(0, 8, 0), (0, 9, 3), (1, 13, 3), (5, 16, 5), (11, 25, 0), (20, 28, 5)],
    40: [(0, 12, 0), (0, 12, 3), (1, 13, 3), (5, 17, 5), (11, 25, 0), (16, 28, 9)],
}
"""The first sub-word of each window, the end of the last one and ``first``, by context, as it was
before windows could be shared: models without the setting must read the same."""


@pytest.mark.parametrize("context", RECORDED)
def test_windows_of_single_sentences_are_as_before(context: int) -> None:
    (document,) = numbered([[[2, 1], [1], [3, 1, 2], [1], [7, 7], [1, 2]]])
    pieces = list(document_pieces(document, 12, context, "sentence"))
    found = [(int(p.ids[0]), int(p.ids[-1]) + 1, p.first) for p in pieces]
    assert found == RECORDED[context]
    assert window_numbers(pieces) == list(range(6))


def tokenizer(capacity: int) -> Subwords:
    read = object.__new__(Subwords)
    read.before, read.after, read.capacity, read.pad = [900], [901, 902], capacity, 999
    return read


def mixing(ids: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """A transformer whose vectors depend on the position and on everything in the window."""
    weights = mask * (1 + np.arange(ids.shape[1]) % 5)
    mean = (ids * weights).sum(1, keepdims=True) / weights.sum(1, keepdims=True)
    places = np.broadcast_to(np.arange(ids.shape[1]), ids.shape)
    return np.stack((ids, places, np.broadcast_to(mean, ids.shape)), -1).astype(np.float32)


@given(documents, st.integers(4, 60), st.integers(0, 12), styles, st.randoms())
def test_vectors_are_those_of_each_window_alone(
    shapes: list[list[list[int]]], capacity: int, context: int, style: Style, random
) -> None:
    read = tokenizer(capacity)
    pieces = [
        own
        for document in numbered(shapes)
        for own in document_pieces(document, capacity, context, style)
        if len(own.counts)
    ]
    if not pieces:
        return
    windows = len({id(own.ids): own for own in pieces if len(own.ids) <= capacity})
    several = [own for own in pieces if len(own.ids) > capacity]
    laid = lay_out(pieces, read)
    assert len(laid.ids) == windows + sum(len(lay_out([own], read).ids) for own in several)
    random.shuffle(pieces)
    for own, found in zip(pieces, embed(pieces, read, mixing, "mean", 100), strict=True):
        if len(own.ids) > capacity:
            alone = Pieces(own.ids.copy(), own.first, own.counts)
            (expected,) = embed([alone], read, mixing, "mean")
        else:
            ids = np.array([[*read.before, *own.ids, *read.after]])
            states = mixing(ids, np.ones_like(ids))[0, len(read.before) :]
            edges = own.first + np.concatenate(([0], np.cumsum(own.counts)))
            expected = np.array([states[a:b].mean(0) for a, b in pairwise(edges)])
        np.testing.assert_allclose(found, expected, rtol=1e-4)
