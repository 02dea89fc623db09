"""Models whose probabilities are learned, as soft targets (distillation).

Where several models are better than one, their mean is a better target than their decisions: it
says how sure they are, and what else would be possible.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import torch

from innermost import crf
from innermost.arrays import Floats
from innermost.crf.targets import FlatTarget
from innermost.errors import ConfigError
from innermost.network.tagger import TAGS
from innermost.training.data.dataset import Split, prepare
from innermost.training.events import Reading
from innermost.training.records.development_scores import Predictor
from innermost.training.start import Start, build_from, read_start

REPORT_EVERY = 50_000
"""Tokens between two reports."""
BATCH = 256
"""Sentences whose targets are softened together."""


@dataclass(frozen=True, slots=True)
class Teachers:
    """Models with all types of the data, and the last soft targets that they gave.

    The runs of several seeds have the same data, so the targets are kept for the next one.
    """

    names: tuple[str, ...]
    fingerprints: tuple[str, ...] = field(repr=False)
    trust: float = 1.0
    """The share of their probabilities in the targets."""
    _last: dict[str, list[FlatTarget]] = field(default_factory=dict, repr=False)

    def teach(
        self,
        split: Split,
        types: Sequence[str],
        targets: Sequence[FlatTarget],
        device: torch.device,
        number_format: str,
    ) -> Generator[Reading, None, list[FlatTarget]]:
        """The targets of the data, softened by the mean of all models; yields the progress."""
        if split.fingerprint not in self._last:
            mean = [
                np.zeros((len(types), len(s.tokens), TAGS), np.float32) for s in split.sentences
            ]
            for name in self.names:
                start = read_start(name)
                rows = [start.info.types.index(label) for label in types]
                done = 0
                for index, emissions in _emissions(start, split, device, number_format):
                    mean[index] += emissions[rows] / len(self.names)
                    done += emissions.shape[1]
                    if done == split.tokens or done % REPORT_EVERY < emissions.shape[1]:
                        yield Reading(split.path, done, split.tokens, f"the teacher {name}")
            self._last.clear()
            self._last[split.fingerprint] = list(_softened(targets, mean, self.trust, device))
        return self._last[split.fingerprint]


NO_TEACHERS = Teachers((), ())


def read_teachers(names: Sequence[str], trust: float, types: Sequence[str]) -> Teachers:
    """Check that the models know all ``types``."""
    prints = []
    for name in names:
        start = read_start(name)
        if missing := [label for label in types if label not in start.info.types]:
            raise ConfigError(
                f"--teacher {name} does not know {', '.join(missing)}; its types are "
                f"{', '.join(start.info.types)}",
                hint="use teachers that were trained on all types of the data",
            )
        prints.append(start.fingerprint)
    return Teachers(tuple(names), tuple(prints), trust)


def _emissions(
    start: Start, split: Split, device: torch.device, number_format: str
) -> Iterator[tuple[int, Floats]]:
    """The number of each sentence with the emissions of one model, ``[type, token, tag]``."""
    types = start.info.types
    heads = {label: label for label in types}
    built = build_from(start, start.encoder, [], types, device, heads=heads, frozen=True)
    for _ in built.features.fill(split.sentences):
        pass
    data = prepare(split, built.features)
    predictor = Predictor(built.features, types, device, number_format=number_format)
    for batch, emissions in predictor.emissions(built.model.to(device), data):
        for index, own in zip(batch, emissions, strict=True):
            yield index, own[:, : data.lengths[index]]


def _softened(
    targets: Sequence[FlatTarget], emissions: Sequence[Floats], trust: float, device: torch.device
) -> Iterator[FlatTarget]:
    for first in range(0, len(targets), BATCH):
        own = emissions[first : first + BATCH]
        lengths = [e.shape[1] for e in own]
        padded = np.zeros((len(own), own[0].shape[0], max(lengths), TAGS), np.float32)
        for row, e in zip(padded, own, strict=True):
            row[:, : e.shape[1]] = e
        batch = torch.from_numpy(padded).to(device)
        part = targets[first : first + BATCH]
        yield from crf.soften(part, batch, torch.tensor(lengths), trust)
