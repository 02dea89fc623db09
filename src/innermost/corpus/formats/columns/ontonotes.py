"""CoNLL-2012, the columns of OntoNotes 5: named entities as brackets in the eleventh column::

    #begin document (bc/news/00/news_0001); part 000
    bc/news/00/news_0001  0  0  Bank   NNP  (TOP(NP*  -  -  -  Ann   (ORG*  *  -
    bc/news/00/news_0001  0  1  Spain  NNP         *)) -  -  -  Ann  (GPE))  *  -

    #end document

Syntax, predicates and coreference are not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from innermost.corpus.context import Context
from innermost.corpus.formats.columns.lines import Block
from innermost.corpus.sentence import Sentence
from innermost.files.source import Source
from innermost.nest import Span

_BEGIN = re.compile(r"#begin document \((.*?)\)(?:; part \d+)?")
_END = "#end document"
_TOKEN, _NAMES = 3, 10
_BRACKETS = re.compile(r"((?:\([^()*]+)*)\*?(\)*)")


def is_ontonotes(source: Source) -> bool:
    first = source.head_text().split("\n", 1)[0]
    return _BEGIN.match(first) is not None


def sentences(source: Source, context: Context) -> Iterator[Sentence]:
    return context.each(_blocks(source), lambda named: [_sentence(*named, context)])


def _blocks(source: Source) -> Iterator[tuple[Block, str | None]]:
    """The sentences, each with the name of its document, which all parts of it have."""
    document: str | None = None
    block = Block()
    for number, line in source.text_lines():
        begin = _BEGIN.match(line)
        if line.strip() and not begin and not line.startswith(_END):
            block.rows.append((number, line.split()))
            continue
        if block.rows:
            yield block, document
            block = Block()
        document = begin[1] if begin else document
    if block.rows:
        yield block, document


def _sentence(block: Block, document: str | None, context: Context) -> Sentence:
    spans: list[Span] = []
    around: list[tuple[int, str]] = []
    for position, (number, columns) in enumerate(block.rows):
        place = context.at(number)
        if len(columns) <= _NAMES + 1:
            raise place.wrong(f"expected at least {_NAMES + 2} columns, found {len(columns)}")
        match = _BRACKETS.fullmatch(columns[_NAMES])
        if match is None or not columns[_NAMES].strip("_-"):
            raise place.wrong(
                f"column {_NAMES + 1} is {columns[_NAMES]!r}, not brackets of named entities",
                hint="as in (ORG*, *, *) and (GPE); coreference in the last column is not read",
            )
        around += [(position, label) for label in match[1].split("(")[1:]]
        for _ in match[2]:
            if not around:
                raise place.wrong(f"{columns[_NAMES]!r} closes an entity that was not opened")
            start, label = around.pop()
            spans.append(Span(start, position + 1, label))
    line = block.rows[0][0]
    if around:
        raise context.at(line).wrong(f"the entity ({around[-1][1]} is not closed")
    tokens = [columns[_TOKEN] for _, columns in block.rows]
    spans.sort(key=lambda span: (span.start, -span.end))
    return Sentence(tokens, spans, doc=document, line=line)
