"""What stands under the table: how each system came about, and what the figures were made with."""

from __future__ import annotations

import datetime
import os
import platform
from collections.abc import Collection
from pathlib import Path

from benchmarks.peers.material import Material, inside_own_type, too_long
from benchmarks.peers.systems import Original, Package
from benchmarks.peers.training import Trained


def training_of(system: Package | Original, model: str, how: Trained | None) -> str:
    if isinstance(system, Original):
        return "as the user's command loads it"
    if how is None:
        return f"the model `{Path(model).name}` as it comes, not trained here"
    on = f" on {how.transformer}" if how.transformer else ""
    return f"trained{on} for {how.minutes:.0f} minutes, {_threads(how.threads)} ({how.extent})"


def speed_notes(timed: list[list[str]], rounds: int) -> list[str]:
    tokens = sum(map(len, timed))
    return [
        "In brackets: innermost's figure divided by that one. The install is the whole virtual"
        " environment; innermost's has its models in it, the others' models are not counted.",
        f"Speed: {len(timed):,} test sentences, {tokens:,} tokens, already tokenised; median of"
        f" {rounds} rounds in turns, each in a new process.",
    ]


def score_notes(material: Material, names: Collection[str], longest: int) -> list[str]:
    """What was scored, and how much of it the systems in ``names`` cannot find."""
    test = material.test
    gold = sum(len(sentence.entities) for sentence in test)
    notes = [
        f"Scores: all {len(test):,} test sentences, {gold:,} entities; start, end and type must be"
        " right."
    ]
    if "spancat" in names:
        notes.append(
            f"spancat is asked for entities of up to {longest} tokens:"
            f" {too_long(test, longest):,} are longer, and out of its reach."
        )
    if "edsnlp" in names:
        notes.append(
            "eds.ner_crf finds no entity inside another of its own type:"
            f" {inside_own_type(test):,} are out of its reach."
        )
    return notes


def circumstances(material: Material, threads: int, load: float) -> str:
    today = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
    marks = ", ".join(f"{name} {mark}" for name, mark in material.fingerprints.items())
    return (
        f"{today}, {platform.machine()} CPU, {_threads(threads)}, {os.cpu_count()} cores, load"
        f" {load:.1f} before; Python {platform.python_version()}; data: {marks}."
    )


def _threads(number: int) -> str:
    return "1 thread" if number == 1 else f"{number} threads"
