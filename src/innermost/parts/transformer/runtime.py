"""The vectors of a transformer, run by ONNX Runtime on the sub-words of sentences."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path

import numpy as np

from innermost.arrays import Floats, Ints, normalize
from innermost.model_folder.plain_files import damaged
from innermost.parts.contract import Opening
from innermost.parts.transformer.document_windows import Pieces, window_numbers
from innermost.parts.transformer.files import GRAPH, TOKENIZER
from innermost.parts.transformer.settings import Settings
from innermost.parts.transformer.subwords import read_subwords
from innermost.parts.transformer.windows import MAX_GROUP, embed

_WIDEST = 65_536
_SHARED_GROUP = 512
"""Sub-words of shared windows that a CPU runs together: what is computed for more of them does not
fit into its caches, and the time per sub-word grows by a third."""


def open_features(folder: Path, settings: Settings, opening: Opening) -> TransformerFeatures:
    return TransformerFeatures(folder, settings, opening)


@dataclass(frozen=True, slots=True, eq=False)
class Window:
    """Sentences that are read together: the first that is needed computes the vectors of all."""

    sentences: list[Pieces]
    vectors: dict[int, Floats] = field(default_factory=dict)
    """``[word, ...]`` of sentences that are not needed yet, by their index."""


@dataclass(frozen=True, slots=True)
class Item:
    """One sentence of a window."""

    window: Window
    index: int

    @property
    def pieces(self) -> Pieces:
        return self.window.sentences[self.index]


class TransformerFeatures:
    """Sentences of any length are read completely, in windows."""

    def __init__(self, folder: Path, settings: Settings, opening: Opening) -> None:
        self._settings = settings
        self.context = settings.context or int(settings.windows == "shared")
        self._pooling = settings.pooling
        if not (folder / TOKENIZER).exists():
            raise damaged(folder / TOKENIZER, FileNotFoundError())
        self._subwords = read_subwords(folder / TOKENIZER)
        self._session = opening.session(folder / GRAPH)
        small = settings.windows == "shared" and opening.device == "cpu"
        self._max_group = _SHARED_GROUP if small else MAX_GROUP
        self.dimension = self._width()

    def prepare(self, documents: Sequence[Sequence[Sequence[str]]]) -> list[Item]:
        settings = self._settings
        sentences = self._subwords(documents, settings.context, settings.windows)
        windows = [Window(list(own)) for _, own in groupby(sentences, lambda s: id(s.ids))]
        return [Item(window, i) for window in windows for i in range(len(window.sentences))]

    def groups(self, items: Sequence[Item]) -> list[int]:
        return window_numbers(item.pieces for item in items)

    def part(self, item: Item, start: int, end: int) -> Item:
        return Item(Window([item.pieces.part(start, end)]), 0)

    def __call__(self, items: Sequence[Item]) -> Floats:
        """``[token, sentence, feature]``, zero after the end of a sentence."""
        new = {id(i.window): i.window for i in items if i.index not in i.window.vectors}
        if new:
            self._read(new.values())
        found = [item.window.vectors.pop(item.index) for item in items]
        longest = max(len(vectors) for vectors in found)
        features = np.zeros((longest, len(items), self.dimension), dtype=np.float32)
        for column, vectors in enumerate(found):
            features[: len(vectors), column] = normalize(vectors)
        return features

    def _read(self, windows: Collection[Window]) -> None:
        """Compute the vectors of all sentences of these windows."""
        sentences = [pieces for window in windows for pieces in window.sentences]
        found = iter(embed(sentences, self._subwords, self._run, self._pooling, self._max_group))
        for window in windows:
            window.vectors.update((i, next(found)) for i in range(len(window.sentences)))

    def _run(self, ids: Ints, mask: Ints) -> Floats:
        vectors: Floats = self._session.run(["vectors"], {"ids": ids, "mask": mask})[0]
        if vectors.shape != (*ids.shape, self.dimension):
            raise damaged(self._session.path, f"vectors have the shape {vectors.shape}")
        return vectors

    def _width(self) -> int:
        self._session.check_names({"ids", "mask"}, {"vectors"}, "a transformer")
        # The exported graph does not declare the width; running one sub-word shows it.
        one = np.full((1, 1), self._subwords.pad, dtype=np.int64)
        feed = {"ids": one, "mask": np.ones_like(one)}
        vectors = self._session.first_run(["vectors"], feed)[0]
        if vectors.ndim != 3 or not 1 <= vectors.shape[2] <= _WIDEST:
            raise damaged(self._session.path, f"vectors have the shape {vectors.shape}")
        return int(vectors.shape[2])
