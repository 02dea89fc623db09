"""The part in torch: built from training data, saved, and loaded again."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from innermost.corpus import Sentence
from innermost.files.atomic import write_atomically
from innermost.model_folder.arrays import array_bytes, read_array
from innermost.parts.wordchar.features import WordCharFeatures
from innermost.parts.wordchar.files import (
    VECTORS,
    VOCABULARY,
    read_vocabulary,
    vocabulary_bytes,
)
from innermost.parts.wordchar.model_vectors import is_model, vectors_of_model
from innermost.parts.wordchar.module import WordCharEmbedder
from innermost.parts.wordchar.settings import Settings
from innermost.parts.wordchar.vectors import Vectors, read_vectors
from innermost.parts.wordchar.vocabulary import Vocabulary, build_vocabulary


@dataclass(frozen=True, slots=True)
class WordCharPart:
    module: WordCharEmbedder
    features: WordCharFeatures
    vocabulary: Vocabulary
    vectors: Vectors
    fingerprint: str

    def save(self, folder: Path) -> None:
        write_atomically(folder / VOCABULARY, vocabulary_bytes(self.vocabulary))
        write_atomically(folder / VECTORS, array_bytes(self.vectors.table.astype(np.float16)))


def read(settings: Settings) -> Vectors:
    if settings.vectors is None:
        return Vectors([], np.empty((0, settings.word_dimension), dtype=np.float32))
    if is_model(settings.vectors):
        return vectors_of_model(settings.vectors)
    return read_vectors(settings.vectors)


def build(
    settings: Settings, source: Vectors, sentences: Sequence[Sentence], device: torch.device
) -> WordCharPart:
    tokens = [token for sentence in sentences for token in sentence.tokens]
    vocabulary = build_vocabulary(tokens, source.words, min_count=settings.min_count)
    vectors = _scaled(source, vocabulary, tokens) if settings.scale_vectors else source
    return wordchar_part(settings, vocabulary, vectors)


def load(settings: Settings, folder: Path, device: torch.device) -> WordCharPart:
    vocabulary = read_vocabulary(folder)
    table = read_array(folder / VECTORS, (len(vocabulary.pretrained), None)).astype(np.float32)
    return wordchar_part(settings, vocabulary, Vectors(vocabulary.pretrained, table))


def wordchar_part(settings: Settings, vocabulary: Vocabulary, vectors: Vectors) -> WordCharPart:
    module = WordCharEmbedder(
        vocabulary,
        torch.from_numpy(vectors.table),
        word_dimension=settings.word_dimension,
        character_dimension=settings.character_dimension,
        character_filters=settings.character_filters,
        word_dropout=settings.word_dropout,
    )
    features = WordCharFeatures(vocabulary)
    return WordCharPart(module, features, vocabulary, vectors, _fingerprint(vectors))


def _fingerprint(vectors: Vectors) -> str:
    hashed = hashlib.sha256("\n".join(vectors.words).encode("utf-8", "surrogatepass"))
    hashed.update(vectors.table.tobytes())
    return hashed.hexdigest()


def _scaled(vectors: Vectors, vocabulary: Vocabulary, tokens: Sequence[str]) -> Vectors:
    """Vectors whose mean square over the distinct training words is 1."""
    first = len(vocabulary.trained) + 1
    rows = np.array([vocabulary.word(form) - first for form in sorted(set(tokens))])
    used = vectors.table[rows[rows >= 0]]
    scale = float(np.sqrt(np.mean(np.square(used)))) if len(used) else 1.0
    return Vectors(vectors.words, vectors.table / np.float32(scale or 1.0))
