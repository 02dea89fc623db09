"""The input files of a run, and the output file of each."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from glob import glob, has_magic
from pathlib import Path

from innermost.bulk.settings import OutputFormat, Settings
from innermost.errors import DataError, UsageError
from innermost.files.compression import SUFFIXES as COMPRESSIONS
from innermost.files.source import plain_name

JSONL, TEXT, CSV, TSV, PARQUET = "jsonl", "text", "csv", "tsv", "parquet"
KINDS = {
    ".jsonl": JSONL,
    ".ndjson": JSONL,
    ".txt": TEXT,
    ".csv": CSV,
    ".tsv": TSV,
    ".parquet": PARQUET,
}
RESERVED = ("manifest.json", "rejects.jsonl")
_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class Shard:
    """An input file and the output file that it becomes."""

    path: str
    kind: str
    output: str
    """The path relative to the output folder."""
    size: int

    @property
    def output_format(self) -> OutputFormat:
        return "parquet" if self.output.endswith(".parquet") else "jsonl"


def find_shards(
    inputs: Sequence[str], output: Path, output_format: OutputFormat | None
) -> list[Shard]:
    """The files of all names, folders and patterns, in order of their outputs."""
    shards: dict[str, Shard] = {}
    for path, root in _files(inputs, output):
        kind = _kind(path)
        if kind is None:
            raise DataError(
                "the name does not say what the file is",
                path=path,
                hint=f"a run reads {', '.join(KINDS)} (compressed: {', '.join(COMPRESSIONS)})",
            )
        name = _output_name(path.relative_to(root), kind, output_format)
        _check_output(name, path, output, shards)
        shards[name] = Shard(str(path), kind, name, path.stat().st_size)
    return [shards[name] for name in sorted(shards)]


def no_text_column(
    shard: Shard, settings: Settings, names: Iterable[str], what: str = "columns"
) -> DataError:
    """The error for a file without the column of the texts, with the ones that it has."""
    return DataError(
        f"no column {settings.text_column!r}",
        path=shard.path,
        hint=f"choose a column with --text-column; the {what} are: {', '.join(names)}",
    )


def file_hash(path: str | Path) -> str:
    """The SHA-256 of a file on disk."""
    digest = hashlib.sha256()
    try:
        with Path(path).open("rb") as file:
            while chunk := file.read(_CHUNK):
                digest.update(chunk)
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror}", path=path) from None
    return digest.hexdigest()


def _files(inputs: Iterable[str], output: Path) -> Iterator[tuple[Path, Path]]:
    """Each file once, with the folder that its output name is relative to."""
    seen: set[Path] = set()
    for name in inputs:
        for path, root in _expanded(name, output.resolve()):
            real = path.resolve()
            if real not in seen:
                seen.add(real)
                yield path, root


def _expanded(name: str, output: Path) -> list[tuple[Path, Path]]:
    if name == "-":
        raise UsageError(
            "standard input cannot be resumed", hint="use files, or drop --jobs and --resume"
        )
    path = Path(name)
    if path.is_dir():
        if path.resolve() == output:
            raise UsageError(f"{name} is also the output folder", hint="choose another one")
        files = sorted(
            file
            for file in path.rglob("*")
            if file.is_file()
            and _kind(file) is not None
            and not hidden(file, path)
            and output not in file.resolve().parents
        )
        if not files:
            raise DataError(f"the folder has no files named {', '.join(KINDS)}", path=name)
        return [(file, path) for file in files]
    if path.is_file():
        return [(path, path.parent)]
    if not has_magic(name):
        raise DataError("no such file or folder", path=name)
    matches = [Path(match) for match in sorted(glob(name, recursive=True))]  # noqa: PTH207
    files = [match for match in matches if match.is_file()]
    if not files:
        raise DataError("no file matches", path=name)
    root = _fixed_part(path)
    return [(file, root) for file in files]


def hidden(file: Path, folder: Path) -> bool:
    """Whether a file is not meant to be read: by its name, or that of a folder around it."""
    return any(part.startswith((".", "_")) for part in file.relative_to(folder).parts)


def _fixed_part(pattern: Path) -> Path:
    """The folders of a pattern before the first wildcard."""
    parts: list[str] = []
    for part in pattern.parts[:-1]:
        if has_magic(part):
            break
        parts.append(part)
    return Path(*parts)


def _kind(path: Path) -> str | None:
    name = plain_name(path)
    return next((kind for suffix, kind in KINDS.items() if name.endswith(suffix)), None)


def _output_name(path: Path, kind: str, output_format: OutputFormat | None) -> str:
    """The same name with the suffix of the output; JSON lines keep their compression."""
    plain = plain_name(path)
    compression = path.name.removeprefix(plain)
    stem = plain[: plain.rindex(".")]
    parquet = (output_format or ("parquet" if kind == PARQUET else "jsonl")) == "parquet"
    suffix = ".parquet" if parquet else f".jsonl{compression}"
    return path.with_name(stem + suffix).as_posix()


def _check_output(name: str, path: Path, output: Path, shards: dict[str, Shard]) -> None:
    if name in RESERVED:
        raise UsageError(
            f"{path} would be written to {name}, which the run itself writes",
            hint="rename the file",
        )
    if name in shards:
        raise UsageError(
            f"{shards[name].path} and {path} would both be written to {output / name}",
            hint="rename one of them, or use two output folders",
        )
    if (output / name).resolve() == path.resolve():
        raise UsageError(f"{path} would be overwritten", hint="choose another output folder")
