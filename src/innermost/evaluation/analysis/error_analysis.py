"""Classify each wrong or missing entity, with examples.

Section 4.4 of the paper, by rule: every gold entity that was not found and every wrong prediction
belongs to exactly one error. A gold entity and a prediction that overlap are one error, the closest
pairs first: the same boundaries with another type, then the same type with other boundaries, then
both wrong. The rest are missed or spurious.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from innermost.corpus import Sentence
from innermost.evaluation.analysis.breakdown import places
from innermost.evaluation.analysis.partial_matches import shared_tokens
from innermost.evaluation.counts import distinct
from innermost.nest import Span

KINDS = {
    "wrong type": "the right boundaries with another type",
    "too short": "the right type, within the gold entity",
    "too long": "the right type, around the gold entity",
    "shifted": "the right type, across a boundary of the gold entity",
    "wrong type and boundaries": "over a gold entity of another type",
    "missed": "a gold entity apart from others, with nothing predicted over it",
    "missed outer": "a gold entity with another inside it",
    "missed inner": "a gold entity inside another",
    "spurious": "a prediction with no unmatched gold entity under it",
    "spurious inner": "the same, inside another prediction",
}

# The closed class that the paper's second type of error is about; English, lower case.
_PRONOUNS = """
    i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his
    himself she her hers herself it its itself they them their theirs themselves one oneself
    who whom whose which what that this these those someone somebody anyone anybody everyone
    everybody no-one nobody none all both some any each other others another
"""
PRONOUNS = frozenset(_PRONOUNS.split())


class Error(NamedTuple):
    kind: str
    gold: Span | None
    predicted: Span | None

    def pronominal(self, tokens: list[str]) -> bool:
        """Whether the gold entity is one token that is a pronoun."""
        gold = self.gold
        return (
            gold is not None
            and gold.end - gold.start == 1
            and tokens[gold.start].lower() in PRONOUNS
        )

    def to_dict(self) -> dict[str, Any]:
        return {"kind": self.kind, "gold": self.gold, "predicted": self.predicted}


@dataclass(frozen=True, slots=True)
class Example:
    sentence: Sentence
    error: Error

    def __str__(self) -> str:
        """The words around the error: gold in [brackets], the prediction in {braces}."""
        return in_context(self.sentence.tokens, self.error)


class ErrorAnalysis:
    """Counts every error; keeps the first ``keep`` examples of each kind."""

    def __init__(self, keep: int = 5) -> None:
        self.keep = keep
        self.kinds: Counter[str] = Counter()
        self.pronouns: Counter[str] = Counter()
        """The errors on a single pronoun."""
        self.examples: defaultdict[str, list[Example]] = defaultdict(list)
        self.confusion: Counter[tuple[str | None, str | None]] = Counter()
        """(gold type, predicted type) with equal boundaries; None if the other side has nothing."""

    def add(self, sentence: Sentence, predicted: Collection[Span]) -> list[Error]:
        """Count one sentence, and return its errors."""
        gold_set, predicted_set = distinct(sentence.entities), distinct(predicted)
        for _, _, label in gold_set & predicted_set:
            self.confusion[label, label] += 1
        if gold_set == predicted_set:
            return []
        sentence_errors = errors(gold_set, predicted_set)
        for error in sentence_errors:
            self.kinds[error.kind] += 1
            self.pronouns[error.kind] += error.pronominal(sentence.tokens)
            if error.kind == "wrong type" and error.gold and error.predicted:
                self.confusion[error.gold.label, error.predicted.label] += 1
            else:
                if error.gold:
                    self.confusion[error.gold.label, None] += 1
                if error.predicted:
                    self.confusion[None, error.predicted.label] += 1
            if len(self.examples[error.kind]) < self.keep:
                self.examples[error.kind].append(Example(sentence, error))
        return sentence_errors

    def to_dict(self) -> dict[str, Any]:
        return {
            "kinds": {kind: self.kinds[kind] for kind in KINDS},
            "on_pronouns": {kind: self.pronouns[kind] for kind in KINDS if self.pronouns[kind]},
            "examples": {kind: [str(e) for e in self.examples[kind]] for kind in KINDS},
            "confusion": [
                {"gold": gold, "predicted": predicted, "count": count}
                for (gold, predicted), count in self.confusion.most_common()
            ],
        }


def errors(gold: Collection[Span], predicted: Collection[Span]) -> list[Error]:
    """The errors of one sentence, in reading order."""
    gold_set, predicted_set = distinct(gold), distinct(predicted)
    missing, wrong = sorted(gold_set - predicted_set), sorted(predicted_set - gold_set)
    result: list[Error] = []
    for _, gold_span, predicted_span in sorted(_overlaps(missing, wrong)):
        if gold_span in missing and predicted_span in wrong:
            missing.remove(gold_span)
            wrong.remove(predicted_span)
            kind = _pair_kind(gold_span, predicted_span)
            result.append(Error(kind, gold_span, predicted_span))
    if missing:
        place = places(gold_set)
        result += [Error(_missed(place[span]), span, None) for span in missing]
    if wrong:
        place = places(predicted_set)
        result += [
            Error("spurious inner" if place[span] == "inner" else "spurious", None, span)
            for span in wrong
        ]
    return sorted(result, key=lambda e: e.gold or e.predicted or ())


def in_context(tokens: list[str], error: Error, window: int = 8) -> str:
    """The error's tokens and ``window`` more on either side, with gold and prediction marked."""
    spans = [span for span in (error.gold, error.predicted) if span]
    first = max(0, min(span.start for span in spans) - window)
    last = min(len(tokens), max(span.end for span in spans) + window)
    before: dict[int, str] = defaultdict(str)
    after: dict[int, str] = defaultdict(str)
    marks = [(error.gold, "[", "]"), (error.predicted, "{", "}")]
    for span, opening, closing in marks:
        if span:
            before[span.start] += opening
            after[span.end - 1] = f"{closing}{span.label}" + after[span.end - 1]
    words = [f"{before[i]}{tokens[i]}{after[i]}" for i in range(first, last)]
    return " ".join(["..."] * (first > 0) + words + ["..."] * (last < len(tokens)))


def _overlaps(
    missing: list[Span], wrong: list[Span]
) -> Iterator[tuple[tuple[int, float], Span, Span]]:
    """Pairs that share tokens, with a key that sorts the closest first."""
    for gold in missing:
        for predicted in wrong:
            common = shared_tokens(gold, predicted)
            if not common:
                continue
            union = (gold.end - gold.start) + (predicted.end - predicted.start) - common
            rank = 0 if common == union else 1 if gold.label == predicted.label else 2
            yield (rank, -common / union), gold, predicted


def _pair_kind(gold: Span, predicted: Span) -> str:
    if (gold.start, gold.end) == (predicted.start, predicted.end):
        return "wrong type"
    if gold.label != predicted.label:
        return "wrong type and boundaries"
    if gold.contains(predicted):
        return "too short"
    return "too long" if predicted.contains(gold) else "shifted"


def _missed(place: str) -> str:
    return "missed" if place == "alone" else f"missed {place}"
