"""Convert between the tags of one column and spans: BIO (IOB2), IOB1, IOBES and BILOU.

Reading needs no scheme: one rule reads all four. A span begins at ``B``, at ``S`` or ``U``, and at
an ``I``, ``E`` or ``L`` that does not continue a span with its label; it ends after ``E``, ``L``,
``S`` or ``U``, and before any tag that does not continue it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from innermost.corpus.context import Context
from innermost.errors import UsageError
from innermost.nest import Span

SCHEMES = ("bio", "iob1", "iobes", "bilou")

Tag = tuple[str, str]
"""A prefix and a label, ``("O", "")`` outside entities."""

_BEGINS = frozenset("BSU")
_ENDS = frozenset("ESLU")
_PREFIXES = frozenset("BIESLUM")
UNNAMED = "entity"
"""The type of entities whose tags are prefixes alone."""


def split_tag(tag: str) -> Tag | None:
    """``("B", "PER")`` of ``B-PER`` or ``B_PER``, ``("O", "")`` of ``O``, else None."""
    if tag == "O":
        return "O", ""
    prefix, separator, label = tag.partition("-")
    if separator and label and prefix in _PREFIXES:
        return prefix, label
    prefix, separator, label = tag.partition("_")
    if separator and label and prefix in _PREFIXES:
        return prefix, label
    return None


def is_prefix(tag: str) -> bool:
    """Whether a tag is a prefix without a label: ``B`` or ``I``."""
    return tag in _PREFIXES


def with_label(prefix: str, before: Tag) -> Tag:
    """A prefix with the label of the tag before, if it continues that, else with :data:`UNNAMED`.

    Corpora of one type have ``B`` and ``I`` alone, Korean ones ``B_PS`` and then ``I``.
    """
    continues = before[0] not in _ENDS | {"O"} and prefix not in _BEGINS
    return prefix, before[1] if continues else UNNAMED


def spans_of(tags: Iterable[Tag]) -> tuple[list[Span], list[int]]:
    """The spans of split tags, and the positions of tags that continue no span.

    Such a tag begins a span; in IOB1 that is the rule, in the other schemes an oddity.
    """
    spans: list[Span] = []
    begun_inside: list[int] = []
    start: int | None = None
    open_label = ""
    position = -1
    for position, (prefix, label) in enumerate(tags):
        continues = (
            start is not None and prefix not in _BEGINS and prefix != "O" and label == open_label
        )
        if not continues:
            if start is not None:
                spans.append(Span(start, position, open_label))
                start = None
            if prefix != "O":
                start, open_label = position, label
                if prefix not in _BEGINS:
                    begun_inside.append(position)
        if start is not None and prefix in _ENDS:
            spans.append(Span(start, position + 1, open_label))
            start = None
    if start is not None:
        spans.append(Span(start, position + 1, open_label))
    return spans, begun_inside


def reported_spans(tags: Sequence[Tag], context: Context) -> list[Span]:
    """The spans of a sentence's tags; tags that continue no span are reported."""
    spans, begun_inside = spans_of(tags)
    for position in begun_inside:
        report_no_beginning("-".join(tags[position]), context)
    return spans


def report_no_beginning(tag: str, context: Context) -> None:
    detail = f"{tag} continues no entity; read as the beginning of one"
    context.odd("tag without a beginning", detail)


def tags_of(spans: Sequence[Span], length: int, scheme: str) -> list[str]:
    """One tag per token for ordered spans that do not overlap."""
    if scheme not in SCHEMES:
        raise UsageError(f"unknown tag scheme {scheme!r}", hint=f"one of: {', '.join(SCHEMES)}")
    tags = ["O"] * length
    last_end, last_label = -1, ""
    for start, end, label in spans:
        touches = last_end == start and last_label == label
        first = "I" if scheme == "iob1" and not touches else "B"
        prefixes = [first] + ["I"] * (end - start - 1)
        if scheme in ("iobes", "bilou"):
            closing, single = ("E", "S") if scheme == "iobes" else ("L", "U")
            prefixes[-1] = closing if end - start > 1 else single
        tags[start:end] = [f"{prefix}-{label}" for prefix in prefixes]
        last_end, last_label = end, label
    return tags
