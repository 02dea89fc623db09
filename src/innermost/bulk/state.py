"""What a run has done, stored in the output folder so that it can be resumed.

    .bulk/run.json           model, settings and versions
    .bulk/shards/KEY.json    a finished shard, with the checksums of its input and its output
    .bulk/rejects/KEY.jsonl  its rejects
    .bulk/parts/KEY/         the parts of a shard that is not finished

The key of a shard is derived from the content of its input and the name of its output.
"""

from __future__ import annotations

import hashlib
import platform
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import msgspec

from innermost.bulk.parts import PartNote, read_notes
from innermost.bulk.rejects import Reject
from innermost.bulk.settings import Settings
from innermost.bulk.shards import Shard, file_hash
from innermost.errors import DataError, UsageError
from innermost.files.atomic import atomic_file, write_atomically
from innermost.files.lock import locked

FOLDER = ".bulk"
_INPUT = "input"
_PACKAGES = ("innermost", "numpy", "onnxruntime", "pyarrow")
_DECISIVE = ("innermost", "numpy", "onnxruntime")
"""Other versions of these may predict other entities."""


class RunRecord(msgspec.Struct, frozen=True):
    """The settings that all shards of an output folder share."""

    model: str
    model_sha256: str
    settings: Settings
    versions: dict[str, str]


class ShardRecord(msgspec.Struct, frozen=True):
    """A finished shard. ``rows`` is ``written`` and ``rejected`` together."""

    input: str
    input_sha256: str
    input_bytes: int
    output: str
    output_sha256: str
    rows: int
    written: int
    rejected: int
    entities: int


def versions() -> dict[str, str]:
    found = {"python": platform.python_version()}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


