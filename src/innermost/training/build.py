"""From a configuration and training data to an encoder."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import nn

from innermost.encoders.config import WordCharConfig
from innermost.encoders.vectors import Vectors, read_vectors
from innermost.encoders.vocabulary import Vocabulary, build_vocabulary
from innermost.encoders.wordchar import WordCharEncoder
from innermost.encoders.wordchar_features import WordCharFeatures
from innermost.training.dataset import Split


@dataclass(frozen=True, slots=True)
class Built:
    model: nn.Module
    features: WordCharFeatures
    vocabulary: Vocabulary
    vectors: Vectors


def load_vectors(config: WordCharConfig) -> Vectors:
    if config.vectors is None:
        return Vectors([], np.empty((0, config.word_dimension), dtype=np.float32))
    return read_vectors(config.vectors)


def build(config: WordCharConfig, train: Split, types: int, vectors: Vectors) -> Built:
    """A fresh encoder, its weights drawn from torch's current seed."""
    tokens = (token for sentence in train.sentences for token in sentence.tokens)
    vocabulary = build_vocabulary(tokens, vectors.words, min_count=config.min_count)
    if config.scale_vectors:
        vectors = _scaled(vectors, vocabulary, train)
    return assemble(config, vocabulary, vectors, types)


def _scaled(vectors: Vectors, vocabulary: Vocabulary, train: Split) -> Vectors:
    """Vectors whose mean square over the distinct training words is 1."""
    forms = {token for sentence in train.sentences for token in sentence.tokens}
    first = len(vocabulary.trained) + 1
    rows = np.array([vocabulary.word(form) - first for form in sorted(forms)])
    used = vectors.table[rows[rows >= 0]]
    scale = float(np.sqrt(np.mean(np.square(used)))) if len(used) else 1.0
    return Vectors(vectors.words, vectors.table / np.float32(scale or 1.0))


def assemble(config: WordCharConfig, vocabulary: Vocabulary, vectors: Vectors, types: int) -> Built:
    model = WordCharEncoder(
        vocabulary,
        torch.from_numpy(vectors.table),
        types,
        word_dimension=config.word_dimension,
        character_dimension=config.character_dimension,
        character_filters=config.character_filters,
        hidden=config.hidden,
        layers=config.layers,
        word_dropout=config.word_dropout,
        dropout=config.dropout,
        recurrent_dropout=config.recurrent_dropout,
    )
    return Built(model, WordCharFeatures(vocabulary), vocabulary, vectors)
