"""The text of an ACE document (``.sgm``) and how the LDC counts its characters.

The LDC's offsets count every character of the file except those in tags: line breaks count, and
``&amp;`` counts as its five characters.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from innermost.text.align import Offsets

_TAG_START = re.compile(r"<[/!?]?[A-Za-z]")
_REFERENCE = re.compile(r"&(?:amp|lt|gt|quot|apos|#\d{1,7});", re.IGNORECASE)
_CHARACTERS = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}


@dataclass(frozen=True, slots=True)
class AceText:
    """The text without tags; all offsets count as the LDC does."""

    text: str
    breaks: list[int]
    """Where tags were, in order."""
    regions: list[Offsets]
    """The contents of ``<TEXT>`` and ``<BODY>``, if present, and the whole file."""

    def region(self, spans: Iterable[Offsets]) -> Offsets:
        """The smallest region that contains all the spans; only its text is annotated."""
        edges = list(spans)
        for start, end in self.regions[:-1]:
            if all(start <= first and last <= end for first, last in edges):
                return start, end
        return self.regions[-1]

    def segments(self, start: int, end: int) -> list[Offsets]:
        """The parts of a region between tags: no sentence crosses a tag."""
        inner = [place for place in self.breaks if start < place < end]
        edges = [start, *inner, end]
        return [(a, b) for a, b in pairwise(edges) if a < b]


def parse(sgm: str) -> AceText:
    pieces: list[str] = []
    breaks: list[int] = []
    inside: dict[str, list[int]] = {"TEXT": [], "BODY": []}
    position = length = 0
    for start, end in _tags(sgm):
        pieces.append(sgm[position:start])
        length += len(pieces[-1])
        position = end
        breaks.append(length)
        name = sgm[start:end].strip("</>").split()[0].upper()
        if name in inside:
            inside[name].append(length)
    pieces.append(sgm[position:])
    text = "".join(pieces)
    regions = [(places[0], places[-1]) for places in inside.values() if len(places) > 1]
    return AceText(text, breaks, [*regions, (0, len(text))])


def _tags(sgm: str) -> Iterator[Offsets]:
    """A tag ends at the first ``>``, whatever its attributes contain."""
    position = 0
    while start := _TAG_START.search(sgm, position):
        end = sgm.find(">", start.end())
        if end < 0:
            return
        position = end + 1
        yield start.start(), position


class Decoded:
    """A piece of text with ``&amp;`` and the like decoded, and a map of its offsets."""

    def __init__(self, raw: str) -> None:
        pieces: list[str] = []
        self._starts = [0]
        self._shifts = [0]
        position = shift = 0
        for reference in _REFERENCE.finditer(raw):
            character = _character(reference[0][1:-1].lower())
            pieces += [raw[position : reference.start()], character]
            position = reference.end()
            shift += len(reference[0]) - len(character)
            self._starts.append(position)
            self._shifts.append(shift)
        pieces.append(raw[position:])
        self.text = "".join(pieces)

    def offset(self, raw_offset: int) -> int:
        """The offset in the decoded text for one in the raw text; inside ``&amp;``, its end."""
        index = bisect_right(self._starts, raw_offset)
        offset = raw_offset - self._shifts[index - 1]
        if index == len(self._starts):
            return offset
        return min(offset, self._starts[index] - self._shifts[index])


def encoded(text: str) -> str:
    """``text`` as it must be written in an ``.sgm`` file."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _character(name: str) -> str:
    if not name.startswith("#"):
        return _CHARACTERS[name]
    code = int(name[1:])
    return chr(code) if code < 0x110000 else f"&{name};"
