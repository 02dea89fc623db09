"""``model.toml``: what a model folder says about itself. Versioned and checked on load."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import msgspec
import tomli_w

from innermost.errors import ModelError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FORMAT = 1
FILE = "model.toml"


class ModelInfo(msgspec.Struct, kw_only=True, frozen=True):
    """The types in the order of the emissions, the tokenizer, and how the model came to be."""

    format: int = FORMAT
    types: list[str]
    tokenizer: str
    encoder: dict[str, Any]
    """``kind`` and the settings that its weights fit."""
    training: dict[str, Any] = {}
    """Seed, fingerprints of the data, environment."""
    scores: dict[str, Any] = {}
    temperature: Annotated[float, msgspec.Meta(gt=0)] = 1.0
    """The emissions are divided by it before entities are scored."""


def read_info(folder: Path) -> ModelInfo:
    path = folder / FILE
    try:
        settings = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ModelError(
            f"{folder} is not a model folder: it has no {FILE}",
            hint="`innermost models` lists what is installed",
        ) from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ModelError(f"{path}: {error}") from None
    if isinstance(version := settings.get("format"), int) and version > FORMAT:
        raise ModelError(
            f"{folder} is a model of format {version}; this version reads up to {FORMAT}",
            hint="upgrade innermost",
        )
    try:
        return msgspec.convert(settings, ModelInfo)
    except msgspec.ValidationError as error:
        raise ModelError(f"{path}: {error}") from None


def info_bytes(info: ModelInfo) -> bytes:
    return tomli_w.dumps(msgspec.to_builtins(info)).encode()


def write_info(folder: Path, info: ModelInfo) -> None:
    (folder / FILE).write_bytes(info_bytes(info))
