"""Write a trained model as a folder, without pickle."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from torch import nn

from innermost.files.atomic import write_atomically
from innermost.model_folder.contents import WEIGHTS
from innermost.model_folder.info import FILE, ModelInfo, info_bytes
from innermost.model_folder.manifest import remove_manifest
from innermost.training.build import Built
from innermost.training.records.checkpoint import weights_bytes
from innermost.training.records.origins import model_origins
from innermost.training.settings.config import Config

if TYPE_CHECKING:
    from innermost.training.data.inputs import Data


def save_model(
    folder: Path,
    model: nn.Module,
    built: Built,
    config: Config,
    data: Data,
    seed: int,
    best: dict[str, Any],
) -> None:
    """Write or overwrite the model folder; large files that never change are written once."""
    folder.mkdir(parents=True, exist_ok=True)
    remove_manifest(folder)
    if not (folder / FILE).exists():
        for part in built.parts.values():
            part.save(folder)
    write_atomically(folder / WEIGHTS, weights_bytes(dict(model.state_dict())))
    info = ModelInfo(
        types=data.types,
        layers=config.model.layers,
        tokenizer=config.data.tokenizer,
        encoder=config.encoder.without_paths(),
        training={
            "seed": seed,
            "epoch": best["epoch"],
            "fingerprints": {
                name: split.fingerprint
                for name, split in (("train", data.train), ("dev", data.dev))
                if split is not None
            },
            **model_origins(data),
        },
        scores={"dev": best["dev"]} if best["dev"] else {},
    )
    write_atomically(folder / FILE, info_bytes(info))
