"""Temperature scaling: one number that calibrates the scores.

Trained networks are overconfident. Dividing all emissions by a temperature changes no decoded
entity (the best path stays the best) but softens the probabilities; the temperature is chosen on
development data, so that a score of 0.8 means correct in 8 of 10 cases.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from innermost import crf
from innermost.arrays import Doubles, Floats, Ints
from innermost.corpus.sentence import Sentence
from innermost.nest import Span
from innermost.runtime.model import Model

COLDEST, HOTTEST = 0.25, 8.0
SENTENCES = 2_000
"""Enough to fit one number."""
_STEPS = 24
_CERTAIN = 1e-6


@dataclass(frozen=True, slots=True)
class Decoded:
    """A batch of sentences with its decoded entities."""

    emissions: Floats
    lengths: Ints
    entities: crf.Entities
    correct: Doubles
    """1 for each correct entity, 0 for the others."""


def model_temperature(model: Model, sentences: Iterable[Sentence]) -> float:
    """The temperature for a model, fitted on annotated sentences."""
    used = [s for s in islice(sentences, SENTENCES) if s.tokens]
    return fit_temperature(
        Decoded(
            emissions,
            lengths,
            entities,
            correct([s.entities for s in batch], entities, model.types),
        )
        for batch, emissions, lengths, entities in model.decoded(used)
    )


def fit_temperature(batches: Iterable[Decoded]) -> float:
    """The temperature that minimizes the log-loss of the decoded entities; 1 if there are none."""
    decoded = list(batches)
    right = sum(float(part.correct.sum()) for part in decoded)
    wrong = sum(len(part.correct) for part in decoded) - right
    if not right + wrong:
        return 1.0
    # Platt's targets: never 0 or 1, however many were correct.
    aim_right, aim_wrong = (right + 1) / (right + 2), 1 / (wrong + 2)

    def loss(log_temperature: float) -> float:
        total = 0.0
        for part in decoded:
            softened = part.emissions / math.exp(log_temperature)
            p = crf.score(softened, part.lengths, part.entities)
            p = np.clip(p, _CERTAIN, 1 - _CERTAIN)
            aim = np.where(part.correct > 0, aim_right, aim_wrong)
            total -= float((aim * np.log(p) + (1 - aim) * np.log1p(-p)).sum())
        return total

    return math.exp(_least(loss, math.log(COLDEST), math.log(HOTTEST)))


def correct(
    gold: Sequence[Iterable[Span]], entities: crf.Entities, types: Sequence[str]
) -> Doubles:
    """Which of the decoded entities of some sentences are correct."""
    true = [set(spans) for spans in gold]
    columns = (entities.row.tolist(), entities.start.tolist(), entities.end.tolist())
    right = [
        (start, end, types[row % len(types)]) in true[row // len(types)]
        for row, start, end in zip(*columns, strict=True)
    ]
    return np.array(right, dtype=np.float64)


def _least(function: Callable[[float], float], low: float, high: float) -> float:
    """The minimum of a unimodal function, by golden-section search."""
    ratio = (math.sqrt(5) - 1) / 2
    left, right = high - ratio * (high - low), low + ratio * (high - low)
    at_left, at_right = function(left), function(right)
    for _ in range(_STEPS):
        if at_left < at_right:
            high, right, at_right = right, left, at_left
            left = high - ratio * (high - low)
            at_left = function(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + ratio * (high - low)
            at_right = function(right)
    return (low + high) / 2
