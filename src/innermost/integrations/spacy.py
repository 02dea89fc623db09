"""Nested entities in a spaCy pipeline. Needs the extra ``spacy``; nothing has to be imported.

import spacy

nlp = spacy.blank("en")
nlp.add_pipe("innermost", config={"model": "english"})
doc = nlp("The mayor of Ghent spoke.")
doc.spans["innermost"]
"""

from __future__ import annotations

import json
import shutil
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any, get_type_hints

from spacy.language import Language
from spacy.pipeline import Pipe
from spacy.scorer import Scorer
from spacy.tokens import Doc, Span, SpanGroup
from spacy.training import Example
from spacy.util import SimpleFrozenList, filter_spans, minibatch

from innermost.corpus.sentence import Sentence
from innermost.document import Document
from innermost.errors import ModelError, UsageError
from innermost.runtime import load
from innermost.runtime.model import Model
from innermost.text import sentence_starts
from innermost.thresholds import check_thresholds

KEY = "innermost"
"""The name of the component, and of the group of spans."""
_MODEL = "model"
_WEIGHTS = "*.safetensors"


class InnermostPipe(Pipe):  # type: ignore[misc]  # spaCy is optional: its classes are not known
    """Writes all entities to ``doc.spans``, in the order of ``innermost.Document.entities``.

    The group's ``attrs`` has a list each of ``scores``, ``levels`` and ``parents``: the index of
    the parent in the group, or None. The component holds no documents.
    """

    def __init__(
        self,
        name: str,
        model: str | None,
        *,
        spans_key: str = KEY,
        set_ents: bool = False,
        options: dict[str, Any] | None = None,
    ) -> None:
        self.name = name
        self.spans_key = spans_key
        self._source: str | Path | None = model
        self._set_ents = set_ents
        self._options = options or {}
        self._model: Model | None = None

    def open_model(self) -> Model:
        """Opened when a new pipeline gets this component, to find mistakes in its settings. In a
        pipeline from disk, opened when first used: it brings its own, wherever it was built."""
        # No property: spaCy looks at `model` of every component, whether it is used or not.
        if self._model is None:
            self._model = load(self._source, **self._options)
        return self._model

    @property
    def labels(self) -> tuple[str, ...]:
        try:
            return tuple(self.open_model().types)
        except ModelError:  # spaCy asks before `from_disk` says where the model is
            return ()

    def __call__(self, doc: Doc) -> Doc:
        self._annotate([doc])
        return doc

    def pipe(self, stream: Iterable[Doc], *, batch_size: int = 128) -> Iterator[Doc]:
        """Each batch goes through the model together."""
        for docs in minibatch(stream, size=batch_size):
            try:
                self._annotate(docs)
            except Exception as error:
                self.get_error_handler()(self.name, self, docs, error)
            else:
                yield from docs

    def score(self, examples: Iterable[Example], **options: Any) -> dict[str, Any]:
        """Precision, recall and F1 of all spans, nested ones too: ``spans_innermost_f``."""
        key = self.spans_key
        scores: dict[str, Any] = Scorer.score_spans(
            examples,
            attr=f"spans_{key}",
            getter=lambda doc, _: doc.spans.get(key, []),
            has_annotation=lambda doc: key in doc.spans,
            allow_overlap=True,
        )
        return scores

    def to_disk(self, path: str | Path, *, exclude: Iterable[str] = SimpleFrozenList()) -> None:
        """Copy the model, so that the pipeline can be moved."""
        folder = Path(path) / _MODEL
        source = self.open_model().folder
        if source.resolve() != folder.resolve():
            shutil.rmtree(folder, ignore_errors=True)
            shutil.copytree(source, folder, ignore=shutil.ignore_patterns(_WEIGHTS))

    def from_disk(
        self, path: str | Path, *, exclude: Iterable[str] = SimpleFrozenList()
    ) -> InnermostPipe:
        self._source = Path(path) / _MODEL
        self._model = None
        return self

    def to_bytes(self, *, exclude: Iterable[str] = SimpleFrozenList()) -> bytes:
        """The name or the folder of the model, without its files."""
        return json.dumps(None if self._source is None else str(self._source)).encode()

    def from_bytes(
        self, data: bytes, *, exclude: Iterable[str] = SimpleFrozenList()
    ) -> InnermostPipe:
        self._source = json.loads(data)
        self._model = None
        return self

    def _annotate(self, docs: list[Doc]) -> None:
        words = [_words(doc) for doc in docs]
        items = [_sentences(doc, own) for doc, own in zip(docs, words, strict=True)]
        for doc, own, document in zip(docs, words, self.open_model().pipe(items), strict=True):
            self._write(doc, own, document)

    def _write(self, doc: Doc, words: list[int], document: Document) -> None:
        entities = document.entities
        spans = [
            Span(doc, words[e.token_start], words[e.token_end - 1] + 1, label=e.label)
            for e in entities
        ]
        attributes = {
            "scores": [entity.score for entity in entities],
            "levels": [entity.level for entity in entities],
            "parents": [entity.parent for entity in entities],
        }
        doc.spans[self.spans_key] = SpanGroup(
            doc, name=self.spans_key, attrs=attributes, spans=spans
        )
        if self._set_ents:
            outermost = [index for index, entity in enumerate(entities) if entity.parent is None]
            outermost.sort(key=lambda index: entities[index].score, reverse=True)
            # Of those that overlap the longest; of two types of one span the more probable.
            doc.set_ents(filter_spans([spans[index] for index in outermost]))


