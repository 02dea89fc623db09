from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("tokenizers", reason="sub-words need the tokenizers library")

from helpers.tiny_transformer import write_byte_pieces, write_word_pieces
from innermost.arrays import normalize
from innermost.errors import ModelError
from innermost.parts.transformer.document_windows import Pieces
from innermost.parts.transformer.subwords import Subwords, tokenizer_description
from innermost.parts.transformer.windows import (
    MAX_GROUP,
    MAX_PADDING,
    SMALL_GROUP,
    cut,
    embed,
    fill_up,
    homes,
    lay_out,
    pool,
)

UNKNOWN = 1


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("pieces")
    write_word_pieces(folder)
    return (folder / "tokenizer.json").read_text()


def subwords(source: str, window: int = 24) -> Subwords:
    return Subwords(tokenizer_description(source, window=window, pad=0))


def test_pieces_are_those_of_the_tokenizer(source: str) -> None:
    from tokenizers import Tokenizer

    words = ["The", "rector", "of", "Ghentish", "libraries"]
    (found,) = subwords(source)([[words]])
    expected = Tokenizer.from_str(source).encode(
        words, is_pretokenized=True, add_special_tokens=False
    )
    assert found.ids.tolist() == expected.ids
    assert found.counts.tolist() == np.bincount(expected.word_ids).tolist()
    assert found.first == 0


def test_words_that_the_tokenizer_drops_are_unknown(source: str) -> None:
    dropped = ["\u200b", "\x00", "\ud800", " ", "\ufeff"]
    (found,) = subwords(source)([[["the", *dropped]]])
    assert found.counts.min() >= 1
    assert len(found.counts) == 6
    assert found.ids[1] == UNKNOWN


def test_a_vocabulary_without_its_unknown_token_is_an_error(source: str) -> None:
    damaged = source.replace('"[UNK]":', '"[UNX]":')
    assert damaged != source
    with pytest.raises(ModelError, match=r"unknown|tokenizer fails"):
        subwords(damaged)([[["qqq", "字"]]])


def test_a_panic_of_the_library_is_an_error(source: str) -> None:
    description = json.loads(tokenizer_description(source, window=24, pad=0))
    description["post_processor"]["special_tokens"] = {}
    with pytest.raises(ModelError, match="tokenizer"):
        Subwords(json.dumps(description))


def test_bytes_begin_after_a_space(tmp_path: Path) -> None:
    write_byte_pieces(tmp_path)
    read = subwords((tmp_path / "tokenizer.json").read_text())
    (first,), (second,) = read([[["the"]]]), read([[["Oslo", "the"]]])
    assert second.ids[-len(first.ids) :].tolist() == first.ids.tolist()
    assert (read.before, read.after) == ([0], [2])


def test_context_of_the_same_document_as_far_as_it_fits(source: str) -> None:
    read = subwords(source, window=12)
    document = [["the", "mayor"], ["of", "oslo"], ["won"], ["a", "prize"]]
    flat = [read([[s]])[0].ids.tolist() for s in document]
    everything = [i for ids in flat for i in ids]
    for context in (0, 1, 3, 100):
        for number, pieces in enumerate(read([document, [["news"]]], context)[:4]):
            own = slice(pieces.first, pieces.first + pieces.counts.sum())
            assert pieces.ids[own].tolist() == flat[number]
            assert len(pieces.ids) <= max(read.capacity, len(flat[number]))
            start = sum(map(len, flat[:number])) - pieces.first
            assert pieces.ids.tolist() == everything[start : start + len(pieces.ids)]
            left, right = start, len(everything) - start - len(pieces.ids)
            assert pieces.first <= context
            # Nothing is dropped that would have fit.
            after = len(pieces.ids) - pieces.first - len(flat[number])
            if len(pieces.ids) < read.capacity:
                assert left == 0 or pieces.first == context
                assert right == 0 or after == context
    (alone,) = read([[["news"]]], 100)
    assert alone.ids.tolist() == read([[["news"]]])[0].ids.tolist()


