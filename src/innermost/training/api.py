"""Train from Python: :func:`innermost.train`, or :class:`Training` to follow the events.

torch is imported when a training is created, not before.
"""

from __future__ import annotations

import sys
import tempfile
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from innermost.corpus import Report, Sentence
from innermost.corpus.quality.fingerprint import fingerprint
from innermost.corpus.validation import checked
from innermost.errors import (
    DataError,
    InnermostWarning,
    MissingExtraError,
    UsageError,
    place,
)
from innermost.runtime import load
from innermost.runtime.model import Model
from innermost.training.parameter_types import check_callable, check_types
from innermost.training.python_names import errors_in_python, in_python
from innermost.training.settings.config import (
    Config,
    DataFile,
    Preset,
    Settings,
    load_settings,
    merged,
)

if TYPE_CHECKING:
    from innermost.training.data.dataset import Split
    from innermost.training.plan import RunEvent

Corpus = str | Path | DataFile | Sequence[str | Path | DataFile] | Sequence[Sentence]
"""One or several files, or sentences. ``DataFile(path=..., annotates=(...))`` names the types that
a file annotates, if not all."""

AnyModel = str | Path | Model
"""A model: its name, its folder, or the model as it was loaded."""

_NO_FILES: tuple[object, ...] = (None, "", [], ())


@dataclass(frozen=True)
class TrainingResult:
    """A trained model and its scores."""

    folder: Path
    """The folder with all output."""
    config: Config
    """All settings, including those chosen from the data."""
    choice: str | None
    """The choices based on the amount of data, in one line."""
    advice: str | None
    """What would probably be better, e.g. to start from a model."""
    warnings: list[str]
    """Warnings about the data, also issued as ``InnermostWarning`` before training starts."""
    report: Report
    """What reading the files changed or lost."""
    scores: dict[str, Any]
    """On the test data if there is any, else on the development data or over the folds: ``micro``
    with ``precision``, ``recall`` and ``f1``, and ``types``."""
    details: dict[str, Any]
    """The content of ``result.json``."""

    def __repr__(self) -> str:
        return f"<TrainingResult {self.folder}: F1 {100 * self.scores['micro']['f1']:.2f}>"

    @cached_property
    def model(self) -> Model:
        """The model, loaded without torch by :func:`innermost.load`."""
        return load(self.folder)


class Training:
    """A training run, event by event: iterate over it to train, then read :attr:`result`.

    The parameters are those of :func:`train`.
    """

    def __init__(
        self,
        train: Corpus,
        dev: Corpus | float | None = None,
        *,
        test: Corpus | None = None,
        out: str | Path | None = None,
        preset: Preset | None = None,
        start_from: AnyModel | None = None,
        keep_types: bool = False,
        teachers: AnyModel | Sequence[AnyModel] = (),
        config: str | Path | None = None,
        settings: Mapping[str, Mapping[str, Any]] | None = None,
        seed: int | None = None,
        folds: int | None = None,
        resume: bool = False,
    ) -> None:
        try:
            import torch  # noqa: F401
        except ImportError as error:
            raise MissingExtraError("Training", "train", error.name) from None
        from innermost.training.experiment import HELD_OUT, load_experiment

        check_types(out=out, config=config, settings=settings, seed=seed, folds=folds)
        if folds is not None and dev is not None:
            raise UsageError("both `dev` and `folds`", hint="use one of them")
        if resume and out is None:
            raise UsageError(
                "nothing to resume without `out`", hint="set it to the folder of the run"
            )
        self.resume = resume
        self.out = Path(tempfile.mkdtemp(prefix="innermost-")) if out is None else Path(out)
        values: Settings = {"data": {}, **(settings or {})}
        splits: dict[str, Split] = {}
        for name, corpus in (("train", train), ("dev", dev), ("test", test)):
            _place(name, corpus, values, splits)
        if preset is not None:
            values["preset"] = preset
        if seed is not None:
            values = merged(values, {"training": {"seeds": [seed]}})
        if start_from is not None:
            values = merged(values, {"start": {"model": _folder(start_from)}})
        if keep_types:
            values = merged(values, {"start": {"keep_types": True}})
        if teachers:
            models = [teachers] if isinstance(teachers, (str, Path, Model)) else teachers
            values = merged(values, {"teachers": {"models": list(map(_folder, models))}})
        loaded = load_settings(config, values=values)
        loaded.setdefault("preset", "auto")
        if folds is None and "dev" not in splits and loaded["data"].get("dev") in _NO_FILES:
            loaded["data"] = {**loaded["data"], "dev": HELD_OUT}
        with errors_in_python():
            experiment = load_experiment(loaded, splits, folds=folds)
        self.experiment = replace(
            experiment,
            warnings=[
                *_reading_warnings(experiment.report),
                *(in_python(warning) for warning in experiment.warnings),
            ],
            advice=experiment.advice and in_python(experiment.advice),
        )
        if len(self.experiment.config.training.seeds) != 1:
            raise UsageError("several seeds in one training", hint="train once for each seed")
        _warn(self.experiment.warnings)
        self.folds = folds
        self._result: TrainingResult | None = None

    def __iter__(self) -> Iterator[RunEvent]:
        with errors_in_python():
            yield from self._events()

    def _events(self) -> Iterator[RunEvent]:
        from innermost.training.cross_validation import CrossValidation
        from innermost.training.events import Finished, Ready
        from innermost.training.plan import perform, planned
        from innermost.training.records.result import nothing_found

        config, data = self.experiment.config, self.experiment.data
        if self.folds is None:
            validation = None
            events = perform(planned(config, self.out), config, data, resume=self.resume)
        else:
            validation = CrossValidation(config, data, self.out, self.folds)
            events = validation.events(resume=self.resume)
        details: dict[str, Any] = {}
        for event in events:
            if isinstance(event.event, Finished):
                details = event.event.result
            elif isinstance(event.event, Ready) and event.event.note:
                ready = replace(event.event, note=in_python(event.event.note))
                event = replace(event, event=ready)
            yield event
        if (error := nothing_found(details, data.train)) is not None:
            raise error
        of_folds = validation.summary if validation else {}
        self._result = TrainingResult(
            folder=self.out,
            config=config,
            choice=self.experiment.choice,
            advice=self.experiment.advice,
            warnings=self.experiment.warnings,
            report=self.experiment.report,
            scores=details.get("test") or details.get("dev") or of_folds,
            details=details,
        )

    @property
    def result(self) -> TrainingResult:
        if self._result is None:
            raise UsageError("the training is not finished", hint="iterate over it to the end")
        return self._result


