"""The vectors of a transformer, run by ONNX Runtime on the sub-words of sentences."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from innermost.arrays import Floats, Ints, normalize
from innermost.model_folder.plain_files import damaged
from innermost.parts.contract import Opening
from innermost.parts.transformer.files import GRAPH, TOKENIZER
from innermost.parts.transformer.settings import Settings
from innermost.parts.transformer.subwords import Pieces, read_subwords
from innermost.parts.transformer.windows import embed

_WIDEST = 65_536


def open_features(folder: Path, settings: Settings, opening: Opening) -> TransformerFeatures:
    return TransformerFeatures(folder, settings, opening)


class TransformerFeatures:
    """Sentences of any length are read completely, in windows."""

    def __init__(self, folder: Path, settings: Settings, opening: Opening) -> None:
        self.context = settings.context
        self._pooling = settings.pooling
        if not (folder / TOKENIZER).exists():
            raise damaged(folder / TOKENIZER, FileNotFoundError())
        self._subwords = read_subwords(folder / TOKENIZER)
        self._session = opening.session(folder / GRAPH)
        self.dimension = self._width()

    def prepare(self, documents: Sequence[Sequence[Sequence[str]]]) -> list[Pieces]:
        return self._subwords(documents, self.context)

    def part(self, item: Pieces, start: int, end: int) -> Pieces:
        return item.part(start, end)

    def __call__(self, items: Sequence[Pieces]) -> Floats:
        """``[token, sentence, feature]``, zero after the end of a sentence."""
        found = embed(items, self._subwords, self._run, self._pooling)
        longest = max(len(vectors) for vectors in found)
        features = np.zeros((longest, len(items), self.dimension), dtype=np.float32)
        for column, vectors in enumerate(found):
            features[: len(vectors), column] = normalize(vectors)
        return features

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
