"""``innermost card``: measure a model and write its card."""

from __future__ import annotations

import datetime
import os
import platform
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from innermost.cli.shared.reading_options import reads_corpora
from innermost.cli.shared.type_names import type_names
from innermost.corpus.reading import ReadingOptions

if TYPE_CHECKING:
    from innermost.evaluation.results import Results


@reads_corpora
def card(
    model: Annotated[str, typer.Argument(help="The folder of a model, or of its training run.")],
    reading: ReadingOptions,
    test: Annotated[Path, typer.Option(help="The test data.")],
    dev: Annotated[Path | None, typer.Option(help="The development data.")] = None,
    raw_text: Annotated[
        Path | None, typer.Option(help="Gold data with its original spacing, for raw text.")
    ] = None,
    types: Annotated[
        str | None,
        typer.Option(
            metavar="TYPE,TYPE",
            help="Count only these types (default: those that its scores covered before).",
        ),
    ] = None,
    speed: Annotated[
        bool, typer.Option("--speed/--no-speed", help="Also measure its speed.")
    ] = True,
) -> None:
    """Measure a model and write its card: README.md in its folder, and its scores in model.toml.

    It replaces the sections Scores, Calibration and Speed; all other text is kept. If the scores of
    the model cover only some types, as after `train --keep-types`, only these are counted again.

    Example: `innermost card runs/mine --test test.jsonl --dev dev.jsonl`
    """
    import msgspec

    from innermost.cli.shared.output import note
    from innermost.errors import DataError, UsageError
    from innermost.evaluation.card import PLOT, measured_card
    from innermost.evaluation.report.plots import reliability_file
    from innermost.model_folder.contents import CARD
    from innermost.model_folder.info import covered_types, read_info, scores_of, write_info
    from innermost.model_folder.installed import locate
    from innermost.model_folder.layers import select_types
    from innermost.model_folder.manifest import update_file

    folder = locate(model)
    if not Path(model).is_dir():
        raise UsageError(
            f"{model} is an installed model, whose card and scores are not replaced",
            hint=f"copy {folder} and give the folder of the copy; "
            "`innermost evaluate` only measures",
        )
    info = read_info(folder)
    reading = reading.with_tokenizer(info.tokenizer)
    known = set(select_types(info).values())
    only = covered_types(info) if types is None else type_names(types)
    if types is None and only:
        note(f"counting {', '.join(only)} only, as before; --types counts others")
    if only and known <= set(only):
        only = None
    on_test = _assess(folder, test, reading, only)
    if not on_test.assessments[0].evaluation.micro.correct:
        raise DataError(
            f"{model} finds no correct entity",
            path=test,
            hint=f"use data that annotates its types: {', '.join(info.types)}",
        )
    figures = {"test": on_test.to_dict()}
    if dev is not None:
        figures["dev"] = _assess(folder, dev, reading, only).to_dict()
    on_raw_text = None
    if raw_text is not None:
        on_raw_text = _assess(folder, raw_text, reading, only, raw_text=True).to_dict()
    files = [path for path in folder.iterdir() if path.name not in (CARD, PLOT)]
    previous = folder / CARD
    text = measured_card(
        previous.read_text(encoding="utf-8") if previous.exists() else "",
        info,
        dev=figures.get("dev"),
        test=figures["test"],
        raw_text=on_raw_text,
        types=only or (),
        speed=_speed(folder, test, reading) if speed else None,
        size=sum(path.stat().st_size for path in files if path.is_file()),
        date=datetime.datetime.now(datetime.timezone.utc).date().isoformat(),
        machine=f"{platform.machine()}, {os.cpu_count()} cores",
    )
    update_file(folder, PLOT, reliability_file(on_test.assessments[0]).encode("utf-8"))
    scores = {name: scores_of(part["micro"], only or ()) for name, part in figures.items()}
    scores = dict(sorted({**info.scores, **scores}.items()))
    write_info(folder, msgspec.structs.replace(info, scores=scores))
    update_file(folder, CARD, text.encode("utf-8"))
    note(f"wrote {folder / CARD}")


def _assess(
    folder: Path,
    data: Path,
    reading: ReadingOptions,
    types: list[str] | None,
    *,
    raw_text: bool = False,
) -> Results:
    from innermost.cli.shared.output import note, show_report
    from innermost.cli.shared.progress import counted
    from innermost.corpus import Report
    from innermost.evaluation.results import assess
    from innermost.evaluation.systems import read_gold

    report = Report()
    gold = read_gold(data, [folder], reading, report, types=types)
    results = assess(
        [folder],
        counted(gold, f"evaluating {data.name}"),
        data=data.name,
        detailed=False,
        types=types,
        report=report,
        raw_text=raw_text,
    )
    if report.counts:
        note(f"{data}:")
        show_report(report)
    return results


def _speed(folder: Path, data: Path, reading: ReadingOptions) -> dict[str, Any]:
    """In a separate process, because speed is measured from a fresh start."""
    import json
    import subprocess
    import sys

    command = [sys.executable, "-m", "innermost", "bench", str(folder), str(data), "--json", "-q"]
    command += ["--tokenizer", reading.options.tokenizer]
    command += [] if reading.format is None else ["--from", reading.format]
    command += [f"--set={key}={value}" for key, value in reading.settings.items()]
    command += ["--skip-bad"] if reading.skip_bad else []
    done = subprocess.run(command, check=False, stdout=subprocess.PIPE)
    if done.returncode:  # it has said why
        raise typer.Exit(done.returncode)
    return dict(json.loads(done.stdout))
