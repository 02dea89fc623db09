"""``innermost train``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from innermost.cli.shared.data_options import OrderedCommand, data_values
from innermost.cli.shared.reading_options import reads_training_data
from innermost.corpus.reading import ReadingOptions
from innermost.errors import MissingExtraError

if TYPE_CHECKING:
    from innermost.training.config import Config
    from innermost.training.experiment import RunEvent


train = typer.Typer(add_completion=False, rich_markup_mode="markdown")


@train.command("train", cls=OrderedCommand)
@reads_training_data
def train_command(
    ctx: typer.Context,
    out: Annotated[Path, typer.Option(help="Folder for the model, the log and the results.")],
    reading: ReadingOptions,
    train: Annotated[
        list[str] | None, typer.Option(help="Training data; several files are joined.")
    ] = None,
    dev: Annotated[
        list[str] | None, typer.Option(help="Development data: chooses the epoch.")
    ] = None,
    test: Annotated[
        list[str] | None, typer.Option(help="Test data: looked at once, at the end.")
    ] = None,
    annotates: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TYPE,TYPE",
            help="The types that the file before it annotates, if not all: the others are left "
            "out of the loss and of the scores there.",
        ),
    ] = None,
    config: Annotated[Path | None, typer.Option(help="Settings (TOML).")] = None,
    set_: Annotated[
        list[str] | None, typer.Option("--set", metavar="SECTION.KEY=VALUE", help="One setting.")
    ] = None,
    seeds: Annotated[str | None, typer.Option(help="Random seeds, e.g. 1,2,3,4,5.")] = None,
    ablations: Annotated[
        bool, typer.Option("--ablations", help="Also without the learning, and without both.")
    ] = False,
    resume: Annotated[bool, typer.Option("--resume", help="Go on where it was stopped.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the results as JSON.")] = False,
) -> None:
    """Train a model on annotated sentences and see how good it is.

    Example: `innermost train --train train.jsonl --dev dev.jsonl --test test.jsonl --out runs/mine`
    """
    try:
        import torch  # noqa: F401
    except ImportError:
        raise MissingExtraError("Training", "train") from None
    from innermost.cli.shared.output import note, print_json, show_report
    from innermost.cli.shared.training_display import TrainingDisplay, print_results
    from innermost.corpus import Report
    from innermost.training.config import load_config, parse_seeds
    from innermost.training.experiment import experiment, load_data

    files = {"train": train, "dev": dev, "test": test}
    values: dict[str, dict[str, Any]] = {
        "data": {**data_values(ctx, files, annotates), **reading.as_settings()}
    }
    if seeds is not None:
        values["training"] = {"seeds": parse_seeds(seeds)}
    settings = load_config(config, set_ or [], values=values)
    report = Report()
    data, warnings = load_data(settings, report)
    show_report(report)
    for warning in warnings:
        note(f"warning: {warning}")
    results: dict[str, list[dict[str, Any]]] = {}
    with TrainingDisplay(settings, data) as display:
        for item in experiment(settings, data, out, ablations=ablations, resume=resume):
            display.show(item)
            if (result := _result(item)) is not None:
                results.setdefault(item.variant, []).append(result)
    _write_summary(out, results, settings)
    if as_json:
        print_json(results)
    else:
        print_results(results, out)


def _result(item: RunEvent) -> dict[str, Any] | None:
    from innermost.training.run import Finished

    return item.event.result if isinstance(item.event, Finished) else None


def _write_summary(out: Path, results: dict[str, list[dict[str, Any]]], settings: Config) -> None:
    import msgspec

    from innermost.files.atomic import write_atomically

    summary = {"config": settings.to_dict(), "results": results}
    write_atomically(out / "summary.json", msgspec.json.format(msgspec.json.encode(summary)))
