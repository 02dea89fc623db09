"""Rows of Parquet and Arrow files, read with pyarrow.

The ``datasets`` library would decode columns: a file could make it open other files and addresses.
pyarrow trusts the offsets in Arrow files, so every batch is validated before its values are read.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from innermost.errors import DataError, MissingExtraError, UsageError
from innermost.files.source import Source

_VALUES_PER_BYTE = 64
_UNSUSPICIOUS = 1 << 22
"""Up to this number of values, any ratio to the size of the file is accepted."""
_BATCH_PER_BYTE = 64
_UNSUSPICIOUS_BATCH = 1 << 26
"""The same for the bytes of a batch, which also counts the elements of lists."""
_ROWS = 1000


class Rows:
    """The rows of some files in order, and the features that the first one declares."""

    def __init__(self, files: Iterable[Source], path: str) -> None:
        self._files = list(files)
        self._path = path
        if not self._files:
            raise DataError("the dataset has no data files", path=path)
        with damage_reported(self._files[0].path):
            _, schema = _opened(self._files[0])
            self.features: Any = datasets().Features.from_arrow_schema(schema)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for file in self._files:
            with damage_reported(file.path):
                batches, _ = _opened(file)
            while True:
                with damage_reported(file.path):
                    batch = next(batches, None)
                    rows = _values(batch, file) if batch is not None else []
                if batch is None:
                    break
                yield from rows


def rows_of(source: Source, split: str | None) -> Rows:
    """The rows of a file, or of a folder written by ``save_to_disk``."""
    datasets()
    if not source.is_folder:
        return Rows([source], source.path)
    folder = Path(source.path)
    if (folder / "dataset_dict.json").exists():
        splits = _named(folder / "dataset_dict.json", lambda state: state["splits"])
        folder = folder / _chosen(splits, split, source.path)
    state = folder / "state.json"
    names = _named(state, lambda state: [file["filename"] for file in state["_data_files"]])
    return Rows([Source(folder / name) for name in names], source.path)


def datasets() -> Any:
    try:
        import datasets
    except ImportError as error:
        raise MissingExtraError("Reading and writing datasets", "datasets", error.name) from None
    return datasets


@contextmanager
def damage_reported(path: str) -> Iterator[None]:
    try:
        yield
    except DataError:
        raise
    except MemoryError as error:  # of pyarrow, or of a Python file that it reads from
        message = f"it declares more data than there is memory: {error}".removesuffix(": ")
        raise DataError(message, path=path) from None
    except Exception as error:  # pyarrow and datasets raise exceptions of many classes
        kind = "a Parquet" if path.endswith(".parquet") else "an Arrow"
        raise DataError(f"not {kind} file: {error}"[:500], path=path) from None


def _opened(source: Source) -> tuple[Iterator[Any], Any]:
    """The batches of a file and its schema."""
    from pyarrow import ipc, parquet

    if source.name.endswith(".parquet"):
        file = parquet.ParquetFile(source.open())
        _check_proportion(file.metadata, source)
        return file.iter_batches(_ROWS), file.schema_arrow
    with source.open() as start:
        is_file = start.peek(6)[:6] == b"ARROW1"
    if is_file:
        reader = ipc.open_file(source.open())
        numbers = range(reader.num_record_batches)
        return (reader.get_batch(number) for number in numbers), reader.schema
    stream = ipc.open_stream(source.open())
    return iter(stream), stream.schema


def _values(batch: Any, source: Source) -> list[dict[str, Any]]:
    batch.validate(full=True)
    size = _size(source)
    if batch.nbytes > max(_UNSUSPICIOUS_BATCH, _BATCH_PER_BYTE * size):
        message = f"a batch of {batch.nbytes:,} bytes in a file of {size:,} bytes"
        raise DataError(f"{message} is out of proportion", path=source.path)
    rows: list[dict[str, Any]] = batch.to_pylist()
    return rows


def _check_proportion(metadata: Any, source: Source) -> None:
    """Refuse a file of a few bytes that stands for millions of values.

    Only the numbers of rows and columns are asked for: pyarrow ends the process where the metadata
    of a single column are damaged.
    """
    values = metadata.num_rows * metadata.num_columns
    size = _size(source)
    if values > max(_UNSUSPICIOUS, _VALUES_PER_BYTE * size):
        message = f"{values:,} values in {size:,} bytes are out of proportion"
        raise DataError(message, path=source.path)


def _size(source: Source) -> int:
    return Path(source.path).stat().st_size


def _named(path: Path, names: Callable[[Any], Any]) -> list[str]:
    """The names in a JSON file; each must be that of an entry of the same folder."""
    try:
        found = names(json.loads(path.read_bytes()))
    except (OSError, ValueError, LookupError, TypeError, RecursionError) as error:
        raise DataError(f"not a saved dataset: {error!r}", path=path) from None
    for name in found if isinstance(found, list) else [found]:
        if not isinstance(name, str) or name != Path(name).name or name in ("", ".", ".."):
            raise DataError(f"{name!r} is not the name of a file in the folder", path=path)
    return list(found)


def _chosen(splits: list[str], split: str | None, path: str) -> str:
    if split is None and len(splits) == 1:
        return splits[0]
    if split is None or split not in splits:
        problem = "contains several splits" if split is None else f"has no split {split!r}"
        raise UsageError(
            f"{path} {problem}", hint=f"choose one with split=NAME: {', '.join(splits)}"
        )
    return split
