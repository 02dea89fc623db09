"""Documents and sentences of corpora, whose entities are not looked at."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby
from typing import Any

from innermost.corpus import Sentence, Source, registry
from innermost.corpus.reading import read_corpus
from innermost.corpus.report import Report
from innermost.prediction.inputs.record import InputOptions, Record

_TEXT = "text"
"""The usual key of the texts, and the setting that names another one."""


def corpus_records(
    source: Source, format: str, options: InputOptions, report: Report
) -> Iterator[Record]:
    """A document of a raw-text format, or a sentence of a tokenized format."""
    reading = options.reading.with_tokenizer(options.tokenizer)
    # Splitting tokens at annotated entities would reveal them to the model.
    inside_token = reading.inside_token or "widen"
    how = replace(reading, format=format, inside_token=inside_token, entities=False)
    if options.text != _TEXT and _TEXT in registry.get(format).reading_settings:
        how = replace(how, settings={**how.settings, _TEXT: options.text})
    sentences = read_corpus(source.path, how, report)
    if "tokens" in registry.get(format).holds:
        for sentence in sentences:
            yield Record(sentence, _keys(sentence))
        return
    is_chosen = "sentences" in reading.settings
    alone = itertools.count()
    for _, group in groupby(
        sentences, lambda s: next(alone) if s.doc is None else (s.doc, s.id, s.line)
    ):
        document = list(group)
        text = "".join(sentence.text for sentence in document)
        yield Record(document if is_chosen else text, _keys(document[0]))


def _keys(sentence: Sentence) -> dict[str, Any]:
    doc = None if sentence.unnamed else sentence.doc
    names = {"id": sentence.id, "doc": doc}
    return {key: value for key, value in names.items() if value is not None} | sentence.extra
