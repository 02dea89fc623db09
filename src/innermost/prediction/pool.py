"""Read text to choose sentences from, and write the chosen ones for an annotation tool."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from innermost.corpus import Context, Options, Report, Sentence, write
from innermost.corpus.shared.character_spans import sentences_from_text
from innermost.errors import UsageError
from innermost.prediction.inputs import InputOptions, Record, located_records
from innermost.prediction.outputs import JSON, JSONL, PRETTY, file_name, format_of_path
from innermost.prediction.suggestions import Suggestion
from innermost.prediction.unique_names import UniqueNames

FORMATS = {"labelstudio": "labelstudio", "prodigy": "prodigy", "brat": "brat", "jsonl": "native"}
"""Corpus formats by the values of ``--format``."""
_UNSPECIFIC = {
    "labelstudio": (None, PRETTY, JSON),
    "prodigy": (None, PRETTY, JSON, JSONL),
    "brat": (None,),
    "jsonl": (None, PRETTY, JSON),
}
"""Formats of names that another format may have, too: ``tasks.json``."""
UNCERTAINTY = "uncertainty"
"""The key of what suggestions are ranked by; brat has no place for it."""


def suggestion_format(format: str | None, path: str) -> str:
    """The requested format, which the name of the output must not contradict, else that name's."""
    if path == "-":
        return format or JSONL
    by_name = format_of_path(path)
    if format is None and by_name not in FORMATS:
        raise UsageError(
            f"the name {path} does not determine the output format",
            hint=f"--format takes one of: {', '.join(FORMATS)}",
        )
    format = format or str(by_name)
    if by_name not in (format, *_UNSPECIFIC[format]):
        raise UsageError(
            f"--format {format} contradicts the name {path} ({by_name})",
            hint="omit --format, or choose another name",
        )
    return format


def pool_sentences(
    paths: Sequence[str], options: InputOptions, report: Report
) -> Iterator[Sentence]:
    """The sentences of files of text or of any corpus format, without their entities.

    Each keeps the name of its document, and has the id of its record, or else one that gives its
    position in the document, or in the file if that names no documents.
    """
    read: Counter[str] = Counter()
    """The sentences of each document so far."""
    for location, record in located_records(paths, options, report):
        sentences = _sentences(record, options, report)
        name = record.id or record.doc or location
        if record.doc and not record.id and isinstance(record.item, Sentence):
            read[name] += 1
            name = f"{name}:{read[name]}"
        for number, sentence in enumerate(sentences, start=1):
            yield replace(
                sentence,
                entities=[],
                scores={},
                gaps=_trimmed(sentence.gaps),
                id=name if len(sentences) == 1 else f"{name}:{number}",
                doc=record.doc,
                extra=record.extra,
                unnamed=record.doc is None,
            )


def _sentences(record: Record, options: InputOptions, report: Report) -> list[Sentence]:
    if isinstance(record.item, Sentence):
        return [record.item]
    if isinstance(record.item, str):
        context = Context(Options(tokenizer=options.tokenizer), report, record.doc or "-")
        return sentences_from_text(record.item, [], context)
    return record.item


def _trimmed(gaps: list[str] | None) -> list[str] | None:
    """The gaps without the whitespace around the sentence."""
    return gaps and ["", *gaps[1:-1], ""]


def write_suggestions(
    suggestions: Iterable[Suggestion], path: str, format: str, tokenizer: str, report: Report
) -> None:
    """Write them in order, pre-annotated, each as a separate text."""
    sentences = [
        replace(sentence, extra={**sentence.extra, UNCERTAINTY: round(uncertainty, 4)})
        for sentence, uncertainty in suggestions
    ]
    names = UniqueNames()
    sentences = [s if s.id is None else replace(s, id=names.take(s.id)) for s in sentences]
    if format == "brat":
        sentences = _files(sentences)
    elif format == "labelstudio":
        sentences = [_task(sentence) for sentence in sentences]
    options = Options(tokenizer=tokenizer)
    write(sentences, path, format=FORMATS[format], options=options, report=report)


def _task(sentence: Sentence) -> Sentence:
    """The sentence with the name of its document as another key.

    The writer would join sentences of one document to one text.
    """
    named = {} if sentence.doc is None else {"doc": sentence.doc}
    return replace(sentence, doc=None, unnamed=True, extra={**named, **sentence.extra})


def _files(sentences: Sequence[Sentence]) -> list[Sentence]:
    """Each sentence as a document of its own, which is a file.

    It is named after its document; where there are several of one, with its place there.
    """
    counts = Counter(sentence.doc for sentence in sentences)
    result: list[Sentence] = []
    for sentence in sentences:
        doc, id = sentence.doc, sentence.id
        name = id and id.replace(":", "-") if doc is None else file_name(doc)
        place = (id or "").removeprefix(f"{doc}:")
        if doc is not None and counts[doc] > 1:
            name = f"{name}-{place}"
        # An id that the name of the file does not imply is reported as lost.
        is_implied = doc is None or counts[doc] > 1 or id in (doc, f"{doc}:{place}")
        extra = {key: value for key, value in sentence.extra.items() if key != UNCERTAINTY}
        result.append(
            replace(
                sentence, doc=name, id=None if is_implied else id, unnamed=name is None, extra=extra
            )
        )
    return result
