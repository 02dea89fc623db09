"""The parts of a model at run time: from sentences to the features of its network."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from innermost.arrays import Floats
from innermost.model_folder.arrays import read_array
from innermost.model_folder.info import ModelInfo
from innermost.parts.contract import GroupedRuntimeFeatures, RuntimeFeatures, TokenizedDocuments
from innermost.parts.registry import runtime_half
from innermost.parts.settings import model_encoder
from innermost.runtime.devices import Device
from innermost.runtime.onnx_session import Session, open_session


class StackedFeatures:
    """The concatenated features of several parts."""

    def __init__(self, parts: Sequence[RuntimeFeatures]) -> None:
        self._parts = parts
        self.dimension = sum(part.dimension for part in parts)
        self.context = max(part.context for part in parts)

    def prepare(self, documents: TokenizedDocuments) -> list[tuple[Any, ...]]:
        return list(zip(*(part.prepare(documents) for part in self._parts), strict=True))

    def groups(self, items: Sequence[tuple[Any, ...]]) -> Sequence[int]:
        for number, part in enumerate(self._parts):
            if isinstance(part, GroupedRuntimeFeatures):
                return part.groups([item[number] for item in items])
        return range(len(items))

    def part(self, item: tuple[Any, ...], start: int, end: int) -> tuple[Any, ...]:
        pairs = zip(self._parts, item, strict=True)
        return tuple(part.part(piece, start, end) for part, piece in pairs)

    def __call__(self, items: Sequence[tuple[Any, ...]]) -> Floats:
        columns = zip(self._parts, zip(*items, strict=True), strict=True)
        return np.concatenate([part(column) for part, column in columns], axis=2)


@dataclass(frozen=True, slots=True)
class Opening:
    """How the files of a model are opened."""

    threads: int
    memory_map: bool = False
    device: Device = "cpu"

    def session(self, path: Path) -> Session:
        return open_session(path, self.threads, self.device)

    def array(self, path: Path, shape: tuple[int | None, ...]) -> npt.NDArray[Any]:
        return read_array(path, shape, memory_map=self.memory_map)


def open_features(folder: Path, info: ModelInfo, opening: Opening) -> RuntimeFeatures:
    """The features of a model folder."""
    parts = [
        runtime_half(name).open_features(folder, settings, opening)
        for name, settings in model_encoder(folder, info).parts.items()
    ]
    return parts[0] if len(parts) == 1 else StackedFeatures(parts)
