"""HIPE 2020 and 2022: historical newspapers, a document per block, its columns named by a row::

    TOKEN	NE-COARSE-LIT	NE-COARSE-METO	NE-FINE-LIT	...	NE-NESTED	NEL-LIT	NEL-METO	MISC
    # hipe2022:document_id = letter-7
    Ghent	B-loc	O	B-loc.adm.town	...	O	Q1296	_	NoSpaceAfter
    .	O	O	O	...	O	_	_	EndOfSentence

Read are the literal coarse tags and the nested ones; ``_`` is no tag. A flag ends a sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain

from innermost.corpus.context import Context
from innermost.corpus.formats.columns.layout import Layout
from innermost.corpus.formats.columns.lines import Block

DOCUMENT_ID = re.compile(r"# (?:\w+:)?document_id = (.+)")
_READ = ("NE-COARSE-LIT", "NE-NESTED")
_FLAGS = "MISC"
_END = "EndOfSentence"


def is_header(columns: Sequence[str]) -> bool:
    return columns[0] == "TOKEN" and _READ[0] in columns


def layout_of_columns(names: Sequence[str], chosen: Layout | None, context: Context) -> Layout:
    """The layout by the names of the columns; those that are not read are reported."""
    flags = names.index(_FLAGS) if _FLAGS in names else None
    if chosen is not None:
        return replace(chosen, outside="_", flags=flags)
    tags = [number for number, name in enumerate(names) if name in _READ]
    _report_unread(names, tags, context)
    return Layout(0, tuple(tags), outside="_", flags=flags)


def _report_unread(names: Sequence[str], tags: Sequence[int], context: Context) -> None:
    unread = [n for n, name in enumerate(names) if name.startswith("NE-") and n not in tags]
    if unread:
        named = [" and ".join(names[n] for n in tags), ", ".join(names[n] for n in unread)]
        read, others = (",".join(str(number + 1) for number in part) for part in (tags, unread))
        context.odd(
            "several columns of tags",
            f"read as entities: {named[0]} (tags={read}); not read: {named[1]}; to choose: "
            f"--read-set tags={others}",
        )


def sentences_of(block: Block, layout: Layout) -> Iterator[Block]:
    """The sentences of a document, which never end inside an entity; the first has its comments."""
    if layout.flags is None:
        yield block
        return
    part = Block(block.comments)
    following = chain((columns for _, columns in block.rows[1:]), [[]])
    for (number, columns), after in zip(block.rows, following, strict=True):
        part.rows.append((number, columns))
        if _END in _cell(columns, layout.flags).split("|") and not _continues(after, layout):
            yield part
            part = Block()
    if part.rows or part.comments:
        yield part


def _continues(columns: Sequence[str], layout: Layout) -> bool:
    return any(_cell(columns, number).startswith(("I-", "E-")) for number in layout.tags)


def _cell(columns: Sequence[str], number: int) -> str:
    return columns[number] if number < len(columns) else ""
