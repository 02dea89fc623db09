"""Character language models as an embedder: frozen, their vectors worked out before training."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence

import torch
from torch import Tensor

from innermost.corpus import Sentence
from innermost.network.embedder import Embedder
from innermost.network.vector_cache import CachedFeatures, Compute, Floats
from innermost.parts.flair.character_lm import CharacterLM
from innermost.parts.flair.string_embeddings import string_embeddings
from innermost.parts.transformer.module import FrozenInput, normalised

BLOCK = 1024
"""Sentences whose vectors are in memory together."""


class FlairFeatures(CachedFeatures):
    """``[word, width]`` for each sentence."""

    def __init__(self, models: Sequence[CharacterLM], device: torch.device) -> None:
        self.models = models
        self.fingerprint = _fingerprint(models)
        super().__init__(f"flair {self.fingerprint}", models, device)

    def computing(self, sentences: Sequence[Sentence]) -> Compute:
        def compute(start: int, end: int) -> Iterator[Floats]:
            for first in range(start, end, BLOCK):
                block = [s.tokens for s in sentences[first : min(first + BLOCK, end)]]
                yield from string_embeddings(self.models, block)

        return compute


class FlairEmbedder(Embedder):
    """Vectors that come with the batch, each model's brought to mean 0 and variance 1."""

    def __init__(self, widths: Sequence[int]) -> None:
        super().__init__()
        self._widths = list(widths)
        self.width = sum(widths)

    def forward(self, batch: FrozenInput) -> Tensor:
        parts = torch.split(batch.vectors, self._widths, dim=-1)
        return torch.cat([normalised(part) for part in parts], dim=-1)


def _fingerprint(models: Sequence[CharacterLM]) -> str:
    """The same for the same models in the same order."""
    hashed = hashlib.sha256()
    for model in models:
        hashed.update(repr((model.direction, model.characters)).encode())
        for name, weight in sorted(model.state_dict().items()):
            hashed.update(name.encode())
            hashed.update(weight.detach().cpu().contiguous().numpy().tobytes())
    return hashed.hexdigest()[:16]
