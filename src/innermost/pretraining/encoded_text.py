"""Text as numbers on disk: written once, then read at any place without being held in memory.

One line in a hundred is held out, to measure on. A folder of encoded text:

    train.numbers     all other lines, one after another
    heldout.numbers   the lines held out
    text.json         how long both are, and what the numbers stand for; written last
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
"""Words, characters or sub-words: enough to measure on."""
_REPORT_EVERY = 20
_INDEX = "text.json"


class EncodedText(msgspec.Struct, frozen=True):
    """The numbers of a text, mapped into memory as they are looked at."""

    train: Numbers
    heldout: Numbers
    names: list[str]
    """What the numbers stand for, where the text itself decided that."""

    def counts(self, size: int) -> Ints:
        """How often each number below ``size`` occurs in the training part."""
        total = np.zeros(size, dtype=np.int64)
        for start in range(0, len(self.train), 1 << 24):
            total += np.bincount(self.train[start : start + (1 << 24)], minlength=size)
        return total


class Numbering:
    """Gives every string a number when it is first met."""

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
    """Write lines, already numbers, and yield how far it has come.

    Whoever calls it writes the index afterwards, with :func:`finish_text`.
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
    """Whether the text there was written to its end."""
    return (folder / _INDEX).exists()


def open_text(folder: Path) -> EncodedText:
    """A text that was written before."""
    try:
        index = msgspec.json.decode((folder / _INDEX).read_bytes())
        parts = {name: _map(folder, index, name) for name in ("train", "heldout")}
    except (OSError, ValueError, KeyError, msgspec.DecodeError) as error:
        raise CheckpointError(
            f"the encoded text in {folder} is damaged: {error}",
            hint="remove the folder to begin again",
        ) from None
    if not len(parts["train"]):
        raise DataError(
            "too little text: there is nothing to train on",
            hint="give at least two lines; the first of a hundred is held out",
        )
    return EncodedText(parts["train"], parts["heldout"], index["names"])


def _map(folder: Path, index: dict[str, Any], name: str) -> Numbers:
    path, dtype = folder / f"{name}.numbers", np.dtype(index["dtype"])
    if path.stat().st_size != index[name] * dtype.itemsize:
        raise ValueError(f"{path.name} has not the length it was written with")
    if not index[name]:
        return np.empty(0, dtype)
    return np.memmap(path, dtype, mode="r")
