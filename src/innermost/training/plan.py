"""Runs that belong together: the same data with several seeds and ablations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from innermost.errors import ConfigError, DataError
from innermost.evaluation.results import mean_and_deviation
from innermost.training.data.inputs import Data
from innermost.training.events import Event
from innermost.training.run import run
from innermost.training.settings.config import Config
from innermost.training.settings.variants import Variant
from innermost.training.world import ALONE, World


@dataclass(frozen=True, slots=True)
class PlannedRun:
    variant: Variant
    seed: int
    folder: Path
    model: str = ""
    """The name of the model if the configuration has none."""

    @property
    def name(self) -> str:
        seed = f"seed {self.seed}"
        return seed if self.variant is Variant.FULL else f"{self.variant.value}, {seed}"

    @property
    def finished(self) -> bool:
        return (self.folder / "result.json").exists()


@dataclass(frozen=True, slots=True)
class RunEvent:
    """An event of one of the runs."""

    name: str
    """The name of the run for display: ``seed 1``."""
    number: int
    """The number of the run, from 1."""
    total: int
    event: Event
    variant: Variant = Variant.FULL


def planned(
    config: Config,
    out: Path,
    variants: Sequence[Variant] = (Variant.FULL,),
    *,
    by_variant: bool = False,
) -> list[PlannedRun]:
    """All runs of an experiment. A single one is the folder itself; several are folders in it,
    ``by_variant`` also with only one variant."""
    seeds = config.training.seeds
    if len(set(seeds)) != len(seeds) or not seeds:
        raise ConfigError(f"training.seeds must be different numbers, got {list(seeds)}")
    by_variant = by_variant or len(variants) > 1
    runs: list[PlannedRun] = []
    for variant in variants:
        base = out / variant.value if by_variant else out
        nested = by_variant or len(seeds) > 1
        for seed in seeds:
            folder = base / f"seed-{seed}" if nested else base
            runs.append(PlannedRun(variant, seed, folder, folder_name(out)))
    return runs


def folder_name(out: Path) -> str:
    """The name of models without another one: that of the folder with all output."""
    return out.resolve().name


def perform(
    runs: Sequence[PlannedRun],
    config: Config,
    data: Data,
    *,
    resume: bool = False,
    world: World = ALONE,
) -> Iterator[RunEvent]:
    """The runs, one after the other."""
    for number, item in enumerate(runs, start=1):
        settings = item.variant.applied(config).named(item.model)
        for event in run(settings, data, item.seed, item.folder, resume=resume, world=world):
            yield RunEvent(item.name, number, len(runs), event, item.variant)


def summarize(results: Sequence[dict[str, Any]], split: str) -> dict[str, tuple[float, float]]:
    """Mean and standard deviation over seeds of precision, recall, F1 and recall by gold level.

    The deviation is that of a sample (n - 1); one seed has 0.
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
    spread = {name: mean_and_deviation(values) for name, values in rows.items()}
    return {name: (score.mean, score.deviation) for name, score in spread.items()}
