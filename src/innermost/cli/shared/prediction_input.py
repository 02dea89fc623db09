"""What ``innermost predict`` reads: texts, files of them, corpora, standard input."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from innermost.corpus import Context, Options, Sentence, Source, registry
from innermost.corpus.reading import ReadingOptions, read_corpus
from innermost.corpus.report import Report
from innermost.corpus.shared.character_spans import sentences_from_tokens
from innermost.document import Document
from innermost.errors import DataError
from innermost.files.source import plain_name
from innermost.nest import Span

TEXT = "text"
"""The name of the format that is no corpus: plain text."""

Input = str | Sentence


def read_inputs(
    paths: Sequence[str], reading: ReadingOptions, report: Report, *, whole: bool
) -> Iterator[Input]:
    """Every line of plain text (or the whole of each file), every sentence of a corpus.

    Without a format, files named ``.txt`` and standard input are plain text.
    """
    format = reading.format
    for path in paths:
        is_text = format == TEXT or (
            format is None and (path == "-" or plain_name(path).endswith(".txt"))
        )
        if is_text and whole:
            yield Source(path).text()
        elif is_text:
            yield from (line for _, line in Source(path).text_lines())
        else:
            # Splitting tokens where the annotated entities end would tell the model where they are.
            inside = reading.inside_token or "widen"
            how = replace(reading, format=format or _guess(path), inside_token=inside)
            yield from read_corpus(path, how, report)


def _guess(path: str) -> str:
    source = Source(path)
    try:
        return registry.guess(source).name
    except DataError:
        raise DataError(
            "not a corpus in a format that is known",
            path=path,
            hint="if it is plain text, add: --from text",
        ) from None


def annotated(pairs: Iterable[tuple[Input, Document]], tokenizer: str) -> Iterator[Sentence]:
    """Corpus sentences with what was predicted in place of the entities they had."""
    for number, (given, document) in enumerate(pairs, start=1):
        if isinstance(given, Sentence):
            spans = [Span(e.token_start, e.token_end, e.label) for e in document.entities]
            yield Sentence(given.tokens, spans, given.gaps, given.id, given.doc, given.extra)
        else:
            yield from sentences_from_tokens(
                document.text,
                document.sentences,
                [Span(e.start, e.end, e.label) for e in document.entities],
                Context(Options(tokenizer=tokenizer), Report(), "-"),
                doc=str(number),
            )