def train(
    train: Corpus,
    dev: Corpus | float | None = None,
    *,
    test: Corpus | None = None,
    out: str | Path | None = None,
    preset: Preset | None = None,
    start_from: AnyModel | None = None,
    keep_types: bool = False,
    teachers: AnyModel | Sequence[AnyModel] = (),
    config: str | Path | None = None,
    settings: Mapping[str, Mapping[str, Any]] | None = None,
    seed: int | None = None,
    folds: int | None = None,
    resume: bool = False,
    on_event: Callable[[RunEvent], None] | None = None,
) -> TrainingResult:
    """Train a model, as ``innermost train`` does.

    ``train``, ``dev`` and ``test`` are files in any corpus format, or lists of ``Sentence``. The
    best epoch is chosen on ``dev``: data, or the share of the training data to hold out (0.1 by
    default, unless ``config`` or ``settings`` name development data). ``folds`` replaces it with
    cross-validation. ``out`` is the folder to write to, by default a new one among the temporary
    files of the system. ``preset`` is ``"auto"`` (the default) or ``"paper"``. ``start_from`` and
    ``teachers`` are models, by name, folder or as loaded; the probabilities of teachers are
    learned, too. ``config`` is a TOML file; ``settings`` are tables as in that file,
    ``{"training": {"epochs": 20}}``, and override it. ``on_event`` is called with every event; to
    get events from an iterator instead, use :class:`Training`. Warnings about the data are issued
    as ``InnermostWarning``, and are in the result.
    """
    check_callable("on_event", on_event)
    training = Training(
        train,
        dev,
        test=test,
        out=out,
        preset=preset,
        start_from=start_from,
        keep_types=keep_types,
        teachers=teachers,
        config=config,
        settings=settings,
        seed=seed,
        folds=folds,
        resume=resume,
    )
    for event in training:
        if on_event is not None:
            on_event(event)
    return training.result


def _reading_warnings(report: Report) -> list[str]:
    """The warnings from reading the files; what it changed or lost is only counted."""
    return [
        f"{place(event.path, event.line)} {event.what}: {event.detail}"
        for event in report.only("warning").examples
    ]


def _warn(messages: Iterable[str]) -> None:
    """Issue warnings whose place is the first caller outside of this package."""
    frame, level = sys._getframe(1), 2
    while frame.f_back and frame.f_globals.get("__name__", "").startswith("innermost."):
        frame, level = frame.f_back, level + 1
    for message in messages:
        warnings.warn(message, InnermostWarning, stacklevel=level)


def _place(
    name: str, corpus: Corpus | float | None, values: Settings, splits: dict[str, Split]
) -> None:
    """Put files into the settings and sentences into a split."""
    if corpus is None:
        return
    if isinstance(corpus, (int, float)):
        values["data"] = {**values["data"], name: float(corpus)}
        return
    if isinstance(corpus, (str, Path, DataFile)):
        corpus = [corpus]
    if not isinstance(corpus, (Sequence, Set, Iterator)):
        raise _not_a_corpus(f"`{name}` is", corpus)
    items: list[object] = list(corpus)
    if items and all(isinstance(item, Sentence) for item in items):
        splits[name] = _split(name, [item for item in items if isinstance(item, Sentence)])
        return
    if any(isinstance(item, Sentence) for item in items):
        raise UsageError(
            f"`{name}` contains Sentence objects and others",
            hint="use one kind: `read` in innermost.corpus reads the sentences of a file",
        )
    files = []
    for item in items:
        if isinstance(item, DataFile):
            files.append({"path": item.path, "annotates": item.annotates})
        elif isinstance(item, (str, Path)):
            files.append({"path": str(item), "annotates": None})
        else:
            raise _not_a_corpus(f"`{name}` contains", item)
    if not files:
        raise DataError("no sentences in it", path=f"{name} data")
    values["data"] = {**values["data"], name: files}


def _not_a_corpus(what: str, item: object) -> UsageError:
    return UsageError(
        f"{what} an object of type {type(item).__name__}",
        hint="use files, or lists of files or Sentence objects; write other data to a file first, "
        "such as JSON lines with `text` and `entities` (docs/own-data.md)",
    )


def _folder(model: AnyModel) -> str:
    """The name or the folder of a model."""
    return str(model.folder if isinstance(model, Model) else model)


def _split(name: str, sentences: Iterable[Sentence]) -> Split:
    from innermost.training.data.dataset import Split

    origin = f"{name} data"
    kept = [sentence for sentence in checked(sentences, origin=origin) if sentence.tokens]
    if not kept:
        raise DataError("no sentences with tokens in it", path=origin)
    return Split(origin, kept, fingerprint(kept))
