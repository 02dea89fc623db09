"""Tokens that are spaces, as in KLUE, whose tokens are all characters of a text."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

from innermost.corpus.context import Context
from innermost.nest import Span


class Spaced(NamedTuple):
    """Tokens without spaces among them, the spaces as gaps, and the spans of these tokens."""

    tokens: list[str]
    gaps: list[str]
    spans: list[Span]


def is_blank(token: str) -> bool:
    return not token.strip(" ")


def with_spaces_as_gaps(tokens: Sequence[str], spans: Sequence[Span], context: Context) -> Spaced:
    """The same text with its spaces between the tokens; there is nothing else between them."""
    kept: list[str] = []
    gaps = [""]
    for token in tokens:
        if is_blank(token):
            gaps[-1] += token
        else:
            kept.append(token)
            gaps.append("")
    gaps[-1] += "\n"
    blanks = len(tokens) - len(kept)
    context.changed("blank tokens", f"{blanks} read as the space between the tokens")
    before = [*accumulate((not is_blank(token) for token in tokens), initial=0)]
    moved = []
    for start, end, label in spans:
        span = Span(before[start], before[end], label)
        if span.start == span.end:
            context.lost("span of whitespace only", f"[{start}, {end}) {label}")
            continue
        if is_blank(tokens[start]) or is_blank(tokens[end - 1]):
            context.changed("span trimmed to its tokens", f"[{start}, {end}) {label}")
        moved.append(span)
    return Spaced(kept, gaps, moved)
