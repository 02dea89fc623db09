"""Character language models as an embedder: frozen, their vectors worked out before training."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence

import torch
from torch import Tensor

from innermost.corpus import Sentence
from innermost.encoders.character_lm import CharacterLM
from innermost.encoders.embedder import Embedder, Layout
from innermost.encoders.flair import string_embeddings
from innermost.encoders.transformer import FrozenInput, collate_frozen, normalised
from innermost.encoders.vector_cache import Floats, cached_vectors

BLOCK = 1024
"""Sentences whose vectors are in memory together."""


class FlairFeatures:
    """Runs the models over a corpus when it is prepared, if that was never done before."""

    def __init__(self, models: Sequence[CharacterLM], device: torch.device) -> None:
        self.models = [model.eval().requires_grad_(False) for model in models]
        self._device = device
        self.fingerprint = _fingerprint(self.models)

    def prepare(self, sentences: Sequence[Sentence]) -> list[Floats]:
        return cached_vectors(f"flair {self.fingerprint}", sentences, self.compute)

    def collate(self, items: Sequence[Floats], layout: Layout) -> FrozenInput:
        return collate_frozen(items, layout)

    def compute(self, sentences: Sequence[Sentence]) -> Iterator[Floats]:
        """``[word, width]`` for each sentence."""
        for model in self.models:
            model.to(self._device)
        for start in range(0, len(sentences), BLOCK):
            block = [sentence.tokens for sentence in sentences[start : start + BLOCK]]
            yield from string_embeddings(self.models, block)
        for model in self.models:
            model.to("cpu")


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
