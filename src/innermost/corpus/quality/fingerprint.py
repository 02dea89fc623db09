"""A short hash that identifies a dataset, printed with every score computed on it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator

import msgspec

from innermost.corpus.sentence import Sentence


class Fingerprint:
    """A hash of the tokens and distinct entities of sentences; ids and extra keys do not count."""

    def __init__(self) -> None:
        self._hash = hashlib.sha256()

    def add(self, sentence: Sentence) -> None:
        self._hash.update(msgspec.json.encode([sentence.tokens, sorted(set(sentence.entities))]))

    def passing(self, sentences: Iterable[Sentence]) -> Iterator[Sentence]:
        """The same sentences, each added as it passes."""
        for sentence in sentences:
            self.add(sentence)
            yield sentence

    def __str__(self) -> str:
        return self._hash.hexdigest()[:12]


def fingerprint(sentences: Iterable[Sentence]) -> str:
    result = Fingerprint()
    for sentence in sentences:
        result.add(sentence)
    return str(result)
