"""The data of a run, and what identifies it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from innermost.training.build import Sources
from innermost.training.data.dataset import Split
from innermost.training.start import Heads, Start
from innermost.training.teachers import NO_TEACHERS, Teachers


@dataclass(frozen=True, slots=True)
class Data:
    """The input of a run, shared by the runs of several seeds."""

    train: Split
    dev: Split | None
    """None: keep the last epoch."""
    test: Split | None
    types: list[str]
    sources: Sources = field(repr=False)
    start: Start | None = None
    """The model with the initial weights."""
    heads: Heads = field(default_factory=dict)
    """For types that start from a head of that model, the type whose head it is."""
    teachers: Teachers = NO_TEACHERS


def splits_of(data: Data) -> dict[str, Split]:
    splits = {"train": data.train, "dev": data.dev, "test": data.test}
    return {name: split for name, split in splits.items() if split is not None}


def fingerprints(data: Data) -> dict[str, str]:
    return {name: split.fingerprint for name, split in splits_of(data).items()}


def listed(prints: Mapping[str, str]) -> str:
    """Fingerprints for a message."""
    return ", ".join(f"{name} {value}" for name, value in prints.items())
