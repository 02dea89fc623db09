"""Columns: one token per line with its tags, a blank line after each sentence.

The token comes first, then the tags: CoNLL-2003 and its kin, and layers of tags for nested
entities, as in GermEval 2014, which has a column of token numbers before them. One layer is written
as plain ``token TAB tag``; with more, a first line names the columns as CoNLL-U Plus does::

    # global.columns = FORM NER NER
    # newdoc id = letter-7
    the	B-PER	O
    wife	I-PER	O
    of	I-PER	O
    Bob	I-PER	B-PER
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain, repeat
from pathlib import Path

from innermost.corpus.context import Context
from innermost.corpus.format import Format
from innermost.corpus.formats.columns import hipe, ontonotes
from innermost.corpus.formats.columns.blanks import is_blank, with_spaces_as_gaps
from innermost.corpus.formats.columns.layout import (
    LABELS_ALONE,
    Layout,
    layout_of_header,
    layout_of_rows,
    layout_of_settings,
)
from innermost.corpus.formats.columns.lines import (
    DOCUMENT,
    SENTENCE_ID,
    Block,
    blocks,
    is_comment,
    split,
)
from innermost.corpus.formats.columns.tag_sets import spans_of_tag_sets
from innermost.corpus.formats.columns.tag_values import is_tag, tag_of
from innermost.corpus.formats.columns.write import write
from innermost.corpus.sentence import Sentence
from innermost.corpus.shared.tag_schemes import Tag, report_no_beginning, spans_of, split_tag
from innermost.errors import DataError
from innermost.files.source import Source
from innermost.nest import Span

_COLUMNS = re.compile(r"# global\.columns = (.*)")
_NEARLY_ALL = 0.9
_BINARY = 512
"""A null byte among this many bytes shows that a file is not text, but e.g. an archive."""
_SAMPLE = 500
"""The number of tokens inspected to find the columns that hold tags."""


class _Columns(Format):
    name = "columns"
    description = "one token per line: CoNLL-2003, BIO, IOB1, IOBES, BILOU, layers, GermEval 2014"
    suffixes = (".conll", ".iob", ".bio", ".iob2", ".txt")
    holds = frozenset({"crossings", "duplicates", "tokens", "doc", "id"})
    reading_settings = ("token", "tags", "scheme")
    writing_settings = ("scheme",)

    def sniff(self, source: Source) -> bool:
        head = source.head()
        if b"\0" in head[:_BINARY]:
            return False
        *lines, _ = head.decode(errors="replace").split("\n")
        rows = [c for line in lines[:200] if (c := split(line)) and not is_comment(line, c)]
        if (rows and hipe.is_header(rows[0])) or ontonotes.is_ontonotes(source):
            return True
        tagged = sum(len(c) > 1 and is_tag(c[-1]) for c in rows)
        return bool(rows) and tagged >= _NEARLY_ALL * len(rows)

    def sentences(self, source: Source, context: Context) -> Iterator[Sentence]:
        if ontonotes.is_ontonotes(source):
            yield from ontonotes.sentences(source, context)
            return
        stream = blocks(source)
        sample = list(_first(stream, _SAMPLE))
        layout = _layout(sample, context)
        oddities = _Oddities(context)
        document: str | None = None
        documents = 0
        for block in chain(sample, stream):
            comments: list[str] = []
            sentence_id: str | None = None
            for _, comment in block.comments:
                if match := DOCUMENT.fullmatch(comment) or hipe.DOCUMENT_ID.fullmatch(comment):
                    document = match[1]
                elif match := SENTENCE_ID.fullmatch(comment):
                    sentence_id = match[1]
                elif not _COLUMNS.fullmatch(comment):
                    comments.append(comment)
            if _begins_document(block):
                documents += 1
                document = str(documents)
            elif layout:
                for sentence in _sentences(block, layout, oddities, context):
                    sentence.id, sentence.doc = sentence_id, document
                    sentence.extra = {"comments": comments} if comments else {}
                    comments = []
                    yield sentence

    def save(self, sentences: Iterable[Sentence], path: Path | str, context: Context) -> None:
        write(sentences, path, context)


def _first(stream: Iterator[Block], rows: int) -> Iterator[Block]:
    """The first sentences of a file, with about ``rows`` tokens."""
    while rows > 0 and (block := next(stream, None)):
        rows -= len(block.rows)
        yield block


def _layout(sample: list[Block], context: Context) -> Layout | None:
    chosen = layout_of_settings(context.options)
    if sample and sample[0].rows and hipe.is_header(sample[0].rows[0][1]):
        _, names = sample[0].rows.pop(0)
        return hipe.layout_of_columns(names, chosen, context)
    return chosen or _inferred_layout(sample, context)


def _inferred_layout(sample: list[Block], context: Context) -> Layout | None:
    for block in sample:
        for number, comment in block.comments:
            if match := _COLUMNS.fullmatch(comment):
                return layout_of_header(match[1].split(), context.at(number))
    sentences = [
        [columns for _, columns in block.rows]
        for block in sample
        if block.rows and not _begins_document(block)
    ]
    return layout_of_rows(sentences, context) if sentences else None


def _sentences(
    block: Block, layout: Layout, oddities: _Oddities, context: Context
) -> Iterator[Sentence]:
    """The sentences of a block, usually one."""
    for part in hipe.sentences_of(block, layout):
        content = _content(part, layout, context) if part.rows else None
        if content is not None:
            yield _sentence(part, *content, layout, oddities, context)


def _sentence(
    block: Block,
    tokens: list[str],
    tags: list[list[Tag]],
    layout: Layout,
    oddities: _Oddities,
    context: Context,
) -> Sentence:
    spans = (
        _spans_of_sets(block, tags, context)
        if layout.is_open
        else _spans_of_layers(block, tags, oddities)
    )
    line = block.rows[0][0]
    if any(map(is_blank, tokens)) and not all(map(is_blank, tokens)):
        spaced = with_spaces_as_gaps(tokens, spans, context.at(line))
        return Sentence(spaced.tokens, spaced.spans, spaced.gaps, line=line)
    return Sentence(tokens, spans, line=line)


def _begins_document(block: Block) -> bool:
    return len(block.rows) == 1 and block.rows[0][1][0] == "-DOCSTART-"


def _spans_of_layers(block: Block, tags: list[list[Tag]], oddities: _Oddities) -> list[Span]:
    spans: list[Span] = []
    for column in zip(*tags, strict=True):
        layer = list(column)
        oddities.note(block, layer)
        spans += spans_of(layer)[0]
    return sorted(spans, key=lambda span: (span.start, -span.end))


def _spans_of_sets(block: Block, tags: list[list[Tag]], context: Context) -> list[Span]:
    result = spans_of_tag_sets(tags)
    for position, (prefix, label) in result.begun_inside:
        report_no_beginning(f"{prefix}-{label}", context.at(block.rows[position][0]))
    for position, label in result.ambiguous:
        context.odd(
            "ambiguous tags of one type",
            f"fewer {label} continue than are open: those that began first were continued",
            line=block.rows[position][0],
        )
    return result.spans


def _content(
    block: Block, layout: Layout, context: Context
) -> tuple[list[str], list[list[Tag]]] | None:
    """The tokens and the tags of each; None if a line is bad, once all bad lines are recorded."""
    tokens: list[str] = []
    tags_of_tokens: list[list[Tag]] = []
    for number, columns in block.rows:
        try:
            before = tags_of_tokens[-1] if tags_of_tokens else []
            token, tags = _row(columns, before, layout, context.at(number))
        except DataError as error:
            context.bad(error)
            continue
        tokens.append(token)
        tags_of_tokens.append(tags)
    return (tokens, tags_of_tokens) if len(tokens) == len(block.rows) else None


def _row(
    columns: list[str], before: list[Tag], layout: Layout, context: Context
) -> tuple[str, list[Tag]]:
    """The token of a line and its tags, given those of the token ``before``."""
    needed = max(layout.token, *layout.tags, 1) + 1
    if len(columns) < needed:
        raise context.wrong(
            f"expected at least {needed} columns, found {len(columns)}: {columns!r}",
            hint="columns are separated by TABs or single spaces; each line needs a tag",
        )
    if not columns[layout.token]:
        raise context.wrong("the token is empty")
    values = [columns[column] for column in layout.tags]
    if layout.is_open:
        values += columns[layout.tags[-1] + 1 :]
    befores = chain(before, repeat(("O", "")))
    try:
        tags = [tag_of(*pair, layout, context) for pair in zip(values, befores, strict=False)]
    except DataError:
        if layout.width is None or len(columns) <= layout.width:
            raise
        raise context.wrong(
            f"expected {layout.width} columns, found {len(columns)}: {columns!r}",
            hint="a token with a space in it needs TABs between the columns",
        ) from None
    if not layout.is_open:
        _report_further_tags(columns, layout, context)
    return columns[layout.token], tags


def _report_further_tags(columns: list[str], layout: Layout, context: Context) -> None:
    if layout.width is not None and any(map(_is_entity_tag, columns[layout.width :])):
        context.lost(
            "tag in a further column",
            f"column {layout.width + 1} is {columns[layout.width]!r}, but most lines have "
            f"{layout.width} columns; give every line as many, or, if tokens have as many tags "
            f"as entities: --read-set tags={layout.width}+",
        )


def _is_entity_tag(value: str) -> bool:
    return split_tag(value) not in (None, ("O", ""))


class _Oddities:
    """Tags that continue nothing: an oddity, unless the file is in IOB1, where it is the rule.

    In IOB1 a ``B`` only ever follows a span with the same label; the first one that does not shows
    that the file is not in IOB1.
    """

    def __init__(self, context: Context) -> None:
        scheme = context.options.settings.get("scheme")
        self._context = context
        self._waiting: list[tuple[int, str]] = []
        self._is_iob1 = scheme in ("iob1", LABELS_ALONE)
        self._is_other = scheme is not None and not self._is_iob1

    def note(self, block: Block, tags: list[Tag]) -> None:
        if self._is_iob1:
            return
        if not self._is_other:
            before = [("O", ""), *tags[:-1]]
            self._is_other = any(
                prefix in "BESLU" and (prefix != "B" or last[1] != label)
                for last, (prefix, label) in zip(before, tags, strict=True)
                if prefix != "O"
            )
        for position in spans_of(tags)[1]:
            prefix, label = tags[position]
            self._waiting.append((block.rows[position][0], f"{prefix}-{label}"))
        if self._is_other:
            for line, tag in self._waiting:
                report_no_beginning(tag, self._context.at(line))
            self._waiting.clear()
        else:
            del self._waiting[self._context.report.keep :]


FORMAT = _Columns()
