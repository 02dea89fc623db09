"""The lines of an ``.ann`` file, checked against the text that they annotate."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import pairwise

from innermost.corpus.context import Context
from innermost.corpus.shared.discontinuous import fill_gaps_or_lose
from innermost.errors import DataError
from innermost.files.source import Source
from innermost.nest import Span

LINE_PARTS = str.maketrans("\t\n\r", "   ")
"""Text that is written on a single line has none of these."""

_KINDS = {
    "R": "relation",
    "E": "event",
    "A": "attribute",
    "M": "attribute",
    "N": "normalization",
    "*": "equivalence",
    "#": "note",
}
_FRAGMENT = r"[0-9]{1,18} [0-9]{1,18}"
_ENTITY = re.compile(rf"(T[^\t]*)\t(\S+) ({_FRAGMENT}(?:;{_FRAGMENT})*)(?:\t(.*))?")
_WITH_TABS = re.compile(r"(T[^\t]*\t\S+)\t([0-9]+)\t([0-9]+)(?=\t|$)")
"""An entity with TABs for the spaces, as in the Ukrainian corpus NER-UK."""
_SCORE = re.compile(r"#[^\t]*\tAnnotatorNotes (T[^\t]*)\tscore=([0-9.]+(?:e-[0-9]+)?)")

Fragments = list[tuple[int, int]]


@dataclass(slots=True)
class Annotations:
    spans: list[Span] = field(default_factory=list)
    scores: dict[Span, float] = field(default_factory=dict)


def read_annotations(source: Source, text: str, context: Context) -> Annotations:
    """The spans of a document. A bad line is one bad record: the others are kept."""
    entities: dict[str, Span] = {}
    annotations = Annotations()
    scores: list[tuple[str, float]] = []
    for number, line in source.text_lines():
        if not line.strip():
            continue
        place = context.at(number)
        if (note := _SCORE.fullmatch(line)) and (score := _probability(note[2])) is not None:
            scores.append((note[1], score))
        elif line[0] in _KINDS:
            place.lost(_KINDS[line[0]], line[:80])
        else:
            try:
                name, span = _entity(line, text, place)
            except DataError as error:
                place.bad(error)
                continue
            if span is not None:
                entities[name] = span
                annotations.spans.append(span)
    annotations.scores = {entities[name]: score for name, score in scores if name in entities}
    return annotations


def _probability(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if 0 <= value <= 1 else None


def _entity(line: str, text: str, context: Context) -> tuple[str, Span | None]:
    match = _ENTITY.fullmatch(_WITH_TABS.sub(r"\1 \2 \3", line, count=1))
    if match is None:
        raise context.wrong(
            f"not a brat annotation: {line[:60]!r}",
            hint="an entity is T1 TAB label start end TAB text",
        )
    name, label, places, quoted = match.groups()
    fragments = [(int(a), int(b)) for a, b in (place.split() for place in places.split(";"))]
    _check_text(fragments, quoted or "", text, context)
    # Fragments come in the order in which they were selected.
    fragments.sort()
    span = Span(fragments[0][0], max(end for _, end in fragments), label)
    is_kept = _in_one_piece(fragments, text) or fill_gaps_or_lose(line, context)
    return name, span if is_kept else None


def _in_one_piece(fragments: Fragments, text: str) -> bool:
    """brat breaks a span at each line break: pieces with only whitespace between are one."""
    return all(not text[left[1] : right[0]].strip() for left, right in pairwise(fragments))


def _check_text(fragments: Fragments, given: str, text: str, context: Context) -> None:
    for start, end in fragments:
        if not 0 <= start < end <= len(text):
            raise context.wrong(
                f"the span {start} {end} is empty or outside the text of {len(text)} characters"
            )
    there = [
        " ".join(text[a:b] for a, b in order).translate(LINE_PARTS)
        for order in (fragments, sorted(fragments))
    ]
    if given.translate(LINE_PARTS) in there:
        return
    start, end = fragments[0]
    hint = "the .txt file is not the one that was annotated, or its line breaks were changed"
    if len(fragments) == 1:
        for shift in (-1, 1, -2, 2):
            if start + shift >= 0 and text[start + shift : end + shift] == given:
                hint = f"it is at {start + shift} {end + shift}: the offsets are off by {shift}"
                break
    raise context.wrong(
        f"the annotation says {given[:60]!r}, the text has {there[0][:60]!r} at {start} {end}",
        hint=hint,
    )
