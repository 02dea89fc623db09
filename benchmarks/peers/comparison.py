"""One run: install, train, measure in turns, and put the figures together."""

from __future__ import annotations

import datetime
import os
import platform
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.peers import environments
from benchmarks.peers.asking import ask
from benchmarks.peers.material import Material, by_length, gather, inside_own_type, too_long
from benchmarks.peers.measuring import Predictor, Speeds, measure_speeds, predicted, score
from benchmarks.peers.report import Report, Row
from benchmarks.peers.systems import OURS, Original, Package
from benchmarks.peers.training import Plan, Trained, trained

from innermost.corpus import write
from innermost.evaluation import Counts


@dataclass(frozen=True)
class Settings:
    data: Path
    work: Path
    model: str
    peers: list[Package]
    original: Original | None
    sentences: int
    rounds: int
    threads: int
    plan: Plan


def prepare(settings: Settings) -> tuple[Material, dict[str, Trained]]:
    """Install and train whatever is not there yet."""
    work = settings.work
    material = gather(settings.data, work / "data")
    trainings: dict[str, Trained] = {}
    for peer in settings.peers:
        _say(f"{peer.name}: environment")
        environments.install(
            work / peer.name / "env", peer.requirements, with_torch=peer.with_torch
        )
        _say(f"{peer.name}: training, {settings.plan.minutes:g} minutes unless it is kept")
        trainings[peer.name] = trained(peer, material, settings.plan, work)
    _say("innermost: environment")
    ours = work / OURS.name / "env"
    environments.install(ours, OURS.requirements, with_torch=False)
    environments.pip(ours, "--force-reinstall", "--no-deps", *OURS.requirements)
    return material, trainings


def compare(settings: Settings) -> Report:
    load = os.getloadavg()[0]
    material, trainings = prepare(settings)
    systems: list[Package | Original] = [OURS, *settings.peers]
    if settings.original:
        systems.append(settings.original)
    predictors = {system.name: _predictor(system, settings) for system in systems}
    counts = {}
    for name, predict in predictors.items():
        _say(f"{name}: scores")
        found = predicted(name, predict, material.test)
        write(found, settings.work / name / "predictions.jsonl")
        counts[name] = score(material.test, found)
    _say("speed, in turns")
    timed = by_length(material.test, settings.sentences)
    warm_up = [sentence.tokens for sentence in material.dev]
    speeds = measure_speeds(predictors, warm_up, timed, settings.rounds)
    rows = [
        _row(system, settings, counts[system.name], speeds[system.name], trainings)
        for system in systems
    ]
    return Report(rows, _notes(settings, material, timed, load))


def _predictor(system: Package | Original, settings: Settings) -> Predictor:
    """Sends requests to a system, with the model that it is to load."""
    if isinstance(system, Original):
        model = str(system.checkout)
    elif system is OURS:
        model = settings.model
    else:
        model = str(settings.work / system.name / "model")

    def predict(request: dict[str, Any]) -> dict[str, Any]:
        return ask(system, {**request, "model": model}, settings.work, settings.threads)

    return predict


def _row(
    system: Package | Original,
    settings: Settings,
    counts: Counts,
    speeds: Speeds,
    trainings: dict[str, Trained],
) -> Row:
    version = megabytes = None
    if isinstance(system, Package):
        environment = settings.work / system.name / "env"
        version = environments.version(environment, system.distribution)
        megabytes = environments.megabytes(environment)
    return Row(
        title=system.title,
        version=version,
        tokens_per_second={size: speeds.median(size) for size in speeds.rounds},
        rounds=speeds.rounds,
        precision=counts.precision,
        recall=counts.recall,
        f1=counts.f1,
        megabytes=megabytes,
        training=_training(system, settings, trainings.get(system.name)),
    )


def _training(system: Package | Original, settings: Settings, how: Trained | None) -> str:
    if isinstance(system, Original):
        return "as the user's command loads it"
    if how is None:
        return f"the model `{Path(settings.model).name}` as it comes, not trained here"
    on = f" on {how.transformer}" if how.transformer else ""
    return f"trained{on} for {how.minutes:.0f} minutes, {_threads(how.threads)} ({how.extent})"


def _threads(number: int) -> str:
    return "1 thread" if number == 1 else f"{number} threads"


def _notes(
    settings: Settings, material: Material, timed: list[list[str]], load: float
) -> list[str]:
    tokens = sum(map(len, timed))
    gold = sum(len(sentence.entities) for sentence in material.test)
    limit = settings.plan.longest
    marks = ", ".join(f"{name} {mark}" for name, mark in material.fingerprints.items())
    notes = [
        "In brackets: innermost's figure divided by that one. The install is the whole virtual"
        " environment; innermost's has its models in it, the others' models are not counted.",
        f"Speed: {len(timed):,} test sentences, {tokens:,} tokens, already tokenised; median of"
        f" {settings.rounds} rounds in turns, each in a new process.",
        f"Scores: all {len(material.test):,} test sentences, {gold:,} entities; start, end and"
        " type must be right.",
    ]
    names = [peer.name for peer in settings.peers]
    if "spancat" in names:
        lost = too_long(material.test, limit)
        notes.append(
            f"spancat is asked for entities of up to {limit} tokens: {lost:,} are longer, and out"
            " of its reach."
        )
    if "edsnlp" in names:
        lost = inside_own_type(material.test)
        notes.append(f"eds.ner_crf has no entity inside another of its own type: {lost:,} are.")
    notes.append(
        f"{datetime.datetime.now(datetime.timezone.utc).date().isoformat()}, {platform.machine()}"
        f" CPU, {_threads(settings.threads)}, {os.cpu_count()} cores, load {load:.1f} before;"
        f" Python {platform.python_version()}; data: {marks}."
    )
    return notes


def _say(what: str) -> None:
    print(what, file=sys.stderr, flush=True)
