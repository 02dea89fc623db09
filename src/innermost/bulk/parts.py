"""The parts of a shard, one per block, and the shard assembled from them.

A part is a file of output rows and, written after it, a note that it is complete, with the
counts and the rejects. A killed run finds its parts again when it is resumed.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from innermost.bulk.parquet import arrow, fitted, unified
from innermost.bulk.rejects import Reject
from innermost.bulk.shards import Shard
from innermost.files.atomic import atomic_file, write_atomically

_CHUNK = 1 << 20


class PartNote(msgspec.Struct, frozen=True):
    """Information about a complete part."""

    rows: int
    written: int
    entities: int
    rejects: list[Reject]


def write_part(folder: Path, number: int, data: bytes, note: PartNote) -> None:
    write_atomically(data_path(folder, number), data)
    write_atomically(_note_path(folder, number), msgspec.json.encode(note))


def read_note(folder: Path, number: int) -> PartNote | None:
    """The note of a part; None if it is not complete."""
    try:
        return msgspec.json.decode(_note_path(folder, number).read_bytes(), type=PartNote)
    except FileNotFoundError:
        return None


def read_notes(folder: Path) -> Iterator[PartNote]:
    """The notes of all complete parts, in order."""
    for path in sorted(folder.glob("*.json")):
        yield msgspec.json.decode(path.read_bytes(), type=PartNote)


def data_path(folder: Path, number: int) -> Path:
    return folder / f"{number:08}.data"


def _note_path(folder: Path, number: int) -> Path:
    return folder / f"{number:08}.json"


def assemble(folder: Path, count: int, shard: Shard, output: Path) -> None:
    """Write the shard from all its parts, under a temporary name in their folder."""
    output.parent.mkdir(parents=True, exist_ok=True)
    parts = [data_path(folder, number) for number in range(count)]
    if shard.output_format == "parquet":
        _assemble_parquet(parts, output, folder)
        return
    # Concatenated compressed files are one compressed file.
    with atomic_file(output, folder=folder) as sink:
        for part in parts:
            with part.open("rb") as source:
                shutil.copyfileobj(source, sink, _CHUNK)


def _assemble_parquet(parts: Sequence[Path], output: Path, folder: Path) -> None:
    """One row group per part."""
    parquet = arrow().parquet
    # A part without rows adds no columns.
    filled = [part for part in parts if parquet.read_metadata(part).num_rows] or parts[:1]
    schema = unified([parquet.read_schema(part) for part in filled])
    with (
        atomic_file(output, folder=folder) as sink,
        parquet.ParquetWriter(sink, schema, compression="zstd") as writer,
    ):
        for part in filled:
            writer.write_table(fitted(parquet.read_table(part, use_threads=False), schema))
