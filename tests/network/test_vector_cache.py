"""Vectors of frozen models: in files of a few words each, complete or absent."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from innermost.corpus import Sentence
from innermost.errors import InnermostError
from innermost.network import vector_cache
from innermost.network.vector_cache import CachedFeatures


class Lengths(CachedFeatures):
    """A word's vector: its length, the index of its sentence, and the number of sentences."""

    def __init__(self, stop_at: int | None = None) -> None:
        super().__init__("lengths", [], torch.device("cpu"))
        self.stop_at = stop_at
        self.computed: list[int] = []

    def computing(self, sentences):
        def compute(start, end):
            for number in range(start, end):
                if number == self.stop_at:
                    raise KeyboardInterrupt
                self.computed.append(number)
                words = sentences[number].tokens
                rows = [[len(word), number, len(sentences)] for word in words]
                yield np.array(rows, dtype=np.float32)

        return compute


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("INNERMOST_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(vector_cache, "MIN_FILE_WORDS", 5)
    return tmp_path / "cache"


def corpus(lengths: list[int]) -> list[Sentence]:
    return [Sentence(["x" * (k + 1) for k in range(n)], doc=str(n)) for n in lengths]


@given(st.lists(st.integers(1, 12), max_size=9))
def test_every_sentence_has_its_own_vectors(tmp_path_factory, lengths):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("INNERMOST_CACHE", str(tmp_path_factory.mktemp("cache")))
        sentences = corpus(lengths)
        features = Lengths()
        progress = list(features.fill(sentences))
        assert [total for _, total in progress] == [sum(lengths)] * len(progress)
        assert not lengths or progress[-1][0] == sum(lengths)
        for found in (features.prepare(sentences), Lengths().prepare(sentences)):
            assert [v.tolist() for v in found] == [
                [[k + 1, number, len(lengths)] for k in range(n)]
                for number, n in enumerate(lengths)
            ]
        assert features.computed == list(range(len(lengths)))


def test_what_was_stopped_goes_on_where_it_was(cache: Path) -> None:
    sentences = corpus([3, 4, 6, 2, 5, 1])  # parts: 3+4, 6, 2+5, 1
    stopped = Lengths(stop_at=4)
    with pytest.raises(KeyboardInterrupt):
        stopped.prepare(sentences)
    assert stopped.computed == [0, 1, 2, 3]
    assert len(list(cache.iterdir())) == 2  # nothing of the third part, no temporary file
    again = Lengths()
    assert list(again.fill(sentences)) == [(0, 8), (7, 8), (8, 8)]
    assert again.computed == [3, 4, 5]
    assert [len(v) for v in again.prepare(sentences)] == [3, 4, 6, 2, 5, 1]


def test_a_large_corpus_has_larger_files_not_more(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vector_cache, "MAX_FILES", 4)
    lengths = [3, 1, 7, 2] * 25
    found = Lengths().prepare(corpus(lengths))
    assert len(list(cache.iterdir())) == 4
    assert [len(v) for v in found] == lengths


def test_other_sentences_or_documents_are_another_corpus(cache: Path) -> None:
    Lengths().prepare(corpus([2]))
    other = Lengths()
    other.prepare([Sentence(["x", "xx"], doc="elsewhere")])
    assert other.computed == [0]


def test_a_folder_that_cannot_be_written_is_told(cache: Path) -> None:
    cache.write_text("a file", encoding="utf-8")
    with pytest.raises(InnermostError, match="INNERMOST_CACHE"):
        Lengths().prepare(corpus([2]))


def test_the_folder_is_the_users_cache_or_the_one_that_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert vector_cache.cache_folder() == tmp_path / "cache"
    monkeypatch.delenv("INNERMOST_CACHE")
    assert vector_cache.cache_folder().name in ("innermost", "Cache")
    if sys.platform.startswith("linux"):
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
        assert vector_cache.cache_folder() == tmp_path / "innermost"
