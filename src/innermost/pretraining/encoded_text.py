"""Text as numbers on disk: written once, then read at any position without loading it into memory.

One line in a hundred is held out for evaluation. A folder of encoded text:

    train.numbers     all other lines, concatenated
    heldout.numbers   the held-out lines
    text.json         the lengths of both, and the meaning of the numbers; written last
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from innermost.arrays import Ints
from innermost.errors import CheckpointError, DataError
from innermost.files.atomic import write_atomically
from innermost.pretraining.events import Reading

Numbers = npt.NDArray[np.integer[Any]]
Line = Numbers | list[int]

HELD_OUT_EVERY = 100
MOST_HELD_OUT = 200_000
"""Words, characters or sub-words: enough for evaluation."""
_REPORT_EVERY = 20
_INDEX = "text.json"


class EncodedText(msgspec.Struct, frozen=True):
    """The numbers of a text, memory-mapped."""

    train: Numbers
    heldout: Numbers
    names: list[str]
    """The meaning of the numbers, if it depends on the text."""

    def counts(self, size: int) -> Ints:
        """How often each number below ``size`` occurs in the training part."""
        total = np.zeros(size, dtype=np.int64)
        for start in range(0, len(self.train), 1 << 24):
            total += np.bincount(self.train[start : start + (1 << 24)], minlength=size)
        return total


class Numbering:
    """Numbers strings in order of first occurrence."""

    def __init__(self, first: Sequence[str]) -> None:
        self._numbers = {name: number for number, name in enumerate(first)}

    def __call__(self, names: Iterable[str]) -> list[int]:
        numbers = self._numbers
        return [numbers.setdefault(name, len(numbers)) for name in names]

    @property
    def names(self) -> list[str]:
        return list(self._numbers)


def write_text(
    folder: Path, batches: Iterable[Sequence[Line]], dtype: type[np.integer[Any]]
) -> Iterator[Reading]:
    """Write lines, already encoded as numbers, and yield the progress.

    The caller then writes the index with :func:`finish_text`.
    """
    folder.mkdir(parents=True, exist_ok=True)
    read = units = held_out = 0
    with (
        (folder / "train.numbers").open("wb") as train,
        (folder / "heldout.numbers").open("wb") as heldout,
    ):
        for index, batch in enumerate(batches):
            for line in batch:
                is_held_out = read % HELD_OUT_EVERY == 0 and held_out < MOST_HELD_OUT
                held_out += len(line) if is_held_out else 0
                (heldout if is_held_out else train).write(np.asarray(line, dtype=dtype).tobytes())
                read += 1
                units += len(line)
            if index % _REPORT_EVERY == 0:
                yield Reading(read, units)
    yield Reading(read, units)


def finish_text(folder: Path, dtype: type[np.integer[Any]], names: Sequence[str] = ()) -> None:
    """Mark the text as complete."""
    index = {"dtype": np.dtype(dtype).name, "names": list(names)}
    for part in ("train", "heldout"):
        index[part] = (folder / f"{part}.numbers").stat().st_size // np.dtype(dtype).itemsize
    write_atomically(folder / _INDEX, msgspec.json.encode(index))


def is_complete(folder: Path) -> bool:
    """Whether the text in the folder is complete."""
    return (folder / _INDEX).exists()


def open_text(folder: Path) -> EncodedText:
    """Open a complete encoded text."""
    try:
        index = msgspec.json.decode((folder / _INDEX).read_bytes())
        parts = {name: _map(folder, index, name) for name in ("train", "heldout")}
    except (OSError, ValueError, KeyError, msgspec.DecodeError) as error:
        raise CheckpointError(
            f"the encoded text in {folder} is damaged: {error}",
            hint="remove the folder to start over",
        ) from None
    if not len(parts["train"]):
        raise DataError(
            "too little text: there is nothing to train on",
            hint="provide at least two lines; one line in a hundred is held out",
        )
    return EncodedText(parts["train"], parts["heldout"], index["names"])


def _map(folder: Path, index: dict[str, Any], name: str) -> Numbers:
    path, dtype = folder / f"{name}.numbers", np.dtype(index["dtype"])
    if path.stat().st_size != index[name] * dtype.itemsize:
        raise ValueError(f"{path.name} does not have the length it was written with")
    if not index[name]:
        return np.empty(0, dtype)
    return np.memmap(path, dtype, mode="r")
