"""What the numbers of entities mean, which only the whole file shows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from innermost.corpus.context import Context
from innermost.corpus.formats.blocks.lines import Block, Entity
from innermost.corpus.shared.discontinuous import fill_gaps_or_lose
from innermost.nest import Span

ENDS = ("exclusive", "inclusive")
PAIRS = ("parts", "head")
_PAIRS_NAMES = {"parts": "parts that do not overlap", "head": "a span and a head inside it"}
_ENDS_HINT = "--read-set ends=exclusive if 0,2 are two words, ends=inclusive if they are three"


class Meaning(NamedTuple):
    is_inclusive: bool
    pairs: str | None
    """What several pairs of an entity are: ``parts`` of it, or it and its ``head``."""


def meaning_of(blocks: Sequence[Block], context: Context) -> Meaning:
    """What the settings say, else what the file shows; an error if it does not."""
    ends = context.options.settings.get("ends") or _ends(blocks, context)
    is_inclusive = ends == "inclusive"
    pairs = context.options.settings.get("pairs") or _pairs(blocks, is_inclusive, context)
    return Meaning(is_inclusive, pairs)


def spans(block: Block, meaning: Meaning, context: Context) -> list[Span]:
    place = context.at(block.line_of_entities)
    return [span for entity in block.entities for span in _spans(entity, block, meaning, place)]


def _ends(blocks: Sequence[Block], context: Context) -> str:
    """Inclusive if an entity ends where it begins, exclusive if one ends after the last word."""
    lines: dict[str, int | None] = {}
    for block, entity in _entities(blocks):
        for start, end in entity.pairs:
            if start == end < len(block.words):
                lines.setdefault("inclusive", block.line_of_entities)
            elif start < end == len(block.words):
                lines.setdefault("exclusive", block.line_of_entities)
    if len(lines) > 1:
        raise context.wrong(
            "ends are inclusive here, because an entity ends where it begins, but exclusive in "
            f"line {lines['exclusive']}, because one ends after the last word",
            line=lines["inclusive"],
            hint=f"{_ENDS_HINT}; the other entities are then errors",
        )
    first = next((block.line_of_entities for block, _ in _entities(blocks)), None)
    if not lines and first is not None:
        raise context.wrong(
            "the file does not show whether the ends of entities are inclusive or exclusive",
            line=first,
            hint=_ENDS_HINT,
        )
    if "inclusive" in lines:
        context.changed(
            "inclusive ends",
            "an entity that ends where it begins shows that ends are inclusive; "
            f"{sum(1 for _ in _entities(blocks))} moved by one",
            line=lines["inclusive"],
        )
    return next(iter(lines), ENDS[0])


def _pairs(blocks: Sequence[Block], is_inclusive: bool, context: Context) -> str | None:
    lines: dict[str | None, int | None] = {}
    for block, entity in _entities(blocks):
        pairs = _half_open(entity, is_inclusive)
        if len(pairs) > 1 and _are_inside(pairs, len(block.words)):
            lines.setdefault(_kind(pairs), block.line_of_entities)
    lines.pop(None, None)
    if len(lines) > 1:
        raise context.wrong(
            "further numbers of an entity are its head here, inside it, but in line "
            f"{lines['parts']} another part of it",
            line=lines["head"],
            hint="--read-set pairs=head, or pairs=parts for discontinuous entities; the other "
            "entities are then errors",
        )
    return next(iter(lines), None)


def _entities(blocks: Sequence[Block]) -> Iterator[tuple[Block, Entity]]:
    return ((block, entity) for block in blocks for entity in block.entities)


def _half_open(entity: Entity, is_inclusive: bool) -> list[tuple[int, int]]:
    return [(start, end + is_inclusive) for start, end in entity.pairs]


def _are_inside(pairs: Sequence[tuple[int, int]], size: int) -> bool:
    return all(start < end <= size for start, end in pairs)


def _kind(pairs: Sequence[tuple[int, int]]) -> str | None:
    """Which of ``PAIRS`` several pairs of an entity can be: parts do not overlap, a head does."""
    ordered = sorted(pairs)
    if all(before[1] <= after[0] for before, after in pairwise(ordered)):
        return "parts"
    (start, end), (head_start, head_end) = pairs[:2]
    return "head" if len(pairs) == 2 and start <= head_start and head_end <= end else None


def _spans(entity: Entity, block: Block, meaning: Meaning, context: Context) -> list[Span]:
    """The span of an entity; none if it is discontinuous and to be lost."""
    pairs = _half_open(entity, meaning.is_inclusive)
    if not _are_inside(pairs, len(block.words)):
        ends, others = ENDS[meaning.is_inclusive], ENDS[not meaning.is_inclusive]
        raise context.wrong(
            f"the entity {entity} is empty or outside the {len(block.words)} words",
            hint=f"ends are {ends} in this file; if they are not: --read-set ends={others}",
        )
    if len(pairs) > 1:
        _check_pairs(entity, pairs, meaning, context)
    if len(pairs) > 1 and meaning.pairs == "head":
        context.lost("head of an entity", str(entity))
        del pairs[1]
    start, end = min(pairs)[0], max(pairs)[1]
    is_continuous = sum(last - first for first, last in pairs) >= end - start
    if is_continuous or fill_gaps_or_lose(str(entity), context):
        return [Span(start, end, entity.label)]
    return []


def _check_pairs(
    entity: Entity, pairs: Sequence[tuple[int, int]], meaning: Meaning, context: Context
) -> None:
    kind = _kind(pairs)
    if kind is None or kind != meaning.pairs:
        names = _PAIRS_NAMES.get(meaning.pairs or "", " or ".join(_PAIRS_NAMES.values()))
        raise context.wrong(f"the numbers of {entity} are not {names}")
