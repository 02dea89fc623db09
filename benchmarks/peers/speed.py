"""Interleaved speed measurements, and scores, of systems that answer the same requests.

Every measurement is a new process that has warmed up on development sentences and has seen no test
sentence, so caches do not help.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from innermost.corpus import Sentence
from innermost.errors import DataError
from innermost.evaluation import Counts, Evaluation
from innermost.nest import Span

BATCHES = (32, 1)
_WARM_UP = 64

Predictor: TypeAlias = Callable[[dict[str, Any]], dict[str, Any]]
"""Answers a request to predict."""
Tokens: TypeAlias = list[list[str]]


@dataclass
class Speeds:
    """Tokens per second of every round, by sentences per batch."""

    rounds: dict[int, list[float]] = field(default_factory=lambda: {size: [] for size in BATCHES})

    def median(self, batch: int) -> float:
        return statistics.median(self.rounds[batch])


def measure_speeds(
    systems: dict[str, Predictor], warm_up: Tokens, sentences: Tokens, rounds: int
) -> dict[str, Speeds]:
    """Every system in turn, for every batch size, round after round."""
    tokens = sum(map(len, sentences))
    speeds = {name: Speeds() for name in systems}
    for _ in range(rounds):
        for batch in BATCHES:
            for name, predict in systems.items():
                answer = predict(_request(warm_up, sentences, batch))
                speeds[name].rounds[batch].append(tokens / answer["seconds"])
    return speeds


def predicted(name: str, predict: Predictor, sentences: Sequence[Sentence]) -> list[Sentence]:
    """The same sentences with the entities that a system finds."""
    found = predict(_request([], [s.tokens for s in sentences], BATCHES[0]))["entities"]
    if len(found) != len(sentences):
        raise DataError(
            f"{name} answered for {len(found)} sentences, and {len(sentences)} were asked"
        )
    return [
        Sentence(sentence.tokens, [Span(*entity) for entity in entities])
        for sentence, entities in zip(sentences, found, strict=True)
    ]


def score(gold: Sequence[Sentence], found: Sequence[Sentence]) -> Counts:
    """Strict precision, recall and F1, by the scorer of ``innermost evaluate``."""
    evaluation = Evaluation()
    for right, said in zip(gold, found, strict=True):
        evaluation.add(right.entities, said.entities)
    return evaluation.micro


def _request(warm_up: Tokens, sentences: Tokens, batch: int) -> dict[str, Any]:
    return {"do": "predict", "warm_up": warm_up[:_WARM_UP], "sentences": sentences, "batch": batch}
