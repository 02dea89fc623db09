"""A file of predictions: JSON lines, one sentence a line, in the order of the gold data.

    {"tokens": ["IL-2", "gene"], "entities": [[0, 2, "DNA", 0.93], [0, 1, "protein", 0.71]]}

An entity is ``[start, end, label]``, ``[start, end, label, score]`` or an object with those names.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, NamedTuple, TypeAlias

import msgspec

from innermost.corpus import Sentence, Source
from innermost.errors import DataError
from innermost.nest import Span

_Label = Annotated[str, msgspec.Meta(min_length=1)]
_Probability = Annotated[float, msgspec.Meta(ge=0, le=1)]


SpanScores: TypeAlias = dict[Span, float | None]
"""The entities predicted in a sentence, with their probabilities, or None where none is given."""


class Prediction(NamedTuple):
    """One line of a prediction file."""

    tokens: list[str]
    entities: SpanScores
    line: int


def read_predictions(path: str | Path) -> Iterator[Prediction]:
    """The predictions of a file, one sentence at a time, scores kept."""
    for number, line in enumerate(Source(path).lines(), start=1):
        if not line.strip():
            continue
        try:
            content = _decode(line)
            entities = _scored(content)
        except msgspec.ValidationError as error:
            raise DataError(
                f"not a line of predictions: {error}", path=path, line=number, hint=_EXAMPLE
            ) from None
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise DataError(f"not valid JSON: {error}", path=path, line=number) from None
        yield Prediction(content.tokens, entities, number)


def align(path: str | Path, sentences: Iterable[Sentence]) -> Iterator[SpanScores]:
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


class _Row(NamedTuple):
    start: int
    end: int
    label: _Label
    score: _Probability | None = None


class _Object(msgspec.Struct):
    start: int
    end: int
    label: _Label
    score: _Probability | None = None


class _Line(msgspec.Struct):
    tokens: list[str]
    entities: list[_Row | _Object] = []


_decode = msgspec.json.Decoder(_Line).decode


_EXAMPLE = 'e.g. {"tokens": ["IL-2", "gene"], "entities": [[0, 2, "DNA", 0.93]]}'


def _scored(content: _Line) -> SpanScores:
    length = len(content.tokens)
    best: SpanScores = {}
    for index, entity in enumerate(content.entities):
        start, end, score = entity.start, entity.end, entity.score
        if not 0 <= start < end <= length:
            raise msgspec.ValidationError(
                f"entity {index} [{start}, {end}) is not within the {length} tokens"
            )
        span = Span(start, end, entity.label)
        # Of repeated predictions the surest stands for all of them.
        other = best.get(span)
        best[span] = score if other is None or (score is not None and score > other) else other
    return best


def _difference(tokens: list[str], sentence: Sentence) -> str:
    where = "" if sentence.line is None else f" (line {sentence.line} of the gold data)"
    pairs = enumerate(zip(tokens, sentence.tokens, strict=False))
    for index, (mine, theirs) in pairs:
        if mine != theirs:
            return f"token {index} is {mine!r}, but the gold sentence{where} has {theirs!r}"
    return f"has {len(tokens)} tokens, but the gold sentence{where} has {len(sentence.tokens)}"
