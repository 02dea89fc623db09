"""A file of predictions: JSON lines, one sentence a line, in the order of the gold data.

    {"tokens": ["IL-2", "gene"], "entities": [[0, 2, "DNA", 0.93], [0, 1, "protein", 0.71]]}

An entity is ``[start, end, label]``, ``[start, end, label, score]`` or an object with those names.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from innermost.corpus import Sentence
from innermost.errors import DataError
from innermost.nest import Span, levels

_decode = msgspec.json.Decoder().decode


class ScoredSpan(NamedTuple):
    """A predicted entity; ``score`` is its probability, or None when none was given."""

    start: int
    end: int
    label: str
    level: int
    score: float | None

    @property
    def span(self) -> Span:
        return Span(self.start, self.end, self.label)


@dataclass(frozen=True, slots=True)
class Prediction:
    """One line of a prediction file."""

    tokens: list[str]
    entities: list[ScoredSpan]
    line: int


def read_predictions(path: str | Path) -> Iterator[Prediction]:
    """The predictions of a file, one sentence at a time, scores kept."""
    try:
        with Path(path).open("rb") as file:
            yield from _read_lines(file, path)
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror}", path=path) from None


def align(path: str | Path, sentences: Iterable[Sentence]) -> Iterator[list[ScoredSpan]]:
    """For each sentence the entities that the file predicts; the tokens must be the same."""
    predictions = read_predictions(path)
    count = 0
    for count, sentence in enumerate(sentences, start=1):
        prediction = next(predictions, None)
        if prediction is None:
            raise DataError(
                f"ends after {count - 1} sentences, but the gold data has more",
                path=path,
                hint="one line for every gold sentence, in the same order",
            )
        if prediction.tokens != sentence.tokens:
            raise DataError(
                _difference(prediction.tokens, sentence),
                path=path,
                line=prediction.line,
                hint="predictions and gold must hold the same sentences in the same order",
            )
        yield prediction.entities
    extra = next(predictions, None)
    if extra is not None:
        raise DataError(
            f"goes on after the {count} sentences of the gold data",
            path=path,
            line=extra.line,
            hint="one line for every gold sentence, in the same order",
        )


def _read_lines(lines: Iterable[bytes], path: str | Path) -> Iterator[Prediction]:
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            tokens, entities = _parse(_decode(line))
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise DataError(f"not valid JSON: {error}", path=path, line=number) from None
        except _Wrong as wrong:
            raise DataError(str(wrong), path=path, line=number) from None
        yield Prediction(tokens, entities, number)


class _Wrong(Exception):  # noqa: N818
    pass


def _parse(record: Any) -> tuple[list[str], list[ScoredSpan]]:
    tokens = record.get("tokens") if isinstance(record, dict) else None
    if not isinstance(tokens, list) or not all(isinstance(token, str) for token in tokens):
        raise _Wrong('expected an object with "tokens", a list of strings, and "entities"')
    given = record.get("entities", [])
    if not isinstance(given, list):
        raise _Wrong('expected "entities": a list')
    best: dict[Span, float | None] = {}
    for index, item in enumerate(given):
        span, score = _entity(item, index, len(tokens))
        # Of repeated predictions the surest stands for all of them.
        best[span] = max((s for s in (best.get(span), score) if s is not None), default=None)
    depths = levels(list(best))
    return tokens, [
        ScoredSpan(*span, level, score)
        for (span, score), level in zip(best.items(), depths, strict=True)
    ]


def _entity(item: Any, index: int, length: int) -> tuple[Span, float | None]:
    if isinstance(item, dict):
        item = [item.get("start"), item.get("end"), item.get("label"), item.get("score")]
    match item:
        case [int(start), int(end), str(label), *rest] if len(rest) <= 1:
            score = rest[0] if rest else None
        case _:
            raise _Wrong(f"entity {index} is not [start, end, label, score]: {item!r}")
    if not 0 <= start < end <= length:
        raise _Wrong(f"entity {index} [{start}, {end}) is not within the {length} tokens")
    if not label:
        raise _Wrong(f"entity {index} has an empty label")
    if score is None:
        return Span(start, end, label), None
    if not isinstance(score, (int, float)) or not 0.0 <= score <= 1.0:
        raise _Wrong(f"entity {index} has the score {score!r}, which is not a probability")
    return Span(start, end, label), float(score)


def _difference(tokens: list[str], sentence: Sentence) -> str:
    where = "" if sentence.line is None else f" (line {sentence.line} of the gold data)"
    pairs = enumerate(zip(tokens, sentence.tokens, strict=False))
    for index, (mine, theirs) in pairs:
        if mine != theirs:
            return f"token {index} is {mine!r}, but the gold sentence{where} has {theirs!r}"
    return f"has {len(tokens)} tokens, but the gold sentence{where} has {len(sentence.tokens)}"
