"""The transformer of a model: taken from a pretrained one, written, and read again."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from innermost.model_folder.contents import TRANSFORMER
from innermost.network.embedder import Embedder, Features
from innermost.parts.settings import TransformerSettings
from innermost.parts.transformer.frozen import FrozenTransformerFeatures
from innermost.parts.transformer.huggingface import Pretrained, load_pretrained, save_pretrained
from innermost.parts.transformer.layer_choice import chosen_layers
from innermost.parts.transformer.module import (
    FrozenTransformerEmbedder,
    TransformerEmbedder,
    TransformerFeatures,
)


@dataclass(frozen=True, slots=True)
class TransformerPart:
    module: Embedder
    features: Features
    pretrained: Pretrained
    fine_tuned: bool
    fingerprint: str

    def save(self, folder: Path) -> None:
        """The weights of one that is fine-tuned are among those of the model."""
        save_pretrained(self.pretrained, folder / TRANSFORMER, weights=not self.fine_tuned)


def build_transformer(settings: TransformerSettings, device: torch.device) -> TransformerPart:
    return _part(settings, load_pretrained(settings.model), device)


def load_transformer(
    settings: TransformerSettings, folder: Path, device: torch.device
) -> TransformerPart:
    """The transformer of a model folder; if it was fine-tuned, its weights still to be restored."""
    frozen = not settings.fine_tune
    return _part(settings, load_pretrained(str(folder / TRANSFORMER), weights=frozen), device)


def _part(
    settings: TransformerSettings, pretrained: Pretrained, device: torch.device
) -> TransformerPart:
    module: Embedder
    features: Features
    encoder: Any = pretrained.encoder
    if settings.fine_tune:
        if settings.gradient_checkpointing:
            encoder.config.use_cache = False
            encoder.gradient_checkpointing_enable({"use_reentrant": False})
        module = TransformerEmbedder(
            encoder,
            layers_used=settings.layers_used,
            pooling=settings.pooling,
            learning_rate=settings.learning_rate,
            layer_decay=settings.layer_decay,
        )
        features = TransformerFeatures(pretrained.subwords, settings.context)
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
            device=device,
        )
    return TransformerPart(module, features, pretrained, settings.fine_tune, pretrained.fingerprint)
