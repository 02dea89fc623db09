"""The sentences of a BioC document.

Offsets count characters in some files and bytes of UTF-8 in others: they count what agrees with the
texts of the annotations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from innermost.corpus.context import Context
from innermost.corpus.formats.bioc.structure import Annotation, Document, Location, Passage, Piece
from innermost.corpus.sentence import Sentence
from innermost.corpus.shared.character_spans import sentences_from_text, split_text
from innermost.corpus.shared.discontinuous import fill_gaps_or_lose
from innermost.corpus.shared.text_documents import identified
from innermost.nest import Span
from innermost.text.align import Offsets

TYPE = "type"
_SHOWN = 60


@dataclass(frozen=True, slots=True)
class _Placed:
    """A piece, and where its text starts in that of the document."""

    piece: Piece
    start: int


class _Outside(Exception):  # noqa: N818
    """A location is not inside one piece."""


def sentences_of(document: Document, context: Context) -> list[Sentence]:
    """The sentences; none, once all bad annotations are recorded, if there are any."""
    _report(document, context)
    text, passages = _joined(document.passages)
    measure = _measure(document, text, passages)
    annotations = [
        (annotation, placed)
        for passage, placed in zip(document.passages, passages, strict=True)
        for annotation in passage.annotations
    ]

    def spans_of(located: tuple[Annotation, list[_Placed]]) -> list[Span]:
        annotation, placed = located
        place = context.at(annotation.line or document.line, record=context.record)
        return _spans(annotation, placed, text, measure, place)

    problems = context.problems.count
    spans = list(context.each(annotations, spans_of))
    if context.problems.count > problems:
        return []
    tokens = [s for placed in passages for part in placed for s in _tokens(part, context)]
    sentences = sentences_from_text(text, spans, context, tokens=tokens, doc=document.id or None)
    return identified(sentences, id=None, doc=document.id or None)


def _report(document: Document, context: Context) -> None:
    unread = [item for infons in document.infons for item in infons.items()]
    for passage in document.passages:
        for annotation in passage.annotations:
            unread += [item for item in annotation.infons.items() if item[0] != TYPE]
    for key, value in unread:
        if value.strip():
            context.lost("infon", f"{key}={value}"[:_SHOWN])
    if document.relations:
        context.lost("relation", f"{document.relations} of document {document.id!r}")


def _joined(passages: list[Passage]) -> tuple[str, list[list[_Placed]]]:
    """The text of the document: a line for each passage, a space between sentences."""
    texts: list[str] = []
    length = 0
    result: list[list[_Placed]] = []
    for passage in passages:
        placed: list[_Placed] = []
        for piece in passage.pieces:
            gap = "" if not texts else " " if placed else "\n"
            texts.append(gap + piece.text)
            placed.append(_Placed(piece, length + len(gap)))
            length += len(texts[-1])
        result.append(placed)
    return "".join(texts), result


def _tokens(placed: _Placed, context: Context) -> Iterator[list[Offsets]]:
    sentences = split_text(placed.piece.text, context)
    if placed.piece.is_sentence:
        sentences = [[token for sentence in sentences for token in sentence]]
    for sentence in sentences:
        yield [(placed.start + start, placed.start + end) for start, end in sentence]


Measure = Callable[[str], int]
"""The length of a text, in what offsets count."""


def _bytes(text: str) -> int:
    return len(text.encode())


def _measure(document: Document, text: str, passages: list[list[_Placed]]) -> Measure:
    """What the offsets of a document count: bytes only if characters do not fit."""
    if text.isascii() or _all_fit(document, text, passages, len):
        return len
    return _bytes if _all_fit(document, text, passages, _bytes) else len


def _all_fit(
    document: Document, text: str, passages: list[list[_Placed]], measure: Measure
) -> bool:
    for passage, placed in zip(document.passages, passages, strict=True):
        for annotation in passage.annotations:
            try:
                places = [_place(location, placed, measure) for location in annotation.locations]
            except _Outside:
                return False
            if not _agrees(annotation, places, text):
                return False
    return True


def _place(location: Location, passage: list[_Placed], measure: Measure) -> Offsets:
    """Where a location is in the text of the document."""
    offset, length = location
    for placed in passage:
        piece, first = placed.piece, offset - placed.piece.offset
        if length > 0 and first >= 0 and first + length <= measure(piece.text):
            if measure is len:
                return placed.start + first, placed.start + first + length
            data = piece.text.encode()
            before, inside = data[:first], data[first : first + length]
            start = placed.start + len(before.decode(errors="replace"))
            return start, start + len(inside.decode(errors="replace"))
    raise _Outside


def _agrees(annotation: Annotation, places: list[Offsets], text: str) -> bool:
    """Whether the text of an annotation is the text there; the parts of one are not compared."""
    if annotation.text is None or len(places) != 1:
        return True
    (start, end), *_ = places
    return text[start:end].split() == annotation.text.split()


def _spans(
    annotation: Annotation, passage: list[_Placed], text: str, measure: Measure, context: Context
) -> list[Span]:
    """The entity of an annotation; none if it is discontinuous and to be lost."""
    if not annotation.locations:
        context.lost("annotation without a location", str(annotation.text)[:_SHOWN])
        return []
    label = annotation.infons.get(TYPE, "").strip()
    if not label:
        raise context.wrong(
            f"an annotation without a type: {annotation.text!r}"[:200],
            hint='its type is <infon key="type">, in JSON "infons": {"type": ...}',
        )
    try:
        places = sorted(_place(location, passage, measure) for location in annotation.locations)
    except _Outside:
        raise context.wrong(
            f"the annotation {annotation.text!r} is not inside its passage: "
            f"{_shown(annotation.locations)}",
            hint="offsets count from the start of the document, and the passage has its own",
        ) from None
    if not _agrees(annotation, places, text):
        (start, end), *_ = places
        raise context.wrong(
            f"the annotation says {annotation.text!r}, the text has {text[start:end]!r} "
            f"at {_shown(annotation.locations)}",
            hint="offsets count characters, or bytes of UTF-8, from the start of the document",
        )
    whole = Span(places[0][0], max(end for _, end in places), label)
    parts = f"{label} {annotation.text!r}: {_shown(annotation.locations)}"
    return [whole] if len(places) == 1 or fill_gaps_or_lose(parts, context) else []


def _shown(locations: list[Location]) -> str:
    return ", ".join(f"offset {offset}, length {length}" for offset, length in locations)
