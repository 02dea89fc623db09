r"""Brackets: one sentence per line, entities in square brackets after their label::

    # doc = letter-7
    [PER the wife of [PER Bob]] came .

A backslash escapes ``[``, ``]``, ``\`` and a ``#`` at the beginning of a line; ``\n`` and ``\r``
are line breaks within a sentence, and a backslash at the end of a line means that the sentence has
no line break after it. ``\s`` is a space within a label.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from innermost.corpus.context import Context
from innermost.corpus.format import Format
from innermost.corpus.sentence import Sentence
from innermost.corpus.shared.bracketing import bracketed
from innermost.corpus.shared.character_spans import text_of
from innermost.corpus.shared.crossings import without_crossings
from innermost.corpus.shared.text_documents import (
    read_one_sentence,
    report_tokens,
)
from innermost.corpus.shared.unsupported import lose_sentence, report_unheld
from innermost.errors import DataError
from innermost.files.source import Source, open_output
from innermost.nest import Span

_SPECIAL = re.compile(r"[\[\]\\\n\r]")
_PIECE = re.compile(r"\\(.?)|\[((?:[^\\\[\] ]|\\.)+) |([\[\]])|[^\\\[\]]+", re.DOTALL)
_ESCAPES = {"n": "\n", "r": "\r", "s": " ", "[": "[", "]": "]", "\\": "\\", "#": "#"}
_DOCUMENT = "# doc = "


class _Brackets(Format):
    name = "brackets"
    description = "one sentence per line: [PER the wife of [PER Bob]] came ."
    suffixes = (".brackets",)
    holds = frozenset({"duplicates", "gaps", "doc"})

    def sniff(self, source: Source) -> bool:
        head = source.head(1 << 12).decode(errors="replace")
        lines = [line for line in head.split("\n")[:-1] if line and not line.startswith("#")]
        return any(re.search(r"(?<!\\)\[\w[^\s\[\]]* \S", line) for line in lines) and not any(
            "\t" in line or line.startswith(("{", "<")) for line in lines
        )

    def sentences(self, source: Source, context: Context) -> Iterator[Sentence]:
        doc: str | None = None
        for number, line in source.text_lines():
            if line.startswith("#"):
                if line.startswith(_DOCUMENT):
                    doc = _unescaped(line.removeprefix(_DOCUMENT), context.at(number))
                elif line == _DOCUMENT.rstrip():
                    doc = None
                else:
                    context.lost("comment", line[:60], line=number)
            elif line.strip():
                place = context.at(number)
                try:
                    sentence = read_one_sentence(*_parsed(line, place), place, doc=doc)
                except DataError as error:
                    context.bad(error)
                else:
                    yield sentence

    def save(self, sentences: Iterable[Sentence], path: Path | str, context: Context) -> None:
        doc: str | None = None
        with open_output(path) as sink:
            for number, sentence in enumerate(sentences, start=1):
                report_unheld(sentence, number, context)
                if not sentence.text.strip():
                    lose_sentence(sentence, number, "it is blank", context)
                    continue
                report_tokens([sentence], context, as_one_sentence=True)
                if sentence.doc != doc:
                    doc = sentence.doc
                    name = "" if doc is None else _escaped(doc)
                    sink.write(f"{_DOCUMENT}{name}".strip(" ").encode() + b"\n")
                sink.write(_line(sentence, context).encode())


def _line(sentence: Sentence, context: Context) -> str:
    text, spans = text_of([sentence])
    kept = without_crossings(spans, context, text=lambda s: text[s.start : s.end])
    ended = text.endswith("\n") and all(span.end < len(text) for span in kept)
    line = bracketed(
        text[:-1] if ended else text,
        kept,
        plain=_escaped,
        opening=lambda label: f"[{_escaped(label).replace(' ', chr(92) + 's')} ",
        closing=lambda label: "]",
    )
    if line.startswith(("#", "\ufeff")):
        line = "\\" + line
    return f"{line}\n" if ended else f"{line}\\\n"


def _escaped(text: str) -> str:
    names = {"\n": "n", "\r": "r"}
    return _SPECIAL.sub(lambda match: "\\" + names.get(match[0], match[0]), text)


def _unescaped(text: str, context: Context) -> str:
    def meaning(match: re.Match[str]) -> str:
        if match[1] not in _ESCAPES and match[1] != "\ufeff":
            raise context.wrong(
                f"a backslash before {match[1]!r} has no meaning",
                hint="write two backslashes for a literal one",
            )
        return _ESCAPES.get(match[1], match[1])

    return re.sub(r"\\(.?)", meaning, text, flags=re.DOTALL)


def _parsed(line: str, context: Context) -> tuple[str, list[Span]]:
    ended = not re.search(r"(?<!\\)(\\\\)*\\$", line)
    content = line if ended else line[:-1]
    text = ""
    around: list[tuple[str, int]] = []
    spans: list[Span] = []
    for piece in _PIECE.finditer(content):
        if piece[2] is not None:
            around.append((_unescaped(piece[2], context), len(text)))
        elif piece[3] == "]" and around:
            label, start = around.pop()
            if start == len(text):
                raise context.wrong(f"[{label} ] contains no text")
            spans.append(Span(start, len(text), label))
        elif piece[3] is not None:
            raise context.wrong(
                f"{piece[3]!r} at column {piece.start() + 1} does not open or close an entity",
                hint=f"an entity is [LABEL text]; for the character itself write \\{piece[3]}",
            )
        else:
            text += _unescaped(piece[0], context)
    if around:
        raise context.wrong(f"[{around[-1][0]} is not closed")
    return text + ("\n" if ended else ""), sorted(spans, key=lambda s: (s.start, -s.end))


FORMAT = _Brackets()
