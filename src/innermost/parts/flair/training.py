"""The part in torch: character language models, saved and loaded again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import torch

from innermost.corpus import Sentence
from innermost.parts.flair.character_lm import load_character_lms, save_character_lms
from innermost.parts.flair.features import FrozenFlairFeatures
from innermost.parts.flair.files import FOLDER, numbered_folders
from innermost.parts.flair.module import FlairEmbedder
from innermost.parts.flair.settings import Settings


@dataclass(frozen=True, slots=True)
class FlairPart:
    module: FlairEmbedder
    features: FrozenFlairFeatures
    fingerprint: str

    def save(self, folder: Path) -> None:
        """Save each model in a separate folder: their characters may differ."""
        for number, model in enumerate(self.features.models):
            save_character_lms(folder / FOLDER / str(number), [model])


def read(settings: Settings) -> None:
    """Nothing to share: the models are small."""


def build(
    settings: Settings, source: None, sentences: Sequence[Sentence], device: torch.device
) -> FlairPart:
    return _part([Path(model) for model in settings.models], device)


def load(settings: Settings, folder: Path, device: torch.device) -> FlairPart:
    return _part(numbered_folders(folder), device)


def _part(folders: list[Path], device: torch.device) -> FlairPart:
    models = list(chain.from_iterable(map(load_character_lms, folders)))
    features = FrozenFlairFeatures(models, device)
    return FlairPart(
        FlairEmbedder([model.hidden for model in models]), features, features.fingerprint
    )
