"""Entities as tags in MISC instead of brackets: ``name=B-PER``, as in NorNE and DaNE, or
``ner=``, or ``NE=``, as in the Japanese GSD.

Tags cannot nest. They are read in a file that begins with tags and not with brackets.
"""

from __future__ import annotations

from collections.abc import Sequence

from innermost.corpus.context import Context
from innermost.corpus.formats.conllu.words import Row, Tokens
from innermost.corpus.shared.tag_schemes import Tag, report_no_beginning, spans_of, split_tag
from innermost.nest import Span

KEYS = ("name", "ner", "NER", "NE")


def key_of_tags(rows: Sequence[Row]) -> str | None:
    """The known key whose values are tags, if any word has one."""
    for item in rows:
        for key in KEYS:
            if split_tag(item.misc.get(key, "")) is not None:
                return key
    return None


def tagged_spans(rows: Sequence[Row], key: str, tokens: Tokens, context: Context) -> list[Span]:
    words = [item for item in rows if item.last is None and not item.is_empty]
    spans, begun_inside = spans_of([_tag(word, key, context) for word in words])
    for position in begun_inside:
        word = words[position]
        report_no_beginning(f"{key}={word.misc[key]}", context.at(word.line))
    owner = tokens.owner  # by word number, from 1
    return [Span(owner[s.start + 1], owner[s.end] + 1, s.label) for s in spans]


def _tag(word: Row, key: str, context: Context) -> Tag:
    value = word.misc.get(key, "O")
    tag = split_tag(value)
    if tag is None:
        raise context.at(word.line).wrong(
            f"{key}={value} is no tag",
            hint="O, or B-PER, I-PER and the like; else --read-set tags=none",
        )
    return tag
