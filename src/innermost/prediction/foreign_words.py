"""Texts in a language that a model has not learned, noticed by their words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from innermost.document import Document
from innermost.prediction.outputs import Result
from innermost.runtime.model import Model
from innermost.text.scripts import has_no_case, is_word

FOREIGN = 0.15
"""Of the words. English texts other than tweets have up to 10%, German and Spanish ones 25%."""
FEWEST, MOST = 8, 2_000
"""With fewer words nothing can be said, more need not be counted."""


class ForeignWords:
    """Counts the words without capitals that a model of one language does not know."""

    def __init__(self, nlp: Model) -> None:
        self._knows = nlp.knows if len(nlp.info.languages) == 1 else None
        self._words = self._unknown = 0

    def watch(self, runs: Iterable[list[Result]]) -> Iterator[list[Result]]:
        """The same runs; their words are counted."""
        for run in runs:
            for _, document in run:
                self._count(document)
            yield run

    def _count(self, document: Document) -> None:
        if self._knows is None or self._words >= MOST:
            return
        for word in document.tokens:
            if is_word(word) and (has_no_case(word) or (len(word) > 1 and word.islower())):
                self._words += 1
                self._unknown += not self._knows(word)

    @property
    def share(self) -> float | None:
        """The share of unknown words, if it suggests another language."""
        if self._words < FEWEST or self._unknown < FOREIGN * self._words:
            return None
        return self._unknown / self._words
