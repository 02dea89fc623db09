"""The training runs that a table needs: which there are, doing them, and what came out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from innermost.errors import ConfigError, DataError
from innermost.training.config import Config
from innermost.training.experiment import ABLATIONS, FULL, RunEvent, run_folder
from innermost.training.run import Data, run

FLAT = "- L&D"
VARIANTS: dict[str, tuple[str, ...]] = {
    "table3": (FULL,),
    "table4": tuple(ABLATIONS),
    "table5": (FULL,),
    "table6": (FULL,),
    "table7": (FULL,),
    "table8": (FULL,),
    "table9": (FULL, FLAT),
}
_ONE_TRIAL = {"table6", "table7"}

Results = dict[str, list[dict[str, Any]]]
"""By variant, the ``result.json`` of each seed."""


@dataclass(frozen=True, slots=True)
class PlannedRun:
    variant: str
    seed: int
    folder: Path

    @property
    def finished(self) -> bool:
        return (self.folder / "result.json").exists()


def planned(table: str, config: Config, out: Path) -> list[PlannedRun]:
    """The runs behind a table; tables 3 to 6 share theirs. Table 6 and 7 need the first seed."""
    seeds = config.training.seeds
    if len(set(seeds)) != len(seeds) or not seeds:
        raise ConfigError(f"training.seeds must be different numbers, got {list(seeds)}")
    return [
        PlannedRun(variant, seed, run_folder(out, config, variant, seed, ablations=True))
        for variant in VARIANTS[table]
        for seed in (seeds[:1] if table in _ONE_TRIAL else seeds)
    ]


def perform(
    runs: Sequence[PlannedRun], config: Config, data: Data, *, resume: bool = True
) -> Iterator[RunEvent]:
    """Train what is not finished."""
    for number, item in enumerate(runs, start=1):
        settings = config_of(item, config)
        for event in run(settings, data, item.seed, item.folder, resume=resume):
            yield RunEvent(item.variant, item.seed, number, len(runs), event)


def config_of(item: PlannedRun, config: Config) -> Config:
    objective = msgspec.structs.replace(config.objective, **ABLATIONS[item.variant])
    return msgspec.structs.replace(config, objective=objective)


def results(runs: Sequence[PlannedRun], fingerprints: Mapping[str, str]) -> Results:
    """What the finished runs found, once it is certain that they saw this very data."""
    found: Results = {}
    for item in runs:
        path = item.folder / "result.json"
        try:
            result = msgspec.json.decode(path.read_bytes(), type=dict[str, Any])
            seen = dict(result["fingerprints"])
        except (OSError, KeyError, TypeError, ValueError, msgspec.MsgspecError) as error:
            raise DataError(
                f"not the result of a run: {error}",
                path=path,
                hint="remove its folder to train this run again",
            ) from None
        if seen != dict(fingerprints):
            raise DataError(
                f"this run was made with other data: {_named(seen)}, not {_named(fingerprints)}",
                path=path,
                hint="give the data that it was made with, or choose another --out",
            )
        found.setdefault(item.variant, []).append(result)
    return found


def _named(fingerprints: Mapping[str, str]) -> str:
    return " ".join(f"{split} {value}" for split, value in fingerprints.items())
