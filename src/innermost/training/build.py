"""From a configuration and training data, or from a model folder, to a model in torch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from innermost.encoders.config import EncoderConfig, WordCharSettings, embedders_of
from innermost.encoders.embedder import Embedder, Features
from innermost.encoders.tagger import Tagger, TaggerFeatures
from innermost.encoders.vectors import Vectors
from innermost.training.dataset import Split
from innermost.training.wordchar_part import build_wordchar, load_wordchar


class Part(Protocol):
    """One embedder of a model, with its features."""

    @property
    def module(self) -> Embedder: ...

    @property
    def features(self) -> Features: ...

    def save(self, folder: Path) -> None:
        """Write what the weights need beside them (words, vectors, a tokenizer) into a model
        folder. It never changes in training, so it is written once."""
        ...


@dataclass(frozen=True, slots=True)
class Built:
    model: Tagger
    features: TaggerFeatures
    parts: Mapping[str, Part]
    """The embedders by name, in the order in which their vectors are joined."""


def build(config: EncoderConfig, train: Split, types: int, vectors: Vectors) -> Built:
    """A fresh model, its weights drawn from torch's current seed."""
    parts: dict[str, Part] = {}
    for name, settings in embedders_of(config).items():
        if isinstance(settings, WordCharSettings):
            parts[name] = build_wordchar(settings, train, vectors)
    return assemble(config, parts, types)


def load_parts(config: EncoderConfig, folder: Path) -> dict[str, Part]:
    """The embedders of a model folder, their weights still to be restored."""
    parts: dict[str, Part] = {}
    for name, settings in embedders_of(config).items():
        if isinstance(settings, WordCharSettings):
            parts[name] = load_wordchar(settings, folder)
    return parts


def assemble(config: EncoderConfig, parts: Mapping[str, Part], types: int) -> Built:
    model = Tagger(
        {name: part.module for name, part in parts.items()},
        types,
        hidden=config.hidden,
        layers=config.layers,
        dropout=config.dropout,
        recurrent_dropout=config.recurrent_dropout,
    )
    return Built(model, TaggerFeatures([part.features for part in parts.values()]), parts)
