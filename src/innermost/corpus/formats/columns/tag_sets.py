"""Tags of nested entities in no fixed order: every token has one for each entity over it.

    the	B-PER
    wife	I-PER
    of	I-PER
    Bob	B-PER	I-PER

The columns of such a file are not layers. A tag continues an open entity of its type; where fewer
of them continue than are open, those continue that began first, because nested entities end from
the inside out. Crossing and nested entities of one type have the same tags, which is reported.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from innermost.corpus.shared.tag_schemes import Tag
from innermost.nest import Span

_LAST = frozenset("ELSU")
_FIRST = frozenset("BSU")


@dataclass(slots=True)
class TagSetSpans:
    """The spans of a sentence, and the positions of tags that leave a doubt."""

    spans: list[Span] = field(default_factory=list)
    begun_inside: list[tuple[int, Tag]] = field(default_factory=list)
    """Tags that continue no entity; each is read as the beginning of one."""
    ambiguous: list[tuple[int, str]] = field(default_factory=list)
    """Types of which some open entities continue, not all, and not all began together."""


def spans_of_tag_sets(tag_sets: Sequence[Sequence[Tag]]) -> TagSetSpans:
    """The entities of a sentence; ``tag_sets`` has the tags of each token, in any order."""
    result = TagSetSpans()
    open_starts: dict[str, list[int]] = {}
    """The first tokens of the open entities of each type, oldest first."""
    for position, tags in enumerate(tag_sets):
        prefixes: dict[str, list[str]] = defaultdict(list)
        for prefix, label in tags:
            if prefix != "O":
                prefixes[label].append(prefix)
        for label in open_starts.keys() - prefixes.keys():
            _close(open_starts.pop(label), position, label, result)
        for label, at_token in prefixes.items():
            open_starts[label] = _step(
                open_starts.get(label, []), at_token, position, label, result
            )
    for label, starts in open_starts.items():
        _close(starts, len(tag_sets), label, result)
    result.spans.sort(key=lambda span: (span.start, -span.end, span.label))
    return result


def _step(
    starts: list[int], prefixes: list[str], position: int, label: str, result: TagSetSpans
) -> list[int]:
    """The open entities of a type after a token with these prefixes of it."""
    first = [prefix for prefix in prefixes if prefix in _FIRST]
    # Those that end here come last: they belong to the youngest of the entities that continue.
    inside = sorted((p for p in prefixes if p not in _FIRST), key=lambda p: p in _LAST)
    ended = starts[len(inside) :]
    if inside and ended and starts[len(inside) - 1] != ended[0]:
        result.ambiguous.append((position, label))
    _close(ended, position, label, result)
    unopened = inside[len(starts) :]
    result.begun_inside += [(position, (prefix, label)) for prefix in unopened]
    at_token = [*zip(starts, inside, strict=False)]
    at_token += [(position, prefix) for prefix in [*unopened, *first]]
    _close([s for s, prefix in at_token if prefix in _LAST], position + 1, label, result)
    return [start for start, prefix in at_token if prefix not in _LAST]


def _close(starts: Sequence[int], end: int, label: str, result: TagSetSpans) -> None:
    result.spans += [Span(start, end, label) for start in starts]
