"""The word and character embedder of a model: made from training data, written, and read again."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from innermost.model_folder.contents import (
    VECTORS,
    VOCABULARY,
    read_array,
    read_vocabulary,
    vocabulary_bytes,
)
from innermost.parts.settings import WordCharSettings
from innermost.parts.wordchar.features import WordCharFeatures
from innermost.parts.wordchar.module import WordCharEmbedder
from innermost.parts.wordchar.vectors import Vectors, read_vectors
from innermost.parts.wordchar.vocabulary import Vocabulary, build_vocabulary
from innermost.training.checkpoint import write_atomically
from innermost.training.dataset import Split


@dataclass(frozen=True, slots=True)
class WordCharPart:
    module: WordCharEmbedder
    features: WordCharFeatures
    vocabulary: Vocabulary
    vectors: Vectors
    fingerprint: str

    def save(self, folder: Path) -> None:
        write_atomically(folder / VOCABULARY, vocabulary_bytes(self.vocabulary))
        with (folder / VECTORS).open("wb") as file:
            np.save(file, self.vectors.table.astype(np.float16))


def load_vectors(settings: WordCharSettings) -> Vectors:
    if settings.vectors is None:
        return Vectors([], np.empty((0, settings.word_dimension), dtype=np.float32))
    return read_vectors(settings.vectors)


def build_wordchar(settings: WordCharSettings, train: Split, vectors: Vectors) -> WordCharPart:
    """A fresh embedder, its weights drawn from torch's current seed."""
    tokens = (token for sentence in train.sentences for token in sentence.tokens)
    vocabulary = build_vocabulary(tokens, vectors.words, min_count=settings.min_count)
    if settings.scale_vectors:
        vectors = _scaled(vectors, vocabulary, train)
    return wordchar_part(settings, vocabulary, vectors)


def load_wordchar(settings: WordCharSettings, folder: Path) -> WordCharPart:
    """The embedder of a model folder, its weights still to be restored."""
    vocabulary = read_vocabulary(folder)
    table = read_array(folder / VECTORS, (len(vocabulary.pretrained), None)).astype(np.float32)
    return wordchar_part(settings, vocabulary, Vectors(vocabulary.pretrained, table))


def wordchar_part(
    settings: WordCharSettings, vocabulary: Vocabulary, vectors: Vectors
) -> WordCharPart:
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


def _scaled(vectors: Vectors, vocabulary: Vocabulary, train: Split) -> Vectors:
    """Vectors whose mean square over the distinct training words is 1."""
    forms = {token for sentence in train.sentences for token in sentence.tokens}
    first = len(vocabulary.trained) + 1
    rows = np.array([vocabulary.word(form) - first for form in sorted(forms)])
    used = vectors.table[rows[rows >= 0]]
    scale = float(np.sqrt(np.mean(np.square(used)))) if len(used) else 1.0
    return Vectors(vectors.words, vectors.table / np.float32(scale or 1.0))
