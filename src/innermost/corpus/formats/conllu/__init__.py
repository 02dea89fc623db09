r"""CoNLL-U with entities in brackets in its last column, as in CorefUD and GUM::

    # global.Entity = eid-etype
    # newdoc id = letter-7
    # sent_id = 1
    # text = the wife of Bob
    1	the	_	_	_	_	_	_	_	Entity=(e1-person
    2	wife	_	_	_	_	_	_	_	_
    3	of	_	_	_	_	_	_	_	_
    4	Bob	_	_	_	_	_	_	_	Entity=(e2-person)e1)|SpaceAfter=No

Only words, spacing and entities are read, neither the syntax nor the coreference of mentions. Where
no word has brackets, entities may be tags: ``name=B-PER``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from innermost.corpus.context import Context
from innermost.corpus.format import Format
from innermost.corpus.formats.columns.lines import DOCUMENT, SENTENCE_ID, Block
from innermost.corpus.formats.conllu.entities import (
    Fields,
    Mentions,
    fields_of_header,
)
from innermost.corpus.formats.conllu.tags import KEYS, key_of_tags, tagged_spans
from innermost.corpus.formats.conllu.words import Row, Tokens, row, tokens_of
from innermost.corpus.formats.conllu.write import write
from innermost.corpus.sentence import Sentence
from innermost.corpus.shared.discontinuous import SETTING, check_choice
from innermost.errors import DataError
from innermost.files.source import Source
from innermost.nest import Span

_HEADER = re.compile(r"# global\.Entity = (\S+)")
_TEXT = re.compile(r"# text(_\w+)? = ")
_NO_TAGS = "none"
_ROW = re.compile(rb"\d+([-.]\d+)?\t[^\t\n]+(\t[^\t\n]*){8}\r?\n")


class _ConllU(Format):
    name = "conllu"
    description = "CoNLL-U with Entity= brackets or tags in MISC: CorefUD, GUM, NorNE, DaNE"
    suffixes = (".conllu",)
    holds = frozenset({"crossings", "duplicates", "tokens", "gaps", "doc", "id"})
    reading_settings = (SETTING, "tags")

    def sniff(self, source: Source) -> bool:
        lines = source.head().splitlines(keepends=True)[:-1]
        rows = [line for line in lines if line.strip() and not line.startswith(b"#")]
        return bool(rows) and all(map(_ROW.fullmatch, rows))

    def sentences(self, source: Source, context: Context) -> Iterator[Sentence]:
        check_choice(context)
        reader = _Reader(context.options.settings.get("tags"))
        yield from context.each(_blocks(source), lambda block: reader.sentence(block, context))
        if not reader.has_entities:
            keys = ", ".join(f"{key}=" for key in KEYS)
            message = f"no word has Entity= in the last column, or a tag ({keys})"
            context.odd("no entities", f"{message}; another key of tags: --read-set tags=KEY")

    def save(self, sentences: Iterable[Sentence], path: Path | str, context: Context) -> None:
        write(sentences, path, context)


def _blocks(source: Source) -> Iterator[Block]:
    block = Block()
    for number, line in source.text_lines():
        if not line.strip():
            if block.rows or block.comments:
                yield block
            block = Block()
        elif line.startswith("#"):
            block.comments.append((number, line))
        else:
            block.rows.append((number, line.split("\t")))
    if block.rows or block.comments:
        yield block


class _Reader:
    """State kept across sentences: the document, and what the brackets mean."""

    def __init__(self, tags: str | None) -> None:
        self.has_entities = False
        self._given = tags
        self._found: str | None = None
        self._fields: Fields | None = None
        self._doc: str | None = None
        self._is_unnamed = False

    def sentence(self, block: Block, context: Context) -> list[Sentence]:
        comments, sentence_id = self._comments(block, context)
        if not block.rows:
            return []
        line = block.rows[0][0]
        rows = self._rows(block, context)
        if rows is None:
            return []
        tokens = tokens_of(rows, context.at(line))
        return [
            Sentence(
                tokens.forms,
                self._entities(rows, tokens, context.at(line)),
                None if _is_spaced(tokens.gaps) else tokens.gaps,
                id=sentence_id,
                doc=self._doc,
                extra={"comments": comments} if comments else {},
                line=line,
                unnamed=self._is_unnamed,
            )
        ]

    def _comments(self, block: Block, context: Context) -> tuple[list[str], str | None]:
        """Apply the comments that we know; return the others and the sentence's id."""
        others: list[str] = []
        sentence_id: str | None = None
        for number, comment in block.comments:
            if match := _HEADER.fullmatch(comment):
                self._fields = fields_of_header(match[1].split("-"))
            elif match := DOCUMENT.fullmatch(comment):
                self._is_unnamed = match[1] is None
                self._doc = context.at(number).name if match[1] is None else match[1]
            elif match := SENTENCE_ID.fullmatch(comment):
                sentence_id = match[1]
            elif not _TEXT.match(comment):
                others.append(comment)
        return others, sentence_id

    def _rows(self, block: Block, context: Context) -> list[Row] | None:
        """The rows; None if one is bad, once all bad rows are recorded."""
        rows: list[Row] = []
        for number, columns in block.rows:
            try:
                rows.append(row(columns, context.at(number)))
            except DataError as error:
                context.bad(error)
        return rows if len(rows) == len(block.rows) else None

    def _entities(self, rows: list[Row], tokens: Tokens, context: Context) -> list[Span]:
        key = self._key_of_tags(rows, context)
        if key is not None:
            self.has_entities = True
            return tagged_spans(rows, key, tokens, context)
        return self._bracketed(rows, tokens, context)

    def _key_of_tags(self, rows: list[Row], context: Context) -> str | None:
        """As given, or else the first sentence with either annotation decides for the file."""
        has_brackets = any("Entity" in item.misc for item in rows)
        if self._given is not None:
            return None if self._given == _NO_TAGS else self._given
        if not self.has_entities and not has_brackets:
            self._found = key_of_tags(rows)
        if self._found is not None and has_brackets:
            hint = f"for them: --read-set tags={_NO_TAGS}"
            context.lost(
                "Entity= in addition to tags", f"the tags of {self._found}= are read; {hint}"
            )
        return self._found

    def _bracketed(self, rows: list[Row], tokens: Tokens, context: Context) -> list[Span]:
        mentions = Mentions(self._fields)
        for item in rows:
            value = item.misc.get("Entity")
            if value is None:
                continue
            self.has_entities = True
            place = context.at(item.line)
            if item.is_empty:
                place.lost("mention of an empty node", f"Entity={value}"[:80])
            elif item.last is not None:
                raise place.wrong("Entity= on a multiword token", hint="put it on its words")
            else:
                mentions.add(value, item.first, place)
        spans: list[Span] = []
        words = tokens.owner
        for start, end, label in mentions.finish(context):
            span = Span(words[start], words[end - 1] + 1, label)
            begins_inside = words.get(start - 1) == words[start]
            ends_inside = words.get(end) == words[end - 1]
            if begins_inside or ends_inside:
                form = tokens.forms[words[start] if begins_inside else words[end - 1]]
                context.changed("span widened to whole tokens", f"{label}: {form!r}")
            spans.append(span)
        return spans


def _is_spaced(gaps: list[str]) -> bool:
    return gaps[0] == "" and all(gap == " " for gap in gaps[1:])


FORMAT = _ConllU()
