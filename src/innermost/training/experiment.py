"""From settings to the input of runs: the configuration, the data, and its warnings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec

from innermost.corpus import Report
from innermost.corpus.quality.offsets import doubtful_offsets
from innermost.errors import ConfigError, DataError
from innermost.model_folder.info import SEPARATOR
from innermost.model_folder.layers import layer_of
from innermost.training.build import read_sources
from innermost.training.data.dataset import (
    Split,
    labels_of,
    read_split,
    renamed_split,
    resolved,
    types_of,
    undeclared_labels,
)
from innermost.training.data.inputs import Data, splits_of
from innermost.training.data.splitting import held_out, held_out_warning, split_documents
from innermost.training.data.warnings import (
    absent_types,
    alike_types,
    check_declared,
    ignored_entities,
    left_out,
    one_sided_types,
    same_data,
    uncorrected,
    undeclared_types,
    unseen_types,
)
from innermost.training.kept_types import keeping
from innermost.training.settings.auto import automatic_start, choose, why_started
from innermost.training.settings.config import Config, Settings, build_config, data_files, merged
from innermost.training.start import Start, fitting_heads, read_start
from innermost.training.teachers import read_teachers, seen_by_teachers

HELD_OUT = 0.1
"""A common share of the training data to hold out as development data."""


@dataclass(frozen=True, slots=True)
class Experiment:
    config: Config
    data: Data
    report: Report
    """What was changed or lost while reading the files."""
    warnings: list[str] = field(default_factory=list)
    choice: str | None = None
    """The choices based on the amount of data, and why; None: none."""
    advice: str | None = None
    """What would probably be better, if anything."""

    @property
    def doubts(self) -> list[str]:
        """The warnings without which the scores mislead."""
        return list(same_data(splits_of(self.data)))


def load_experiment(
    settings: Settings,
    splits: Mapping[str, Split] | None = None,
    *,
    needs_dev: bool = True,
    folds: int | None = None,
) -> Experiment:
    """Read the files that ``settings`` name, and choose the settings they leave open.

    ``splits`` by name (``train``, ``dev``, ``test``) take the place of files, and cross-validation
    in ``folds`` that of development data. If the data is best learned from another model, all is
    done as if that model had been given.
    """
    needs_dev = needs_dev and folds is None
    given = build_config(settings)
    if given.start.keep_types and given.start.model is None:
        raise ConfigError(
            "--keep-types without a model whose types to keep",
            hint="name it with --start-from, e.g. --start-from english",
        )
    start = None if given.start.model is None else read_start(given.start.model)
    base = {} if start is None else start.settings()
    config = build_config(merged(base, settings))
    report = Report()
    read = _read(config, report, set(splits or ()))
    names = config.data.rename
    read |= {name: renamed_split(split, names, report) for name, split in (splits or {}).items()}
    _check(read, config, needs_dev=needs_dev)
    entities = sum(len(s.entities) for split in read.values() for s in split.sentences)
    doubt = doubtful_offsets(report, entities)
    check_declared(read.values(), start.info.types if start and config.start.keep_types else ())
    if config.preset == "auto" and (model := automatic_start(settings, read["train"])):
        settings = merged(settings, {"start": {"model": model}})
        experiment = load_experiment(settings, splits, needs_dev=needs_dev, folds=folds)
        return replace(experiment, advice=why_started(model))
    uneven: list[str] = []
    if isinstance(share := config.data.dev, float) and "dev" not in read and needs_dev:
        whole = read["train"]
        read["train"], read["dev"] = held_out(whole, share)
        uneven = [*split_documents(whole), *held_out_warning(whole, read["dev"], share)]
    elif folds is not None:  # they hold out parts later
        uneven = [*split_documents(read["train"], folds)]
    heads = {} if start is None else fitting_heads(start, read["train"])
    choice = advice = None
    if config.preset == "auto":
        chosen = choose(settings, read["train"], start, heads)
        config = build_config(merged(merged(base, chosen.settings), settings))
        choice, advice = chosen.reason, chosen.advice
    unused: list[str] = []
    if start is not None and config.start.keep_types:
        read, unused = keeping(read, start, frozen=config.start.frozen)
        heads = {**heads, **{label: label for label in start.info.types}}
    data, warnings = gather(config, read["train"], read.get("dev"), read.get("test"), start)
    config = _with_layers(config, settings.get("model", {}).get("layers", ()), data.types)
    data = replace(data, heads=heads)
    warnings = [*([doubt] if doubt else []), *uneven, *unused, *warnings]
    return Experiment(config, data, report, warnings, choice, advice)


def _read(config: Config, report: Report, without: set[str]) -> dict[str, Split]:
    listed: dict[str, Any] = {name: getattr(config.data, name) for name in ("train", "dev", "test")}
    files = {
        name: data_files(value)
        for name, value in listed.items()
        if name not in without and value and not isinstance(value, float)
    }
    reading = config.data.reading.shared_by(
        [file.path for split in files.values() for file in split]
    )
    return {name: read_split(split, reading, report) for name, split in files.items()}


def _with_layers(config: Config, given: Sequence[str], types: Sequence[str]) -> Config:
    """The layers that the data has, of those of the model to start from; all ``given`` ones."""
    layers = [
        name
        for name in config.model.layers
        if any(label.startswith(f"{name}{SEPARATOR}") for label in types)
    ]
    for name in given:
        if name not in layers:
            raise ConfigError(
                f"`model.layers` has {name!r}, but no type of the training data begins with "
                f"{name}{SEPARATOR}",
                hint=f"the types are: {', '.join(types)}",
            )
    if layers and all(layer_of(label, layers) for label in types):
        raise ConfigError(
            "every type is in one of `model.layers`: the default layer would be empty",
            hint=f"leave out one of them; the types are: {', '.join(types)}",
        )
    model = msgspec.structs.replace(config.model, layers=layers)
    return msgspec.structs.replace(config, model=model)


def _check(splits: Mapping[str, Split], config: Config, *, needs_dev: bool) -> None:
    if "train" not in splits:
        raise ConfigError(
            "no training data", hint="use --train, or `train` under [data] in the configuration"
        )
    if needs_dev and "dev" not in splits and not isinstance(config.data.dev, float):
        raise ConfigError(
            "no development data to choose the best epoch with",
            hint=f"use --dev FILE, --dev {HELD_OUT} to hold out a tenth of the training data, "
            "or --folds 5 for cross-validation",
        )


def gather(
    config: Config,
    train: Split,
    dev: Split | None,
    test: Split | None,
    start: Start | None = None,
) -> tuple[Data, list[str]]:
    """The data of a run; the second value is the warnings about it."""
    types = types_of(train)
    warnings = [*left_out(train), *absent_types(train), *alike_types(train)]
    warnings.extend(one_sided_types(train))
    splits = {"train": train}
    splits |= {name: s for name, s in (("dev", dev), ("test", test)) if s is not None}
    warnings.extend(same_data(splits))
    for name, split in splits.items():
        warnings.extend(ignored_entities(split))
        warnings.extend(uncorrected(split))
        if name != "train":
            warnings.extend(unseen_types(split, types))
            warnings.extend(undeclared_types(split, types))
    # Files without `annotates` annotate the types of the undeclared training files.
    default = undeclared_labels(train) or frozenset(types)
    splits = {name: resolved(split, default, types) for name, split in splits.items()}
    if dev is not None and not labels_of(dev.sentences) & set(types):
        is_held_out = isinstance(config.data.dev, float)
        raise DataError(
            "no entities of the types that are trained: no epoch can be chosen with it",
            path=dev.path,
            hint="hold out a larger share with --dev, or use --folds 5 for cross-validation"
            if is_held_out
            else "use other development data",
        )
    sources = {} if start is not None else read_sources(config.encoder)
    teachers = read_teachers(config.teachers.names, config.teachers.trust, types)
    warnings.extend(seen_by_teachers(teachers.names, splits) if teachers.names else [])
    data = Data(
        train=splits["train"],
        dev=splits.get("dev"),
        test=splits.get("test"),
        types=types,
        sources=sources,
        start=start,
        teachers=teachers,
    )
    return data, list(dict.fromkeys(warnings))  # dev and test may be the same file


def reconfigured(settings: Settings, experiment: Experiment, train: Split) -> Config:
    """The configuration for another amount of training data; the encoder stays the same."""
    if experiment.config.preset != "auto":
        return experiment.config
    chosen = choose(settings, train, experiment.data.start, experiment.data.heads)
    config = build_config(merged({"training": chosen.settings["training"]}, settings))
    return msgspec.structs.replace(experiment.config, training=config.training)


def with_splits(data: Data, train: Split, dev: Split | None) -> Data:
    """The same types and vectors with different sentences."""
    return replace(data, train=train, dev=dev)
