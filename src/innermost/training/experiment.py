"""Several runs that belong together: the same data with several seeds, and with parts left out."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from innermost.corpus import Report
from innermost.errors import ConfigError, DataError
from innermost.training.build import read_sources
from innermost.training.config import Config, data_files
from innermost.training.data_warnings import (
    absent_types,
    ignored_entities,
    left_out,
    same_data,
    unseen_types,
)
from innermost.training.dataset import Split, read_split, resolved, types_of, undeclared_labels
from innermost.training.run import Data, Event, run

FULL = "This work"
ABLATIONS: dict[str, dict[str, Any]] = {
    FULL: {},
    "- L": {"inner": False},
    "- L&D": {"inner": False, "max_depth": 1},
}
"""The rows of the paper's Table 4: without the learning (L), without learning and decoding (D)."""
FOLDERS = {FULL: "full", "- L": "without-L", "- L&D": "without-L-and-D"}


@dataclass(frozen=True, slots=True)
class RunEvent:
    """An event of one of the runs."""

    variant: str
    seed: int
    number: int
    """Which of the runs, from 1."""
    total: int
    event: Event


def load_data(config: Config, report: Report | None = None) -> tuple[Data, list[str]]:
    """Read the files of a configuration; the second part is what is odd about them.

    What reading changed or lost is counted in ``report``.
    """
    files = {name: data_files(getattr(config.data, name)) for name in ("train", "dev", "test")}
    for name, what in (("train", "training"), ("dev", "development")):
        if not files[name]:
            raise ConfigError(
                f"no {what} data",
                hint=f"give --{name}, or `{name}` under [data] in the configuration",
            )
    report = Report() if report is None else report
    splits = {
        name: read_split(listed, config.data.reading, report)
        for name, listed in files.items()
        if listed
    }
    return gather(config, splits["train"], splits["dev"], splits.get("test"))


def gather(config: Config, train: Split, dev: Split, test: Split | None) -> tuple[Data, list[str]]:
    """What a run needs besides the sentences; the second part is what is odd about them."""
    types = types_of(train)
    warnings = [*left_out(train), *absent_types(train)]
    splits = {"train": train, "dev": dev} | ({} if test is None else {"test": test})
    warnings.extend(same_data(splits))
    for name, split in splits.items():
        warnings.extend(ignored_entities(split))
        if name != "train":
            warnings.extend(unseen_types(split, types))
    # What is not said of a file annotates what the training files of its kind have.
    default = undeclared_labels(train) or frozenset(types)
    splits = {name: resolved(split, default, types) for name, split in splits.items()}
    sources = read_sources(config.encoder)
    return Data(splits["train"], splits["dev"], splits.get("test"), types, sources), warnings


def experiment(
    config: Config, data: Data, out: Path, *, ablations: bool = False, resume: bool = False
) -> Iterator[RunEvent]:
    """All runs of an experiment, one after the other."""
    if len(set(config.training.seeds)) != len(config.training.seeds) or not config.training.seeds:
        raise ConfigError(f"training.seeds must be different numbers, got {config.training.seeds}")
    plan = [
        (variant, seed)
        for variant in (ABLATIONS if ablations else [FULL])
        for seed in config.training.seeds
    ]
    for number, (variant, seed) in enumerate(plan, start=1):
        objective = msgspec.structs.replace(config.objective, **ABLATIONS[variant])
        changed = msgspec.structs.replace(config, objective=objective)
        folder = run_folder(out, config, variant, seed, ablations=ablations)
        for event in run(changed, data, seed, folder, resume=resume):
            yield RunEvent(variant, seed, number, len(plan), event)


def run_folder(out: Path, config: Config, variant: str, seed: int, *, ablations: bool) -> Path:
    """A single run is the folder itself; several are folders within it."""
    if ablations:
        out = out / FOLDERS[variant]
    return out / f"seed-{seed}" if len(config.training.seeds) > 1 or ablations else out


def summarize(results: Sequence[dict[str, Any]], split: str) -> dict[str, tuple[float, float]]:
    """Mean and standard deviation over seeds of precision, recall, F1 and recall by gold level.

    The deviation is that of the population, as the paper's seems to be; one seed has 0.
    """
    rows: dict[str, list[float]] = {}
    for result in results:
        scores = result.get(split)
        if scores is None:
            raise DataError(f"no {split} scores in the result of seed {result['seed']}")
        micro = scores.get("micro", scores)
        for name in ("precision", "recall", "f1"):
            rows.setdefault(name, []).append(micro[name])
        for level, counts in scores.get("levels", {}).get("gold", {}).items():
            rows.setdefault(f"recall at level {level}", []).append(counts["recall"])
    return {name: (statistics.fmean(v), statistics.pstdev(v)) for name, v in rows.items()}
