"""Whether more data will help: models trained on an eighth, a quarter, a half and all of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from innermost.errors import UsageError
from innermost.files.atomic import write_atomically
from innermost.rendering.axes import Axes, evenly, file, label
from innermost.training.data.splitting import shares
from innermost.training.events import Finished
from innermost.training.experiment import Experiment, reconfigured, with_splits
from innermost.training.plan import RunEvent, folder_name
from innermost.training.run import check_empty, run
from innermost.training.settings.config import Settings

SHARES = (1 / 8, 1 / 4, 1 / 2, 1.0)
FEWEST = 40
"""With fewer sentences, an eighth of them says nothing."""
FARTHEST = 0.02
"""With a larger distance between the fit and the last score, there is no estimate."""
_NAMES = {1 / 8: "1/8 of the data", 1 / 4: "1/4 of the data", 1 / 2: "1/2 of the data"}
_STYLE = (
    "text{font:12px sans-serif;fill:#555}.grid{stroke:#ddd}polyline{fill:none;stroke:#1d4ed8}"
    ".fit{stroke-dasharray:4 4;stroke:#b45309}circle{fill:#1d4ed8}.next{fill:#b45309}"
)


@dataclass(frozen=True, slots=True)
class Fit:
    """F1 = ``limit - gap * sentences ** -rate``: most learning curves are power laws."""

    limit: float
    gap: float
    rate: float

    def __call__(self, sentences: float) -> float:
        return float(self.limit - self.gap * sentences**-self.rate)


@dataclass(frozen=True, slots=True)
class Curve:
    sentences: list[int]
    f1: list[float]
    """On development data."""
    fit: Fit

    @property
    def doubled(self) -> float | None:
        """F1 to expect from twice the data: the last score and what the fit gains."""
        if self.why_no_estimate is not None:
            return None
        last = self.sentences[-1]
        return min(self.f1[-1] + self.fit(2 * last) - self.fit(last), 1.0)

    @property
    def why_no_estimate(self) -> str | None:
        if not any(self.f1):
            return "all scores are 0"
        error = abs(self.fit(self.sentences[-1]) - self.f1[-1])
        if error > FARTHEST:
            return f"the fit misses the score of all data by {100 * error:.1f} points"
        return None

    @property
    def verdict(self) -> str:
        if self.doubled is None:
            return f"no estimate of what twice the data would bring: {self.why_no_estimate}"
        gain = 100 * (self.doubled - self.f1[-1])
        size = f"twice the data, {2 * self.sentences[-1]:,} sentences,"
        if gain < 0.5:
            return f"{size} would bring less than half a point of F1"
        return f"{size} would bring about {gain:.1f} points of F1"

    def to_dict(self) -> dict[str, Any]:
        return {
            "sentences": self.sentences,
            "f1": self.f1,
            "fit": {"limit": self.fit.limit, "gap": self.fit.gap, "rate": self.fit.rate},
            "doubled": self.doubled,
            "verdict": self.verdict,
        }


class LearningCurve:
    """Runs on growing shares of the training data, the last on all of it in ``out`` itself."""

    curve: Curve
    """After the last event."""

    def __init__(self, settings: Settings, experiment: Experiment, out: Path) -> None:
        if len(experiment.config.training.seeds) != 1:
            raise UsageError("a learning curve with several seeds", hint="give one seed")
        if len(experiment.data.train.sentences) < FEWEST:
            raise UsageError(
                f"{len(experiment.data.train.sentences)} training sentences are too few for a "
                "learning curve",
                hint=f"it needs {FEWEST} or more",
            )
        self.settings, self.experiment, self.out = settings, experiment, out

    def events(self, *, resume: bool = False) -> Iterator[RunEvent]:
        """All runs; only the last one, on all data, has a result."""
        if not resume:
            check_empty(self.out)
        data = self.experiment.data
        parts = shares(data.train, SHARES)
        scores: list[float] = []
        for number, (share, part) in enumerate(zip(SHARES, parts, strict=True), start=1):
            config = reconfigured(self.settings, self.experiment, part)
            config = config.named(folder_name(self.out))
            folder = self.out if share == 1 else self.out / f"share-{share:g}"
            seed = config.training.seeds[0]
            some = with_splits(data, part, data.dev)
            if share < 1:
                some = replace(some, test=None)
            for event in run(config, some, seed, folder, resume=resume or share == 1):
                if isinstance(event, Finished):
                    scores.append(event.result["dev"]["micro"]["f1"])
                if share == 1 or not isinstance(event, Finished):
                    yield RunEvent(_NAMES.get(share, "all data"), number, len(SHARES), event)
        sizes = [len(part.sentences) for part in parts]
        self.curve = Curve(sizes, scores, fit(sizes, scores))
        encoded = msgspec.json.format(msgspec.json.encode(self.curve.to_dict()))
        write_atomically(self.out / "curve.json", encoded)
        write_atomically(self.out / "curve.svg", drawn(self.curve).encode())


def fit(sentences: Sequence[int], f1: Sequence[float]) -> Fit:
    """The power law with the least squared error, for rates from slow to fast.

    It never falls, and its limit is no more than 1.
    """
    x, y = np.array(sentences, dtype=float), np.array(f1, dtype=float)
    best: tuple[float, Fit] | None = None
    for rate in np.linspace(0.05, 2.0, 118):
        basis = x**-rate
        gap, limit = np.polyfit(basis, y, 1)
        gap = -gap
        if gap < 0:
            gap, limit = 0.0, float(y.mean())
        elif limit > 1:
            limit = 1.0
            gap = float(((limit - y) @ basis) / (basis @ basis))
        candidate = Fit(float(limit), float(gap), float(rate))
        error = float(np.square(limit - gap * basis - y).sum())
        if best is None or error < best[0] - 1e-12:
            best = error, candidate
    if best is None:
        raise ValueError("no sizes to fit a curve to")
    return best[1]


def drawn(curve: Curve) -> str:
    """The curve as one SVG file: by the logarithm of the sentences, and on to twice as many."""
    last = 2 * curve.sentences[-1]
    logs = [float(np.log2(n)) for n in curve.sentences]
    axes = Axes(640, 320, 48, 24, 48, 48, (logs[0], logs[-1] + 1), (0, 100))
    ticks = evenly(0, 100, 4)
    points = list(zip(logs, (100 * f1 for f1 in curve.f1), strict=True))
    steps = np.linspace(logs[0], logs[-1] + 1, 60)
    law = [(float(s), 100 * min(max(curve.fit(2.0**s), 0.0), 1.0)) for s in steps]
    sizes = [(log, f"{n:,}") for log, n in zip(logs, curve.sentences, strict=True)]
    content = [
        axes.grid(ticks),
        axes.y_ticks(ticks),
        axes.x_ticks([*sizes, (logs[-1] + 1, f"{last:,}")], "training sentences"),
        label(48, 24, f"development F1: {curve.verdict}", "start"),
        axes.line(law, "fit"),
        axes.line(points, "f1"),
        *(f'<circle cx="{axes.x(x)}" cy="{axes.y(y)}" r="4"/>' for x, y in points),
    ]
    if curve.doubled is not None:
        place = f'cx="{axes.x(logs[-1] + 1)}" cy="{axes.y(100 * curve.doubled)}"'
        content.append(f'<circle class="next" {place} r="4"/>')
    return file(axes, _STYLE, "Development F1 by the number of sentences", "".join(content))
