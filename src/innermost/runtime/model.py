"""A trained model, run with ONNX Runtime and NumPy: text in, documents with entities out."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from innermost import crf
from innermost.corpus.sentence import Sentence, documents
from innermost.crf.decoding import best_lattice
from innermost.document import Document, ScoredSpan, assemble
from innermost.errors import InnermostWarning, UsageError
from innermost.model_folder.contents import ENCODER
from innermost.model_folder.info import read_info
from innermost.runtime.batches import batches, windows
from innermost.runtime.features import open_features
from innermost.runtime.inputs import Draft, Item, check_tokens, draft
from innermost.runtime.onnx_session import Encoder, default_threads
from innermost.text import tokenizer

BATCH_TOKENS = 2_048
"""Tokens in a batch, padding included."""
WINDOW_TOKENS, WINDOW_ITEMS = 32_768, 4_096
"""How much of a stream is sorted by length together."""
LONG, CONTEXT = 4_096, 256
"""A sentence of more tokens is encoded in stretches, with as much context on both sides."""
DEEPEST, DEEPEST_IN_LONG = 64, 8
"""Nests this deep are no language any more but a word said over and over; each level takes another
pass over the sentence, and without an end the time would grow with the square of its length."""


class Model:
    """Finds nested entities. Made by :func:`innermost.load`.

    ``nlp(text)`` gives a :class:`Document`, ``nlp([text, ...])`` a list of them, and
    ``nlp.pipe(texts)`` a stream. In place of a text, everywhere: a list of tokens inside a list, or
    a corpus ``Sentence``.
    """

    def __init__(
        self,
        folder: str | Path,
        *,
        threads: int | None = None,
        max_depth: int | None = None,
        min_score: float = 0.0,
        batch_tokens: int = BATCH_TOKENS,
    ) -> None:
        for name, value in (("threads", threads), ("max_depth", max_depth)):
            if value is not None and value < 1:
                raise UsageError(f"{name} is {value}", hint="it must be 1 or more")
        if not 0.0 <= min_score <= 1.0:
            raise UsageError(f"min_score is {min_score}", hint="it is a probability: 0 to 1")
        self.folder = Path(folder)
        self.info = read_info(self.folder)
        self.types = self.info.types
        self.tokenizer = tokenizer(self.info.tokenizer)
        threads = threads or default_threads()
        self.features = open_features(self.folder, self.info, threads)
        self.encoder = Encoder(
            self.folder / ENCODER, self.features.dimension, len(self.types), threads
        )
        self.temperature = np.float32(self.info.temperature)
        self.max_depth = max_depth
        self.min_score = min_score
        self.batch_tokens = batch_tokens
        self.lap: Callable[[str], None] = _no_clock
        """Told the name of each stage when it ends; the benchmark listens."""

    @overload
    def __call__(self, item: str | Sentence) -> Document: ...  # type: ignore[overload-overlap]

    @overload
    def __call__(self, item: Iterable[Item]) -> list[Document]: ...

    def __call__(self, item: str | Sentence | Iterable[Item]) -> Document | list[Document]:
        """The document of a text or a sentence, or the list of documents of several.

        A list of strings is a list of texts; for tokens see :meth:`predict_tokens`.
        """
        if isinstance(item, (str, Sentence)):
            return self._documents([self._draft(item)])[0]
        return list(self.pipe(item))

    def pipe(self, items: Iterable[Item]) -> Iterator[Document]:
        """The documents of a stream, in its order, with the memory of one window of it."""
        drafts = (self._draft(item) for item in items)
        for window in windows(drafts, lambda d: d.size, WINDOW_TOKENS, WINDOW_ITEMS):
            yield from self._documents(window)

    def predict_tokens(self, sentences: Iterable[Sequence[str]]) -> list[Document]:
        """The documents of sentences that are given as lists of tokens."""
        return list(self.pipe(sentences))

    def predict_sentences(self, sentences: Iterable[Sentence]) -> Iterator[list[ScoredSpan]]:
        """The entities of corpus sentences in token offsets, as a stream, in order."""

        def size(group: list[Sentence]) -> int:
            for sentence in group:
                check_tokens(sentence.tokens)
            return sum(len(sentence.tokens) for sentence in group)

        # Neighbours in a document are kept together only where they are looked at.
        grouped = (group for _, group in documents(sentences))
        groups = grouped if self.features.context else ([sentence] for sentence in sentences)
        for window in windows(groups, size, WINDOW_TOKENS, WINDOW_ITEMS):
            yield from self._spans([[sentence.tokens for sentence in group] for group in window])

    def _draft(self, item: Item) -> Draft:
        made = draft(item, self.tokenizer)
        self.lap("tokenise")
        return made

    def _documents(self, drafts: list[Draft]) -> list[Document]:
        found = iter(self._spans([made.sentences for made in drafts]))
        made_ready = [
            assemble(made.text, made.offsets, [next(found) for _ in made.offsets], self.types)
            for made in drafts
        ]
        self.lap("output")
        return made_ready

    def _spans(self, documents: Sequence[Sequence[Sequence[str]]]) -> list[list[ScoredSpan]]:
        """The entities of all sentences of all documents, one after the other."""
        lengths = [len(tokens) for sentences in documents for tokens in sentences]
        items = self.features.prepare(documents)
        result: list[list[ScoredSpan]] = [[] for _ in lengths]
        for batch in batches(lengths, self.batch_tokens):
            chosen = [items[index] for index in batch]
            found = self._batch(chosen, np.array([lengths[index] for index in batch]))
            for index, spans in zip(batch, found, strict=True):
                result[index] = spans
        return result

    def _batch(
        self, items: Sequence[Any], lengths: npt.NDArray[np.int64]
    ) -> list[list[ScoredSpan]]:
        emissions, found = self._decode(items, lengths)
        scores = crf.probabilities(emissions / self.temperature, lengths, found)
        self.lap("scores")
        spans = self._scored_spans(len(items), found, scores)
        self.lap("output")
        return spans

    def decoded(
        self, sentences: Sequence[Sentence]
    ) -> Iterator[tuple[list[Sentence], npt.NDArray[np.float32], npt.NDArray[np.int64], crf.Found]]:
        """The batches of ``sentences`` with their emissions, lengths and entities, unscored."""
        groups = [[s.tokens for s in group] for _, group in documents(sentences)]
        items = self.features.prepare(groups)
        for batch in batches([len(s.tokens) for s in sentences], self.batch_tokens):
            lengths = np.array([len(sentences[index].tokens) for index in batch])
            emissions, found = self._decode([items[index] for index in batch], lengths)
            yield [sentences[index] for index in batch], emissions, lengths, found

    def _decode(
        self, items: Sequence[Any], lengths: npt.NDArray[np.int64]
    ) -> tuple[npt.NDArray[np.float32], crf.Found]:
        emissions = self._emissions(items, lengths)
        deepest = DEEPEST if emissions.shape[2] <= LONG else DEEPEST_IN_LONG
        found = crf.find(best_lattice(emissions, lengths), self.max_depth or deepest)
        if self.max_depth is None and found.level.max(initial=0) == deepest:
            warnings.warn(
                f"entities nested {deepest} levels deep: what lies inside them was not looked for; "
                "give max_depth to look further",
                InnermostWarning,
                stacklevel=2,
            )
        self.lap("decode")
        return emissions, found

    def _emissions(
        self, items: Sequence[Any], lengths: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.float32]:
        if len(items) == 1 and lengths[0] > LONG:
            return self._emissions_in_stretches(items[0], int(lengths[0]))
        features = self.features(items)
        self.lap("features")
        emissions = self.encoder(features, lengths)
        self.lap("encoder")
        return emissions

    def _emissions_in_stretches(self, item: Any, length: int) -> npt.NDArray[np.float32]:
        """So that the network's memory does not grow with the sentence."""
        parts: list[npt.NDArray[np.float32]] = []
        for start in range(0, length, LONG):
            first, last = max(start - CONTEXT, 0), min(start + LONG + CONTEXT, length)
            features = self.features([self.features.part(item, first, last)])
            emissions = self.encoder(features, np.array([last - first]))
            parts.append(emissions[:, :, start - first :][:, :, :LONG])
        self.lap("encoder")
        return np.concatenate(parts, axis=2)

    def _scored_spans(
        self, sentences: int, found: crf.Found, scores: npt.NDArray[np.float64]
    ) -> list[list[ScoredSpan]]:
        """Per sentence, sorted by start, then longest first, then type."""
        columns = (found.row, found.start, found.end, found.level, scores)
        rows = zip(*(column.tolist() for column in columns), strict=True)
        spans: list[list[ScoredSpan]] = [[] for _ in range(sentences)]
        for row, start, end, level, score in sorted(rows, key=lambda r: (r[1], -r[2], r[0])):
            if score >= self.min_score:
                sentence, kind = divmod(row, len(self.types))
                spans[sentence].append(ScoredSpan(start, end, self.types[kind], level, score))
        return spans


def _no_clock(stage: str) -> None:
    pass
