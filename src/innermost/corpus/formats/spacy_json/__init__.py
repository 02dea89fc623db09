"""spaCy's JSON, in its three common shapes::

    {"text": "IL-2 gene", "spans": {"sc": [{"start": 0, "end": 9, "label": "DNA"}]},
     "ents": [], "sents": [{"start": 0, "end": 9}], "tokens": [{"id": 0, "start": 0, "end": 4}]}
    [{"id": 0, "paragraphs": [{"raw": "IL-2 gene", "sentences": [{"tokens": [
        {"orth": "IL-2", "ner": "B-DNA"}, {"orth": "gene", "ner": "L-DNA"}]}]}]}]
    [["IL-2 gene", {"entities": [[0, 9, "DNA"]]}]]

The first is ``Doc.to_json()``; it is also the shape that is written, with the entities in the span
group ``sc``. The second is the training format of version 2, the third the training data of many
tutorials. Does not need spaCy.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from innermost.corpus.context import Context
from innermost.corpus.format import Format
from innermost.corpus.formats.spacy_json.docs import is_doc, records, sentences_of_doc
from innermost.corpus.formats.spacy_json.training import (
    is_pair,
    is_pairs,
    is_training_document,
    sentences_of_pair,
    sentences_of_training_document,
)
from innermost.corpus.sentence import Sentence
from innermost.corpus.shared.json_records import head_values, sentences_of_values, write_records
from innermost.files.source import Source


class _SpacyJson(Format):
    name = "spacy-json"
    description = "spaCy JSON: Doc.to_json, version 2 training JSON, lists of [text, entities]"
    suffixes = (".spacy.json", ".spacy.jsonl")
    holds = frozenset({"crossings", "duplicates", "tokens", "gaps", "doc", "id", "extra"})
    reading_settings = ("group", "sentences")
    writing_settings = ("group",)

    def sniff(self, source: Source) -> bool:
        kinds = (is_doc, is_training_document, is_pair, is_pairs)
        return any(is_kind(value) for value in _first(head_values(source)) for is_kind in kinds)

    def sentences(self, source: Source, context: Context) -> Iterator[Sentence]:
        return sentences_of_values(source, context, _sentences)

    def save(self, sentences: Iterable[Sentence], path: Path | str, context: Context) -> None:
        write_records(records(sentences, context), path, array_on_stream=True)


def _first(values: Iterator[Any]) -> list[Any]:
    return [value for value in [next(values, None)] if value is not None]


def _sentences(value: Any, context: Context) -> Iterable[Sentence]:
    if is_doc(value):
        return sentences_of_doc(value, context)
    if is_training_document(value):
        return sentences_of_training_document(value, context)
    if is_pair(value):
        return sentences_of_pair(value, context)
    if is_pairs(value):
        # A whole file of texts as one object: the texts are named by their numbers.
        return (
            sentence
            for number, pair in enumerate(value["annotations"], start=1)
            if pair is not None
            for sentence in sentences_of_pair(pair, context.at(context.line, record=number))
        )
    raise context.wrong(
        f"neither a Doc, nor a training document, nor [text, entities]: {value!r}"[:120],
        hint='e.g. {"text": "IL-2 gene", "ents": [{"start": 0, "end": 9, "label": "DNA"}]}',
    )


FORMAT = _SpacyJson()
