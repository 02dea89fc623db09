"""The card of a trained model, written at the end of every run."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from innermost.evaluation.card import DataSummary, training_card
from innermost.files.atomic import write_atomically
from innermost.model_folder.contents import CARD
from innermost.model_folder.info import ModelInfo
from innermost.training.data.dataset import Split
from innermost.training.settings.config import Config
from innermost.training.settings.text import settings_text


def write_card(
    folder: Path,
    info: ModelInfo,
    config: Config,
    splits: Mapping[str, Split],
    scores: Mapping[str, Mapping[str, Any]],
    environment: Mapping[str, str],
    note: str = "",
) -> None:
    """``note`` says what the scores cover, where that is not everything."""
    data = [_summary(name, split) for name, split in splits.items()]
    card = training_card(info, data, scores, environment, _settings(config), note)
    write_atomically(folder / CARD, card.encode())


def _summary(name: str, split: Split) -> DataSummary:
    return DataSummary(
        name,
        " + ".join(Path(file.path).name for file in split.coverage),
        len(split.sentences),
        split.tokens,
        sum(len(sentence.entities) for sentence in split.sentences),
        split.fingerprint,
    )


def _settings(config: Config) -> str:
    """All settings of the training as TOML, without file paths."""
    settings = config.to_dict()
    del settings["data"], settings["model"]
    settings["encoder"] = config.encoder.without_paths()
    settings["teachers"]["models"] = [Path(name).name for name in config.teachers.names]
    if not config.teachers.names:
        del settings["teachers"]
    if config.start.model is not None:
        settings["start"]["model"] = Path(config.start.model).name
    return settings_text(settings)
