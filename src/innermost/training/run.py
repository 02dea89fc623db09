"""One training run: one seed, from data to a model folder with its scores.

The folder of a run:

    log.jsonl                one line per evaluation
    log.svg                  the same as a plot
    checkpoint.safetensors   the state of the run, for ``--resume``
    model/                   the best model so far
    result.json              the scores, once the run is done
"""

from __future__ import annotations

import dataclasses
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import msgspec
import torch

from innermost.errors import CheckpointError, TrainingError, UsageError
from innermost.export.folder import export
from innermost.files.atomic import write_atomically
from innermost.files.lock import LOCK, locked
from innermost.model_folder.contents import WEIGHTS
from innermost.model_folder.info import ModelInfo, read_info, scores_of, write_info
from innermost.model_folder.manifest import write_manifest
from innermost.training.build import Built, build
from innermost.training.data.dataset import prepare
from innermost.training.data.inputs import Data, fingerprints, listed, splits_of
from innermost.training.events import EpochScored, Event, Finished, Reading, Ready
from innermost.training.kept_types import add_types, scores_of_start
from innermost.training.loop import EpochEnd, NonFiniteLoss, Progress, TrainingState, train
from innermost.training.memory import peak_memory
from innermost.training.records.card import write_card
from innermost.training.records.checkpoint import (
    load_checkpoint,
    restore_weights,
    save_checkpoint,
    saved_threads,
)
from innermost.training.records.development_scores import Predictor
from innermost.training.records.environment import describe
from innermost.training.records.history import History
from innermost.training.records.identity import run_name, run_settings
from innermost.training.records.languages import model_languages
from innermost.training.records.model_folder import save_model
from innermost.training.records.plot import draw
from innermost.training.records.result import covered_types, scored_types
from innermost.training.settings.changes import changes
from innermost.training.settings.config import Config
from innermost.training.start import build_from
from innermost.training.threads import use_threads
from innermost.training.world import ALONE, World

SHOWN_SENTENCES = 5


def run(
    config: Config,
    data: Data,
    seed: int,
    folder: Path,
    *,
    resume: bool = False,
    folds: Mapping[str, Any] | None = None,
    world: World = ALONE,
) -> Iterator[Event]:
    """Train with one seed into ``folder``; yields events, the result last.

    Of several processes, only the main one reads and writes there, except for the checkpoint, which
    all of them read.

    Without development data, the last epoch is kept. ``folds`` is the summary of cross-validation:
    training ends after as many epochs, with the learning rates of the full schedule, and the model
    gets its temperature and its scores.
    """
    if world.is_main:
        if not resume:
            check_empty(folder)
        folder.mkdir(parents=True, exist_ok=True)
    with locked(folder) if world.is_main else nullcontext():
        run_ = _Run(config, data, seed, folder, folds, world)
        done = world.agree(run_.finished() if world.is_main else None)
        if done is not None:
            yield Finished(done)
            return
        yield from run_.events()


def check_empty(folder: Path) -> None:
    """Check that the folder contains no other run."""
    if folder.is_file():
        raise UsageError(f"{folder} is a file", hint="choose another --out: a folder")
    if folder.exists() and any(path.name != LOCK for path in folder.iterdir()):
        raise UsageError(
            f"{folder} is not empty", hint="add --resume to continue it, or choose another --out"
        )


