"""Statistics of a corpus: the figures of the paper's Table 1, and more."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from innermost.corpus.quality.fingerprint import Fingerprint
from innermost.corpus.sentence import Sentence
from innermost.nest import Span, count_crossings, levels, merge_duplicates


@dataclass(slots=True)
class Mentions:
    """Entities counted by level and type."""

    total: int = 0
    levels: Counter[int] = field(default_factory=Counter)
    types: Counter[str] = field(default_factory=Counter)
    types_by_level: Counter[tuple[str, int]] = field(default_factory=Counter)
    covered: int = 0
    """The sum of their lengths in tokens."""

    def add(self, spans: Sequence[Span]) -> None:
        self.total += len(spans)
        for span, level in zip(spans, levels(spans), strict=True):
            self.levels[level] += 1
            self.types[span.label] += 1
            self.types_by_level[span.label, level] += 1
            self.covered += span.end - span.start

    def labels_per_token(self, tokens: int, types: int) -> float | None:
        """The paper's d: how many tags of each type a token gets, on average.

        One tag in the sentence, and one more in each entity of the type that contains the token.
        The paper defines it in one line; this reading gives the paper's 1.05 on GENIA, while
        counting only entities of two or more tokens, which are decoded again, gives 1.04.
        """
        if tokens == 0:
            return None
        return 1 + self.covered / (tokens * types) if types else 1.0

    def to_dict(self, tokens: int) -> dict[str, Any]:
        depth = max(self.levels, default=0)
        return {
            "mentions": self.total,
            "levels": [self.levels[level] for level in range(1, depth + 1)],
            "types": {
                label: {
                    "mentions": count,
                    "levels": [self.types_by_level[label, n] for n in range(1, depth + 1)],
                }
                for label, count in sorted(self.types.items())
            },
            "labels_per_token": self.labels_per_token(tokens, len(self.types)),
        }


@dataclass(slots=True)
class Lengths:
    """A distribution of lengths in tokens."""

    counts: Counter[int] = field(default_factory=Counter)

    def add(self, length: int) -> None:
        self.counts[length] += 1

    def to_dict(self) -> dict[str, Any]:
        number = sum(self.counts.values())
        if number == 0:
            return {"mean": None, "median": None, "p99": None, "max": None}
        return {
            "mean": sum(length * n for length, n in self.counts.items()) / number,
            "median": self._at(number, 0.5),
            "p99": self._at(number, 0.99),
            "max": max(self.counts),
        }

    def _at(self, number: int, share: float) -> int:
        """The smallest length that at least this share of the items does not exceed."""
        seen = 0
        for length in sorted(self.counts):
            seen += self.counts[length]
            if seen >= share * number:
                break
        return length


@dataclass(slots=True)
class Statistics:
    """The figures of one corpus, collected sentence by sentence.

    ``mentions`` counts exact duplicates as often as they occur, as the paper does; ``merged``
    counts them once.
    """

    documents: set[str] = field(default_factory=set)
    """The names of documents."""
    unnamed_documents: int = 0
    """Texts of one sentence without a name."""
    sentences: int = 0
    sentences_with_entities: int = 0
    sentences_with_nesting: int = 0
    tokens: int = 0
    mentions: Mentions = field(default_factory=Mentions)
    merged: Mentions = field(default_factory=Mentions)
    duplicates: int = 0
    crossings_of_one_type: int = 0
    crossings_of_two_types: int = 0
    same_stretch_two_types: int = 0
    inside_another_type: int = 0
    sentence_lengths: Lengths = field(default_factory=Lengths)
    entity_lengths: Lengths = field(default_factory=Lengths)
    fingerprint: Fingerprint = field(default_factory=Fingerprint)

    def add(self, sentence: Sentence) -> None:
        if sentence.doc is not None:
            self.documents.add(sentence.doc)
        elif sentence.unnamed:
            self.unnamed_documents += 1
        self.sentences += 1
        self.tokens += len(sentence.tokens)
        self.sentence_lengths.add(len(sentence.tokens))
        self.fingerprint.add(sentence)
        distinct, duplicates = merge_duplicates(sentence.entities)
        self.duplicates += duplicates
        self.mentions.add(sentence.entities)
        self.merged.add(distinct)
        for span in distinct:
            self.entity_lengths.add(span.end - span.start)
        self.sentences_with_entities += bool(distinct)
        self._add_pairs(distinct)

    def _add_pairs(self, spans: list[Span]) -> None:
        by_label: dict[str, list[Span]] = defaultdict(list)
        by_stretch: Counter[tuple[int, int]] = Counter()
        for span in spans:
            by_label[span.label].append(span)
            by_stretch[span.start, span.end] += 1
        of_one_type = sum(map(count_crossings, by_label.values()))
        self.crossings_of_one_type += of_one_type
        self.crossings_of_two_types += count_crossings(spans) - of_one_type
        self.same_stretch_two_types += sum(n * (n - 1) // 2 for n in by_stretch.values())
        self.inside_another_type += _count_inside_another_type(spans)
        reach = 0
        for span in sorted(spans, key=lambda s: (s.start, -s.end)):
            if span.end <= reach:
                self.sentences_with_nesting += 1
                break
            reach = max(reach, span.end)

    def to_dict(self) -> dict[str, Any]:
        """The JSON that ``innermost stats --json`` prints for one file."""
        return {
            "documents": len(self.documents) + self.unnamed_documents,
            "sentences": self.sentences,
            "sentences_with_entities": self.sentences_with_entities,
            "sentences_with_nesting": self.sentences_with_nesting,
            "tokens": self.tokens,
            **self.mentions.to_dict(self.tokens),
            "duplicates": self.duplicates,
            "crossings": self.crossings_of_one_type,
            "crossings_of_two_types": self.crossings_of_two_types,
            "same_stretch_two_types": self.same_stretch_two_types,
            "inside_another_type": self.inside_another_type,
            "sentence_lengths": self.sentence_lengths.to_dict(),
            "entity_lengths": self.entity_lengths.to_dict(),
            "fingerprint": str(self.fingerprint),
            "merged": self.merged.to_dict(self.tokens),
        }


def statistics(sentences: Iterable[Sentence]) -> Statistics:
    """The figures of a corpus."""
    result = Statistics()
    for sentence in sentences:
        result.add(sentence)
    return result


def _count_inside_another_type(spans: Iterable[Span]) -> int:
    """How many spans are strictly within a span of another type."""
    count = 0
    # The farthest ends so far, of two different types.
    reached: list[tuple[int, str]] = []
    ordered = sorted(spans, key=lambda s: (s.start, -s.end, s.label))
    for _, stretch in groupby(ordered, key=lambda s: (s.start, s.end)):
        same = list(stretch)
        for span in same:
            count += any(end >= span.end and label != span.label for end, label in reached)
        for _, end, label in same:
            others = [pair for pair in reached if pair[1] != label]
            own = [pair for pair in reached if pair[1] == label]
            reached = sorted([*others, max([*own, (end, label)])], reverse=True)[:2]
    return count
