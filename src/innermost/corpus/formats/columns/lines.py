"""The lines of a file of columns: tokens, comments, and what ends a sentence."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace

from innermost.corpus.context import Context
from innermost.corpus.sentence import Sentence
from innermost.corpus.shared.tag_schemes import split_tag
from innermost.corpus.shared.unsupported import lose_sentence, report_unheld
from innermost.files.source import Source

DOCUMENT = re.compile(r"# newdoc(?: id = (.*))?")
SENTENCE_ID = re.compile(r"# sent_id = (.*)")


@dataclass(slots=True)
class Block:
    """The lines of one sentence: its comments and its token lines, split into columns."""

    comments: list[tuple[int, str]] = field(default_factory=list)
    rows: list[tuple[int, list[str]]] = field(default_factory=list)


def blocks(source: Source) -> Iterator[Block]:
    block = Block()
    is_tabbed = False
    """Whether the last line with columns had TABs."""
    for number, line in source.text_lines():
        columns = split(line)
        if not columns:
            if block.rows or block.comments:
                yield block
            block = Block()
        elif (not block.rows and is_comment(line, columns)) or (
            is_tabbed and line.startswith("# ") and "\t" not in line
        ):
            block.comments.append((number, line))
        else:
            block.rows.append((number, columns))
            is_tabbed = "\t" in line
    if block.rows or block.comments:
        yield block


def split(line: str) -> list[str]:
    """The columns: between TABs if there are any, else between spaces. None for an empty line."""
    line = line.rstrip(" \t\r")
    if "\t" in line:
        return line.split("\t")
    return [column for column in line.split(" ") if column]


def is_comment(line: str, columns: list[str]) -> bool:
    """A token may begin with # too, but a tag follows it."""
    if not line.startswith("#"):
        return False
    if "\t" not in line and (DOCUMENT.fullmatch(line) or SENTENCE_ID.fullmatch(line)):
        return True
    is_spaced = line.lstrip("#")[:1] in (" ", "\t")
    return len(columns) == 1 or (is_spaced and split_tag(columns[-1]) is None)


def headed(
    sentences: Iterable[Sentence],
    context: Context,
    unholdable: Callable[[Sentence], str | None],
    is_comment: Callable[[object], bool],
) -> Iterator[tuple[Sentence, list[str]]]:
    """The sentences that can be written, each with the comments above it; reports what is lost.

    ``unholdable`` says why a sentence cannot be written, if so; ``is_comment`` whether a comment of
    the source would be read back as one.
    """
    document: str | None = None
    for number, sentence in enumerate(sentences, start=1):
        if why := unholdable(sentence):
            lose_sentence(sentence, number, why, context)
            continue
        comments, other = sentence.extra.get("comments"), sentence
        if isinstance(comments, list) and all(map(is_comment, comments)):
            rest = {key: value for key, value in sentence.extra.items() if key != "comments"}
            other = replace(sentence, extra=rest)
        else:
            comments = []
        report_unheld(other, number, context)
        yield sentence, [*_names(sentence, document), *comments]
        document = sentence.doc


def _names(sentence: Sentence, document: str | None) -> list[str]:
    """The comments that name a sentence and, if it is not that of the last one, its document."""
    lines = []
    if sentence.doc != document:
        lines.append("# newdoc" if sentence.doc is None else f"# newdoc id = {sentence.doc}")
    if sentence.id is not None:
        lines.append(f"# sent_id = {sentence.id}")
    return lines
