"""The embedders of a model at run time: sentences to the features that its network reads."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import msgspec
import numpy as np
import numpy.typing as npt

from innermost.errors import ModelError
from innermost.model_folder.info import FILE, ModelInfo
from innermost.parts.flair.runtime import FlairFeatures
from innermost.parts.settings import (
    EncoderConfig,
    FlairSettings,
    TransformerSettings,
    embedders_of,
)
from innermost.parts.transformer.runtime import TransformerFeatures
from innermost.parts.wordchar.runtime import WordFeatures

Floats = npt.NDArray[np.float32]
Documents = Sequence[Sequence[Sequence[str]]]
"""Documents of sentences of tokens."""


class Features(Protocol):
    dimension: int
    context: int
    """How much of the neighbouring sentences is looked at; 0: nothing."""

    def prepare(self, documents: Documents) -> Sequence[Any]:
        """An item for each sentence of each document."""
        ...

    def part(self, item: Any, start: int, end: int, /) -> Any:
        """An item of only these tokens of a sentence."""
        ...

    def __call__(self, items: Sequence[Any], /) -> Floats:
        """``[token, sentence, feature]``, zero after the end of a sentence."""
        ...


class StackedFeatures:
    """The features of several embedders, side by side."""

    def __init__(self, parts: Sequence[Features]) -> None:
        self._parts = parts
        self.dimension = sum(part.dimension for part in parts)
        self.context = max(part.context for part in parts)

    def prepare(self, documents: Documents) -> list[tuple[Any, ...]]:
        return list(zip(*(part.prepare(documents) for part in self._parts), strict=True))

    def part(self, item: tuple[Any, ...], start: int, end: int) -> tuple[Any, ...]:
        pairs = zip(self._parts, item, strict=True)
        return tuple(part.part(piece, start, end) for part, piece in pairs)

    def __call__(self, items: Sequence[tuple[Any, ...]]) -> Floats:
        columns = zip(self._parts, zip(*items, strict=True), strict=True)
        return np.concatenate([part(column) for part, column in columns], axis=2)


def open_features(folder: Path, info: ModelInfo, threads: int) -> Features:
    """The features of a model folder."""
    parts: list[Features] = []
    for settings in embedders_of(read_encoder(folder, info)).values():
        if isinstance(settings, TransformerSettings):
            parts.append(TransformerFeatures(folder, settings, threads))
        elif isinstance(settings, FlairSettings):
            parts.append(FlairFeatures(folder, threads))
        else:
            parts.append(WordFeatures(folder))
    return parts[0] if len(parts) == 1 else StackedFeatures(parts)


def read_encoder(folder: Path, info: ModelInfo) -> EncoderConfig:
    try:
        encoder: EncoderConfig = msgspec.convert(info.encoder, EncoderConfig)
    except msgspec.ValidationError as error:
        raise ModelError(
            f"{folder / FILE}: the encoder is not one that this version knows: {error}",
            hint="upgrade innermost",
        ) from None
    return encoder
