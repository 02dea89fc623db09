"""The options of ``innermost predict`` for many files, and the bar that it shows for them."""

from __future__ import annotations

import inspect
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from innermost.cli.shared.parameters import Command, option, replace_parameter
from innermost.cli.shared.streaming import INTERRUPTED, interrupted_once
from innermost.errors import DataError, UsageError

if TYPE_CHECKING:
    from innermost.bulk.run import Engine

_PANEL = "Many files"
_LOCAL, _RAY = "local", "ray"
_LONGEST_ROW = 10_000_000


@dataclass(frozen=True, slots=True)
class BulkOptions:
    jobs: int | None
    resume: bool
    max_errors: int | None
    max_row_bytes: int
    engine: str
    address: str | None

    @property
    def chosen(self) -> bool:
        """Whether a run over many files is asked for."""
        return (
            self.jobs is not None
            or self.resume
            or self.max_errors is not None
            or self.engine != _LOCAL
            or self.address is not None
        )


def predicts_many_files(command: Command) -> Command:
    """Give a command the options of a run over many files, in place of its parameter ``bulk``."""

    def build(values: Mapping[str, Any]) -> BulkOptions:
        return BulkOptions(**values)

    return replace_parameter(command, "bulk", _options(), build)


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
    from innermost.bulk.run import predict_files
    from innermost.bulk.settings import Settings
    from innermost.cli.shared.output import note
    from innermost.cli.shared.progress import NotedBar
    from innermost.plurals import count
    from innermost.prediction.outputs import format_of_name

    if output == "-":
        raise UsageError("a run over many files writes a folder", hint="name it: --output FOLDER")
    if not output.endswith("/") and not Path(output).is_dir() and format_of_name(output):
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
    settings = Settings(
        text_column=text_column,
        id_column=id_column,
        output_format=output_format,  # type: ignore[arg-type]
        max_row_bytes=bulk.max_row_bytes,
        **prediction,
    )
    engine = _engine(bulk)
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
            for progress in steps:
                rate = progress.rows_now / max(time.monotonic() - began, 1e-9)
                bar.update(
                    bar.task,
                    total=progress.bytes,
                    completed=progress.bytes_done,
                    note=f"{progress.counts.rows:,} rows, {rate:,.0f}/s, "
                    f"{progress.counts.rejected:,} rejected",
                )
    except KeyboardInterrupt:
        note(f"stopped; continue with: --output {output} --resume")
        raise SystemExit(INTERRUPTED) from None
    if progress is not None:
        counts = progress.counts
        note(
            f"{output}: {count(counts.shards, 'file')}, {count(counts.written, 'row')}, "
            f"{count(counts.entities, 'entity', 'entities')}"
        )
        if counts.rejected:
            note(f"{count(counts.rejected, 'row')} rejected: {output.rstrip('/')}/rejects.jsonl")
        if counts.rejected and not counts.written:
            raise DataError("no rows: every one was rejected")


def _engine(bulk: BulkOptions) -> Engine | None:
    """None: processes of this machine."""
    if bulk.engine == _RAY:
        from innermost.integrations.ray import engine

        return engine(jobs=bulk.jobs, address=bulk.address)
    if bulk.engine != _LOCAL:
        raise UsageError(f"there is no engine {bulk.engine!r}", hint=f"{_LOCAL} or {_RAY}")
    if bulk.address is not None:
        raise UsageError("--address is that of a Ray cluster", hint="add --engine ray")
    return None


def _options() -> list[inspect.Parameter]:
    number = int | None
    return [
        _option("jobs", number, None, min=1, help="Processes; the output is a folder of files."),
        _option("resume", bool, False, "--resume", help="Continue a run that was stopped."),
        _option("max_errors", number, None, min=0, help="Stop if more rows are rejected."),
        _option("max_row_bytes", int, _LONGEST_ROW, min=1, help="Reject longer rows."),
        _option("engine", str, _LOCAL, help="local, or ray for actors of a Ray cluster."),
        _option(
            "address",
            str | None,
            None,
            help="Address of a Ray cluster (default: a local one).",
        ),
    ]


def _option(name: str, kind: Any, default: Any, *names: str, **settings: Any) -> inspect.Parameter:
    described = typer.Option(*names, rich_help_panel=_PANEL, **settings)
    return option(name, Annotated[kind, described], default)
