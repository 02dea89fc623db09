"""The notes under the table: how each system was trained, and how the figures were measured."""

from __future__ import annotations

import datetime
import os
import platform
from collections.abc import Collection
from pathlib import Path

from benchmarks.peers.data import Material, inside_own_type, too_long
from benchmarks.peers.systems import Original, Package
from benchmarks.peers.training import Trained


def training_of(system: Package | Original, model: str, how: Trained | None) -> str:
    if isinstance(system, Original):
        return "loaded by the user's command"
    if how is None:
        return f"the shipped model `{Path(model).name}`, not trained here"
    on = f" on {how.transformer}" if how.transformer else ""
    return f"trained{on} for {how.minutes:.0f} minutes, {_threads(how.threads)} ({how.extent})"


def speed_notes(timed: list[list[str]], rounds: int) -> list[str]:
    tokens = sum(map(len, timed))
    return [
        "In parentheses: innermost's figure divided by that one. The install size is that of the"
        " whole virtual environment, for innermost with its shipped models; the other tools'"
        " models are not counted.",
        f"Speed: {len(timed):,} test sentences, {tokens:,} tokens, tokenized; median of"
        f" {rounds} interleaved rounds, each in a new process.",
    ]


def score_notes(material: Material, names: Collection[str], longest: int) -> list[str]:
    """What was scored, and how many entities the systems in ``names`` cannot find."""
    test = material.test
    gold = sum(len(sentence.entities) for sentence in test)
    notes = [
        f"Scores: all {len(test):,} test sentences, {gold:,} entities; start, end and type must"
        " match."
    ]
    if "spancat" in names:
        notes.append(
            f"spancat considers spans of up to {longest} tokens;"
            f" {too_long(test, longest):,} entities are longer and out of its reach."
        )
    if "edsnlp" in names:
        notes.append(
            "eds.ner_crf finds no entity inside another of the same type;"
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