def _words(doc: Doc) -> list[int]:
    """The tokens that are not whitespace, which models have never seen."""
    return [token.i for token in doc if not token.is_space]


def _sentences(doc: Doc, words: list[int]) -> list[Sentence]:
    """The sentences of a document by its own bounds; where it has none, by ours."""
    has_bounds = doc.has_annotation("SENT_START")
    starts = [s.start_char for s in doc.sents] if has_bounds else sentence_starts(doc.text)
    tokens = (doc[index] for index in words)
    groups = groupby(tokens, key=lambda token: bisect_right(starts, token.idx))
    return [Sentence([token.text for token in group]) for _, group in groups]


def _with_types(function: Callable[..., Any]) -> Callable[..., Any]:
    """With types as annotations instead of their names, which spaCy 3.7 does not resolve."""
    function.__annotations__ = get_type_hints(function)
    return function


@Language.factory(  # type: ignore[untyped-decorator]
    KEY,
    assigns=["doc.spans"],
    default_config={
        "model": None,
        "spans_key": KEY,
        "set_ents": False,
        "threads": None,
        "max_depth": None,
        "min_score": 0.0,
        "types": None,
        "layer": None,
        "device": "cpu",
    },
    default_score_weights={f"spans_{KEY}_f": 1.0, f"spans_{KEY}_p": 0.0, f"spans_{KEY}_r": 0.0},
)
@_with_types
def create(
    nlp: Language,
    name: str,
    model: str | None,
    spans_key: str,
    set_ents: bool,
    threads: int | None,
    max_depth: int | None,
    min_score: float | dict[str, float],
    types: list[str] | None,
    layer: str | None,
    device: str,
) -> InnermostPipe:
    """The component ``innermost``.

    Tokens and sentences are spaCy's; ``spans_key`` and ``set_ents`` say where entities are written.
    The other options are those of :func:`innermost.load`.
    """
    options = {
        "threads": threads,
        "max_depth": max_depth,
        "min_score": min_score,
        "types": types,
        "layer": layer,
        "device": device,
    }
    if not spans_key:
        raise UsageError("spans_key is empty", hint=f"name a key of doc.spans, such as {KEY!r}")
    check_thresholds(min_score, threads=threads, max_depth=max_depth)
    pipe = InnermostPipe(name, model, spans_key=spans_key, set_ents=set_ents, options=options)
    if not _comes_from_disk(nlp):
        pipe.open_model()  # a wrong name or type is an error here, not at the first text
    return pipe


def _comes_from_disk(nlp: Language) -> bool:
    """Whether a saved pipeline is being loaded, which brings its own model.

    It is then created with its description; a new pipeline describes itself when it is asked to.
    """
    return bool(getattr(nlp, "_meta", True))
