from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from innermost.corpus import Sentence
from innermost.prediction import ensemble


class Chunks:
    """A model that records what it is given together, and finds nothing."""

    types = ("A",)

    def __init__(self, context: int) -> None:
        self.pipeline = SimpleNamespace(features=SimpleNamespace(context=context))
        self.chunks: list[list[str | None]] = []

    def decoded(self, sentences):
        self.chunks.append([sentence.doc for sentence in sentences])
        lengths = np.ones(len(sentences), dtype=np.int64)
        yield sentences, np.zeros((len(sentences), 1, 1, 5), dtype=np.float32), lengths, None


@pytest.mark.parametrize(
    ("contexts", "expected"),
    [((0, 0), ["aaa", "abb", "b"]), ((0, 8), ["aaaa", "bbb"])],
)
def test_documents_are_cut_only_if_no_model_uses_context(
    contexts: tuple[int, ...], expected: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ensemble, "_CHUNK", 3)
    models = [Chunks(context) for context in contexts]
    sentences = [Sentence(["x"], doc=doc) for doc in "aaaabbb"]
    assert len(list(ensemble.annotate(models, sentences))) == 7
    for model in models:
        assert ["".join(chunk) for chunk in model.chunks] == expected
