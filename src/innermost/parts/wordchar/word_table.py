"""Word vectors as a table on disk: half precision, or int8 or int4 with one scale per word."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from innermost.arrays import Floats, Ints
from innermost.errors import UsageError
from innermost.model_folder.arrays import read_array
from innermost.model_folder.plain_files import damaged
from innermost.parts.wordchar.files import scales_of

ReadArray = Callable[[Path, tuple[int | None, ...]], npt.NDArray[Any]]


def quantize(table: Floats, storage: Literal["int8", "int4"]) -> tuple[npt.NDArray[Any], Floats]:
    """The numbers and the scale of each row; two int4 numbers share a byte."""
    largest = 127 if storage == "int8" else 7
    scales = (np.abs(table).max(axis=1, initial=0.0) / largest).astype(np.float32)
    numbers = np.rint(table / np.where(scales > 0, scales, 1.0)[:, None])
    if storage == "int8":
        return numbers.astype(np.int8), scales
    if table.shape[1] % 2:
        raise UsageError(
            f"vectors of {table.shape[1]} numbers cannot be stored as int4",
            hint="their width must be even; use int8",
        )
    nibbles = (numbers + 8).astype(np.uint8)
    return nibbles[:, 0::2] << 4 | nibbles[:, 1::2], scales


def whole_table(path: Path, rows: int) -> Floats:
    """A whole table of words as numbers, however it is stored."""
    return WordTable(path, rows, None)[np.arange(rows)]


class WordTable:
    """Rows of vectors as they are stored, dequantized on access."""

    def __init__(
        self, path: Path, rows: int, width: int | None, *, read: ReadArray = read_array
    ) -> None:
        self._rows = read(path, (rows, None))
        self._packed = self._rows.dtype == np.uint8
        self._scales: npt.NDArray[Any] | None = None
        if self._packed or self._rows.dtype == np.int8:
            self._scales = read(scales_of(path), (rows,))
        if width is not None and self.width != width:
            raise damaged(path, f"its vectors have {self.width} numbers, expected {width}")

    @property
    def width(self) -> int:
        return int(self._rows.shape[1]) * (2 if self._packed else 1)

    def __getitem__(self, rows: Ints) -> Floats:
        codes = self._rows[rows]
        if self._packed:
            nibbles = np.stack((codes >> 4, codes & 15), axis=-1).reshape(len(codes), self.width)
            numbers = nibbles.astype(np.float32) - 8
        else:
            numbers = codes.astype(np.float32)
        if self._scales is not None:
            numbers *= self._scales[rows, None]
        return numbers
