"""The regions of a task: labeled spans of its text, counted in characters or UTF-16 units."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from innermost.corpus.context import Context
from innermost.corpus.shared.json_records import are_numbers, probability
from innermost.corpus.shared.utf16 import characters_of, has_wide
from innermost.nest import Span


@dataclass(frozen=True, slots=True)
class Region:
    start: int
    end: int
    text: str | None
    """The text at the span, according to Label Studio."""
    labels: list[str]
    score: float | None

    def shown(self) -> str:
        return f"[{self.start}, {self.end})"


def region(value: Any, score: Any, context: Context) -> Region:
    """Parse the start, end, text and labels of ``value``."""
    match value:
        case {"start": start, "end": end, "labels": list(labels)} if are_numbers(
            start, end
        ) and all(isinstance(label, str) for label in labels):
            text = value.get("text")
        case _:
            raise context.wrong(
                f"a region needs start, end and labels, found {value!r}"[:200],
                hint='e.g. {"start": 0, "end": 9, "text": "IL-2 gene", "labels": ["DNA"]}',
            )
    if not labels:
        context.lost("region without a label", f"[{start}, {end})")
    return Region(start, end, text if isinstance(text, str) else None, labels, probability(score))


def spans_of(
    regions: list[Region], text: str, context: Context
) -> tuple[list[Span], dict[Span, float]]:
    """The regions as character spans, with their scores."""
    characters = _characters(regions, text)
    spans: list[Span] = []
    scores: dict[Span, float] = {}
    for item in regions:
        start = characters.get(item.start, -1) if characters else item.start
        end = characters.get(item.end, -1) if characters else item.end
        there = text[start:end] if 0 <= start < end else ""
        if item.text is not None and item.text != there:
            raise context.wrong(
                f"the region says {item.text[:60]!r}, the text has {there[:60]!r} at "
                f"{item.shown()}",
                hint="the text was changed after it was annotated",
            )
        if not 0 <= start < end <= len(text):
            raise context.wrong(
                f"the region {item.shown()} is empty or outside the text of {len(text)} characters"
            )
        for label in item.labels:
            span = Span(start, end, label)
            spans.append(span)
            if item.score is not None:
                scores[span] = item.score
    return spans, scores


def _characters(regions: list[Region], text: str) -> dict[int, int] | None:
    """Character positions by UTF-16 offset if that reading fits more regions, else None."""
    if not has_wide(text):
        return None
    units = characters_of(text)
    known = [item for item in regions if item.text is not None]
    as_characters = sum(text[item.start : item.end] == item.text for item in known)
    as_units = sum(
        text[units.get(item.start, 0) : units.get(item.end, 0)] == item.text for item in known
    )
    return units if as_units > as_characters else None
