"""Native sentences as spaCy documents, one document per sentence, with their own tokens."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from spacy.tokens import Doc, Span
from spacy.vocab import Vocab

GROUP = "sc"
"""The span group of the entities, in training data and in predictions."""


def records(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def to_doc(tokens: list[str], entities: Iterable[list[Any]], vocab: Vocab) -> Doc:
    """A document whose entities, nested or not, are in one span group."""
    doc = Doc(vocab, words=tokens)
    doc.spans[GROUP] = [Span(doc, start, end, label=label) for start, end, label in entities]
    return doc


def training_docs(path: Path, vocab: Vocab) -> list[Doc]:
    return [to_doc(record["tokens"], record["entities"], vocab) for record in records(path)]


def found(doc: Doc) -> list[tuple[int, int, str]]:
    """The entities of a document, each once."""
    return sorted({(span.start, span.end, span.label_) for span in doc.spans.get(GROUP, [])})
