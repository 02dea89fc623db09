"""One run: a system on a sample. In a module of its own, so that other processes can import it."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import torch
from benchmarks.small_data import systems
from benchmarks.small_data.results import Result, append, read_results
from benchmarks.small_data.samples import Sample
from benchmarks.small_data.systems import Computer

from innermost.training.records.environment import describe


@dataclass(frozen=True)
class Run:
    sample: Sample
    system: str
    path: Path
    computer: Computer
    minutes: float | None = None

    def execute(self) -> None:
        """Append the result to the file, unless it is there."""
        sample, system = self.sample, self.system
        results = read_results(self.path)
        size = len(sample.train)
        if (sample.corpus, size, sample.number, system) in results:
            return
        name = f"{sample.corpus}, {size:,} sentences, sample {sample.number}: {system}"
        print(name, file=sys.stderr)
        if system == "spancat":
            ours = results.get((sample.corpus, size, sample.number, "auto"))
            minutes = self.minutes or max(ours.score.seconds / 60 if ours else 3.0, 0.5)
            score = systems.spancat(sample, minutes)
        elif system in systems.SYSTEMS:
            score = systems.SYSTEMS[system](sample, self.computer)
        else:
            score = systems.one_of_grid(sample, self.computer, system)
        device = "cpu" if system == "spancat" else self.computer.device
        environment = describe(torch.device(device))
        result = Result(
            sample.corpus,
            size,
            sample.number,
            system,
            score,
            sample.fingerprint,
            environment["date"],
            environment["hardware"],
        )
        append(self.path, result)
        print(f"{name}: test F1 {100 * score.f1:.2f} in {score.seconds:,.0f} s", file=sys.stderr)
