"""What BioC's XML and JSON have in common: documents, pieces of text, annotations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

Infons = Mapping[str, str]
Location = tuple[int, int]
"""Offset and length, in the document."""


@dataclass(frozen=True, slots=True)
class Annotation:
    line: int | None
    infons: Infons
    locations: list[Location]
    text: str | None
    """What it annotates; None if that is not stated."""


@dataclass(slots=True)
class Piece:
    """A text: a passage's, or that of a sentence of a passage."""

    offset: int
    text: str
    is_sentence: bool = False


@dataclass(slots=True)
class Passage:
    pieces: list[Piece] = field(default_factory=list)
    annotations: list[Annotation] = field(default_factory=list)


@dataclass(slots=True)
class Document:
    line: int | None
    id: str
    passages: list[Passage] = field(default_factory=list)
    infons: list[Infons] = field(default_factory=list)
    """Those of the document, its passages and its sentences."""
    relations: int = 0
