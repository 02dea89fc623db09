"""``innermost reproduce``: the paper's tables."""

from __future__ import annotations

import sys
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from innermost.cli.shared.reading_options import reads_training_data
from innermost.corpus.reading import ReadingOptions
from innermost.errors import MissingExtraError, UsageError

if TYPE_CHECKING:
    from innermost.reproduction.study import Study
    from innermost.reproduction.table import Reproduced
    from innermost.training.settings.config import Config


class What(str, Enum):
    TABLE1 = "table1"
    TABLE2 = "table2"
    TABLE3 = "table3"
    TABLE4 = "table4"
    TABLE5 = "table5"
    TABLE6 = "table6"
    TABLE7 = "table7"
    TABLE8 = "table8"
    TABLE9 = "table9"


@reads_training_data
def reproduce(
    what: Annotated[What, typer.Argument(help="A table of the paper.")],
    reading: ReadingOptions,
    data: Annotated[
        Path | None,
        typer.Option(help="Folder with train, dev and test in any corpus format."),
    ] = None,
    config: Annotated[
        Path | None,
        typer.Option(help="Recipe (TOML)."),
    ] = None,
    vectors: Annotated[Path | None, typer.Option(help="File of word vectors.")] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="Folder for runs and tables (default: runs/DATA)."),
    ] = None,
    seeds: Annotated[
        str | None, typer.Option(help="Random seeds (default: the recipe's, or 1,2,3,4,5).")
    ] = None,
    set_: Annotated[
        list[str] | None, typer.Option("--set", metavar="SECTION.KEY=VALUE", help="One setting.")
    ] = None,
    resume: Annotated[
        bool, typer.Option(help="Reuse finished runs in --out and resume interrupted ones.")
    ] = True,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Estimate runs and time without training.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Reproduce a table of the paper and print its figures next to ours.

    1 statistics, 2 hyperparameters, 3 main results, 4 ablations, 5 recall by level, 6 precision by
    level, 7 speed by depth, 8 ACE-2004, 9 flat NER. Missing runs are trained and kept; tables 3 to
    7 share their runs.

    Example: `innermost reproduce table4 --data genia --config recipes/genia-wordchar.toml`
    """
    from innermost.reproduction.settings import effective_config

    settings = effective_config(config, set_ or [], vectors=vectors, seeds=seeds, reading=reading)
    if dry_run and what in (What.TABLE1, What.TABLE2):
        raise UsageError(f"{what.value} trains nothing", hint="omit --dry-run")
    if what is What.TABLE2:
        from innermost.reproduction.corpus_tables import settings_table

        _finish(settings_table(settings), out, as_json=json)
        return
    if data is None:
        raise UsageError(
            f"{what.value} needs data",
            hint="--data DIR, a folder with train, dev and test in any corpus format",
        )
    out = out or Path("runs") / data.resolve().name
    if what is What.TABLE1:
        _statistics(data, settings, out, as_json=json)
        return
    study = _study(data, settings, out)
    if dry_run:
        _print_estimate(study, what.value, as_json=json)
        return
    _train(study, what.value, resume=resume)
    _finish(study.table(what.value), out, as_json=json)


def _statistics(data: Path, settings: Config, out: Path, *, as_json: bool) -> None:
    from innermost.cli.shared.output import show_report
    from innermost.corpus import Report
    from innermost.corpus.quality.statistics import statistics
    from innermost.corpus.reading import read_corpus
    from innermost.reproduction.corpus_tables import statistics_table
    from innermost.reproduction.published import corpus_name
    from innermost.reproduction.splits import find_splits

    report = Report()
    found = {
        name: statistics(read_corpus(source.path, source.reading(settings.data.reading), report))
        for name, source in find_splits(data).items()
    }
    corpus = corpus_name(found["train"].mentions.types, What.TABLE1.value)
    _finish(statistics_table(found, corpus), out, as_json=as_json)
    show_report(report)


def _study(data: Path, settings: Config, out: Path) -> Study:
    try:
        import torch  # noqa: F401
    except ImportError as error:
        raise MissingExtraError("Training", "train", error.name) from None
    from innermost.cli.shared.output import show_report
    from innermost.reproduction.study import Study

    study = Study(data, settings, out)
    show_report(study.report)
    return study


def _train(study: Study, table: str, *, resume: bool) -> None:
    from innermost.cli.shared.output import note
    from innermost.cli.shared.training_display import TrainingDisplay

    events = study.train(table, resume=resume)
    if not study.left(table, resume=resume):
        for _ in events:
            pass
        note(f"all {len(study.runs(table))} runs are finished: {study.out}")
        return
    with TrainingDisplay(study.config, study.data) as display:
        for warning in study.warnings:
            note(f"warning: {warning}")
        for event in events:
            display.show(event)


def _print_estimate(study: Study, table: str, *, as_json: bool) -> None:
    from innermost.cli.shared.output import print_json

    estimate = study.estimate(table)
    if as_json:
        print_json(estimate.to_dict())
    else:
        sys.stdout.write(f"{table}: {estimate}\n")


def _finish(reproduced: Reproduced, out: Path | None, *, as_json: bool) -> None:
    from innermost.cli.shared.output import note, print_json, stdout_console

    if out is not None:
        for path in reproduced.write(out):
            note(f"wrote {path}")
    if as_json:
        print_json(reproduced.to_dict())
        return
    from rich.box import SIMPLE_HEAD
    from rich.markup import escape
    from rich.table import Table

    console = stdout_console()
    shown = Table(box=SIMPLE_HEAD, title=reproduced.table.caption, title_justify="left")
    for index, column in enumerate(reproduced.table.columns):
        shown.add_column(column, justify="right" if index else "left", no_wrap=index > 0)
    for row in reproduced.table.rows:
        shown.add_row(*map(escape, row))
    console.print(shown)
    for line in reproduced.notes:
        console.print(line, style="dim", markup=False, soft_wrap=True)
