"""Sentences of annotated corpora as their authors published them; for multilingual_data.py.

The package's readers report every slip of a corpus. These take what is sound and leave the rest.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Iterator
from xml.etree import ElementTree

from innermost.corpus import Sentence
from innermost.nest import Span

Reader = Callable[[bytes], Iterator[Sentence]]


def columns(tag: int, *more: int, word: int = 0, prefix: str = "") -> Reader:
    """Sentences of lines of columns; ``more`` columns hold further layers."""

    def read_columns(data: bytes) -> Iterator[Sentence]:
        rows: list[list[str]] = []
        for line in [*data.decode("utf-8-sig").splitlines(), ""]:
            cells = line.split("\t") if "\t" in line else line.split()
            if cells and not line.startswith(("# ", "-DOCSTART")):
                if len(cells) > max(tag, word):
                    rows.append(cells)
            elif rows:
                tokens = [row[word].removeprefix(prefix) for row in rows]
                spans = {
                    span
                    for column in (tag, *more)
                    for span in tagged([row[column] for row in rows])
                }
                yield Sentence(tokens, sorted(spans, key=lambda s: (s.start, -s.end, s.label)))
                rows = []

    return read_columns


def tagged(tags: list[str]) -> Iterator[Span]:
    """Entities of B and I tags; an I without its B begins one, as in corpora with IOB1."""
    start, label = 0, ""
    for i, tag in enumerate([*tags, "O"]):
        kind, _, name = tag.partition("-") if "-" in tag else ("", "", tag if tag.isalpha() else "")
        if kind not in ("B", "I") and name in ("O", "POS", "_"):
            name = ""
        if label and (kind != "I" or name != label):
            yield Span(start, i, label)
            label = ""
        if name and not label:
            start, label = i, name


def runs(data: bytes) -> Iterator[Sentence]:
    """Columns without sentence breaks: a full stop ends one."""
    rows: list[list[str]] = []
    for line in data.decode("utf-8", "replace").splitlines():
        cells = line.split()
        if len(cells) < 2:
            continue
        rows.append(cells)
        if (cells[0] in (".", "!", "?") and len(rows) > 4) or len(rows) == 100:
            tags = [row[-1] for row in rows]
            yield Sentence([row[0] for row in rows], list(tagged(tags)))
            rows = []


def wikiann(word: int, tag: int, prefix: str = "") -> Reader:
    """Real sentences only: most of WikiANN are titles, lists and redirections."""

    def read_sentences(data: bytes) -> Iterator[Sentence]:
        for sentence in columns(tag, word=word, prefix=prefix)(data):
            named = {i for span in sentence.entities for i in range(span.start, span.end)}
            rest = [t for i, t in enumerate(sentence.tokens) if i not in named]
            if sum(t.isalpha() and t.islower() for t in rest) >= 2:
                yield sentence

    return read_sentences


def tei(data: bytes) -> Iterator[Sentence]:
    """Sentences of TEI with words (w), punctuation (pc), and names or rs around them."""
    try:
        root = ElementTree.fromstring(data)
    except ElementTree.ParseError:
        return
    for element in root.iter():
        if local(element) == "s":
            tokens: list[str] = []
            spans: list[Span] = []
            _collect(element, tokens, spans)
            if tokens:
                yield Sentence(tokens, spans)


def _collect(element: ElementTree.Element, tokens: list[str], spans: list[Span]) -> None:
    for child in element:
        if local(child) in ("w", "pc"):
            parts = "".join(child.itertext()).split()
            if parts:
                tokens.append("".join(parts))
        elif local(child) in ("name", "rs"):
            start = len(tokens)
            _collect(child, tokens, spans)
            if len(tokens) > start:
                spans.append(Span(start, len(tokens), child.get("type") or "OTH"))
        elif local(child) not in ("linkGrp", "link"):
            _collect(child, tokens, spans)


def local(element: ElementTree.Element) -> str:
    return element.tag.rpartition("}")[2]


def zipped(data: bytes) -> Iterator[Sentence]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for name in archive.namelist():
            if name.endswith(".conllup"):
                yield from columns(10, word=1)(archive.read(name))
