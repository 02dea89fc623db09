"""Arrays as ``.npy`` files. Never allocates more than the file contains.

``numpy.load`` also reads pickles and archives, and allocates whatever size a header declares.
"""

from __future__ import annotations

import io
import math
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from innermost.model_folder.manifest import check_bytes, read_file
from innermost.model_folder.plain_files import (
    MEGABYTE,
    check_file,
    damaged,
    unreadable,
)

LARGEST_FILE = 16_384 * MEGABYTE
LARGEST_NUMBER = 1e6
"""No weight or vector of a model is nearly as large; larger values overflow in float32 sums."""
_TYPES = ("<f4", "<f2", "|i1", "|u1")
_MOST_HEADER = 4_096
_CHECKED_AT_ONCE = 4 * MEGABYTE
"""In numbers."""
_INFINITE_HALF = 0x7C00


def read_array(
    path: Path, shape: tuple[int | None, ...], *, memory_map: bool = False
) -> npt.NDArray[Any]:
    """An array of float32, float16, int8 or uint8; ``None`` in the shape means any size.

    It is read into memory. With ``memory_map`` it stays in the file, and processes that map the
    same file share its memory; overwriting the file in place then crashes them.
    """
    if memory_map:
        size = check_file(path, LARGEST_FILE)
        try:
            with path.open("rb") as file:
                found, dtype, offset = _header(file, path)
            _check(path, found, dtype, size - offset, shape)
            array: npt.NDArray[Any] = np.empty(found, dtype)
            if array.size:  # An empty array cannot be mapped.
                array = np.memmap(path, dtype, "r", offset, found)
            check_bytes(path, np.memmap(path, np.uint8, "r").data)
        except (OSError, MemoryError) as error:
            raise unreadable(path, error) from None
    else:
        data = read_file(path, LARGEST_FILE)
        found, dtype, offset = _header(io.BytesIO(data[: _MOST_HEADER + 16]), path)
        _check(path, found, dtype, len(data) - offset, shape)
        array = np.frombuffer(data, dtype, math.prod(found), offset).reshape(found)
    _check_numbers(path, array)
    return array


def array_bytes(array: npt.NDArray[Any]) -> bytes:
    """A file that :func:`read_array` reads."""
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=False)
    return buffer.getvalue()


def _header(file: BinaryIO, path: Path) -> tuple[tuple[int, ...], np.dtype[Any], int]:
    """Shape, type, and the offset of the numbers."""
    try:
        version = np.lib.format.read_magic(file)
        if version != (1, 0):
            raise ValueError(f"unknown version {version} of the format")
        header = np.lib.format.read_array_header_1_0(file, max_header_size=_MOST_HEADER)
    except MemoryError as error:
        raise unreadable(path, error) from None
    except Exception as error:  # Many kinds: the header is a Python expression.
        reason = str(error).split("\n")[0][:200]
        raise damaged(path, f"it does not begin like an .npy file ({reason})") from None
    shape, fortran_order, dtype = header
    if fortran_order and len(shape) > 1:
        raise damaged(path, "its numbers are in Fortran order")
    return shape, dtype, file.tell()


def _check(
    path: Path,
    found: tuple[int, ...],
    dtype: np.dtype[Any],
    size: int,
    shape: tuple[int | None, ...],
) -> None:
    fits = len(found) == len(shape) and all(
        wanted in (None, axis) for wanted, axis in zip(shape, found, strict=True)
    )
    if not fits or dtype.str not in _TYPES or any(axis < 0 for axis in found):
        wanted = ", ".join("any" if axis is None else str(axis) for axis in shape)
        raise damaged(path, f"it has {dtype} of shape {found}, expected [{wanted}]")
    if math.prod(found) * dtype.itemsize != size:
        raise damaged(path, f"it has {size} bytes, which do not match the shape {found}")


def _check_numbers(path: Path, array: npt.NDArray[Any]) -> None:
    flat = array.reshape(-1)
    fine = _FINE.get(array.dtype.str)
    if fine is None:
        return
    for start in range(0, len(flat), _CHECKED_AT_ONCE):
        if not fine(flat[start : start + _CHECKED_AT_ONCE]):
            raise damaged(path, f"it has numbers beyond {LARGEST_NUMBER:g}, or NaN")


def _fine_singles(numbers: npt.NDArray[Any]) -> bool:
    # A comparison with NaN is false.
    return bool(numbers.max() <= LARGEST_NUMBER and numbers.min() >= -LARGEST_NUMBER)


def _fine_halves(numbers: npt.NDArray[Any]) -> bool:
    """Compared as integers, ten times as fast: infinity and NaN are above the largest number."""
    return bool((numbers.view(np.uint16) & 0x7FFF).max() < _INFINITE_HALF)


_FINE = {"<f4": _fine_singles, "<f2": _fine_halves}
