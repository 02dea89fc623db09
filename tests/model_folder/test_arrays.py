"""Arrays are read as numpy reads them, or refused before anything is allocated."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from innermost.errors import ModelError
from innermost.model_folder.arrays import LARGEST_NUMBER, read_array
from model_folder.mutations import mutated

SHAPE = (3, 4)


def _saved(array: np.ndarray) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array)
    return buffer.getvalue()


ARRAYS = [
    np.random.default_rng(0).normal(size=SHAPE).astype(dtype) for dtype in (np.float32, np.float16)
] + [np.arange(12).reshape(SHAPE).astype(dtype) for dtype in (np.int8, np.uint8)]


@pytest.mark.parametrize("memory_map", [False, True])
@pytest.mark.parametrize("array", ARRAYS, ids=lambda a: a.dtype.name)
def test_arrays_are_read(array: np.ndarray, memory_map: bool, tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", array)
    found = read_array(tmp_path / "x.npy", (None, 4), memory_map=memory_map)
    assert found.dtype == array.dtype
    assert (found == array).all()
    assert isinstance(found, np.memmap) == memory_map


@pytest.mark.parametrize("memory_map", [False, True])
def test_empty_arrays_are_read(memory_map: bool, tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.zeros((0, 4), np.float32))
    assert read_array(tmp_path / "x.npy", (0, None), memory_map=memory_map).shape == (0, 4)


def _header(text: str, data: bytes = b"") -> bytes:
    header = text.encode() + b"\n"
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + data


def _described(shape: str, dtype: str = "'<f4'", order: str = "False") -> str:
    return f"{{'descr': {dtype}, 'fortran_order': {order}, 'shape': {shape}}}"


def _archive() -> bytes:
    buffer = io.BytesIO()
    np.savez(buffer, x=ARRAYS[0])
    return buffer.getvalue()


def _not_a_number(value: float, dtype: type) -> bytes:
    array = np.zeros(SHAPE, dtype)
    array[1, 2] = value
    return _saved(array)


@pytest.mark.parametrize("memory_map", [False, True])
@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "does not begin like"),
        (b"PK\x03\x04", "does not begin like"),
        (_archive(), "does not begin like"),
        (_saved(ARRAYS[0])[:-1], "do not match"),
        (_saved(ARRAYS[0]) + b"\0", "do not match"),
        (_saved(ARRAYS[0].astype(np.float64)), "it has float64"),
        (_saved(ARRAYS[0].astype(">f4")), "it has >f4"),
        (_saved(np.asfortranarray(ARRAYS[0])), "Fortran order"),
        (_saved(ARRAYS[0].T), "Fortran order"),
        (_saved(np.zeros((4, 3), np.float32)), "expected"),
        (_saved(np.zeros(12, np.float32)), "expected"),
        (_saved(np.array([["x"] * 4] * 3)), "it has <U1"),
        (_not_a_number(np.nan, np.float32), "beyond"),
        (_not_a_number(np.inf, np.float32), "beyond"),
        (_not_a_number(-np.inf, np.float32), "beyond"),
        (_not_a_number(-2 * LARGEST_NUMBER, np.float32), "beyond"),
        (_not_a_number(np.nan, np.float16), "beyond"),
        (_not_a_number(-np.inf, np.float16), "beyond"),
        (_header(_described("(3, 100000000000)")), "do not match|expected"),
        (_header(_described("(3, 4)", "'|O'")), "it has object"),
        (_header(_described("(3, -4)")), "expected|do not match|does not begin"),
        (_header(_described("(3, True, 4)")), "expected|does not begin"),
        (_header("(" * 3_000), "does not begin like"),
        (_header("'"), "does not begin like"),
        (_header("9" * 4_000), "does not begin like"),
        (_header(_described("(3, 4)").replace("}", ", 'x': 1}")), "does not begin like"),
        (b"\x93NUMPY\x03\x00" + _saved(ARRAYS[0])[8:], "does not begin like"),
        (b"\x93NUMPY\x02\x00\xff\xff\xff\xff", "does not begin like"),
    ],
)
def test_other_files_are_refused(
    data: bytes, message: str, memory_map: bool, tmp_path: Path
) -> None:
    (tmp_path / "x.npy").write_bytes(data)
    with pytest.raises(ModelError, match=rf"x\.npy is damaged: .*({message})"):
        read_array(tmp_path / "x.npy", (3, 4), memory_map=memory_map)


@given(data=mutated([_saved(array) for array in ARRAYS]), memory_map=st.booleans())
def test_a_damaged_array_is_refused_or_read_as_numpy_reads_it(
    data: bytes, memory_map: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.getbasetemp() / "fuzzed.npy"
    path.write_bytes(data)
    try:
        found = read_array(path, (None, None), memory_map=memory_map)
    except ModelError:
        return
    expected = np.load(path)
    assert found.dtype == expected.dtype
    assert found.tobytes() == expected.tobytes()
    assert np.isfinite(found.astype(np.float32)).all()
