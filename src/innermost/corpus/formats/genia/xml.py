"""The two forms of GENIA's XML: the official term annotation, and the form merged with tokens."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import IO

from innermost.corpus.shared.xml_events import End, Start, Text, events
from innermost.errors import DataError
from innermost.text.align import Offsets


@dataclass(frozen=True, slots=True)
class Term:
    start: int
    end: int
    sem: str
    """The type: ``G#protein_molecule``, ``(AND G#DNA_N/A G#DNA_N/A)``, or nothing."""


@dataclass(slots=True)
class Annotated:
    """One sentence: its text, and its terms in the order of their closing tags."""

    line: int
    in_title: bool
    text: str = ""
    terms: list[Term] = field(default_factory=list)
    words: list[Offsets] = field(default_factory=list)
    """The tokens, in the merged form only."""


@dataclass(slots=True)
class Article:
    line: int
    id: str = ""
    sentences: list[Annotated] = field(default_factory=list)


def articles(file: IO[bytes], path: str) -> Iterator[Article]:
    """The articles of an XML file in either form."""
    article: Article | None = None
    sentence: Annotated | None = None
    open_terms: list[tuple[int, str]] = []
    word_start = 0
    within: list[str] = []
    for event in events(file, path):
        if isinstance(event, Start):
            within.append(event.name)
            if event.name == "article":
                article = Article(event.line)
            elif event.name == "sentence":
                sentence = Annotated(event.line, "title" in within)
            elif event.name == "cons" and sentence:
                open_terms.append((len(sentence.text), event.attributes.get("sem", "")))
            elif event.name == "w" and sentence:
                word_start = len(sentence.text)
        elif isinstance(event, Text):
            if sentence:
                sentence.text += event.text
            elif article and within[-1] == "bibliomisc":
                article.id += event.text.strip().removeprefix("MEDLINE:")
        else:
            _close(event, sentence, open_terms, word_start, path)
            within.pop()
            if event.name == "sentence" and sentence:
                if not article:
                    raise DataError("a sentence outside an article", path=path, line=event.line)
                article.sentences.append(sentence)
                sentence = None
            elif event.name == "article" and article:
                yield article
                article = None


def _close(
    event: End,
    sentence: Annotated | None,
    open_terms: list[tuple[int, str]],
    word_start: int,
    path: str,
) -> None:
    if sentence is None:
        return
    if event.name == "cons":
        start, sem = open_terms.pop()
        sentence.terms.append(Term(start, len(sentence.text), sem))
    elif event.name == "w":
        if word_start == len(sentence.text):
            raise DataError("an empty <w>", path=path, line=event.line)
        sentence.words.append((word_start, len(sentence.text)))
