"""Likely annotation errors: a string that is nearly always an entity, but not here."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator

from innermost.corpus.quality.places import Place
from innermost.corpus.report import Report
from innermost.corpus.sentence import Sentence

_Words = tuple[str, ...]
_NONE = ""

ENOUGH = 5
"""A string labeled fewer times than this is no evidence."""
MOST = 0.9
"""The share of occurrences that must agree for the others to be reported."""


class Slips:
    """Learns which strings are entities in one pass over the corpus, and compares in a second.

    Occurrences inside or across another entity do not count: whether inner mentions are labeled is
    a choice of the guidelines, not an error.
    """

    def __init__(self, findings: Report, *, most_places: int) -> None:
        """``most_places`` of each string and label are kept."""
        self._findings = findings
        self._most_places = most_places
        self._labels: dict[_Words, Counter[str]] = defaultdict(Counter)
        self._lengths: dict[str, set[int]] | None = None
        self._unlabeled: Counter[_Words] = Counter()
        self._places: dict[tuple[_Words, str], list[Place]] = defaultdict(list)

    def learn(self, sentence: Sentence) -> None:
        for words, labels in _entities(sentence):
            self._labels[words].update(labels)

    def compare(self, sentence: Sentence, place: Place) -> None:
        """Compare the occurrences with what was learned from the whole corpus."""
        if self._lengths is None:
            self._lengths = self._lengths_of_frequent()
        for words, labels in _entities(sentence):
            if self._is_frequent(words):
                for label in labels:
                    self._note(words, label, place)
        inside = [False] * len(sentence.tokens)
        for start, end, _ in sentence.entities:
            inside[start:end] = [True] * (end - start)
        for start, token in enumerate(sentence.tokens):
            for length in self._lengths.get(token, ()):
                words = tuple(sentence.tokens[start : start + length])
                if self._is_frequent(words) and not any(inside[start : start + length]):
                    self._unlabeled[words] += 1
                    self._note(words, _NONE, place)

    def finish(self) -> None:
        for words, labels in sorted(self._labels.items()):
            if not self._is_frequent(words):
                continue
            usual, count = labels.most_common(1)[0]
            total = labels.total() + self._unlabeled[words]
            if count < MOST * total or count == total:
                continue
            for label in [*sorted(labels), _NONE]:
                if label == usual:
                    continue
                number = labels[label] if label else self._unlabeled[words]
                what = "not an entity here" if label == _NONE else f"{label} here"
                detail = f"{' '.join(words)!r} is {usual} in {count} of {total} places, {what}"
                self._add(words, label, number, detail)

    def _add(self, words: _Words, label: str, number: int, detail: str) -> None:
        what = "likely annotation error"
        for place in self._places[words, label][:number]:
            place.warn(self._findings, what, detail)
        # Only the first places are kept, but all are counted.
        self._findings.counts["warning", what] += number - len(self._places[words, label])

    def _note(self, words: _Words, label: str, place: Place) -> None:
        places = self._places[words, label]
        if len(places) < self._most_places:
            places.append(place)

    def _is_frequent(self, words: _Words) -> bool:
        labels = self._labels.get(words)
        return labels is not None and labels.total() >= ENOUGH

    def _lengths_of_frequent(self) -> dict[str, set[int]]:
        lengths: dict[str, set[int]] = defaultdict(set)
        for words in self._labels:
            if self._is_frequent(words):
                lengths[words[0]].add(len(words))
        return lengths


def _entities(sentence: Sentence) -> Iterator[tuple[_Words, set[str]]]:
    """The words of each outermost entity, with all its labels."""
    by_stretch: dict[tuple[int, int], set[str]] = defaultdict(set)
    for start, end, label in sentence.entities:
        by_stretch[start, end].add(label)
    for (start, end), labels in by_stretch.items():
        alone = not any(
            a < end and start < b and (a, b) != (start, end) and not (start <= a and b <= end)
            for a, b in by_stretch
        )
        if alone:
            yield tuple(sentence.tokens[start:end]), labels
