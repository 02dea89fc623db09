"""One run: install, train, measure in interleaved rounds, and collect the figures."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.peers import environments
from benchmarks.peers.data import Material, by_length, gather
from benchmarks.peers.notes import circumstances, score_notes, speed_notes, training_of
from benchmarks.peers.process import ask
from benchmarks.peers.report import Report, Row
from benchmarks.peers.speed import Predictor, Speeds, measure_speeds, predicted, score
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
    """Install and train whatever is missing."""
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
    _say("speed, interleaved")
    timed = by_length(material.test, settings.sentences)
    warm_up = [sentence.tokens for sentence in material.dev]
    speeds = measure_speeds(predictors, warm_up, timed, settings.rounds)
    rows = [
        _row(system, settings, counts[system.name], speeds[system.name], trainings)
        for system in systems
    ]
    names = [system.name for system in systems]
    notes = [
        *speed_notes(timed, settings.rounds),
        *score_notes(material, names, settings.plan.longest),
        circumstances(material, settings.threads, load),
    ]
    return Report(rows, notes)


def _predictor(system: Package | Original, settings: Settings) -> Predictor:
    """A function that sends requests to a system, with the model to load."""
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
        training=training_of(system, settings.model, trainings.get(system.name)),
    )


def _say(what: str) -> None:
    print(what, file=sys.stderr, flush=True)
