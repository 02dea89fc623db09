"""A trained model, run with ONNX Runtime and NumPy: text in, documents with entities out."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast, overload

import numpy as np
import numpy.typing as npt

from innermost import crf
from innermost.corpus.sentence import Sentence, documents
from innermost.crf.decoding import best_lattice
from innermost.document import Document, ScoredSpan, assemble
from innermost.errors import InnermostWarning, UsageError
from innermost.model_folder.contents import ENCODER
from innermost.model_folder.info import read_info
from innermost.model_folder.layers import check_labels, select_types
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
        min_score: float | Mapping[str, float] = 0.0,
        types: Collection[str] | None = None,
        layer: str | None = None,
        sentences: bool = True,
        batch_tokens: int = BATCH_TOKENS,
    ) -> None:
        for name, value in (("threads", threads), ("max_depth", max_depth)):
            if value is not None and value < 1:
                raise UsageError(f"{name} is {value}", hint="it must be 1 or more")
        self.folder = Path(folder)
        self.info = read_info(self.folder)
        self._palette = list(select_types(self.info.types, layer=layer).values())
        selection = select_types(self.info.types, layer=layer, labels=types)
        self.types = list(selection.values())
        """The labels of the types that are looked for."""
        self._rows = None if len(selection) == len(self.info.types) else list(selection)
        self.layer = layer
        self.min_score = min_score
        self._least = _least_scores(min_score, self.types)
        self.tokenizer = tokenizer(self.info.tokenizer)
        self.sentences = sentences
        threads = threads or default_threads()
        self.features = open_features(self.folder, self.info, threads)
        self.encoder = Encoder(
            self.folder / ENCODER, self.features.dimension, len(self.info.types), threads
        )
        self.temperature = np.float32(self.info.temperature)
        self.max_depth = max_depth
        self.batch_tokens = batch_tokens
        self.lap: Callable[[str], None] = _no_clock
        """Told the name of each stage when it ends; the benchmark listens."""

    @property
    def name(self) -> str:
        """The name of the model; the name of its folder if it has none of its own."""
        folder = self.folder.resolve()
        return folder.parent.name if folder.name == "model" else folder.name

    def __repr__(self) -> str:
        size = sum(path.stat().st_size for path in self.folder.rglob("*") if path.is_file())
        layer = f" layer {self.layer}," if self.layer else ""
        return f"<Model {self.name}:{layer} {', '.join(self.types)}; {size / 1e6:.1f} MB>"

    @overload
    def __call__(self, item: str | Sentence) -> Document: ...  # type: ignore[overload-overlap]

    @overload
    def __call__(self, item: Iterable[Item]) -> list[Document]: ...

    def __call__(self, item: str | Sentence | Iterable[Item]) -> Document | list[Document]:
        """The document of a text or a sentence, or the list of documents of several.

        A list of strings is a list of texts; for tokens see :meth:`predict_tokens`.
        """
        is_series = isinstance(item, Iterable) and not isinstance(item, (bytes, Mapping))
        if isinstance(item, (str, Sentence)) or not is_series:
            return self._documents([self._draft(cast(Item, item))])[0]
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
        made = draft(item, self.tokenizer, split=self.sentences)
        self.lap("tokenise")
        return made

    def _documents(self, drafts: list[Draft]) -> list[Document]:
        found = iter(self._spans([made.sentences for made in drafts]))
        made_ready = [
            assemble(made.text, made.offsets, [next(found) for _ in made.offsets], self._palette)
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
        emissions = self._selected(self.encoder(features, lengths))
        self.lap("encoder")
        return emissions

    def _selected(self, emissions: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """Those of the types that are looked for: the others are never decoded."""
        return emissions if self._rows is None else emissions[:, self._rows]

    def _emissions_in_stretches(self, item: Any, length: int) -> npt.NDArray[np.float32]:
        """So that the network's memory does not grow with the sentence."""
        parts: list[npt.NDArray[np.float32]] = []
        for start in range(0, length, LONG):
            first, last = max(start - CONTEXT, 0), min(start + LONG + CONTEXT, length)
            features = self.features([self.features.part(item, first, last)])
            emissions = self._selected(self.encoder(features, np.array([last - first])))
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
            sentence, kind = divmod(row, len(self.types))
            if score >= self._least[kind]:
                spans[sentence].append(ScoredSpan(start, end, self.types[kind], level, score))
        return spans


def _least_scores(min_score: float | Mapping[str, float], types: Sequence[str]) -> list[float]:
    """The score that an entity of each type needs."""
    if isinstance(min_score, Mapping):
        check_labels(min_score, types)
        least = [min_score.get(label, 0.0) for label in types]
    else:
        least = [min_score] * len(types)
    for score in least:
        if not 0.0 <= score <= 1.0:
            raise UsageError(f"min_score is {score}", hint="it is a probability: 0 to 1")
    return least


def _no_clock(stage: str) -> None:
    pass
