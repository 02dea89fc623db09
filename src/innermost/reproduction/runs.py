"""The training runs that a table needs, and their results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from innermost.errors import DataError
from innermost.training.plan import PlannedRun
from innermost.training.plan import planned as planned_runs
from innermost.training.settings.config import Config
from innermost.training.settings.variants import Variant

LABELS = {
    Variant.FULL: "This work",
    Variant.WITHOUT_LEARNING: "- L",
    Variant.WITHOUT_LEARNING_AND_DECODING: "- L&D",
}
"""The paper's names for its rows."""
FULL = LABELS[Variant.FULL]
FLAT = LABELS[Variant.WITHOUT_LEARNING_AND_DECODING]
VARIANTS: dict[str, tuple[Variant, ...]] = {
    "table3": (Variant.FULL,),
    "table4": tuple(Variant),
    "table5": (Variant.FULL,),
    "table6": (Variant.FULL,),
    "table7": (Variant.FULL,),
    "table8": (Variant.FULL,),
    "table9": (Variant.FULL, Variant.WITHOUT_LEARNING_AND_DECODING),
}
_ONE_TRIAL = {"table6", "table7"}

Results = dict[str, list[dict[str, Any]]]
"""The ``result.json`` of each seed, by the paper's name for the row."""


def planned(table: str, config: Config, out: Path) -> list[PlannedRun]:
    """The runs behind a table; Tables 3 to 6 share theirs. Tables 6 and 7 need the first seed."""
    runs = planned_runs(config, out, VARIANTS[table], by_variant=True)
    first = config.training.seeds[0]
    return [item for item in runs if table not in _ONE_TRIAL or item.seed == first]


def results(runs: Sequence[PlannedRun], fingerprints: Mapping[str, str]) -> Results:
    """The results of the finished runs, once it is certain that they used this data."""
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
                f"this run was trained on other data: {_named(seen)}, not {_named(fingerprints)}",
                path=path,
                hint="use the same data, or choose another --out",
            )
        found.setdefault(LABELS[item.variant], []).append(result)
    return found


def _named(fingerprints: Mapping[str, str]) -> str:
    return " ".join(f"{split} {value}" for split, value in fingerprints.items())
