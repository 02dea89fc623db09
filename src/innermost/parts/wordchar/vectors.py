"""Read pretrained word vectors: text, word2vec binary, ``.npz``."""

from __future__ import annotations

import hashlib
import math
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tokenize import TokenError
from typing import IO, Any
from zipfile import BadZipFile, ZipFile

import numpy as np
import numpy.typing as npt

from innermost.arrays import Floats
from innermost.errors import DataError
from innermost.files.atomic import atomic_file
from innermost.files.source import Source

_LARGEST_DIMENSION = 100_000


@dataclass(frozen=True, slots=True)
class Vectors:
    """Words in file order, usually most frequent first, and ``[word, dimension]`` numbers."""

    words: list[str]
    table: Floats
    folder: Path | None = None
    """The model folder that has exactly these, in fewer bytes perhaps."""

    @property
    def dimension(self) -> int:
        return int(self.table.shape[1])

    @property
    def summary(self) -> str:
        return f"{len(self.words):,} word vectors" if self.words else ""

    @property
    def fingerprint(self) -> str:
        hashed = hashlib.sha256("\n".join(self.words).encode("utf-8", "surrogatepass"))
        hashed.update(self.table.tobytes())
        return hashed.hexdigest()


def read_vectors(path: str | Path, keep: Callable[[str], bool] | None = None) -> Vectors:
    """Read word vectors; the format is detected from the name and the first line.

    ``.npz`` (``words``: one newline-separated string or an array of strings; ``vectors``),
    ``.bin`` (word2vec), anything else: text, ``word number number ...`` per line, with or without
    the word2vec header, compressed or not. ``keep`` selects words.
    """
    path = Path(path)
    if not path.is_file():
        raise DataError(
            "no such file of word vectors",
            path=path,
            hint="--set encoder.vectors=english takes those of an installed model",
        )
    if path.suffix == ".npz":
        vectors = _read_npz(path)
    else:
        source = Source(path)
        if source.head(4) == b"PK\3\4":
            raise DataError("a zip archive, not word vectors", path=path, hint="unpack it first")
        with source.open() as file:
            vectors = (_read_binary if source.name.endswith(".bin") else _read_text)(file, path)
    if not vectors.words:
        raise DataError("the file has no word vectors", path=path)
    if not np.isfinite(vectors.table).all():
        row = int(np.argmin(np.isfinite(vectors.table).all(axis=1)))
        raise DataError(f"the vector of {vectors.words[row]!r} is not finite", path=path)
    if keep is not None:
        chosen = [i for i, word in enumerate(vectors.words) if keep(word)]
        return Vectors([vectors.words[i] for i in chosen], vectors.table[chosen])
    return vectors


def write_vectors(vectors: Vectors, path: str | Path) -> None:
    """Write ``.npz`` in half precision."""
    with atomic_file(Path(path)) as file:
        np.savez_compressed(
            file, words=np.array("\n".join(vectors.words)), vectors=vectors.table.astype(np.float16)
        )


def _read_npz(path: Path) -> Vectors:
    try:
        with ZipFile(path) as archive:
            words, table = (_array(archive, name) for name in ("words", "vectors"))
            table = table.astype(np.float32)
    except (KeyError, ValueError, OSError, BadZipFile, EOFError, zlib.error, TokenError) as error:
        raise DataError(
            f"not word vectors, or damaged: {error}",
            path=path,
            hint="it needs the arrays `words` and `vectors`; if it was downloaded, do that again",
        ) from None
    names = str(words).split("\n") if words.ndim == 0 else [str(w) for w in words]
    if table.ndim != 2 or len(names) != len(table):
        raise DataError(f"{len(names)} words but vectors of shape {table.shape}", path=path)
    return Vectors(names, table)


def _array(archive: ZipFile, name: str) -> npt.NDArray[Any]:
    """An array of an ``.npz`` file, refused before allocation if it declares too large a size."""
    member = archive.getinfo(f"{name}.npy")
    with archive.open(member) as file:
        major, _ = np.lib.format.read_magic(file)
        read = np.lib.format.read_array_header_1_0
        shape, _, dtype = (read if major == 1 else np.lib.format.read_array_header_2_0)(file)
        size = math.prod(shape) * dtype.itemsize
        if size > member.file_size:
            raise ValueError(f"`{name}` declares {size:,} bytes")
    with archive.open(member) as file:
        return np.lib.format.read_array(file, allow_pickle=False)


def _read_text(file: IO[bytes], path: Path) -> Vectors:
    words: list[str] = []
    rows: list[Floats] = []
    dimension = 0
    for number, line in enumerate(file, start=1):
        word, *values = line.decode("utf-8", errors="replace").rstrip().split(" ")
        if number == 1 and len(values) == 1 and values[0].isdigit():
            continue
        if not dimension:
            dimension = len(values)
        try:
            # A word may contain spaces: the numbers are at the end of the line.
            row = np.array(values[-dimension:], dtype=np.float32)
        except ValueError:
            raise DataError("expected a word and numbers", path=path, line=number) from None
        if len(row) != dimension or not dimension:
            raise DataError(
                f"expected {dimension} numbers, found {len(row)}", path=path, line=number
            )
        words.append(" ".join([word, *values[:-dimension]]))
        rows.append(row)
    return Vectors(words, np.stack(rows) if rows else np.empty((0, 0), np.float32))


def _read_binary(file: IO[bytes], path: Path) -> Vectors:
    header = file.readline(100).split()
    if len(header) != 2 or not all(part.isdigit() for part in header):
        raise DataError("not a word2vec binary file: its header is missing", path=path, line=1)
    count, dimension = int(header[0]), int(header[1])
    if not 0 < dimension <= _LARGEST_DIMENSION:
        raise DataError(f"the header says {dimension} numbers per word", path=path, line=1)
    words: list[str] = []
    rows: list[Floats] = []
    for index in range(count):
        word = bytearray()
        while (char := file.read(1)) not in (b" ", b""):
            word += char
        row = file.read(4 * dimension)
        if len(row) != 4 * dimension:
            raise DataError(f"the file ends within word {index + 1} of {count}", path=path)
        words.append(word.decode("utf-8", errors="replace").lstrip("\n"))
        rows.append(np.frombuffer(row, dtype="<f4").astype(np.float32))
    return Vectors(words, np.stack(rows) if rows else np.empty((0, dimension), np.float32))
