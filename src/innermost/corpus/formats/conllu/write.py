"""Write sentences as CoNLL-U: one row per token, entities as brackets in the last column."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import chain
from pathlib import Path

from innermost.corpus.context import Context
from innermost.corpus.formats.columns.lines import DOCUMENT, SENTENCE_ID, headed
from innermost.corpus.formats.conllu.words import spaces_of
from innermost.corpus.sentence import Sentence
from innermost.files.source import open_output

_HEADER = "# global.Entity = eid-etype\n"
_SPECIAL = re.compile(r"[^\w.]")
_LINE_PARTS = re.compile(r"[\t\n\r]|^$")


def write(sentences: Iterable[Sentence], path: Path | str, context: Context) -> None:
    mentions = 0
    with open_output(path) as sink:
        sink.write(_HEADER.encode())
        for sentence, lines in headed(sentences, context, _unholdable, _is_comment):
            lines.append(f"# text = {' '.join(sentence.text.split())}")
            lines += _rows(sentence, mentions)
            mentions += len(sentence.entities)
            sink.write("".join(f"{line}\n" for line in [*lines, ""]).encode())


def _rows(sentence: Sentence, mentions: int) -> Iterable[str]:
    opening: list[list[str]] = [[] for _ in sentence.tokens]
    closing: list[list[str]] = [[] for _ in sentence.tokens]
    ordered = sorted(sentence.entities, key=lambda span: (span.start, -span.end, span.label))
    for number, (start, end, label) in enumerate(ordered, start=mentions + 1):
        bracket = f"(e{number}-{escaped(label)}"
        if end - start == 1:
            opening[start].append(f"{bracket})")
        else:
            opening[start].append(bracket)
            closing[end - 1].append(f"e{number})")
    gaps = sentence.filled_gaps()[1:] if sentence.gaps is not None else [" "] * len(opening)
    for index, (token, gap) in enumerate(zip(sentence.tokens, gaps, strict=True)):
        # Closing brackets come first: anything after an opening one would be read as part of it.
        brackets = "".join(chain(reversed(closing[index]), opening[index]))
        entity = f"Entity={brackets}" if brackets else None
        misc = "|".join(item for item in (entity, spaces_of(gap)) if item)
        yield "\t".join([str(index + 1), token, *"_" * 7, misc or "_"])


def escaped(label: str) -> str:
    """A label without the characters that have a meaning in brackets."""
    return _SPECIAL.sub(lambda match: "".join(f"%{b:02X}" for b in match[0].encode()), label)


def _is_comment(comment: object) -> bool:
    return (
        isinstance(comment, str)
        and comment.startswith("#")
        and "\n" not in comment
        and not any(pattern.fullmatch(comment) for pattern in (DOCUMENT, SENTENCE_ID))
    )


def _unholdable(sentence: Sentence) -> str | None:
    if not sentence.tokens:
        return "it has no tokens"
    for token in sentence.tokens:
        if _LINE_PARTS.search(token) or not token.strip():
            return f"the token {token!r} is blank or holds a TAB or a line break"
    for name in (sentence.doc, sentence.id):
        if name is not None and _LINE_PARTS.search(name):
            return f"the name {name!r} is empty or holds a TAB or a line break"
    return None
