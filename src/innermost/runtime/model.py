"""A trained model, run with ONNX Runtime and NumPy: text in, documents with entities out."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, TypeVar, cast, overload

import numpy as np

from innermost import crf
from innermost.arrays import Floats, Ints
from innermost.corpus.sentence import Sentence
from innermost.cpus import available_cpus
from innermost.document import Document, Documents, ScoredSpan
from innermost.errors import UsageError
from innermost.model_folder.contents import ENCODER
from innermost.model_folder.info import read_info
from innermost.model_folder.installed import locate, model_name
from innermost.model_folder.layers import check_labels, select_types
from innermost.parts.contract import WordFeatures
from innermost.runtime.devices import check_device
from innermost.runtime.encoder import Encoder
from innermost.runtime.features import Opening, open_features
from innermost.runtime.inputs import Item, check_series, check_token_list, checked_items
from innermost.runtime.pipeline import BATCH_TOKENS, Pipeline
from innermost.text import tokenizer as named_tokenizer
from innermost.thresholds import check_thresholds

T = TypeVar("T")
_OF_THE_HUB = {"revision", "token", "endpoint"}


class Model:
    """Finds nested entities. Created by :func:`innermost.load`.

    ``nlp(text)`` returns a :class:`Document`, ``nlp([text, ...])`` a list of them, and
    ``nlp.pipe(texts)`` a stream. In a list or a stream, an item may also be a list of tokens, a
    corpus ``Sentence``, or a list of the sentences of a document.
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
        tokenizer: str | None = None,
        batch_tokens: int = BATCH_TOKENS,
        memory_map: bool = False,
        device: str = "cpu",
    ) -> None:
        check_thresholds(min_score, threads=threads, max_depth=max_depth, batch_tokens=batch_tokens)
        self.folder = Path(folder)
        self.info = read_info(self.folder)
        selection = select_types(self.info, layer=layer, labels=types)
        labels = list(selection.values())
        self.layer = layer
        self._min_score = min_score
        self.tokenizer = named_tokenizer(tokenizer or self.info.tokenizer)
        self._options: dict[str, Any] = {
            "threads": threads,
            "max_depth": max_depth,
            "min_score": min_score,
            "types": types,
            "layer": layer,
            "sentences": sentences,
            "tokenizer": tokenizer,
            "batch_tokens": batch_tokens,
            "memory_map": memory_map,
            "device": device,
        }
        # More threads than CPUs would only wait for each other.
        threads = min(threads or available_cpus(), os.cpu_count() or 1)
        opening = Opening(threads, memory_map, check_device(device))
        features = open_features(self.folder, self.info, opening)
        self.pipeline = Pipeline(
            tokenizer=self.tokenizer,
            split_sentences=sentences,
            features=features,
            encoder=Encoder(
                self.folder / ENCODER, features.dimension, len(self.info.types), opening
            ),
            rows=None if len(selection) == len(self.info.types) else list(selection),
            types=labels,
            palette=list(select_types(self.info, layer=layer).values()),
            temperature=np.float32(self.info.temperature),
            max_depth=max_depth,
            min_scores=_min_scores(min_score, labels),
            batch_tokens=batch_tokens,
        )

    @classmethod
    def from_pretrained(cls, repository: str, **options: Any) -> Model:
        """A model from the Hugging Face Hub (``org/name``), or of a local folder or run.

        The options are those of :func:`innermost.integrations.huggingface.from_hub`; those of the
        Hub have no meaning for a folder, and are errors.
        """
        if Path(repository).is_dir():
            if of_hub := sorted(options.keys() & _OF_THE_HUB):
                raise UsageError(
                    f"{of_hub[0]} is for models of the Hub, and {repository} is a folder here"
                )
            return cls(locate(repository), **options)
        model: Model = _hub().from_hub(repository, **options)
        return model

    def push_to_hub(self, repository: str, **options: Any) -> str:
        """Upload the model to the Hugging Face Hub; the address of the commit.

        The options are those of :func:`innermost.integrations.huggingface.push_to_hub`.
        """
        address: str = _hub().push_to_hub(self, repository, **options)
        return address

    @property
    def types(self) -> list[str]:
        """The labels of the types that the model finds."""
        return list(self.pipeline.types)

    @property
    def max_depth(self) -> int | None:
        """The number of levels of each type that are decoded; None: all."""
        return self.pipeline.max_depth

    @property
    def min_score(self) -> float | Mapping[str, float]:
        """Entities with a lower score are dropped."""
        return self._min_score

    @property
    def name(self) -> str:
        """The name of the model, else of its folder."""
        return model_name(self.folder, self.info)

    def __repr__(self) -> str:
        size = sum(path.stat().st_size for path in self.folder.rglob("*") if path.is_file())
        layer = f" layer {self.layer}," if self.layer else ""
        return f"<Model {self.name}:{layer} {', '.join(self.types)}; {size / 1e6:.1f} MB>"

    def __reduce__(self) -> tuple[Callable[[Path], Model], tuple[Path]]:
        """Copies, also in other processes, reopen the folder."""
        return partial(type(self), **self._options), (self.folder.absolute(),)

    @overload
    def __call__(self, item: str | Sentence) -> Document: ...  # type: ignore[overload-overlap]

    @overload
    def __call__(self, item: Iterable[Item]) -> Documents: ...

    def __call__(self, item: str | Sentence | Iterable[Item]) -> Document | Documents:
        """The document of a text or a sentence, or the list of documents of several.

        A list of strings is a list of texts; for tokens use :meth:`predict_tokens`.
        """
        is_series = isinstance(item, Iterable) and not isinstance(item, (bytes, Mapping))
        if isinstance(item, (str, Sentence)) or not is_series:
            return next(self.pipeline.documents([cast(Item, item)]))
        return Documents(self.pipe(item))

    @overload
    def pipe(
        self, items: Iterable[Item], *, as_tuples: Literal[False] = False
    ) -> Iterator[Document]: ...

    @overload
    def pipe(
        self, items: Iterable[tuple[Item, T]], *, as_tuples: Literal[True]
    ) -> Iterator[tuple[Document, T]]: ...

    def pipe(self, items: Iterable[Any], *, as_tuples: bool = False) -> Iterator[Any]:
        """The documents of a stream, in its order, with the memory of one window of it.

        With ``as_tuples``, the items are pairs of a text and anything else, its id for instance,
        which comes out again next to the document.
        """
        check_series(items)
        return self._pairs(items) if as_tuples else self.pipeline.documents(checked_items(items))

    def _pairs(self, pairs: Iterable[tuple[Item, T]]) -> Iterator[tuple[Document, T]]:
        others: deque[T] = deque()

        def items() -> Iterator[Item]:
            for pair in pairs:
                if not isinstance(pair, Sequence) or isinstance(pair, str) or len(pair) != 2:
                    raise UsageError(
                        f"with as_tuples, an item is a pair, not {type(pair).__name__}",
                        hint="give (text, anything) for each text",
                    )
                others.append(pair[1])
                yield pair[0]

        for document in self.pipeline.documents(checked_items(items())):
            yield document, others.popleft()

    def predict_tokens(self, sentences: Iterable[Sequence[str]]) -> Documents:
        """The documents of sentences that are given as lists of tokens."""
        check_series(sentences)
        return Documents(self.pipe(map(check_token_list, sentences)))

    def knows(self, word: str) -> bool:
        """Whether the model has learned this word; always true for models without a vocabulary."""
        features = self.pipeline.features
        return features.knows(word) if isinstance(features, WordFeatures) else True

    def predict_sentences(self, sentences: Iterable[Sentence]) -> Iterator[list[ScoredSpan]]:
        """The entities of corpus sentences in token offsets, as a stream, in order."""
        return self.pipeline.sentences(sentences)

    def decoded(
        self, sentences: Sequence[Sentence]
    ) -> Iterator[tuple[list[Sentence], Floats, Ints, crf.Entities]]:
        """The batches of ``sentences`` with their emissions, lengths and entities, unscored."""
        return self.pipeline.decoded(sentences)


def _hub() -> Any:
    """By name, because nothing that predicts depends on an integration."""
    return import_module("innermost.integrations.huggingface")


def _min_scores(min_score: float | Mapping[str, float], types: Sequence[str]) -> list[float]:
    """The minimum score for each type."""
    if isinstance(min_score, Mapping):
        check_labels(min_score, types)
        return [min_score.get(label, 0.0) for label in types]
    return [min_score] * len(types)
