"""The character language models of a model: taken from folders, written, and read again."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import torch

from innermost.model_folder.contents import FLAIR
from innermost.parts.flair.character_lm import load_character_lms, save_character_lms
from innermost.parts.flair.module import FlairEmbedder, FlairFeatures
from innermost.parts.flair.runtime import numbered_folders
from innermost.parts.settings import FlairSettings


@dataclass(frozen=True, slots=True)
class FlairPart:
    module: FlairEmbedder
    features: FlairFeatures
    fingerprint: str

    def save(self, folder: Path) -> None:
        """A folder for each: their characters may differ."""
        for number, model in enumerate(self.features.models):
            save_character_lms(folder / FLAIR / str(number), [model])


def build_flair(settings: FlairSettings, device: torch.device) -> FlairPart:
    return _part([Path(model) for model in settings.models], device)


def load_flair(folder: Path, device: torch.device) -> FlairPart:
    """The models of a model folder."""
    return _part(numbered_folders(folder), device)


def _part(folders: list[Path], device: torch.device) -> FlairPart:
    models = list(chain.from_iterable(map(load_character_lms, folders)))
    features = FlairFeatures(models, device)
    return FlairPart(
        FlairEmbedder([model.hidden for model in models]), features, features.fingerprint
    )
