"""The features of a frozen transformer: its cached vectors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import torch

from innermost.arrays import Floats, Ints
from innermost.corpus import Sentence
from innermost.network.vector_cache import CachedFeatures, Compute
from innermost.parts.transformer.document_windows import Pieces, Style, window_numbers
from innermost.parts.transformer.features import SubwordFeatures
from innermost.parts.transformer.huggingface import Pretrained
from innermost.parts.transformer.layer_choice import choose, chosen_layers
from innermost.parts.transformer.module import hidden_states
from innermost.parts.transformer.windows import embed

BLOCK_SUBWORDS = 16_384
"""Sub-words whose vectors are in memory at once."""


class FrozenTransformerFeatures(CachedFeatures):
    """``[word, layer, width]`` for each sentence."""

    def __init__(
        self,
        pretrained: Pretrained,
        *,
        layers_used: str | Sequence[int],
        pooling: str,
        context: int,
        style: Style,
        device: torch.device,
    ) -> None:
        self._encoder = pretrained.encoder
        self._pieces = SubwordFeatures(pretrained.subwords, context, style)
        self._pooling = pooling
        self._mixed = layers_used == "mix"
        count = int(self._encoder.config.num_hidden_layers) + 1  # type: ignore[union-attr,arg-type]
        self._layers = chosen_layers(layers_used, count)
        settings = (pretrained.fingerprint, self._layers, self._mixed, pooling, context)
        shared = " shared" if style == "shared" else ""
        super().__init__(f"transformer {settings}{shared}", [self._encoder], device)

    def computing(self, sentences: Sequence[Sentence]) -> Compute:
        items = self._pieces.prepare(sentences)

        def compute(start: int, end: int) -> Iterator[Floats]:
            for block in _blocks(items[start:end]):
                yield from embed(block, self._pieces.subwords, self._run, self._pooling)

        return compute

    @torch.no_grad()
    def _run(self, ids: Ints, mask: Ints) -> Floats:
        inputs = (torch.from_numpy(array).to(self._device) for array in (ids, mask))
        layers = choose(hidden_states(self._encoder, *inputs), self._layers, mixed=self._mixed)
        vectors: Floats = layers.float().cpu().numpy()
        return vectors


def _blocks(items: Sequence[Pieces]) -> Iterator[list[Pieces]]:
    is_new = np.diff(window_numbers(items), prepend=-1)
    sizes = np.cumsum(is_new * [len(item.ids) for item in items])
    starts = np.searchsorted(sizes // BLOCK_SUBWORDS, np.unique(sizes // BLOCK_SUBWORDS))
    for start, end in zip(starts, [*starts[1:], len(items)], strict=True):
        yield list(items[start:end])
