"""What training reads and writes, as torch sees it."""

from __future__ import annotations

from pathlib import Path

import torch

from innermost.model_folder.contents import WEIGHTS
from innermost.model_folder.info import ModelInfo, read_info
from innermost.parts.registry import training_half
from innermost.parts.settings import model_encoder
from innermost.training.build import Built, assemble
from innermost.training.data.inputs import Data
from innermost.training.experiment import load_experiment
from innermost.training.records.checkpoint import restore_weights
from innermost.training.settings.config import Config


def load_data(config: Config) -> tuple[Data, list[str]]:
    """The data of a configuration, and the warnings about it."""
    experiment = load_experiment(config.to_dict())
    return experiment.data, experiment.warnings


def load_trained(folder: Path) -> tuple[Built, ModelInfo]:
    """The torch model of a folder."""
    info = read_info(folder)
    encoder = model_encoder(folder, info)
    parts = {
        name: training_half(name).load(settings, folder, torch.device("cpu"))
        for name, settings in encoder.parts.items()
    }
    built = assemble(encoder, parts, len(info.types))
    restore_weights(folder / WEIGHTS, built.model)
    return built, info
