"""The one object that every corpus format reads into and writes from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import accumulate, groupby
from typing import Any

from innermost.nest import Span


@dataclass(slots=True)
class Sentence:
    """A tokenised sentence with its entities, as token spans.

    ``gaps``, where known, are the stretches of text before each token and after the last one
    (``len(tokens) + 1`` of them), so that ``text`` is the original, character for character, and
    the texts of a document's sentences concatenate to the document. Without gaps the tokens are
    joined by single spaces.
    """

    tokens: list[str]
    entities: list[Span] = field(default_factory=list)
    gaps: list[str] | None = None
    id: str | None = None
    doc: str | None = None
    extra: dict[str, Any] = field(default_factory=dict)
    """Keys of the source that no field above holds; formats that can carry them do."""
    line: int | None = field(default=None, compare=False)
    """Where it stood in its file, for messages."""

    def filled_gaps(self) -> list[str]:
        """The gaps, or the single spaces that stand for them."""
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


def documents(sentences: Iterable[Sentence]) -> Iterator[tuple[str | None, list[Sentence]]]:
    """Runs of sentences with the same ``doc``; each sentence without one stands alone."""
    counter = iter(range(1 << 62))
    for key, run in groupby(sentences, key=lambda s: s.doc if s.doc is not None else next(counter)):
        yield (key if isinstance(key, str) else None), list(run)
