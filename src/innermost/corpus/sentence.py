"""The one object that every corpus format reads into and writes from."""

from __future__ import annotations

import itertools
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import accumulate, groupby
from typing import Any

from innermost.nest import Span

LABEL_RULE = "a label is a name without control characters, and without spaces at its ends"


@lru_cache(1 << 12)
def is_label(label: str) -> bool:
    """Whether an entity can have this label; spaces inside it are allowed."""
    kinds = {unicodedata.category(character) for character in label}
    return bool(label) and label == label.strip() and not kinds & {"Cc", "Cs", "Zl", "Zp"}


@dataclass(slots=True)
class Sentence:
    """A tokenized sentence with its entities, as token spans.

    ``gaps``, where known, are the pieces of text before each token and after the last one
    (``len(tokens) + 1`` of them): ``text`` is then the original, character for character, and the
    texts of a document's sentences concatenate to the document. Without gaps the tokens are joined
    by single spaces.
    """

    tokens: list[str]
    entities: list[Span] = field(default_factory=list)
    gaps: list[str] | None = None
    id: str | None = None
    doc: str | None = None
    extra: dict[str, Any] = field(default_factory=dict)
    """Further keys of the source; formats that can store them do."""
    scores: dict[Span, float] = field(default_factory=dict)
    """The probabilities of entities that a model predicted."""
    line: int | None = field(default=None, compare=False)
    """Its line in the file, for messages."""
    unnamed: bool = field(default=False, compare=False)
    """Whether its text has no name; ``doc`` then only joins the sentences of the text."""
    record: int | None = field(default=None, compare=False)
    """The number of its record, where several may be on one line, for messages."""

    def filled_gaps(self) -> list[str]:
        """The gaps, or single spaces where they are unknown."""
        if self.gaps is not None:
            return self.gaps
        return [""] + [" "] * (len(self.tokens) - 1) + ["\n"] if self.tokens else ["\n"]

    @property
    def text(self) -> str:
        gaps = self.filled_gaps()
        return "".join(g + t for g, t in zip(gaps, self.tokens, strict=False)) + gaps[-1]

    def token_offsets(self) -> list[tuple[int, int]]:
        """Character start and end of each token in ``text``."""
        gaps = self.filled_gaps()
        widths = [len(g) + len(t) for g, t in zip(gaps, self.tokens, strict=False)]
        return [(e - len(t), e) for e, t in zip(accumulate(widths), self.tokens, strict=True)]


def gaps_between(text: str, tokens: Iterable[tuple[int, int]], start: int, end: int) -> list[str]:
    """The text before each token and after the last one, from ``start`` to ``end``."""
    edges = [start, *(edge for token in tokens for edge in token), end]
    return [text[edges[i] : edges[i + 1]] for i in range(0, len(edges), 2)]


def documents(sentences: Iterable[Sentence]) -> Iterator[tuple[str | None, list[Sentence]]]:
    """Runs of sentences with the same ``doc``; each sentence without one is a separate run."""
    counter = itertools.count()
    for key, run in groupby(sentences, key=lambda s: s.doc if s.doc is not None else next(counter)):
        yield (key if isinstance(key, str) else None), list(run)
