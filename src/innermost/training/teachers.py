"""Models whose probabilities are learned, as soft targets (distillation).

Where several models are better than one, their mean is a better target than their decisions: it
says how sure they are, and what else would be possible.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch

from innermost import crf
from innermost.arrays import Floats
from innermost.corpus import Sentence
from innermost.crf.targets import FlatTarget
from innermost.errors import ConfigError, ModelError
from innermost.evaluation.counts import Counts
from innermost.model_folder.info import read_info
from innermost.model_folder.installed import locate
from innermost.nest import Span
from innermost.network.tagger import TAGS
from innermost.training.data.dataset import Split, prepare
from innermost.training.events import Reading, TeacherRead
from innermost.training.records.development_scores import Predictor
from innermost.training.start import Start, build_from, read_start

REPORT_EVERY = 50_000
"""Tokens between two reports."""
BATCH = 256
"""Sentences whose targets are softened together."""
COMPARED = 2_000
"""Sentences in which a teacher's entities are compared with the annotation, at most."""


@dataclass(frozen=True, slots=True)
class Teachers:
    """Models with all types of the data, and the last soft targets that they gave.

    The runs of several seeds have the same data, so the targets are kept for the next one.
    """

    names: tuple[str, ...]
    fingerprints: tuple[str, ...] = field(repr=False)
    trust: float
    """The share of their probabilities in the targets."""
    origins: tuple[dict[str, Any], ...] = ()
    """Their names, versions and licenses, and those of the models that they come from."""
    _last: dict[str, list[FlatTarget]] = field(default_factory=dict, repr=False)

    def teach(
        self,
        split: Split,
        types: Sequence[str],
        targets: Sequence[FlatTarget],
        device: torch.device,
        number_format: str,
    ) -> Generator[Reading | TeacherRead, None, list[FlatTarget]]:
        """The targets of the data, softened by the mean of all models; yields the progress."""
        if split.fingerprint not in self._last:
            mean = [
                np.zeros((len(types), len(s.tokens), TAGS), np.float32) for s in split.sentences
            ]
            for name in self.names:
                start = read_start(name)
                rows = [start.info.types.index(label) for label in types]
                done, counts = 0, Counts()
                for index, emissions in _emissions(start, split, device, number_format):
                    own = emissions[rows]
                    mean[index] += own / len(self.names)
                    if index < COMPARED:
                        counts += _agreement(own, split.sentences[index], targets[index], types)
                    done += emissions.shape[1]
                    if done % REPORT_EVERY < emissions.shape[1]:
                        yield Reading(split.path, done, split.tokens, f"the teacher {name}")
                yield TeacherRead(name, counts.f1, self.trust)
            self._last.clear()
            self._last[split.fingerprint] = list(_softened(targets, mean, self.trust, device))
        return self._last[split.fingerprint]


NO_TEACHERS = Teachers((), (), 1.0)


def read_teachers(names: Sequence[str], trust: float, types: Sequence[str]) -> Teachers:
    """Check that the models know all ``types``."""
    prints, origins = [], []
    for name in names:
        try:
            start = read_start(name)
        except ModelError as error:
            raise _not_a_teacher(name, error) from None
        if missing := [label for label in types if label not in start.info.types]:
            raise ConfigError(
                f"--teacher {name} does not know {', '.join(missing)}; its types are "
                f"{', '.join(start.info.types)}",
                hint="use teachers that were trained on all types of the data",
            )
        prints.append(start.fingerprint)
        origins.append(start.origin)
    return Teachers(tuple(names), tuple(prints), trust, tuple(origins))


def seen_by_teachers(names: Sequence[str], splits: Mapping[str, Split]) -> Iterator[str]:
    """Warnings about data to score on that the teachers were trained on, or may have been."""
    if "dev" not in splits:
        yield (
            "the teachers may know the held-out folds: if they were trained on this data, the "
            "scores of the cross-validation are too high"
        )
    for name in names:
        learned = read_info(locate(name)).training.get("fingerprints", {}).get("train")
        for split in (split for kind, split in splits.items() if kind != "train"):
            if learned == split.fingerprint:
                yield f"--teacher {name} was trained on {split.path}: scores on it are too high"


def _not_a_teacher(name: str, error: ModelError) -> ModelError:
    hint = "repeat --teacher for each model" if "," in name else error.hint
    return ModelError(f"--teacher {name}: {error.message}", hint=hint)


def _agreement(
    emissions: Floats, sentence: Sentence, target: FlatTarget, types: Sequence[str]
) -> Counts:
    """How many entities of a teacher are annotated, of the types that the sentence annotates."""
    (entities,) = crf.decode(emissions[None], [len(sentence.tokens)])
    known = {label for label, annotated in zip(types, target.annotated, strict=True) if annotated}
    found = {Span(start, end, types[kind]) for start, end, kind, _ in entities}
    found, gold = (
        {span for span in spans if span.label in known} for spans in (found, sentence.entities)
    )
    return Counts(len(gold), len(found), len(gold & found))


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
