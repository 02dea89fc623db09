"""The systems that are compared: ours with several settings, and spaCy's spancat."""

from __future__ import annotations

import importlib
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.small_data.samples import Sample, known

import innermost
from innermost.errors import TrainingError
from innermost.evaluation import Evaluation
from innermost.nest import Span

Settings = dict[str, Any]

GRID_PREFIX = "grid: "


def grid(size: int) -> dict[str, Settings]:
    """What someone with patience would try by hand, with the word vectors that auto takes: system
    names and settings. Batches grow with the number of sentences, the epochs become fewer."""
    batch, epochs = next(course for limit, course in _COURSES if size <= limit)
    return {
        f"{GRID_PREFIX}rate {rate:g}, dropout {dropout:g}": {
            "encoder": {
                "dropout": dropout,
                "recurrent_dropout": dropout / 2,
                "scale_vectors": True,
            },
            "training": {
                "optimizer": "adamw",
                "learning_rate": rate,
                "batch_tokens": batch,
                "epochs": epochs,
                "patience": epochs,
                "schedule": "linear",
                "evaluate_every": epochs // 10,
            },
        }
        for rate in (1e-3, 3e-3)
        for dropout in (0.3, 0.5)
    }


_COURSES = ((100, (100, 60)), (300, (200, 60)), (1_000, (300, 50)), (10**9, (1_000, 30)))
"""Up to how many sentences: tokens per batch and epochs."""


@dataclass(frozen=True)
class Score:
    precision: float
    recall: float
    f1: float
    seconds: float
    cpu_seconds: float
    """Of all threads: what can be compared when other programs run at the same time."""
    note: str = ""


class _Clock:
    def __init__(self) -> None:
        self.begun = time.perf_counter(), time.process_time()

    def times(self) -> tuple[float, float]:
        """Seconds, and CPU seconds, since it was made."""
        wall, cpu = self.begun
        return time.perf_counter() - wall, time.process_time() - cpu


@dataclass(frozen=True)
class Computer:
    """What a model is trained on."""

    threads: int = 2
    device: str = "cpu"


def auto(sample: Sample, computer: Computer) -> Score:
    return _trained(sample, computer, preset="auto")


def scratch(sample: Sample, computer: Computer) -> Score:
    """As auto, but without any model to start from, in any language."""
    return _trained(sample, computer, settings={"encoder": {"kind": "wordchar"}})


def paper(sample: Sample, computer: Computer) -> Score:
    return _trained(sample, computer, preset="paper")


def start_from(sample: Sample, computer: Computer) -> Score:
    model = known(sample.corpus).start
    if model is None:
        return Score(0, 0, 0, 0, 0, "no shipped model fits this corpus")
    return _trained(sample, computer, start_from=model)


def one_of_grid(sample: Sample, computer: Computer, system: str) -> Score:
    settings = grid(len(sample.train))[system]
    return _trained(sample, computer, preset="auto", settings=settings)


def _trained(
    sample: Sample,
    computer: Computer,
    *,
    preset: Any = "auto",
    start_from: str | None = None,
    settings: Settings | None = None,
) -> Score:
    settings = dict(settings or {})
    own = {"threads": computer.threads, "device": computer.device}
    settings["training"] = {**settings.get("training", {}), **own}
    clock = _Clock()
    with tempfile.TemporaryDirectory() as folder:
        try:
            result = innermost.train(
                sample.train,
                sample.dev,
                test=sample.test,
                out=Path(folder) / "run",
                preset=preset,
                start_from=start_from,
                settings=settings,
            )
        except TrainingError as error:
            return Score(0, 0, 0, *clock.times(), str(error).splitlines()[0])
    micro = result.scores["micro"]
    scores = (micro[name] for name in ("precision", "recall", "f1"))
    return Score(*scores, *clock.times(), result.choice or preset)


def spancat(sample: Sample, minutes: float) -> Score:
    """spaCy's default settings for a CPU, for as many minutes as auto took."""
    sys.path.append(str(Path(__file__).parents[1] / "peers" / "workers"))
    worker = importlib.import_module("spancat_worker")
    clock = _Clock()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        sample.write(folder)
        extent = worker.train(folder, folder, minutes, 3, None)
        times = clock.times()
        if not (folder / "model-best").exists():
            return Score(0, 0, 0, *times, f"no model after {extent}")
        predictions = worker.load(folder)([sentence.tokens for sentence in sample.test])
    evaluation = Evaluation()
    for sentence, entities in zip(sample.test, predictions, strict=True):
        evaluation.add(sentence.entities, [Span(*entity) for entity in entities])
    micro = evaluation.micro
    return Score(micro.precision, micro.recall, micro.f1, *times, str(extent))


SYSTEMS: dict[str, Callable[[Sample, Computer], Score]] = {
    "auto": auto,
    "start-from": start_from,
    "scratch": scratch,
    "paper": paper,
}
"""In languages other than English, auto may start from a model, and scratch does not."""
NAMES: Sequence[str] = (*SYSTEMS, "grid", "spancat")
