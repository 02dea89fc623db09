"""A run: from shards to blocks to parts, and back to shards."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from innermost.bulk.blocks import Block, blocks
from innermost.bulk.manifest import REJECTS, Counts, write_manifest
from innermost.bulk.parquet import arrow, check_parquet, parquet_blocks
from innermost.bulk.parts import PartNote, assemble, read_note
from innermost.bulk.pool import completed
from innermost.bulk.rows import check_content, read_rows
from innermost.bulk.settings import Settings
from innermost.bulk.shards import PARQUET, Shard, file_hash, find_shards
from innermost.bulk.state import RunRecord, State, versions
from innermost.bulk.worker import Task, Worker
from innermost.cpus import available_cpus
from innermost.errors import DataError, UsageError
from innermost.model_folder.info import read_info
from innermost.model_folder.installed import locate
from innermost.model_folder.layers import check_labels, select_types
from innermost.model_folder.manifest import folder_checksum
from innermost.runtime.devices import check_device

Engine = Callable[[Iterable[Task], Worker], Iterator[tuple[Task, PartNote]]]
"""Writes the parts of tasks with a worker, and yields each task when its part is written."""


@dataclass(slots=True)
class Progress:
    """The progress of a run."""

    bytes: int
    """The size of all input files."""
    bytes_done: float = 0.0
    bytes_resumed: float = 0.0
    """Bytes that were done before this run started."""
    counts: Counts = field(default_factory=Counts)
    """Counts of finished shards, and of the finished blocks of the others."""
    rows_now: int = 0
    """Rows predicted by this run."""


@dataclass(slots=True)
class _Pending:
    """A shard that is being predicted."""

    shard: Shard
    checksum: str
    folder: Path
    notes: dict[int, PartNote] = field(default_factory=dict)
    blocks: int | None = None
    """The number of blocks, once all have been read."""
    position: float = 0.0


def predict_files(
    inputs: Sequence[str],
    output: str | Path,
    *,
    model: str | Path | None = None,
    settings: Settings | None = None,
    jobs: int | None = None,
    threads: int | None = None,
    resume: bool = False,
    max_errors: int | None = None,
    engine: Engine | None = None,
) -> Iterator[Progress]:
    """Predict all rows of all files, and report the progress after every block.

    One output file per input file, ``manifest.json`` and ``rejects.jsonl``. ``jobs`` processes
    of ``threads`` threads each; by default one process per CPU. More than ``max_errors``
    rejected rows end the run with an error. Another ``engine`` uses its own processes.
    """
    settings = settings or Settings()
    if engine is None:
        check_device(settings.device)
    jobs, threads = _shares(jobs, threads)
    folder = locate(model)
    _check_types(folder, settings)
    output = Path(output)
    if output.exists() and not output.is_dir():
        raise UsageError(f"{output} is a file", hint="a run writes to a folder")
    shards = find_shards(inputs, output, settings.output_format)
    for shard in shards:
        _check(shard, settings)
    run = RunRecord(folder.name, folder_checksum(folder), settings, versions())
    state = State(output)
    with state.open(run, shards, resume=resume):
        scratch = state.scratch()
        try:
            worker = Worker(folder, settings, threads)
            engine = engine or partial(completed, jobs=jobs)
            with closing(_run(state, shards, worker, engine)) as steps:
                for progress in steps:
                    _check_errors(progress.counts.rejected, max_errors, output)
                    yield progress
        except BaseException:
            write_manifest(state, scratch, complete=False)
            raise
        write_manifest(state, scratch, complete=True)


def _check_types(folder: Path, settings: Settings) -> None:
    """A wrong label is an error before anything is written."""
    types = select_types(read_info(folder), layer=settings.layer, labels=settings.types)
    if isinstance(settings.min_score, dict):
        check_labels(settings.min_score, list(types.values()))


def _check_errors(rejected: int, most: int | None, output: Path) -> None:
    if most is not None and rejected > most:
        raise DataError(
            f"{rejected:,} rows were rejected, more than the {most:,} of --max-errors",
            hint=f"see {output / REJECTS}; to continue: --resume and a larger --max-errors",
        )


def _shares(jobs: int | None, threads: int | None) -> tuple[int, int]:
    """The number of processes and of threads per process, together at most the CPUs."""
    cpus = available_cpus()
    jobs = jobs or max(cpus // (threads or 1), 1)
    return jobs, threads or max(cpus // jobs, 1)


def _check(shard: Shard, settings: Settings) -> None:
    if shard.output_format == "parquet":
        arrow()
    if shard.kind == PARQUET:
        check_parquet(shard, settings)
    else:
        check_content(shard, settings)


def _run(
    state: State, shards: Sequence[Shard], worker: Worker, engine: Engine
) -> Generator[Progress, None, None]:
    hashes = {shard.path: file_hash(shard.path) for shard in shards}
    todo = state.unfinished(shards, hashes)
    progress = Progress(sum(shard.size for shard in shards))
    for record in state.records().values():
        _add(progress.counts, record.rows, record.written, record.rejected, record.entities)
        progress.counts.shards += 1
    progress.bytes_done = float(progress.bytes - sum(shard.size for shard in todo))
    progress.bytes_resumed = progress.bytes_done
    yield progress
    pending: dict[str, _Pending] = {}
    for task, note in engine(_tasks(state, todo, hashes, worker, pending, progress), worker):
        work = pending[task.shard.output]
        _note(work, task.block, note, progress)
        progress.rows_now += note.rows
        _finish(state, pending, progress)
        yield progress
    # Shards without blocks to predict: empty, or resumed just before their end.
    _finish(state, pending, progress)
    yield progress


def _tasks(
    state: State,
    shards: Sequence[Shard],
    hashes: dict[str, str],
    worker: Worker,
    pending: dict[str, _Pending],
    progress: Progress,
) -> Iterator[Task]:
    """The blocks of all shards without a part."""
    for shard in shards:
        checksum = hashes[shard.path]
        work = _Pending(shard, checksum, state.parts_folder(shard, checksum))
        pending[shard.output] = work
        count = 0
        for block in _blocks(shard, worker.settings):
            count += 1
            note = read_note(work.folder, block.number)
            if note is None:
                yield Task(shard, work.folder, block)
            else:
                before = progress.bytes_done
                _note(work, block, note, progress)
                progress.bytes_resumed += progress.bytes_done - before
        work.blocks = count


def _blocks(shard: Shard, settings: Settings) -> Iterator[Block]:
    """The blocks of a shard, at least one, so that an empty file becomes an empty file."""
    empty = True
    found = (
        parquet_blocks(shard, settings)
        if shard.kind == PARQUET
        else blocks(read_rows(shard, settings), settings)
    )
    for block in found:
        empty = False
        yield block
    if empty:
        yield Block(0, columns=[], position=1.0)


def _note(work: _Pending, block: Block, note: PartNote, progress: Progress) -> None:
    work.notes[block.number] = note
    _add(progress.counts, note.rows, note.written, len(note.rejects), note.entities)
    if block.position > work.position:
        progress.bytes_done += (block.position - work.position) * work.shard.size
        work.position = block.position


def _add(counts: Counts, rows: int, written: int, rejected: int, entities: int) -> None:
    counts.rows += rows
    counts.written += written
    counts.rejected += rejected
    counts.entities += entities


def _finish(state: State, pending: dict[str, _Pending], progress: Progress) -> None:
    """Assemble the shards that have all their parts."""
    for work in list(pending.values()):
        if work.blocks != len(work.notes):
            continue
        assemble(work.folder, work.blocks, work.shard, state.output / work.shard.output)
        notes = [work.notes[number] for number in range(work.blocks)]
        state.finish(work.shard, work.checksum, notes)
        progress.counts.shards += 1
        del pending[work.shard.output]
