"""``innermost train``."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from innermost.cli.shared.data_options import OrderedCommand, data_values
from innermost.cli.shared.reading_options import reads_training_data
from innermost.cli.shared.streaming import INTERRUPTED
from innermost.cli.shared.verbosity import QUIET, set_verbosity
from innermost.corpus.reading import ReadingOptions
from innermost.errors import MissingExtraError, UsageError

if TYPE_CHECKING:
    from innermost.training.experiment import Experiment
    from innermost.training.plan import RunEvent
    from innermost.training.settings.config import Config, Settings
    from innermost.training.settings.variants import Variant
    from innermost.training.world import World

    Results = dict[Variant, list[dict[str, Any]]]


SUMMARY = "summary.json"


class PresetName(str, Enum):
    AUTO = "auto"
    PAPER = "paper"


train = typer.Typer(add_completion=False, rich_markup_mode="markdown")


@train.command("train", cls=OrderedCommand)
@reads_training_data
def train_command(
    ctx: typer.Context,
    reading: ReadingOptions,
    out: Annotated[
        Path | None, typer.Option(help="Folder for the model, the log and the results.")
    ] = None,
    train: Annotated[
        list[str] | None, typer.Option(help="Training data; several files are joined.")
    ] = None,
    dev: Annotated[
        list[str] | None,
        typer.Option(
            help="Development data to choose the best epoch: a file, or a share of the training "
            "data to hold out, e.g. 0.1."
        ),
    ] = None,
    folds: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Instead of --dev: cross-validate in N folds, then train on all of the data.",
        ),
    ] = None,
    test: Annotated[
        list[str] | None, typer.Option(help="Test data: used once, at the end.")
    ] = None,
    annotates: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TYPE,TYPE",
            help="The types that the file before it annotates, if not all: the others are "
            "excluded from the loss and the scores there.",
        ),
    ] = None,
    preset: Annotated[
        PresetName | None,
        typer.Option(
            help="Settings that are not given: chosen from the data (auto, the default), or the "
            "paper's."
        ),
    ] = None,
    start_from: Annotated[
        str | None,
        typer.Option(
            metavar="MODEL", help="Start with the weights of a model: a name or a folder."
        ),
    ] = None,
    keep_types: Annotated[
        bool,
        typer.Option(
            "--keep-types",
            help="Keep the types of --start-from as they are, and add those of the data.",
        ),
    ] = False,
    teacher: Annotated[
        list[str] | None,
        typer.Option(
            metavar="MODEL",
            help="Learn the probabilities of this model, too (distillation); repeatable: the "
            "mean of several. `teachers.trust` is their share, one half by default.",
        ),
    ] = None,
    config: Annotated[Path | None, typer.Option(help="Settings (TOML).")] = None,
    set_: Annotated[
        list[str] | None, typer.Option("--set", metavar="SECTION.KEY=VALUE", help="One setting.")
    ] = None,
    seeds: Annotated[str | None, typer.Option(help="Random seeds, e.g. 1,2,3,4,5.")] = None,
    ablations: Annotated[
        bool, typer.Option("--ablations", help="Also train the paper's two ablations (Table 4).")
    ] = False,
    curve: Annotated[
        bool,
        typer.Option(
            "--curve", help="Also train on 1/8, 1/4 and 1/2 of the data: will more data help?"
        ),
    ] = False,
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue an interrupted run in --out.")
    ] = False,
    show_config: Annotated[
        bool, typer.Option("--show-config", help="Print all settings as TOML and stop.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the results as JSON.")] = False,
) -> None:
    """Train a model on annotated sentences and evaluate it.

    Example: `innermost train --train train.jsonl --dev dev.jsonl --test test.jsonl --out runs/mine`

    On several GPUs: `torchrun --nproc-per-node 4 -m innermost train ...`
    """
    try:
        import torch  # noqa: F401
    except ImportError as error:
        raise MissingExtraError("Training", "train", error.name) from None
    from innermost.training.settings.config import build_config, load_settings, parse_seeds
    from innermost.training.world import open_world, started_processes

    files = {"train": train, "dev": dev, "test": test}
    values: Settings = {"data": {**data_values(ctx, files, annotates), **reading.as_settings()}}
    if seeds is not None:
        values["training"] = {"seeds": parse_seeds(seeds)}
    if preset is not None:
        values["preset"] = preset.value
    if start_from is not None:
        values["start"] = {"model": start_from}
    if keep_types:
        values["start"] = {**values.get("start", {}), "keep_types": True}
    if teacher:
        values["teachers"] = {"models": teacher}
    settings = load_settings(config, set_ or [], values=values)
    settings.setdefault("preset", PresetName.AUTO.value)
    if show_config:
        _show_config(settings)
        return
    if out is None:
        raise UsageError(
            "--out is missing", hint="name a folder for the model, e.g. --out runs/mine"
        )
    given = {"--folds": folds is not None, "--curve": curve, "--ablations": ablations}
    clashes = [option for option, is_given in given.items() if is_given]
    if folds is not None and dev:
        clashes = ["--folds", "--dev"]
    if len(clashes) > 1:
        raise UsageError(f"{clashes[0]} with {clashes[1]}", hint="give one of them")
    if clashes and clashes != ["--ablations"] and started_processes() > 1:
        raise UsageError(
            f"{clashes[0]} in {started_processes()} processes",
            hint="start it without torchrun: it trains several models in one process",
        )
    if started_processes() == 1:
        _check_out(out, resume=resume)
    if folds is not None:
        _cross_validate(settings, out, folds, resume=resume, as_json=as_json)
        return
    if curve:
        _draw_curve(settings, out, resume=resume, as_json=as_json)
        return
    with open_world(build_config(settings).training.device) as world:
        if not world.is_main:
            set_verbosity(QUIET)
        experiment = _experiment(settings)
        results = _train(experiment, out, ablations=ablations, resume=resume, world=world)
    if not world.is_main:
        return
    if as_json:
        from innermost.cli.shared.output import print_json

        print_json(results)
    else:
        from innermost.cli.shared.training_results import show_results

        show_results(results, out, experiment.doubts)
    _check_found(results, experiment)


def _check_out(out: Path, *, resume: bool) -> None:
    """Check the folder before the data is read, which can take long."""
    from innermost.cli.shared.output import note
    from innermost.training.run import check_empty

    if not resume:
        check_empty(out)
    elif not out.exists():
        note(f"nothing to resume: {out} does not exist; starting a new run")


def _train(
    experiment: Experiment, out: Path, *, ablations: bool, resume: bool, world: World
) -> Results:
    from innermost.training.plan import perform, planned
    from innermost.training.settings.variants import Variant

    config, data = experiment.config, experiment.data
    runs = planned(config, out, tuple(Variant) if ablations else (Variant.FULL,))
    events = perform(runs, config, data, resume=resume, world=world)
    return _followed(events, experiment, out, is_main=world.is_main)


def _cross_validate(
    settings: Settings, out: Path, folds: int, *, resume: bool, as_json: bool
) -> None:
    from innermost.cli.shared.output import print_json
    from innermost.cli.shared.training_results import show_folds, show_results
    from innermost.training.cross_validation import CrossValidation

    experiment = _experiment(settings, folds)
    validation = CrossValidation(experiment.config, experiment.data, out, folds)
    results = _followed(validation.events(resume=resume), experiment, out)
    if as_json:
        print_json({"folds": validation.summary, "results": results})
    else:
        show_folds(validation.summary)
        show_results(results, out, experiment.doubts)


def _draw_curve(settings: Settings, out: Path, *, resume: bool, as_json: bool) -> None:
    from innermost.cli.shared.output import print_json
    from innermost.cli.shared.training_results import show_curve, show_results
    from innermost.training.learning_curve import LearningCurve

    experiment = _experiment(settings)
    growth = LearningCurve(settings, experiment, out)
    results = _followed(growth.events(resume=resume), experiment, out)
    if as_json:
        print_json({"curve": growth.curve.to_dict(), "results": results})
    else:
        show_results(results, out, experiment.doubts)
        show_curve(growth.curve)
    _check_found(results, experiment)


def _experiment(settings: Settings, folds: int | None = None) -> Experiment:
    """Load the data; show its warnings."""
    from innermost.cli.shared.output import note, show_report
    from innermost.training.experiment import load_experiment

    experiment = load_experiment(settings, folds=folds)
    show_report(experiment.report)
    for warning in experiment.warnings:
        note(f"warning: {warning}")
    return experiment


def _followed(
    events: Iterable[RunEvent], experiment: Experiment, out: Path, *, is_main: bool = True
) -> Results:
    """Run all, with a progress bar, and write the summary, unless all runs were finished before."""
    from innermost.cli.shared.output import note
    from innermost.cli.shared.training_display import TrainingDisplay
    from innermost.training.events import Finished

    results: Results = {}
    has_trained = False
    try:
        config, data = experiment.config, experiment.data
        with TrainingDisplay(config, data, experiment.choice, experiment.advice) as display:
            for item in events:
                display.show(item)
                if isinstance(item.event, Finished):
                    results.setdefault(item.variant, []).append(item.event.result)
                else:
                    has_trained = True
    except KeyboardInterrupt:
        note("stopped; continue with the same command and --resume")
        raise SystemExit(INTERRUPTED) from None
    if is_main and (has_trained or not (out / SUMMARY).exists()):
        _write_summary(out / SUMMARY, results, experiment.config)
    return results


def _show_config(settings: Settings) -> None:
    """Print all settings; with training data, those chosen for it."""
    from innermost.training.experiment import load_experiment
    from innermost.training.settings.config import build_config, data_files
    from innermost.training.settings.text import config_text

    config = build_config(settings)
    if data_files(config.data.train) and config.preset == "auto":
        experiment = load_experiment(settings, needs_dev=False)
        config = experiment.config
        sys.stdout.write(f"# chosen for {experiment.choice}\n")
    elif config.preset == "auto":
        sys.stdout.write("# with --train, auto chooses other values for many of these\n")
    sys.stdout.write(config_text(config))


def _check_found(results: Results, experiment: Experiment) -> None:
    """A model that finds nothing is a failure."""
    from innermost.training.records.result import nothing_found

    for rows in results.values():
        for result in rows:
            if (error := nothing_found(result, experiment.data.train)) is not None:
                raise error


def _write_summary(path: Path, results: Results, config: Config) -> None:
    import msgspec

    from innermost.files.atomic import write_atomically

    summary = {"config": config.to_dict(), "results": results}
    write_atomically(path, msgspec.json.format(msgspec.json.encode(summary)))
