"""The run of ``innermost predict`` over many files, with its bar and its summary."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from innermost.cli.shared.bulk_options import LOCAL, RAY, BulkOptions
from innermost.cli.shared.streaming import INTERRUPTED, interrupted_once
from innermost.errors import DataError, UsageError

if TYPE_CHECKING:
    from innermost.bulk.manifest import Counts
    from innermost.bulk.run import Engine


def predict_many_files(
    inputs: Sequence[str],
    output: str,
    output_format: str | None,
    bulk: BulkOptions,
    *,
    text_column: str,
    id_column: str,
    model: str | None,
    threads: int | None,
    **prediction: Any,
) -> None:
    """Run, with a bar on standard error; ``prediction`` are settings that change the entities."""
    from innermost.bulk.oversights import oversights
    from innermost.bulk.run import predict_files
    from innermost.bulk.settings import Settings
    from innermost.bulk.shards import find_shards
    from innermost.cli.shared.output import note
    from innermost.cli.shared.progress import NotedBar

    _check_output(output, output_format)
    settings = Settings(
        text_column=text_column,
        id_column=id_column,
        output_format=output_format,  # type: ignore[arg-type]
        max_row_bytes=bulk.max_row_bytes,
        **prediction,
    )
    engine = _engine(bulk)
    shards = find_shards(inputs, Path(output), settings.output_format)
    for oversight in oversights(inputs, Path(output), shards):
        note(f"note: {oversight}")
    steps = predict_files(
        inputs,
        output,
        model=model,
        settings=settings,
        jobs=bulk.jobs,
        threads=threads or (1 if engine else None),
        resume=bulk.resume,
        max_errors=bulk.max_errors,
        engine=engine,
    )
    progress = None
    began = time.monotonic()
    try:
        with interrupted_once(), NotedBar("predicting", None) as bar:
            bar.update(bar.task, visible=False)  # until the input has been checked
            for progress in steps:
                rate = progress.rows_now / max(time.monotonic() - began, 1e-9)
                bar.update(
                    bar.task,
                    total=progress.bytes,
                    completed=progress.bytes_done,
                    visible=True,
                    note=f"{progress.counts.rows:,} rows, {rate:,.0f}/s, "
                    f"{progress.counts.rejected:,} rejected",
                )
    except KeyboardInterrupt:
        note(f"stopped; continue with: --output {output} --resume")
        raise SystemExit(INTERRUPTED) from None
    if progress is not None:
        _summarize(progress.counts, output)


def _check_output(output: str, output_format: str | None) -> None:
    from innermost.corpus.registry import is_folder
    from innermost.prediction.outputs import format_of_name

    if output == "-":
        raise UsageError("a run over many files writes a folder", hint="name it: --output FOLDER")
    if not is_folder(output) and format_of_name(output):
        raise UsageError(
            f"a run over many files writes a folder, and {output} is the name of a file",
            hint="name a folder: --output FOLDER; to write one file, omit --jobs, --resume and "
            "the other options for many files",
        )
    if output_format not in (None, "jsonl", "parquet"):
        raise UsageError(
            f"a run over many files cannot write {output_format}",
            hint="--format jsonl or --format parquet",
        )


def _engine(bulk: BulkOptions) -> Engine | None:
    """None: processes of this machine."""
    if bulk.engine == RAY:
        from innermost.integrations.ray import engine

        return engine(jobs=bulk.jobs, address=bulk.address)
    if bulk.engine != LOCAL:
        raise UsageError(f"there is no engine {bulk.engine!r}", hint=f"{LOCAL} or {RAY}")
    if bulk.address is not None:
        raise UsageError("--address is that of a Ray cluster", hint="add --engine ray")
    return None


def _summarize(counts: Counts, output: str) -> None:
    from innermost.cli.shared.output import note
    from innermost.plurals import count

    note(
        f"{output}: {count(counts.shards, 'file')}, {count(counts.written, 'row')}, "
        f"{count(counts.entities, 'entity', 'entities')}"
    )
    rejects = f"{output.rstrip('/')}/rejects.jsonl"
    if counts.rejected:
        note(f"{count(counts.rejected, 'row')} rejected: {rejects}")
    if counts.rejected and not counts.written:
        raise DataError("no rows: every one was rejected", hint=f"the reasons are in {rejects}")
