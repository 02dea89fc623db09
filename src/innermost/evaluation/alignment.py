"""Align gold data with files of predictions, whatever tokens and records each has.

Sentences with the same tokens are aligned directly. Otherwise the characters of the words decide:
sentences of both sides are collected until both end at the same character. Tokens are then split
where a prediction begins or ends inside one, and sentences are joined where a prediction crosses
their boundary, so that every prediction can be compared exactly.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import TypeAlias

from innermost.corpus import Context, Options, Report, Sentence
from innermost.corpus.shared.character_spans import sentences_from_text, text_of
from innermost.errors import DataError
from innermost.nest import Span
from innermost.plurals import count
from innermost.text.align import INVISIBLE

SpanScores: TypeAlias = dict[Span, float | None]
"""The entities predicted in a sentence, with their probabilities, or None if it has none."""

_NO_CONTENT = re.compile(rf"[\s{INVISIBLE}]+")
_HINT = (
    "predictions and gold data must be the same texts, in the same order or in documents with the "
    "same names"
)


def span_scores(sentence: Sentence) -> SpanScores:
    return {span: sentence.scores.get(span) for span in sentence.entities}


@dataclass(slots=True)
class PredictedSentences:
    """A file of predictions, read sentence by sentence."""

    path: str | Path
    sentences: Iterator[Sentence]

    def take(self, read: int) -> Sentence:
        """The next sentence that is not empty; ``read`` gold sentences have been read so far."""
        for sentence in self.sentences:
            if _content(sentence):
                return sentence
        raise DataError(
            f"ends before the end of sentence {read:,} of the gold data",
            path=self.path,
            hint=_HINT,
        )

    def check_end(self, total: int) -> None:
        for sentence in self.sentences:
            if _content(sentence):
                raise self.too_long(sentence, total)

    def too_long(self, sentence: Sentence, total: int) -> DataError:
        return DataError(
            f"continues after the end of the gold data, which has {count(total, 'sentence')}",
            path=self.path,
            line=sentence.line,
            hint=_HINT,
        )


Predictions = PredictedSentences | Iterator[SpanScores]
"""A file, or the predictions of a model for each gold sentence."""


def align(
    gold: Iterable[Sentence], sources: Sequence[Predictions]
) -> Iterator[tuple[Sentence, list[SpanScores]]]:
    """Each gold sentence with the predictions of each source."""
    files = [source for source in sources if isinstance(source, PredictedSentences)]
    for block, parts in _blocks(iter(gold), files):
        taken = iter(parts)
        predicted = [
            next(taken)
            if isinstance(source, PredictedSentences)
            else [_as_predicted(s, next(source)) for s in block]
            for source in sources
        ]
        if all(_same_tokens(block, part) for part in predicted):
            for number, sentence in enumerate(block):
                yield sentence, [span_scores(part[number]) for part in predicted]
        else:
            yield from _retokenized(block, predicted)


def _as_predicted(sentence: Sentence, predicted: SpanScores) -> Sentence:
    scores = {span: score for span, score in predicted.items() if score is not None}
    return replace(sentence, entities=list(predicted), scores=scores)


def _same_tokens(block: Sequence[Sentence], part: Sequence[Sentence]) -> bool:
    return [s.tokens for s in block] == [s.tokens for s in part]


def _blocks(
    gold: Iterator[Sentence], files: Sequence[PredictedSentences]
) -> Iterator[tuple[list[Sentence], list[list[Sentence]]]]:
    """Minimal runs of gold sentences, each with the sentences of every file with the same text."""
    read = 0
    for first in gold:
        read += 1
        if not _content(first):
            yield [first], [[replace(first, entities=[], scores={})] for _ in files]
            continue
        block = _Content([first])
        parts = [_Content([]) for _ in files]
        while True:
            for file, part in zip(files, parts, strict=True):
                while len(part.text) < len(block.text):
                    part.add(file.take(read))
                    part.check(block, file.path)
            longest = max((part for part in parts), key=lambda p: len(p.text), default=block)
            if len(longest.text) <= len(block.text):
                break
            while len(block.text) < len(longest.text):
                sentence = next(gold, None)
                if sentence is None:
                    file = files[parts.index(longest)]
                    raise file.too_long(longest.sentences[-1], read)
                read += 1
                block.add(sentence)
        yield block.sentences, [part.sentences for part in parts]
    for file in files:
        file.check_end(read)


class _Content:
    """Sentences, and the characters of their words without spaces."""

    def __init__(self, sentences: list[Sentence]) -> None:
        self.sentences = sentences
        self.text = "".join(map(_content, sentences))
        self._checked = 0

    def add(self, sentence: Sentence) -> None:
        self.sentences.append(sentence)
        self.text += _content(sentence)

    def check(self, gold: _Content, path: str | Path) -> None:
        """Refuse words that differ from the gold data, as far as both have been read."""
        end = min(len(self.text), len(gold.text))
        start, self._checked = self._checked, end
        if self.text[start:end] != gold.text[start:end]:
            predicted, sentence = self.sentences[-1], gold.sentences[-1]
            raise DataError(
                _difference(predicted.tokens, sentence),
                path=path,
                line=predicted.line,
                hint=_HINT,
            )


def _content(sentence: Sentence) -> str:
    return _NO_CONTENT.sub("", "".join(sentence.tokens))


def _difference(tokens: list[str], sentence: Sentence) -> str:
    where = "" if sentence.line is None else f" (line {sentence.line} of the gold data)"
    pairs = enumerate(zip(tokens, sentence.tokens, strict=False))
    for index, (mine, theirs) in pairs:
        if mine != theirs:
            return f"token {index} is {mine!r}, but the gold sentence{where} has {theirs!r}"
    return f"has {len(tokens)} tokens, but the gold sentence{where} has {len(sentence.tokens)}"


def _retokenized(
    block: Sequence[Sentence], predicted: Sequence[Sequence[Sentence]]
) -> Iterator[tuple[Sentence, list[SpanScores]]]:
    """The block with tokens and sentences that fit all its predictions."""
    text, gold = text_of(block)
    offsets: list[list[tuple[int, int]]] = []
    begin = 0
    for sentence in block:
        offsets.append([(begin + a, begin + b) for a, b in sentence.token_offsets()])
        begin += len(sentence.text)
    places = [
        place
        for place in chain.from_iterable(range(a, b) for row in offsets for a, b in row)
        if not _NO_CONTENT.match(text[place])
    ]
    placed = [list(_placed(part, places)) for part in predicted]
    # Each span gets its number as a label, to identify it after alignment.
    spans = [*gold, *(span for part in placed for span, _ in part)]
    numbered = [Span(span.start, span.end, str(number)) for number, span in enumerate(spans)]
    owners = [-1] * len(gold) + [j for j, part in enumerate(placed) for _ in part]
    scores = [None] * len(gold) + [score for part in placed for _, score in part]
    context = Context(Options(), Report(keep=0), "-")
    for sentence in sentences_from_text(text, numbered, context, tokens=offsets):
        entities: list[Span] = []
        results: list[SpanScores] = [{} for _ in predicted]
        for start, end, label in sentence.entities:
            number = int(label)
            span = Span(start, end, spans[number].label)
            if owners[number] < 0:
                entities.append(span)
            else:
                results[owners[number]][span] = scores[number]
        yield (
            replace(block[0], tokens=sentence.tokens, gaps=sentence.gaps, entities=entities),
            results,
        )


def _placed(part: Sequence[Sentence], places: Sequence[int]) -> Iterator[tuple[Span, float | None]]:
    """The entities of differently tokenized text, as character spans of the gold text."""
    first = 0
    for sentence in part:
        edges = [first]
        for token in sentence.tokens:
            edges.append(edges[-1] + len(_NO_CONTENT.sub("", token)))
        for span, score in span_scores(sentence).items():
            start, end = edges[span.start], edges[span.end]
            if start < end:
                yield Span(places[start], places[end - 1] + 1, span.label), score
        first = edges[-1]
