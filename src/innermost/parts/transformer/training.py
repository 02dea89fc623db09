"""The part in torch: a pretrained transformer, saved and loaded again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from innermost.corpus import Sentence
from innermost.network.embedder import Embedder, TrainingFeatures
from innermost.parts.transformer.features import SubwordFeatures
from innermost.parts.transformer.files import FOLDER
from innermost.parts.transformer.frozen_features import FrozenTransformerFeatures
from innermost.parts.transformer.fused_attention import fuse_attention
from innermost.parts.transformer.huggingface import Pretrained, load_pretrained, save_pretrained
from innermost.parts.transformer.layer_choice import chosen_layers
from innermost.parts.transformer.module import FrozenTransformerEmbedder, TransformerEmbedder
from innermost.parts.transformer.settings import Settings


@dataclass(frozen=True, slots=True)
class TransformerPart:
    module: Embedder
    features: TrainingFeatures
    pretrained: Pretrained
    fine_tuned: bool
    fingerprint: str

    def save(self, folder: Path) -> None:
        """Save the transformer; fine-tuned weights are stored with those of the model."""
        save_pretrained(self.pretrained, folder / FOLDER, weights=not self.fine_tuned)


def read(settings: Settings) -> None:
    """Nothing to share: a fine-tuned transformer is reloaded for each run."""


def build(
    settings: Settings, source: None, sentences: Sequence[Sentence], device: torch.device
) -> TransformerPart:
    return _part(settings, load_pretrained(settings.model), device)


def load(settings: Settings, folder: Path, device: torch.device) -> TransformerPart:
    """Load the part; fine-tuned weights are stored with those of the model."""
    frozen = not settings.fine_tune
    return _part(settings, load_pretrained(str(folder / FOLDER), weights=frozen), device)


def _part(settings: Settings, pretrained: Pretrained, device: torch.device) -> TransformerPart:
    module: Embedder
    features: TrainingFeatures
    encoder: Any = pretrained.encoder
    if settings.fine_tune:
        if settings.gradient_checkpointing:
            encoder.config.use_cache = False
            encoder.gradient_checkpointing_enable({"use_reentrant": False})
        fuse_attention(encoder, padded=True)
        module = TransformerEmbedder(
            encoder,
            layers_used=settings.layers_used,
            pooling=settings.pooling,
            learning_rate=settings.learning_rate,
            layer_decay=settings.layer_decay,
        )
        features = SubwordFeatures(pretrained.subwords, settings.context, settings.windows)
    else:
        layers = chosen_layers(settings.layers_used, encoder.config.num_hidden_layers + 1)
        module = FrozenTransformerEmbedder(
            encoder.config.hidden_size, len(layers), mixed=settings.layers_used == "mix"
        )
        features = FrozenTransformerFeatures(
            pretrained,
            layers_used=settings.layers_used,
            pooling=settings.pooling,
            context=settings.context,
            style=settings.windows,
            device=device,
        )
    return TransformerPart(module, features, pretrained, settings.fine_tune, pretrained.fingerprint)
