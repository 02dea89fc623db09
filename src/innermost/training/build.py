"""Build a torch model from a configuration and training data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch

from innermost.corpus import Sentence
from innermost.network.tagger import Tagger, TaggerFeatures
from innermost.parts.contract import Part, PartData
from innermost.parts.registry import training_half
from innermost.parts.settings import EncoderConfig

Sources = Mapping[str, PartData | None]
"""Data that the parts read before the first run, by name."""


@dataclass(frozen=True, slots=True)
class Built:
    model: Tagger
    features: TaggerFeatures
    parts: Mapping[str, Part]
    """Parts by name, in the order in which their vectors are concatenated."""


def read_sources(config: EncoderConfig) -> Sources:
    """Read the files that runs of several seeds share."""
    return {name: training_half(name).read(settings) for name, settings in config.parts.items()}


def build(
    config: EncoderConfig,
    sentences: Sequence[Sentence],
    types: int,
    sources: Sources,
    device: torch.device,
) -> Built:
    """A fresh model, its weights drawn from torch's current seed. It is still on the CPU;
    ``device`` is where frozen parts compute their vectors."""
    parts = {
        name: training_half(name).build(settings, sources[name], sentences, device)
        for name, settings in config.parts.items()
    }
    return assemble(config, parts, types)


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