class State:
    """The state of the run in an output folder."""

    def __init__(self, output: Path) -> None:
        self.output = output
        self._folder = output / FOLDER

    @contextmanager
    def open(self, run: RunRecord, shards: Iterable[Shard], *, resume: bool) -> Iterator[None]:
        """Lock the folder for this run; an error if that would mix two runs."""
        try:
            for name in ("shards", "rejects", "parts"):
                (self._folder / name).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(f"{self.output} cannot be written: {error.strerror}") from None
        with locked(self._folder):
            if (self._folder / "run.json").exists():
                if not resume:
                    raise UsageError(
                        f"{self.output} already contains the output of a run",
                        hint="continue it with --resume, or choose another folder",
                    )
                self._check_run(run)
            else:
                self._check_outputs(shards)
                write_atomically(self._folder / "run.json", msgspec.json.encode(run))
            yield

    def scratch(self) -> Path:
        """A folder for files that are being written; leftovers of a killed run are removed."""
        folder = self._folder / "scratch"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        return folder

    def run(self) -> RunRecord:
        data = (self._folder / "run.json").read_bytes()
        return msgspec.json.decode(data, type=RunRecord)

    def records(self) -> dict[str, ShardRecord]:
        """The finished shards, by output."""
        paths = sorted((self._folder / "shards").glob("*.json"))
        found = (msgspec.json.decode(path.read_bytes(), type=ShardRecord) for path in paths)
        return {record.output: record for record in sorted(found, key=lambda r: r.output)}

    def rejects(self) -> Iterator[tuple[str, Reject]]:
        """The rejects of finished shards, then of finished parts, each with its file."""
        decoder = msgspec.json.Decoder(Reject)
        for record in self.records().values():
            with self._rejects_path(record).open("rb") as lines:
                for line in lines:
                    yield record.input, decoder.decode(line)
        for folder in sorted((self._folder / "parts").iterdir()):
            for note in read_notes(folder):
                for reject in note.rejects:
                    yield (folder / _INPUT).read_text(encoding="utf-8"), reject

    def unfinished(self, shards: Iterable[Shard], hashes: dict[str, str]) -> list[Shard]:
        """The unfinished shards; an error for one whose input or output has changed.

        A finished shard whose input was renamed keeps its output, under the new name.
        """
        current = list(shards)
        names = {shard.output for shard in current}
        records = self.records()
        moved = {
            record.input_sha256: record for record in records.values() if record.output not in names
        }
        todo: list[Shard] = []
        for shard in current:
            checksum = hashes[shard.path]
            record = records.get(shard.output)
            if record is None and checksum in moved:
                record = self._move(moved.pop(checksum), shard)
            if record is None or not self._is_there(record, checksum):
                todo.append(shard)
            elif record.input != shard.path:
                self._write_record(msgspec.structs.replace(record, input=shard.path))
        for record in moved.values():  # neither the input nor, perhaps, the output is left
            if not (self.output / record.output).exists():
                self._forget(record)
        self._drop_parts(current, {_key(hashes[shard.path], shard.output) for shard in todo})
        return todo

    def parts_folder(self, shard: Shard, checksum: str) -> Path:
        folder = self._folder / "parts" / _key(checksum, shard.output)
        folder.mkdir(exist_ok=True)
        write_atomically(folder / _INPUT, shard.path.encode())
        return folder

    def finish(self, shard: Shard, checksum: str, notes: Iterable[PartNote]) -> ShardRecord:
        """Record a shard whose output is written, and drop its parts."""
        rows = written = rejected = entities = 0
        rejects_path = self._folder / "rejects" / f"{_key(checksum, shard.output)}.jsonl"
        with atomic_file(rejects_path) as file:
            for note in notes:
                rows += note.rows
                written += note.written
                rejected += len(note.rejects)
                entities += note.entities
                file.writelines(msgspec.json.encode(reject) + b"\n" for reject in note.rejects)
        record = ShardRecord(
            input=shard.path,
            input_sha256=checksum,
            input_bytes=shard.size,
            output=shard.output,
            output_sha256=file_hash(self.output / shard.output),
            rows=rows,
            written=written,
            rejected=rejected,
            entities=entities,
        )
        self._write_record(record)
        shutil.rmtree(self._folder / "parts" / _key(checksum, shard.output), ignore_errors=True)
        return record

    def _check_outputs(self, shards: Iterable[Shard]) -> None:
        for shard in shards:
            if (self.output / shard.output).exists():
                raise UsageError(
                    f"{self.output / shard.output} exists already",
                    hint="choose another output folder",
                )

    def _check_run(self, run: RunRecord) -> None:
        begun = self.run()
        if begun.model_sha256 != run.model_sha256:
            raise UsageError(
                f"{self.output} was started with another model: {begun.model} "
                f"({begun.model_sha256[:12]}), not {run.model} ({run.model_sha256[:12]})",
                hint="use the same model, or choose another output folder",
            )
        for package in _DECISIVE:
            old, new = begun.versions.get(package), run.versions.get(package)
            if old != new:
                raise UsageError(
                    f"{self.output} was started with {package} {old}, not {new}",
                    hint="use the same versions, or choose another output folder",
                )
        for name in Settings.__struct_fields__:
            before, now = getattr(begun.settings, name), getattr(run.settings, name)
            if before != now:
                raise UsageError(
                    f"{self.output} was started with {name} = {before!r}, not {now!r}",
                    hint="use the same options, or choose another output folder",
                )

    def _is_there(self, record: ShardRecord, checksum: str) -> bool:
        """Whether a shard is done. Its output must be unchanged, or removed."""
        output = self.output / record.output
        if not output.exists():
            self._forget(record)
            return False
        if record.input_sha256 != checksum:
            raise DataError(
                f"the file has changed since it was predicted (sha256 {checksum[:12]}, "
                f"was {record.input_sha256[:12]})",
                path=record.input,
                hint=f"restore it, or remove {output} to predict it again",
            )
        if file_hash(output) != record.output_sha256:
            raise DataError(
                "the file is not as it was written",
                path=output,
                hint="restore it, or remove it to write it again",
            )
        return True

    def _move(self, record: ShardRecord, shard: Shard) -> ShardRecord | None:
        source, target = self.output / record.output, self.output / shard.output
        if not source.exists() or target.exists():
            return None
        moved = msgspec.structs.replace(record, input=shard.path, output=shard.output)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(self._rejects_path(record), self._rejects_path(moved))
        source.replace(target)
        self._write_record(moved)
        self._forget(record)
        return moved

    def _drop_parts(self, shards: Iterable[Shard], needed: set[str]) -> None:
        """Remove parts of shards that were finished just before a kill, or of older contents."""
        outputs = {_output_key(shard.output) for shard in shards}
        for folder in (self._folder / "parts").iterdir():
            if folder.name not in needed and folder.name.partition("-")[2] in outputs:
                shutil.rmtree(folder, ignore_errors=True)

    def _forget(self, record: ShardRecord) -> None:
        self._record_path(record).unlink(missing_ok=True)
        self._rejects_path(record).unlink(missing_ok=True)

    def _write_record(self, record: ShardRecord) -> None:
        write_atomically(self._record_path(record), msgspec.json.encode(record))

    def _record_path(self, record: ShardRecord) -> Path:
        return self._folder / "shards" / f"{_key(record.input_sha256, record.output)}.json"

    def _rejects_path(self, record: ShardRecord) -> Path:
        return self._folder / "rejects" / f"{_key(record.input_sha256, record.output)}.jsonl"


def _key(checksum: str, output: str) -> str:
    return f"{checksum[:16]}-{_output_key(output)}"


def _output_key(output: str) -> str:
    return hashlib.sha256(output.encode()).hexdigest()[:16]