@given(st.integers(1, 200), st.integers(1, 24))
def test_each_piece_is_read_where_it_is_farthest_from_an_edge(length: int, capacity: int) -> None:
    starts, home = homes(length, capacity)
    assert starts == cut(length, capacity)
    windows = [(s, min(s + capacity, length)) for s in starts]
    assert windows[0][0] == 0
    assert windows[-1][1] == length

    def margin(window: tuple[int, int], piece: int) -> int:
        start, end = window
        return min(piece - start, end - 1 - piece)

    for piece in range(length):
        best = max(margin(w, piece) for w in windows)
        assert margin(windows[home[piece]], piece) == best >= 0


@given(
    st.lists(st.lists(st.integers(1, 9), min_size=1, max_size=12), min_size=1, max_size=6),
    st.sampled_from(["first", "mean"]),
    st.integers(0, 3),
)
def test_embed_equals_one_word_after_the_other(
    counts: list[list[int]], pooling: str, context: int
) -> None:
    """With a transformer that sees each sub-word alone, windows make no difference."""
    read = object.__new__(Subwords)
    read.before, read.after, read.capacity, read.pad = [90], [91, 92], 7, 99
    rng = np.random.default_rng(len(counts))
    sentences = []
    for sentence in counts:
        ids = rng.integers(0, 50, sum(sentence) + 2 * context)
        sentences.append(Pieces(ids, context, np.array(sentence)))

    def run(ids: np.ndarray, mask: np.ndarray) -> np.ndarray:
        assert ids.size <= MAX_GROUP
        assert ids.shape[1] <= 10
        assert ((ids == 99) == (mask == 0)).all()
        return np.stack((ids, ids**2), axis=-1).astype(np.float32)

    found = embed(sentences, read, run, pooling)
    assert len(found) == len(sentences)
    for pieces, vectors in zip(sentences, found, strict=True):
        end = context
        for count, vector in zip(pieces.counts, vectors, strict=True):
            own = pieces.ids[end : end + count].astype(np.float64)
            end += count
            values = own[:1] if pooling == "first" else own
            np.testing.assert_allclose(vector, (values.mean(), (values**2).mean()), rtol=1e-5)


@given(st.lists(st.integers(1, 500), min_size=1, max_size=80))
def test_windows_of_like_length_are_run_together(lengths: list[int]) -> None:
    read = object.__new__(Subwords)
    read.before, read.after, read.capacity, read.pad = [], [], 500, 99
    sentences = [Pieces(np.full(n, number), 0, np.array([n])) for number, n in enumerate(lengths)]
    runs: list[int] = []

    def run(ids: np.ndarray, mask: np.ndarray) -> np.ndarray:
        runs.append(len(ids))
        assert ids.size <= max(MAX_GROUP, ids.shape[1])
        assert ids.size <= max(SMALL_GROUP, MAX_PADDING * mask.sum())
        return ids[..., None].astype(np.float32)

    found = embed(sentences, read, run, "mean")
    assert [float(vector[0, 0]) for vector in found] == list(range(len(lengths)))
    assert sum(runs) == len(lengths)


def test_a_word_of_many_windows(source: str) -> None:
    read = subwords(source, window=8)
    (pieces,) = read([[["o" * 5000, "won"]]])
    assert pieces.counts[0] == 5000
    laid = lay_out([pieces], read)
    assert all(len(ids) <= 8 for ids in laid.ids)
    assert len(laid.window) == pieces.counts.sum()
    ids, _ = fill_up(laid.ids, read.pad)
    assert ids[laid.window, laid.position].tolist() == pieces.ids.tolist()


def test_pool_and_normalize() -> None:
    vectors = np.arange(12, dtype=np.float32).reshape(6, 2)
    counts = np.array([1, 3, 2])
    assert pool(vectors, counts, "first").tolist() == [[0, 1], [2, 3], [8, 9]]
    assert pool(vectors, counts, "mean").tolist() == [[0, 1], [4, 5], [9, 10]]
    found = normalize(np.array([[1.0, 3.0]], dtype=np.float32))
    np.testing.assert_allclose(found, [[-1, 1]], atol=1e-4)


def test_what_is_no_tokenizer_is_refused(source: str) -> None:
    with pytest.raises(ModelError, match="not a tokenizer"):
        Subwords("{}")
    with pytest.raises(ModelError, match="does not define the window length"):
        Subwords(source)
    with pytest.raises(ModelError, match="fits no word"):
        subwords(source, window=2)
