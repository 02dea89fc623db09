"""One corpus, one configuration and one folder of runs, the source of the tables."""

from __future__ import annotations

import datetime
import platform
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from pathlib import Path

from innermost.corpus import Report
from innermost.cpus import available_cpus
from innermost.reproduction import level_tables, score_tables
from innermost.reproduction.estimate import Estimate, estimate
from innermost.reproduction.published import corpus_name
from innermost.reproduction.runs import Results, planned, results
from innermost.reproduction.settings import record
from innermost.reproduction.speed_table import speed_by_depth
from innermost.reproduction.splits import find_splits
from innermost.reproduction.table import Reproduced
from innermost.training.data.dataset import Split, read_split, types_of
from innermost.training.data.inputs import Data
from innermost.training.experiment import gather
from innermost.training.plan import PlannedRun, RunEvent, perform
from innermost.training.settings.config import Config, DataFile


class Study:
    """Reads the data on creation; word vectors and models only if something is trained."""

    def __init__(self, folder: Path, config: Config, out: Path) -> None:
        self.config = config
        self.out = out
        self.report = Report()
        """What was changed or lost while reading the data."""
        self.warnings: list[str] = []
        self.splits: dict[str, Split] = {}
        for name, source in find_splits(folder).items():
            reading = source.reading(config.data.reading)
            split = read_split([DataFile(path=str(source.path))], reading, self.report)
            self.splits[name] = replace(split, path=source.name)

    @property
    def fingerprints(self) -> dict[str, str]:
        return {name: split.fingerprint for name, split in self.splits.items()}

    @cached_property
    def data(self) -> Data:
        data, self.warnings = gather(
            self.config, self.splits["train"], self.splits["dev"], self.splits["test"]
        )
        return data

    def runs(self, table: str) -> list[PlannedRun]:
        return planned(table, self.config, self.out)

    def left(self, table: str, *, resume: bool) -> list[PlannedRun]:
        """The runs that still have to be trained for a table."""
        return [item for item in self.runs(table) if not (resume and item.finished)]

    def estimate(self, table: str) -> Estimate:
        data = self.data if self.left(table, resume=True) else None
        return estimate(self.runs(table), self.config, data)

    def train(self, table: str, *, resume: bool = True) -> Iterator[RunEvent]:
        """Record the configuration, then train the runs that a table still needs."""
        record(self.config, self.out)
        left = self.left(table, resume=resume)
        if left:
            yield from perform(left, self.config, self.data, resume=resume)

    def table(self, name: str) -> Reproduced:
        """A table; its runs must be finished."""
        runs = self.runs(name)
        run_results = results(runs, self.fingerprints)
        corpus = corpus_name(types_of(self.splits["train"]), name)
        if name == "table7":
            table = speed_by_depth(runs[0].folder, self.splits["test"].sentences)
            table.notes.append(_speed_provenance())
            return table
        if name == "table4":
            table = score_tables.ablations(run_results, corpus)
        elif name == "table5":
            table = level_tables.recall_by_level(run_results, corpus)
        elif name == "table6":
            table = level_tables.precision_by_level(run_results, corpus)
        elif name == "table9":
            table = score_tables.flat_ner(run_results, corpus)
        else:
            table = score_tables.main_results(name, run_results, corpus)
        table.notes.append(_provenance(run_results))
        table.figures["fingerprints"] = self.fingerprints
        return table


def _provenance(found: Results) -> str:
    """Seeds, hardware, dates and data behind a table."""
    runs = [result for variant in found.values() for result in variant]
    seeds = sorted({result["seed"] for result in runs})
    environments = [result["environment"] for result in runs]
    details = [
        " and ".join(sorted({environment[key] for environment in environments}))
        for key in ("date", "hardware", "torch")
    ]
    prints = ", ".join(f"{name} {value}" for name, value in runs[0]["fingerprints"].items())
    number = f"seed {seeds[0]}" if len(seeds) == 1 else f"seeds {', '.join(map(str, seeds))}"
    return (
        f"Trained {details[0]} on {details[1]} with torch {details[2]}, {number}; data: {prints}."
    )


def _speed_provenance() -> str:
    today = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
    return f"Measured {today} on a {platform.machine()} CPU with {available_cpus()} threads."
