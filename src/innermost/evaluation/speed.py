"""Measure how fast a model is, and where its time goes.

All cases are timed in turn, round after round, and the best round counts: on a machine that is also
doing other work, the ratios are more reliable than the absolute numbers.
"""

from __future__ import annotations

import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from typing import Any

from innermost.corpus.sentence import Sentence
from innermost.errors import UsageError
from innermost.runtime.model import Model
from innermost.runtime.pipeline import Pipeline

BATCH_SIZES = (1, 8, 32, 128)
DEPTHS = (1, 2, 3, 4, 5, None)
_NO_LIMIT = 1 << 60


@dataclass(frozen=True, slots=True)
class Speed:
    tokens_per_second: float
    milliseconds_per_sentence: float
    ratio: float
    """Relative to the first case of the table."""


@dataclass(frozen=True, slots=True)
class Benchmark:
    sentences: int
    tokens: int
    entities: int
    batch_sizes: dict[str, Speed]
    """By sentences per batch."""
    depths: dict[str, Speed]
    """By levels of nesting decoded, in the model's default batches (Table 7 of the paper)."""
    stages: dict[str, float]
    """Shares of the time from raw text to documents."""
    raw_text: Speed
    """From text to documents, in the model's default batches."""
    raw_text_singly: Speed
    """The same, one sentence at a time."""
    peak_memory_bytes: int | None

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def benchmark(model: Model, sentences: Sequence[Sentence], *, rounds: int = 5) -> Benchmark:
    used = [sentence for sentence in sentences if sentence.tokens]
    if not used:
        raise UsageError(
            "no sentences to measure with", hint="use data with a sentence that has tokens"
        )
    by_length = sorted(used, key=lambda s: -len(s.tokens))
    texts = [" ".join(sentence.tokens) for sentence in used]
    watch = _Watch()
    unlimited = replace(model.pipeline, max_depth=None)
    cases: dict[str, Callable[[], None]] = {
        "batch 1": _batched(unlimited, used, 1),
        **{f"batch {size}": _batched(unlimited, by_length, size) for size in BATCH_SIZES[1:]},
        **{f"depth {_name(d)}": _to_depth(model.pipeline, used, d) for d in DEPTHS},
        "raw text singly": lambda: _drain(map(model, texts)),
        "raw text": lambda: _drain(watch.watching(model.pipeline).documents(texts)),
    }
    entities = sum(len(document.entities) for document in model.pipe(texts))  # and warm the cache
    seconds = _timed(cases, rounds)
    tokens = sum(len(sentence.tokens) for sentence in used)

    def table(kind: str, names: list[str]) -> dict[str, Speed]:
        first = seconds[f"{kind} {names[0]}"]
        return {name: _speed(len(used), tokens, seconds[f"{kind} {name}"], first) for name in names}

    one = seconds[f"batch {BATCH_SIZES[0]}"]
    return Benchmark(
        sentences=len(used),
        tokens=tokens,
        entities=entities,
        batch_sizes=table("batch", [str(size) for size in BATCH_SIZES]),
        depths=table("depth", [_name(depth) for depth in DEPTHS]),
        stages=watch.shares,
        raw_text=_speed(len(used), tokens, seconds["raw text"], one),
        raw_text_singly=_speed(len(used), tokens, seconds["raw text singly"], one),
        peak_memory_bytes=peak_memory(),
    )


def peak_memory() -> int | None:
    """The peak memory of this process, if the system reports it."""
    with suppress(ImportError):
        import resource

        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak if sys.platform == "darwin" else 1024 * peak
    return None


def _timed(cases: dict[str, Callable[[], None]], rounds: int) -> dict[str, float]:
    """The fewest seconds of each case."""
    times: dict[str, list[float]] = defaultdict(list)
    for _ in range(rounds):
        for name, case in cases.items():
            begun = time.perf_counter()
            case()
            times[name].append(time.perf_counter() - begun)
    return {name: min(values) for name, values in times.items()}


class _Watch:
    """Adds up the time of each stage."""

    def __init__(self) -> None:
        self._last = 0.0
        self._stages: dict[str, float] = defaultdict(float)

    def watching(self, pipeline: Pipeline) -> Pipeline:
        """A pipeline that reports to this watch."""
        self._last = time.perf_counter()
        return replace(pipeline, clock=self._lap)

    def _lap(self, stage: str) -> None:
        now = time.perf_counter()
        self._stages[stage] += now - self._last
        self._last = now

    @property
    def shares(self) -> dict[str, float]:
        total = sum(self._stages.values())
        return {stage: seconds / total for stage, seconds in self._stages.items()}


def _batched(pipeline: Pipeline, sentences: Sequence[Sentence], size: int) -> Callable[[], None]:
    """Predict in batches of exactly ``size`` sentences."""
    batches = [sentences[i : i + size] for i in range(0, len(sentences), size)]
    unbounded = replace(pipeline, batch_tokens=_NO_LIMIT)

    def case() -> None:
        for batch in batches:
            _drain(unbounded.sentences(batch))

    return case


def _to_depth(
    pipeline: Pipeline, sentences: Sequence[Sentence], depth: int | None
) -> Callable[[], None]:
    """Predict in the model's default batches, down to ``depth``."""
    limited = replace(pipeline, max_depth=depth)
    return lambda: _drain(limited.sentences(sentences))


def _drain(results: Iterable[object]) -> None:
    for _ in results:
        pass


def _speed(sentences: int, tokens: int, seconds: float, first: float) -> Speed:
    return Speed(
        tokens_per_second=round(tokens / seconds, 1),
        milliseconds_per_sentence=round(1000 * seconds / sentences, 4),
        ratio=round(first / seconds, 3),
    )


def _name(depth: int | None) -> str:
    return "unlimited" if depth is None else str(depth)