class _Run:
    """What the steps of a run share."""

    def __init__(
        self,
        config: Config,
        data: Data,
        seed: int,
        folder: Path,
        folds: Mapping[str, Any] | None,
        world: World,
    ) -> None:
        self.config, self.data, self.seed, self.folder = config, data, seed, folder
        self.folds, self.world = folds, world
        self.last_epoch = folds["epochs"] if folds else config.training.epochs
        self.adds_types = config.start.keep_types and config.start.frozen
        # Types that are added to a model are a separate model until training ends.
        self.model_folder = folder / ("added" if self.adds_types else "model")
        self.result_file = folder / "result.json"
        self.checkpoint = folder / "checkpoint.safetensors"
        self.history = History(folder / "log.jsonl")

    def finished(self) -> dict[str, Any] | None:
        """The result, if the run was already finished with the same data and settings."""
        if not self.result_file.exists():
            return None
        result: dict[str, Any] = msgspec.json.decode(self.result_file.read_bytes())
        if result.get("fingerprints") != fingerprints(self.data):
            raise CheckpointError(
                f"{self.folder} contains a run with other data: it has "
                f"{listed(result.get('fingerprints') or {})}, this is "
                f"{listed(fingerprints(self.data))}",
                hint="resume with the data that it was trained on, or choose another --out",
            )
        changed = changes(result.get("settings") or {}, run_settings(self.config, self.data))
        if result["seed"] != self.seed:
            changed.insert(0, f"the seed was {result['seed']}, is {self.seed}")
        if changed:
            raise CheckpointError(
                f"{self.folder} contains a finished run with other settings: {', '.join(changed)}",
                hint="a finished run cannot be continued: choose another --out",
            )
        return result

    def events(self) -> Iterator[Event]:
        config, data = self.config.training, self.data
        device = self.world.device(config.device)
        note = self._use_threads(device)
        torch.manual_seed(self.seed)
        self.built = self._built(device)
        self.built.model.to(device)
        self.name = run_name(self.config, data, self.seed, self.built)
        self._start_together()
        self.state = TrainingState(self.built.model, self.config)
        if self.world.agree(self.checkpoint.exists()):
            saved = load_checkpoint(self.checkpoint, self.state, self.name)
            if self.world.is_main:
                self.history.restore(saved)
        features = self.built.features
        splits = (data.train, data.dev, data.test) if self.world.is_main else ()
        for split in filter(None, splits):
            for done_words, words in features.fill(split.sentences):
                yield Reading(split.path, done_words, words)
        self.world.agree(None)  # The other processes find the vectors in the cache.
        self.train_data = prepare(data.train, features, data.types)
        if data.teachers.names:
            soft = yield from data.teachers.teach(
                data.train, data.types, self.train_data.targets, device, config.precision
            )
            self.train_data = dataclasses.replace(self.train_data, targets=soft)
        dev = data.dev if self.world.is_main else None
        self.dev_data = None if dev is None else prepare(dev, features)
        yield Ready(
            sum(p.numel() for p in self.built.model.parameters() if p.requires_grad),
            config.batch_tokens,
            peak_memory(self.state, self.train_data, features, device, self.world),
            note,
            self.state.epoch,
        )
        self.predictor = Predictor(
            features, data.types, device, self.config.objective.max_depth, config.precision
        )
        yield from self._epochs(device)
        yield Finished(self.world.agree(self._finish() if self.world.is_main else {}))

    def _use_threads(self, device: torch.device) -> str | None:
        """Set the number of threads; a resumed run keeps its number unless one is given."""
        wanted = self.config.training.threads
        if device.type != "cpu":
            if wanted:
                torch.set_num_threads(wanted)
            return None
        if not wanted and self.checkpoint.exists():
            wanted = saved_threads(self.checkpoint)
        return use_threads(wanted)

    def _start_together(self) -> None:
        """Check that all processes train the same model, and give them the same weights."""
        if self.world.agree(self.name) != self.name:
            raise TrainingError(
                f"process {self.world.rank} has other data or settings than process 0",
                hint="give all processes the same command and the same files",
            )
        self.world.copy_weights(self.built.model)

    def _built(self, device: torch.device) -> Built:
        encoder, data = self.config.encoder, self.data
        sentences = data.train.sentences
        if data.start is None:
            return build(encoder, sentences, len(data.types), data.sources, device)
        return build_from(
            data.start,
            encoder,
            sentences,
            data.types,
            device,
            heads=data.heads,
            frozen=self.config.start.frozen,
        )

    def _epochs(self, device: torch.device) -> Iterator[Event]:
        begun = time.perf_counter()
        state, history, world = self.state, self.history, self.world
        features, patience = self.built.features, self.config.training.patience
        events = train(state, self.train_data, features, seed=self.seed, device=device, world=world)
        while state.epoch < self.last_epoch and not world.agree(history.stale(patience)):
            try:
                event = next(events)
            except NonFiniteLoss as error:
                raise self._not_finite(error) from None
            if isinstance(event, EpochEnd) and world.is_main and self._is_due(event.epoch):
                yield self._evaluated(event, time.perf_counter() - begun)
            elif isinstance(event, EpochEnd):
                yield Progress(event.epoch, 0.0, event.loss, event.tokens_per_second)
            else:
                yield event

    def _is_due(self, epoch: int) -> bool:
        return epoch % self.config.training.evaluate_every == 0 or epoch == self.last_epoch

    def _evaluated(self, event: EpochEnd, seconds: float) -> EpochScored:
        """Evaluate an epoch; save it if it is the best, and the state of the run."""
        state, history = self.state, self.history
        dev = self.dev_data
        scores = self.predictor.evaluate(state.evaluated, dev).micro if dev else None
        if history.add(event, scores.to_dict() if scores else None, seconds):
            save_model(
                self.model_folder,
                state.evaluated,
                self.built,
                self.config,
                self.data,
                self.seed,
                history.best,
            )
        save_checkpoint(self.checkpoint, state, self.name, history.state())
        draw(history.lines, self.folder / "log.svg")
        return EpochScored(
            event.epoch,
            self.last_epoch,
            event.loss,
            scores.f1 if scores else None,
            history.best_f1,
            history.best["epoch"],
            event.tokens_per_second,
        )

    def _not_finite(self, error: NonFiniteLoss) -> TrainingError:
        places = [place for place, _ in self.data.train.located()]
        shown = ", ".join(places[i] for i in error.batch[:SHOWN_SENTENCES])
        more = f" and {len(error.batch) - SHOWN_SENTENCES} more" * (
            len(error.batch) > SHOWN_SENTENCES
        )
        good = self.world.agree(self.history.lines[-1]["epoch"] if self.history.lines else 0)
        return TrainingError(
            f"epoch {error.epoch}: the loss is not a number, first in the batch of {shown}{more}; "
            f"{self.folder} contains the state after epoch {good}",
            hint="lower training.learning_rate, or look at these sentences",
        )

    def _finish(self) -> dict[str, Any]:
        """Evaluate the best epoch, on the test data once; export its model, with its card."""
        restore_weights(self.model_folder / WEIGHTS, self.built.model)
        result, scores = self._course(), self._scores()
        temperature = self._temperature()
        result |= {**scores, "temperature": temperature}
        if self.folds:
            scores = {"cross_validation": self.folds, **scores}
        labels = self._covered(scores)
        result |= self._compared_with_start(labels)
        covered = result.get("covered") or ""
        self._publish(scores, labels, temperature, result["environment"], covered)
        write_atomically(self.result_file, msgspec.json.format(msgspec.json.encode(result)))
        return result

    def _course(self) -> dict[str, Any]:
        """What was trained, on what, and until when."""
        history, config = self.history, self.config
        return {
            "seed": self.seed,
            "best_epoch": history.best["epoch"],
            "epochs": history.lines[-1]["epoch"],
            "stopped": "patience" if history.stale(config.training.patience) else "epochs",
            "seconds": history.lines[-1]["seconds"],
            "left_out": {
                "duplicates": self.train_data.duplicates,
                "crossings": self.train_data.crossings,
            },
            "fingerprints": fingerprints(self.data),
            "settings": run_settings(config, self.data),
            "environment": describe(self.predictor.device, self.world.size),
        }

    def _scores(self) -> dict[str, Any]:
        """The scores on the development and test data, as far as there are any."""
        splits = {}
        if self.dev_data is not None:
            splits["dev"] = self.dev_data
        if self.data.test is not None:
            splits["test"] = prepare(self.data.test, self.built.features)
        model = self.built.model
        return {n: self.predictor.evaluate(model, split).to_dict() for n, split in splits.items()}

    def _temperature(self) -> float | None:
        """That of the folds, or else the one that fits the development data."""
        if self.folds and self.folds["temperature"]:
            return float(self.folds["temperature"])
        if self.dev_data is None:
            return None
        return self.predictor.temperature(self.built.model, self.dev_data)

    def _covered(self, scores: Mapping[str, Any]) -> list[str]:
        """The types that the scores cover, if they leave out kept ones."""
        start = self.data.start
        return scored_types(start, scores) if start and self.config.start.keep_types else []

    def _compared_with_start(self, labels: Sequence[str]) -> dict[str, Any]:
        """What the scores of a model with kept types cover, and those of the model before."""
        start, dev = self.data.start, self.data.dev
        if start is None or not self.config.start.keep_types:
            return {}
        frozen = self.config.start.frozen
        covered = covered_types(start, labels, frozen=frozen) if labels else None
        compared: dict[str, Any] = {"covered": covered}
        if dev is not None and not frozen:
            compared["start"] = scores_of_start(start, dev)
        return compared

    def _publish(
        self,
        scores: Mapping[str, Any],
        labels: Sequence[str],
        temperature: float | None,
        environment: Mapping[str, str],
        covered: str,
    ) -> None:
        """Complete the model folder: metadata, card and exported files."""
        model = self.config.model
        info = msgspec.structs.replace(
            read_info(self.model_folder),
            name=model.name,
            version=model.version,
            license=model.license,
            languages=model_languages(self.config, self.data),
            date=environment["date"],
            innermost=environment["innermost"],
            temperature=temperature or 1.0,
            scores={name: scores_of(part["micro"], labels) for name, part in scores.items()},
        )
        write_info(self.model_folder, info)
        self._write_card(self.model_folder, info, scores, environment, covered)
        export(self.model_folder)
        if self.data.start is not None and self.adds_types:
            whole = self.folder / "model"
            info = add_types(self.data.start, self.model_folder, whole)
            self._write_card(whole, info, scores, environment, covered)
            write_manifest(whole)
            shutil.rmtree(self.model_folder)

    def _write_card(
        self,
        folder: Path,
        info: ModelInfo,
        scores: Mapping[str, Any],
        environment: Mapping[str, str],
        covered: str,
    ) -> None:
        splits = splits_of(self.data)
        write_card(folder, info, self.config, splits, scores, environment, covered)
