"""The vectors of character language models, computed before training."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence

import torch

from innermost.arrays import Floats
from innermost.corpus import Sentence
from innermost.network.vector_cache import CachedFeatures, Compute
from innermost.parts.flair.character_lm import CharacterLM
from innermost.parts.flair.string_embeddings import string_embeddings

BLOCK_SENTENCES = 1024
"""Sentences whose vectors are in memory at once."""


class FrozenFlairFeatures(CachedFeatures):
    """``[word, width]`` for each sentence."""

    def __init__(self, models: Sequence[CharacterLM], device: torch.device) -> None:
        self.models = models
        self.fingerprint = _fingerprint(models)
        super().__init__(f"flair {self.fingerprint}", models, device)

    def computing(self, sentences: Sequence[Sentence]) -> Compute:
        def compute(start: int, end: int) -> Iterator[Floats]:
            for first in range(start, end, BLOCK_SENTENCES):
                block = [s.tokens for s in sentences[first : min(first + BLOCK_SENTENCES, end)]]
                yield from string_embeddings(self.models, block)

        return compute


def _fingerprint(models: Sequence[CharacterLM]) -> str:
    """A hash of the models and their order."""
    hashed = hashlib.sha256()
    for model in models:
        hashed.update(repr((model.direction, model.characters)).encode())
        for name, weight in sorted(model.state_dict().items()):
            hashed.update(name.encode())
            hashed.update(weight.detach().cpu().contiguous().numpy().tobytes())
    return hashed.hexdigest()[:16]
