"""Evaluate a model on raw text, where it finds sentences and tokens itself, as in use."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from pathlib import Path

from innermost.corpus import Sentence
from innermost.corpus.sentence import documents
from innermost.corpus.shared.character_spans import text_of
from innermost.nest import Span

NO_SPACING = (
    "the spacing is not that of the original text, because the data has none: there is a space "
    "between any two tokens, so finding tokens is easier than in real text"
)


class RawText:
    """The predictions of a model on the text of gold documents, and how many entities it can reach.

    An entity can be found only if it begins and ends at token boundaries of the tokenizer,
    by default the model's: the share of such entities is an upper bound on recall.
    """

    def __init__(
        self, model: str | Path, *, layer: str | None = None, tokenizer: str | None = None
    ) -> None:
        self.model = model
        self.layer = layer
        self.tokenizer = tokenizer
        self.gold = 0
        self.reachable = 0
        self.is_spaced = False
        """Whether any tokens are not separated by exactly one space, as in original text."""

    @property
    def share(self) -> float:
        return self.reachable / self.gold if self.gold else 1.0

    def predict(self, gold: Iterable[Sentence]) -> Iterator[Sentence]:
        """The sentences of the documents as the model sees them, with its predictions."""
        from innermost.runtime import load

        waiting: deque[list[Span]] = deque()

        def texts() -> Iterator[str]:
            for _, run in documents(gold):
                self.is_spaced = self.is_spaced or any(map(_is_spaced, run))
                text, spans = text_of(run)
                waiting.append(spans)
                yield text

        nlp = load(self.model, layer=self.layer, tokenizer=self.tokenizer)
        for document in nlp.pipe(texts()):
            offsets = document.token_offsets()
            starts, ends = {start for start, _ in offsets}, {end for _, end in offsets}
            spans = set(waiting.popleft())
            self.gold += len(spans)
            self.reachable += sum(span.start in starts and span.end in ends for span in spans)
            yield from document.to_sentences()


def _is_spaced(sentence: Sentence) -> bool:
    return any(gap != " " for gap in sentence.filled_gaps()[1:-1])
