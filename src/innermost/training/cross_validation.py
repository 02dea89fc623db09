"""Cross-validation: scores without development data, then one model from all data (``--folds``)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import fmean, median_low
from typing import Any

import msgspec

from innermost.errors import CheckpointError, UsageError
from innermost.evaluation.counts import Counts
from innermost.evaluation.significance import SCORES, Interval
from innermost.files.atomic import write_atomically
from innermost.plurals import count
from innermost.training.data.inputs import Data
from innermost.training.data.splitting import folds
from innermost.training.events import Finished
from innermost.training.experiment import with_splits
from innermost.training.plan import RunEvent, folder_name
from innermost.training.records.result import nothing_found
from innermost.training.run import check_empty, run
from innermost.training.settings.config import Config

FILE = "folds.json"
_T = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262)
"""Student's t for 95% and 1, 2, ... degrees of freedom."""


class CrossValidation:
    """Each fold is scored by a model trained on the others; then one model is trained on all data.

    That one trains for as many epochs as the folds needed (the median), and gets their temperature.
    It has no development scores: those of the folds are the best estimate.
    """

    def __init__(self, config: Config, data: Data, out: Path, number: int) -> None:
        if number < 2:
            raise UsageError(
                count(number, "fold"), hint="cross-validation needs 2 or more, e.g. --folds 5"
            )
        if len(config.training.seeds) != 1:
            raise UsageError("cross-validation with several seeds", hint="use one seed")
        self.config, self.data, self.out = config.named(folder_name(out)), data, out
        self.pairs = folds(data.train, number)
        self.summary: dict[str, Any] = {}

    def events(self, *, resume: bool = False) -> Iterator[RunEvent]:
        """All runs. The results of the folds are in :attr:`summary`; the last event has the result
        of the model trained on all data."""
        self._open(resume=resume)
        seed, total = self.config.training.seeds[0], len(self.pairs) + 1
        results: list[dict[str, Any]] = []
        for number, (train, dev) in enumerate(self.pairs, start=1):
            data, folder = with_splits(self.data, train, dev), self.out / f"fold-{number}"
            for event in run(self.config, data, seed, folder, resume=resume):
                if isinstance(event, Finished):
                    results.append(event.result)
                else:
                    yield RunEvent(f"fold {number}", number, total, event)
        failures = [
            error
            for result, (train, _) in zip(results, self.pairs, strict=True)
            if (error := nothing_found(result, train)) is not None
        ]
        if len(failures) == len(results):
            raise failures[0]
        self.summary = summary(results)
        self._write(self.summary)
        events = run(
            self.config,
            with_splits(self.data, self.data.train, None),
            seed,
            self.out,
            resume=True,
            folds=self.summary,
        )
        for event in events:
            yield RunEvent("all data", total, total, event)

    def _open(self, *, resume: bool) -> None:
        """Check that the folder contains no other run; record the number of folds there."""
        number, file = len(self.pairs), self.out / FILE
        if not resume:
            check_empty(self.out)
        if not file.exists():
            self._write({"folds": number})
        elif (before := msgspec.json.decode(file.read_bytes())["folds"]) != number:
            raise CheckpointError(
                f"{self.out} contains a run with {before} folds, not {number}",
                hint=f"resume it with --folds {before}, or choose another --out",
            )

    def _write(self, content: dict[str, Any]) -> None:
        self.out.mkdir(parents=True, exist_ok=True)
        write_atomically(self.out / FILE, msgspec.json.format(msgspec.json.encode(content)))


def summary(results: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Scores over all folds, with their 95% intervals."""
    micros = [_counts(result["dev"]["micro"]) for result in results]
    temperatures = [result["temperature"] or 1.0 for result in results]
    return {
        "folds": len(results),
        "micro": sum(micros, Counts()).to_dict(),
        "intervals": {name: interval.to_dict() for name, interval in intervals(micros).items()},
        "types": _types(results),
        "epochs": median_low(result["best_epoch"] for result in results),
        "temperature": math.exp(fmean(map(math.log, temperatures))),
        "results": list(results),
    }


def intervals(folds: Sequence[Counts]) -> dict[str, Interval]:
    """The scores over all folds with their 95% confidence intervals.

    The standard error is the jackknife's, from the scores without each fold; for folds of equal
    size, it is that of their mean. Student's t, as there are few folds.
    """
    number = len(folds)
    t = _T[number - 2] if number - 2 < len(_T) else 2.2
    pooled = sum(folds, Counts())
    others = [sum((*folds[:i], *folds[i + 1 :]), Counts()) for i in range(number)]
    result: dict[str, Interval] = {}
    for name in SCORES:
        score = getattr(pooled, name)
        squares = sum((getattr(other, name) - score) ** 2 for other in others)
        margin = t * math.sqrt((number - 1) / number * squares)
        result[name] = Interval(score, max(score - margin, 0.0), min(score + margin, 1.0))
    return result


def _types(results: Sequence[dict[str, Any]]) -> dict[str, Any]:
    labels = sorted({label for result in results for label in result["dev"]["types"]})
    return {
        label: sum(
            (
                _counts(result["dev"]["types"][label])
                for result in results
                if label in result["dev"]["types"]
            ),
            Counts(),
        ).to_dict()
        for label in labels
    }


def _counts(scores: dict[str, Any]) -> Counts:
    return Counts(*(int(scores[name]) for name in ("gold", "predicted", "correct")))
