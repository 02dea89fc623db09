"""The vectors of a transformer, run by ONNX Runtime on the sub-words of sentences."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from innermost.errors import ModelError
from innermost.model_folder.contents import TOKENIZER, TRANSFORMER_GRAPH, damaged
from innermost.parts.settings import TransformerSettings
from innermost.parts.transformer.subwords import Ints, Pieces, read_subwords
from innermost.parts.transformer.windows import embed, normalise
from innermost.runtime.onnx_session import open_session

Floats = npt.NDArray[np.float32]


class TransformerFeatures:
    """Sentences of any length go through whole, in windows."""

    def __init__(self, folder: Path, settings: TransformerSettings, threads: int) -> None:
        self.context = settings.context
        self._pooling = settings.pooling
        if not (folder / TOKENIZER).exists():
            raise damaged(folder / TOKENIZER, FileNotFoundError())
        self._subwords = read_subwords(folder / TOKENIZER)
        self._session = open_session(folder / TRANSFORMER_GRAPH, threads)
        self.dimension = self._width(folder / TRANSFORMER_GRAPH)

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
            features[: len(vectors), column] = normalise(vectors)
        return features

    def _run(self, ids: Ints, mask: Ints) -> Floats:
        vectors: Floats = self._session.run(["vectors"], {"ids": ids, "mask": mask})[0]
        return vectors

    def _width(self, path: Path) -> int:
        inputs = {value.name for value in self._session.get_inputs()}
        outputs = {value.name: value.shape for value in self._session.get_outputs()}
        if inputs != {"ids", "mask"} or set(outputs) != {"vectors"}:
            raise ModelError(f"{path} is not a transformer of innermost")
        # The exporter does not know the width; one sub-word tells it.
        one = np.full((1, 1), self._subwords.pad, dtype=np.int64)
        return int(self._run(one, np.ones_like(one)).shape[-1])
