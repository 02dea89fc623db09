"""From a configuration and training data, or from a model folder, to a model in torch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import torch

from innermost.network.embedder import Embedder, Features
from innermost.network.tagger import Tagger, TaggerFeatures
from innermost.parts.flair.training import build_flair, load_flair
from innermost.parts.settings import EncoderConfig, FlairSettings, WordCharSettings, embedders_of
from innermost.parts.transformer.training import build_transformer, load_transformer
from innermost.parts.wordchar.training import build_wordchar, load_wordchar
from innermost.parts.wordchar.vectors import Vectors
from innermost.training.dataset import Split


class Part(Protocol):
    """One embedder of a model, with its features."""

    @property
    def module(self) -> Embedder: ...

    @property
    def features(self) -> Features: ...

    @property
    def fingerprint(self) -> str:
        """The same for the same pretrained vectors or weights."""
        ...

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


def build(
    config: EncoderConfig, train: Split, types: int, vectors: Vectors, device: torch.device
) -> Built:
    """A fresh model, its weights drawn from torch's current seed. It is still on the CPU;
    ``device`` is where frozen embedders do their work."""
    parts: dict[str, Part] = {}
    for name, settings in embedders_of(config).items():
        if isinstance(settings, WordCharSettings):
            parts[name] = build_wordchar(settings, train, vectors)
        elif isinstance(settings, FlairSettings):
            parts[name] = build_flair(settings, device)
        else:
            parts[name] = build_transformer(settings, device)
    return assemble(config, parts, types)


def load_parts(config: EncoderConfig, folder: Path, device: torch.device) -> dict[str, Part]:
    """The embedders of a model folder, their trained weights still to be restored."""
    parts: dict[str, Part] = {}
    for name, settings in embedders_of(config).items():
        if isinstance(settings, WordCharSettings):
            parts[name] = load_wordchar(settings, folder)
        elif isinstance(settings, FlairSettings):
            parts[name] = load_flair(folder, device)
        else:
            parts[name] = load_transformer(settings, folder, device)
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
