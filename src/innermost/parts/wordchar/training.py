"""The part in torch: built from training data, saved and loaded again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from innermost.corpus import Sentence
from innermost.files.atomic import write_atomically
from innermost.model_folder.arrays import array_bytes
from innermost.parts.wordchar.features import WordCharFeatures
from innermost.parts.wordchar.files import (
    VECTORS,
    VOCABULARY,
    read_vocabulary,
    scales_of,
    vocabulary_bytes,
)
from innermost.parts.wordchar.model_vectors import is_model, vectors_of_model
from innermost.parts.wordchar.module import WordCharEmbedder
from innermost.parts.wordchar.settings import Settings
from innermost.parts.wordchar.vectors import Vectors, read_vectors
from innermost.parts.wordchar.vocabulary import Vocabulary, build_vocabulary, extended
from innermost.parts.wordchar.word_table import whole_table


@dataclass(frozen=True, slots=True)
class WordCharPart:
    module: WordCharEmbedder
    features: WordCharFeatures
    vocabulary: Vocabulary
    vectors: Vectors
    fingerprint: str
    settings: Settings

    def grown(self, sentences: Sequence[Sentence]) -> WordCharPart:
        """Unknown words and characters come after the known ones, so that these keep their rows."""
        tokens = [token for sentence in sentences for token in sentence.tokens]
        vocabulary = extended(self.vocabulary, tokens, min_count=self.settings.min_count)
        part = wordchar_part(self.settings, vocabulary, self.vectors)
        fresh = dict(part.module.named_parameters())
        with torch.no_grad():
            for name, known in self.module.named_parameters():
                if len(fresh[name]) > len(known):
                    fresh[name].mul_(known.std() / fresh[name].std())
                fresh[name][: len(known)] = known
        return part

    def save(self, folder: Path) -> None:
        write_atomically(folder / VOCABULARY, vocabulary_bytes(self.vocabulary))
        origin = self.vectors.folder
        if origin is None:
            write_atomically(folder / VECTORS, array_bytes(self.vectors.table.astype(np.float16)))
            return
        for path in (origin / VECTORS, scales_of(origin / VECTORS)):
            if path.exists():
                write_atomically(folder / path.name, path.read_bytes())


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
    scaled = settings.scale_vectors and source.folder is None  # a model has scaled its own
    vectors = _scaled(source, vocabulary, tokens) if scaled else source
    return wordchar_part(settings, vocabulary, vectors)


def load(settings: Settings, folder: Path, device: torch.device) -> WordCharPart:
    vocabulary = read_vocabulary(folder)
    table = whole_table(folder / VECTORS, len(vocabulary.pretrained))
    return wordchar_part(settings, vocabulary, Vectors(vocabulary.pretrained, table, folder))


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
    return WordCharPart(module, features, vocabulary, vectors, vectors.fingerprint, settings)


def _scaled(vectors: Vectors, vocabulary: Vocabulary, tokens: Sequence[str]) -> Vectors:
    """Vectors whose mean square over the distinct training words is 1."""
    first = len(vocabulary.trained) + 1
    rows = np.array([vocabulary.word(form) - first for form in sorted(set(tokens))])
    used = vectors.table[rows[rows >= 0]]
    scale = float(np.sqrt(np.mean(np.square(used)))) if len(used) else 1.0
    return Vectors(vectors.words, vectors.table / np.float32(scale or 1.0))
