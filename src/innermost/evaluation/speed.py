"""How fast a model is, and where its time goes.

All cases are timed in turn, round after round, and the best of the rounds is given: on a machine
that does other things too, the ratios hold better than the absolute numbers.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any

from innermost.corpus.sentence import Sentence
from innermost.errors import UsageError
from innermost.runtime.model import Model

BATCH_SIZES = (1, 8, 32, 128)
DEPTHS = (1, 2, 3, 4, 5, None)
_NO_LIMIT = 1 << 60
_COLD_STARTS = 3


@dataclass(frozen=True, slots=True)
class Speed:
    tokens_per_second: float
    milliseconds_per_sentence: float
    ratio: float
    """To the first case of the table."""


@dataclass(frozen=True, slots=True)
class Benchmark:
    sentences: int
    tokens: int
    entities: int
    batch_sizes: dict[str, Speed]
    """By sentences in a batch."""
    depths: dict[str, Speed]
    """By levels of nesting looked for, in the model's own batches (Table 7 of the paper)."""
    stages: dict[str, float]
    """Shares of the time from raw text to documents."""
    raw_text: Speed
    """From text to documents, in the batches that the model makes itself."""
    raw_text_singly: Speed
    """The same, one sentence at a time."""
    peak_memory_bytes: int | None
    cold_start_seconds: float
    """From the start of a process to printed entities; the best of several."""

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def benchmark(model: Model, sentences: Sequence[Sentence], *, rounds: int = 5) -> Benchmark:
    used = [sentence for sentence in sentences if sentence.tokens]
    if not used:
        raise UsageError("no sentences to measure with")
    by_length = sorted(used, key=lambda s: -len(s.tokens))
    texts = [" ".join(sentence.tokens) for sentence in used]
    cases: dict[str, Callable[[], None]] = {
        **{f"batch {n}": _batched(model, used if n == 1 else by_length, n) for n in BATCH_SIZES},
        **{f"depth {_name(depth)}": _to_depth(model, used, depth) for depth in DEPTHS},
        "raw text singly": lambda: _one_by_one(model, texts),
        "raw text": lambda: _drain(model, texts),
    }
    entities = sum(len(document.entities) for document in model.pipe(texts))  # and warm the cache
    stages, seconds = _timed(model, cases, rounds)
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
        stages=stages,
        raw_text=_speed(len(used), tokens, seconds["raw text"], one),
        raw_text_singly=_speed(len(used), tokens, seconds["raw text singly"], one),
        peak_memory_bytes=peak_memory(),
        cold_start_seconds=cold_start(model, texts[0]),
    )


def peak_memory() -> int | None:
    """The most memory this process ever had, where the system tells."""
    with suppress(ImportError):
        import resource

        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak if sys.platform == "darwin" else 1024 * peak
    return None


def cold_start(model: Model, text: str) -> float:
    """Seconds of ``innermost predict`` for one text, the interpreter's start included."""
    program = "from innermost.cli import main; main()"
    options = ["--model", str(model.folder), "--format", "jsonl", "--", text]
    command = [sys.executable, "-c", program, "predict", *options]
    times: list[float] = []
    for _ in range(_COLD_STARTS):
        begun = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        times.append(time.perf_counter() - begun)
    return min(times)


def _timed(
    model: Model, cases: dict[str, Callable[[], None]], rounds: int
) -> tuple[dict[str, float], dict[str, float]]:
    """Shares of the stages of the last case, and the fewest seconds of every case."""
    times: dict[str, list[float]] = defaultdict(list)
    stages: dict[str, float] = {}
    for _ in range(rounds):
        for name, case in cases.items():
            watch = _Watch()
            model.lap = watch.lap
            case()
            times[name].append(watch.total)
            stages = watch.shares
    model.lap = _ignore
    return stages, {name: min(values) for name, values in times.items()}


class _Watch:
    """Adds up the time of each stage."""

    def __init__(self) -> None:
        self._begun = self._last = time.perf_counter()
        self._stages: dict[str, float] = defaultdict(float)

    def lap(self, stage: str) -> None:
        now = time.perf_counter()
        self._stages[stage] += now - self._last
        self._last = now

    @property
    def total(self) -> float:
        return self._last - self._begun

    @property
    def shares(self) -> dict[str, float]:
        return {stage: seconds / self.total for stage, seconds in self._stages.items()}


def _batched(model: Model, sentences: Sequence[Sentence], size: int) -> Callable[[], None]:
    """Predict in batches of exactly ``size`` sentences."""
    batches = [sentences[i : i + size] for i in range(0, len(sentences), size)]

    def case() -> None:
        before = model.max_depth, model.batch_tokens
        model.max_depth, model.batch_tokens = None, _NO_LIMIT
        for batch in batches:
            for _ in model.predict_sentences(batch):
                pass
        model.max_depth, model.batch_tokens = before

    return case


def _to_depth(model: Model, sentences: Sequence[Sentence], depth: int | None) -> Callable[[], None]:
    """Predict in the batches that the model makes itself, and look no deeper than that."""

    def case() -> None:
        before = model.max_depth
        model.max_depth = depth
        for _ in model.predict_sentences(sentences):
            pass
        model.max_depth = before

    return case


def _drain(model: Model, texts: Sequence[str]) -> None:
    for _ in model.pipe(texts):
        pass


def _one_by_one(model: Model, texts: Sequence[str]) -> None:
    for text in texts:
        model(text)


def _speed(sentences: int, tokens: int, seconds: float, first: float) -> Speed:
    return Speed(
        tokens_per_second=round(tokens / seconds, 1),
        milliseconds_per_sentence=round(1000 * seconds / sentences, 4),
        ratio=round(first / seconds, 3),
    )


def _name(depth: int | None) -> str:
    return "unlimited" if depth is None else str(depth)


def _ignore(stage: str) -> None:
    pass
