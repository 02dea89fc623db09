"""Blocks: for each sentence a line of words, one of entities, and a blank line::

    the wife of Bob left
    DT NN IN NNP VBD
    0,4 PER|3,4 PER

The line of part-of-speech tags can be missing; that of entities is empty if there are none. Ends
are exclusive or, as in NNE and in papers on discontinuous entities, inclusive. Further numbers are
the other parts of a discontinuous entity (``0,0,2,3 ADR``) or the head of the entity. What the
numbers mean is detected where the file shows it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from innermost.corpus.context import Context
from innermost.corpus.format import Format
from innermost.corpus.formats.blocks.lines import (
    Block,
    are_blocks,
    begins_like_entities,
    blocks,
)
from innermost.corpus.formats.blocks.meaning import (
    ENDS,
    PAIRS,
    Meaning,
    meaning_of,
    spans,
)
from innermost.corpus.sentence import Sentence
from innermost.corpus.shared.discontinuous import SETTING, check_choice
from innermost.corpus.shared.unsupported import lose_entity, lose_sentence, report_unheld
from innermost.files.source import BOM_CHARACTER, Source, open_output

_TAGS = "pos"
_UNHOLDABLE = re.compile(r"[ \t\r\n]|^$")


class _Blocks(Format):
    name = "blocks"
    description = "papers on nested entities: a line of words, of tags, of entities as 0,3 ORG"
    suffixes = (".blocks",)
    holds = frozenset({"crossings", "duplicates", "tokens"})
    reading_settings = ("ends", "pairs", SETTING)

    def sniff(self, source: Source) -> bool:
        return are_blocks(source)

    def sentences(self, source: Source, context: Context) -> Iterator[Sentence]:
        for key, choices in (("ends", ENDS), ("pairs", PAIRS)):
            context.options.choice(key, choices)
        check_choice(context)
        if not context.options.entities:
            for block in blocks(source, context):
                yield _sentence(block, None, context)
            return
        complete = list(blocks(source, context))
        meaning = meaning_of(complete, context)
        yield from context.each(complete, lambda block: [_sentence(block, meaning, context)])

    def save(self, sentences: Iterable[Sentence], path: Path | str, context: Context) -> None:
        is_first = True
        with open_output(path) as sink:
            for number, sentence in enumerate(_without_numbers(sentences, context), start=1):
                if why := _unholdable(sentence):
                    lose_sentence(sentence, number, why, context)
                    continue
                text = _written(sentence, number, context)
                if is_first and text.startswith(BOM_CHARACTER):
                    text = BOM_CHARACTER + text  # readers drop the first one as a byte order mark
                is_first = False
                sink.write(text.encode())


def _sentence(block: Block, meaning: Meaning | None, context: Context) -> Sentence:
    entities = spans(block, meaning, context) if meaning else []
    extra = {_TAGS: block.tags} if block.tags else {}
    return Sentence(block.words, entities, extra=extra, line=block.line)


def _without_numbers(sentences: Iterable[Sentence], context: Context) -> Iterator[Sentence]:
    """The sentences without names that only number the documents, as formats that need one give.

    Without them no name is lost, only where documents begin.
    """
    count, last = 0, None
    for number, sentence in enumerate(sentences, start=1):
        doc = sentence.doc
        count += doc is None or doc != last
        last = doc
        if doc is not None and re.fullmatch(rf"(document-)?0*{count}", doc):
            context.changed("document number", f"{doc!r} of sentence {number}: dropped")
            sentence = replace(sentence, doc=None)
        yield sentence


def _unholdable(sentence: Sentence) -> str | None:
    for token in sentence.tokens:
        if _UNHOLDABLE.search(token):
            return f"the token {token!r} is empty or has a space or a line break"
    return None if sentence.tokens else "it has no tokens"


def _written(sentence: Sentence, number: int, context: Context) -> str:
    lines = [sentence.tokens]
    rest = dict(sentence.extra)
    if _are_tags(rest.get(_TAGS), len(sentence.tokens)):
        lines.append(rest.pop(_TAGS))
    report_unheld(replace(sentence, extra=rest), number, context)
    entities: list[str] = []
    for start, end, label in sentence.entities:
        if "|" in label:
            detail = f"of sentence {number}: its label {label!r} has a |"
            lose_entity("entity", detail, context)
        else:
            entities.append(f"{start},{end} {label}")
    return "".join(f"{' '.join(line)}\n" for line in lines) + "|".join(entities) + "\n\n"


def _are_tags(value: Any, size: int) -> bool:
    return (
        isinstance(value, list)
        and len(value) == size
        and all(isinstance(tag, str) and not _UNHOLDABLE.search(tag) for tag in value)
        and not begins_like_entities(" ".join(value))
    )


FORMAT = _Blocks()
