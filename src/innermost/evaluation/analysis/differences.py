"""Two systems, or a system and the gold data, compared text by text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import tee
from pathlib import Path
from typing import Any

from innermost.corpus import Sentence
from innermost.errors import UsageError
from innermost.evaluation.alignment import SpanScores
from innermost.evaluation.analysis.error_analysis import errors
from innermost.evaluation.systems import is_prediction_file, side_by_side
from innermost.nest import Span
from innermost.plurals import count
from innermost.rendering.boxes import Box

GOLD = "gold"
"""The name of the annotation in the data, where a system is expected."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One text and the entities of both sides, in character offsets."""

    number: int
    doc: str | None
    text: str
    sides: tuple[SpanScores, SpanScores]
    gold: frozenset[Span] | None = None
    """The annotation, if both sides are systems and there is one."""

    @property
    def both(self) -> set[Span]:
        first, second = self.sides
        return first.keys() & second.keys()

    def only(self, side: int) -> set[Span]:
        return self.sides[side].keys() - self.sides[1 - side].keys()

    def __bool__(self) -> bool:
        """Whether there is a difference."""
        return self.sides[0].keys() != self.sides[1].keys()

    def boxes(self) -> tuple[list[Box], list[Box]]:
        """What to draw for each side: agreements quiet, differences with a note."""
        notes = self._notes()
        return self._side(0, notes[0]), self._side(1, notes[1])

    def _side(self, side: int, notes: dict[Span, str]) -> list[Box]:
        drawn = []
        for span, score in sorted(self.sides[side].items(), key=lambda s: (s[0].start, -s[0].end)):
            title = span.label if score is None else f"{span.label} {score:.2f}"
            if span in notes:
                drawn.append(Box(*span, title, score, "only", notes[span]))
            else:
                drawn.append(Box(*span, title, None, "quiet"))
        return drawn

    def _notes(self) -> tuple[dict[Span, str], dict[Span, str]]:
        notes: tuple[dict[Span, str], dict[Span, str]] = ({}, {})
        for _, *pair in errors(*map(list, self.sides)):
            for side, mine in enumerate(pair):
                if mine is not None:
                    other = pair[1 - side] or _same_place(mine, self.sides[1 - side])
                    notes[side][mine] = _note(mine, other)
        if self.gold is not None:
            for of_side in notes:
                for span, note in of_side.items():
                    of_side[span] = f"{note}, {'right' if span in self.gold else 'wrong'}"
        return notes

    def to_dict(self, names: Sequence[str]) -> dict[str, Any]:
        """Ready for JSON."""
        notes = self._notes()
        head = {"number": self.number, "doc": self.doc, "text": self.text}
        both = [_entity(span) for span in sorted(self.both)]
        only = [
            {**_entity(span, self.sides[side][span]), "in": names[side], "note": notes[side][span]}
            for side in (0, 1)
            for span in sorted(self.only(side))
        ]
        return {**head, "both": both, "only": only}


def _same_place(mine: Span, others: Iterable[Span]) -> Span | None:
    """An entity with the same boundaries, which may already be part of another difference."""
    return min((s for s in others if (s.start, s.end) == (mine.start, mine.end)), default=None)


def _note(mine: Span, other: Span | None) -> str:
    """A note on how the other side differs."""
    if other is None:
        return "only here"
    if (mine.start, mine.end) == (other.start, other.end):
        return f"{other.label} there"
    return "other boundaries" if mine.label == other.label else "other type, boundaries"


def _entity(span: Span, score: float | None = None) -> dict[str, Any]:
    entity: dict[str, Any] = {"start": span.start, "end": span.end, "label": span.label}
    return entity if score is None else {**entity, "score": round(score, 4)}


def corpus_differences(
    systems: Sequence[str | Path], sentences: Iterable[Sentence], *, layer: str | None = None
) -> Iterator[Difference]:
    """The differences of two systems, or of one and :data:`GOLD`, on annotated sentences."""
    measured = [system for system in systems if system != GOLD]
    stream = side_by_side(measured, sentences, layer=layer)
    for number, (sentence, predicted) in enumerate(stream, start=1):
        remaining = iter(predicted)
        sides = [
            dict.fromkeys(sentence.entities) if system == GOLD else next(remaining)
            for system in systems
        ]
        yield sentence_difference(number, sentence, sides, keep_gold=GOLD not in systems)


def sentence_difference(
    number: int, sentence: Sentence, sides: Sequence[SpanScores], *, keep_gold: bool = True
) -> Difference:
    """The difference of predictions in token offsets."""
    offsets = sentence.token_offsets()

    def placed(span: Span) -> Span:
        return Span(offsets[span.start][0], offsets[span.end - 1][1], span.label)

    first, second = ({placed(span): score for span, score in side.items()} for side in sides)
    gold = frozenset(map(placed, sentence.entities)) if keep_gold else None
    text = sentence.text.rstrip("\n")
    return Difference(number, sentence.doc, text, (first, second), gold)


def text_differences(
    systems: Sequence[str | Path],
    texts: Iterable[str],
    *,
    layer: str | None = None,
    tokenizer: str | None = None,
) -> Iterator[Difference]:
    """The differences of two models on raw text, each with its own tokenizer or a given one."""
    for system in systems:
        if system == GOLD or is_prediction_file(system):
            raise UsageError(
                f"{system} cannot be compared on plain text",
                hint="give annotated data as the last argument",
            )
    from innermost.runtime import load

    texts, *copies = tee(texts, len(systems) + 1)
    streams = [
        load(system, layer=layer, tokenizer=tokenizer).pipe(copy)
        for system, copy in zip(systems, copies, strict=True)
    ]
    for number, (text, *documents) in enumerate(zip(texts, *streams, strict=True), start=1):
        first, second = (
            {Span(e.start, e.end, e.label): e.score for e in document.entities}
            for document in documents
        )
        yield Difference(number, None, text, (first, second))


@dataclass(slots=True)
class DifferenceCounts:
    """Counts over all texts."""

    texts: int = 0
    differing: int = 0
    both: int = 0
    only: tuple[int, int] = (0, 0)

    def add(self, difference: Difference) -> None:
        self.texts += 1
        self.differing += bool(difference)
        self.both += len(difference.both)
        first, second = self.only
        self.only = first + len(difference.only(0)), second + len(difference.only(1))

    def summary(self, names: Sequence[str]) -> str:
        return (
            f"{self.differing:,} of {count(self.texts, 'text')} with differences. "
            f"Entities: {self.both:,} in both, {self.only[0]:,} only in {names[0]}, "
            f"{self.only[1]:,} only in {names[1]}."
        )
