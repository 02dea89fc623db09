"""Trained peers, kept for later runs."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

import msgspec
from benchmarks.peers.data import Material
from benchmarks.peers.process import ask
from benchmarks.peers.systems import Package

from innermost.errors import UsageError


class Trained(msgspec.Struct, frozen=True):
    """How a stored model was trained."""

    data: str
    longest: int
    transformer: str | None
    minutes: float
    threads: int
    extent: str
    """How far training went, in words."""


@dataclass(frozen=True)
class Plan:
    """The user's training options."""

    minutes: float
    longest: int
    transformer: Path | None
    threads: int


def trained(peer: Package, material: Material, plan: Plan, work: Path) -> Trained:
    """Train ``peer`` into ``work``, unless it is already there."""
    model, record = work / peer.name / "model", work / peer.name / "trained.json"
    data = f"{material.fingerprints['train']} / {material.fingerprints['dev']}"
    transformer = None
    if peer.with_transformer:
        if plan.transformer is None or not (plan.transformer / "config.json").exists():
            raise UsageError(
                f"{peer.title} reads a transformer's vectors, and --transformer names none",
                hint="the folder of a Hugging Face model, with a config.json; or leave out"
                f" {peer.name} from --peers",
            )
        transformer = str(plan.transformer.resolve())
    wanted = (data, plan.longest, transformer and Path(transformer).name)
    if record.exists():
        kept = msgspec.json.decode(record.read_bytes(), type=Trained)
        if (kept.data, kept.longest, kept.transformer) != wanted:
            raise UsageError(
                f"{model} was trained with other data or settings: {kept}",
                hint=f"remove {record} to train again, or give another --work",
            )
        return kept
    shutil.rmtree(model, ignore_errors=True)
    model.mkdir(parents=True)
    request = {
        "do": "train",
        "data": str(material.folder.resolve()),
        "out": str(model.resolve()),
        "minutes": plan.minutes,
        "longest": plan.longest,
        "transformer": transformer,
    }
    answer = ask(peer, request, work, plan.threads)
    made = Trained(*wanted, answer["seconds"] / 60, plan.threads, answer["extent"])
    record.write_bytes(msgspec.json.encode(made))
    return made
