"""Read text to choose sentences from, and write the chosen ones for an annotation tool."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from innermost.corpus import Context, Options, Report, Sentence, write
from innermost.corpus.shared.character_spans import sentences_from_text
from innermost.prediction.inputs import InputOptions, Record, read_records
from innermost.prediction.suggestions import Suggestion

FORMATS = {"labelstudio": "labelstudio", "prodigy": "prodigy", "brat": "brat", "jsonl": "native"}
"""Corpus formats by the values of ``--format``."""


def pool_sentences(
    paths: Sequence[str], options: InputOptions, report: Report
) -> Iterator[Sentence]:
    """The sentences of files of text or of any corpus format, without their entities.

    Each is a separate document with a unique name, derived from that of its text.
    """
    for record in read_records(paths, options, report):
        sentences = _sentences(record, options, report)
        names = [record.id or record.doc]
        if len(sentences) > 1:
            names = [f"{names[0]}:{n}" if names[0] else None for n in range(1, len(sentences) + 1)]
        for name, sentence in zip(names, sentences, strict=True):
            yield replace(
                sentence, entities=[], scores={}, gaps=_trimmed(sentence.gaps), id=name, doc=None
            )


def _sentences(record: Record, options: InputOptions, report: Report) -> list[Sentence]:
    if isinstance(record.item, Sentence):
        return [record.item]
    if isinstance(record.item, str):
        context = Context(Options(tokenizer=options.tokenizer), report, record.doc or "-")
        return sentences_from_text(record.item, [], context, extra=record.extra)
    return record.item


def _trimmed(gaps: list[str] | None) -> list[str] | None:
    """The gaps without the whitespace around the sentence."""
    return gaps and ["", *gaps[1:-1], ""]


def write_suggestions(
    suggestions: Iterable[Suggestion], path: str, format: str, tokenizer: str, report: Report
) -> None:
    """Write them in order, pre-annotated, each as a separate document."""
    sentences = (
        replace(sentence, extra={**sentence.extra, "uncertainty": round(uncertainty, 4)})
        for sentence, uncertainty in suggestions
    )
    options = Options(tokenizer=tokenizer)
    write(sentences, path, format=FORMATS[format], options=options, report=report)
