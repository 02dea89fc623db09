"""One training run: one seed, from data to a model folder with its scores.

The folder of a run:

    log.jsonl                a line for each epoch
    log.svg                  the same, drawn
    checkpoint.safetensors   where the run stands, to go on with ``--resume``
    model/                   the best model so far
    result.json              the scores, once the run is done
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
import torch

from innermost.errors import UsageError
from innermost.export.folder import export
from innermost.files.atomic import write_atomically
from innermost.model_folder.info import read_info, write_info
from innermost.network.device import choose_device
from innermost.training.build import Built, Sources, build
from innermost.training.checkpoint import (
    load_checkpoint,
    restore_weights,
    save_checkpoint,
)
from innermost.training.config import Config
from innermost.training.dataset import Prepared, Split, prepare
from innermost.training.development_scores import Predictor
from innermost.training.environment import describe
from innermost.training.history import History
from innermost.training.loop import Progress, TrainingState, train
from innermost.training.memory import peak_memory
from innermost.training.model_folder import save_model
from innermost.training.plot import draw


@dataclass(frozen=True, slots=True)
class Data:
    """What a run reads; shared by the runs of several seeds."""

    train: Split
    dev: Split
    test: Split | None
    types: list[str]
    sources: Sources = field(repr=False)


@dataclass(frozen=True, slots=True)
class Reading:
    """Frozen encoders read the data, before training; what they have read before is not told."""

    path: str
    done: int
    words: int


@dataclass(frozen=True, slots=True)
class Ready:
    """All is built and prepared; training starts now."""

    trained_weights: int
    batch_tokens: int
    peak_memory: int | None
    """Bytes of the GPU's memory that a step takes at most; on a CPU it is not known."""


@dataclass(frozen=True, slots=True)
class EpochScored:
    """An epoch is done and evaluated."""

    epoch: int
    epochs: int
    loss: float
    dev_f1: float
    best_f1: float
    best_epoch: int
    tokens_per_second: float


@dataclass(frozen=True, slots=True)
class Finished:
    result: dict[str, Any]


Event = Reading | Ready | Progress | EpochScored | Finished


def run(
    config: Config, data: Data, seed: int, folder: Path, *, resume: bool = False
) -> Iterator[Event]:
    """Train with one seed into ``folder``; yields what happens, the result last."""
    done = folder / "result.json"
    if resume and done.exists():
        yield Finished(msgspec.json.decode(done.read_bytes()))
        return
    checkpoint = folder / "checkpoint.safetensors"
    if not resume and folder.exists() and any(folder.iterdir()):
        raise UsageError(
            f"{folder} is not empty", hint="add --resume to go on with it, or choose another --out"
        )
    folder.mkdir(parents=True, exist_ok=True)
    device = choose_device(config.training.device)
    if config.training.threads:
        torch.set_num_threads(config.training.threads)
    torch.manual_seed(seed)
    built = build(config.encoder, data.train.sentences, len(data.types), data.sources, device)
    built.model.to(device)
    state = TrainingState(built.model, config)
    name = run_name(config, data, seed, built)
    history = History(folder / "log.jsonl")
    if checkpoint.exists():
        history.restore(load_checkpoint(checkpoint, state, name))
    for split in filter(None, (data.train, data.dev, data.test)):
        for done_words, words in built.features.fill(split.sentences):
            yield Reading(split.path, done_words, words)
    prepared = prepare(data.train, built.features, data.types)
    dev = prepare(data.dev, built.features)
    yield Ready(
        sum(p.numel() for p in built.model.parameters() if p.requires_grad),
        config.training.batch_tokens,
        peak_memory(state, prepared, built.features, device),
    )
    predictor = Predictor(
        built.features,
        data.types,
        device,
        config.objective.max_depth,
        config.training.precision,
    )
    begun = time.perf_counter()
    events = train(state, prepared, built.features, seed=seed, device=device)
    while not history.stale(config.training.patience) and (event := next(events, None)):
        if isinstance(event, Progress):
            yield event
            continue
        dev_scores = predictor.evaluate(state.evaluated, dev).micro
        improved = history.add(event, dev_scores.as_dict(), time.perf_counter() - begun)
        if improved:
            save_model(folder / "model", state.evaluated, built, config, data, seed, history.best)
        save_checkpoint(checkpoint, state, name, history.state())
        draw(history.lines, folder / "log.svg")
        yield EpochScored(
            event.epoch,
            config.training.epochs,
            event.loss,
            dev_scores.f1,
            history.best["dev"]["f1"],
            history.best["epoch"],
            event.tokens_per_second,
        )
    yield Finished(_finish(data, seed, folder, built, prepared, dev, history, predictor))


def _finish(
    data: Data,
    seed: int,
    folder: Path,
    built: Built,
    prepared: Prepared,
    dev: Prepared,
    history: History,
    predictor: Predictor,
) -> dict[str, Any]:
    """Evaluate the best epoch on the test data, once; make its model ready to run without torch."""
    result: dict[str, Any] = {
        "seed": seed,
        "best_epoch": history.best["epoch"],
        "epochs": len(history.lines),
        "dev": history.best["dev"],
        "left_out": {"duplicates": prepared.duplicates, "crossings": prepared.crossings},
        "fingerprints": fingerprints(data),
        "environment": describe(predictor.device),
    }
    restore_weights(folder / "model" / "weights.safetensors", built.model)
    if data.test is not None:
        test = prepare(data.test, built.features)
        result["test"] = predictor.evaluate(built.model, test).as_dict()
    temperature = predictor.temperature(built.model, dev)
    info = msgspec.structs.replace(read_info(folder / "model"), temperature=temperature)
    write_info(folder / "model", info)
    export(folder / "model")
    write_atomically(folder / "result.json", msgspec.json.format(msgspec.json.encode(result)))
    return result


def fingerprints(data: Data) -> dict[str, str]:
    splits = {"train": data.train, "dev": data.dev, "test": data.test}
    return {name: split.fingerprint for name, split in splits.items() if split is not None}


def run_name(config: Config, data: Data, seed: int, built: Built) -> str:
    """The same for runs that would end with the same weights."""
    settings = config.to_dict()
    del settings["data"], settings["training"]["seeds"], settings["training"]["device"]
    settings["encoder"] = config.encoder.without_paths()
    pretrained = [part.fingerprint for part in built.parts.values()]
    splits = filter(None, (data.train, data.dev, data.test))
    annotated = [sorted(f.annotates) for s in splits for f in s.coverage if f.annotates is not None]
    key = [settings, seed, fingerprints(data), annotated, *pretrained]
    return hashlib.sha256(msgspec.json.encode(key, order="sorted")).hexdigest()[:16]
