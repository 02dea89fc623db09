"""Weights in safetensors files, as NumPy arrays. Needs the extra ``train``."""

from __future__ import annotations

from pathlib import Path

from innermost.arrays import Weights
from innermost.errors import MissingExtraError, ModelError
from innermost.model_folder.plain_files import damaged


def read_weights(path: Path) -> Weights:
    try:
        from safetensors import SafetensorError
        from safetensors.numpy import load_file
    except ImportError as error:
        raise MissingExtraError("Exporting", "train", error.name) from None
    try:
        weights: Weights = load_file(path)
    except (OSError, SafetensorError) as error:
        if not path.exists():
            raise ModelError(
                f"{path.parent} has no {path.name}",
                hint="only a folder that `innermost train` wrote can be exported",
            ) from None
        raise damaged(path, error) from None
    return weights
