"""A model to start from: its vectors, characters, BiLSTM, and the heads of types with its names."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import torch

from innermost.arrays import Floats, Weights
from innermost.corpus import Sentence
from innermost.errors import ConfigError
from innermost.export.restored import model_weights
from innermost.model_folder.info import ModelInfo, read_info
from innermost.model_folder.installed import locate
from innermost.network.tagger import TAGS
from innermost.parts.contract import Growing, Part
from innermost.parts.registry import training_half
from innermost.parts.settings import EncoderConfig, model_encoder
from innermost.training.build import Built, assemble
from innermost.training.config import Settings


@dataclass(frozen=True, slots=True)
class Start:
    name: str
    folder: Path
    info: ModelInfo
    encoder: EncoderConfig
    weights: Weights = field(repr=False)

    @property
    def fingerprint(self) -> str:
        hashed = hashlib.sha256(repr(self.info.types).encode())
        for name in sorted(self.weights):
            hashed.update(name.encode() + self.weights[name].tobytes())
        return hashed.hexdigest()

    def settings(self) -> Settings:
        """What a model that starts from this one takes over, unless it is set otherwise."""
        return {
            "data": {"tokenizer": self.info.tokenizer},
            "encoder": self.encoder.without_paths(),
        }

    def shared(self, types: Sequence[str]) -> list[str]:
        """The types whose heads are taken over."""
        return [label for label in types if label in self.info.types]


def read_start(name: str) -> Start:
    """The model in a folder or of a name, exported or as training left it."""
    folder = locate(name)
    info = read_info(folder)
    encoder = model_encoder(folder, info)
    return Start(name, folder, info, encoder, model_weights(folder, encoder))


def build_from(
    start: Start,
    config: EncoderConfig,
    sentences: Sequence[Sentence],
    types: Sequence[str],
    device: torch.device,
    *,
    frozen: bool = False,
) -> Built:
    """A model with the weights of ``start``; what it does not have is drawn from torch's seed.

    ``frozen``: only the heads can be trained, and no word is added.
    """
    parts: dict[str, Part] = {}
    for name, settings in config.parts.items():
        part = training_half(name).load(settings, start.folder, device)
        _load(part.module, start.weights, f"{name}.", start)
        if isinstance(part, Growing) and not frozen:
            part = part.grown(sentences)
        parts[name] = part
    built = assemble(config, parts, len(types))
    _load(built.model.lstm, start.weights, "lstm.", start)
    with torch.no_grad():
        emit = built.model.emit
        for number, label in enumerate(types):
            if label in start.info.types:
                rows = slice(number * TAGS, (number + 1) * TAGS)
                first = start.info.types.index(label) * TAGS
                emit.weight[rows] = _tensor(start.weights["emit.weight"][first : first + TAGS])
                emit.bias[rows] = _tensor(start.weights["emit.bias"][first : first + TAGS])
    if frozen:
        for module in (built.model.lstm, *built.model.embedders):
            module.requires_grad_(False)
    return built


def _load(module: torch.nn.Module, weights: Weights, prefix: str, start: Start) -> None:
    own = {n.removeprefix(prefix): w for n, w in weights.items() if n.startswith(prefix)}
    try:
        module.load_state_dict({name: _tensor(values) for name, values in own.items()})
    except RuntimeError:
        raise ConfigError(
            f"the settings under [encoder] do not fit the weights of {start.name}",
            hint="with --start-from, only dropout can be changed there",
        ) from None


def _tensor(values: Floats) -> torch.Tensor:
    return torch.from_numpy(np.array(values))
