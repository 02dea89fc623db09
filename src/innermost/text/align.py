"""Convert character spans to token spans."""

from __future__ import annotations

import heapq
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from innermost.nest import Span

Offsets = tuple[int, int]

INVISIBLE = "\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff"
"""Invisible characters, as ranges: they separate, mark the writing direction or the start of a
file. Tokenizers treat them like whitespace, except `whitespace`, which keeps tokens unchanged."""

_VISIBLE = re.compile(rf"[^\s{INVISIBLE}]+")
_WORD = re.compile(r"\S+")

SPLIT = "token split at the edge of a span"
WIDENED = "span widened to whole tokens"
TRIMMED = "span trimmed to its tokens"
MADE_TOKEN = "token added for text without one"
BLANK = "span of whitespace only"


@dataclass(frozen=True, slots=True)
class Case:
    """A span whose edges are not token edges, and how that was resolved."""

    span: Span
    what: str


@dataclass(frozen=True, slots=True)
class Alignment:
    tokens: list[list[Offsets]]
    """The sentences' tokens, some of them split."""
    spans: list[Span | None]
    """The input spans, in order, as token indices counted across all sentences."""
    cases: list[Case]


def align(
    text: str, sentences: Sequence[Sequence[Offsets]], spans: Sequence[Span], *, split: bool
) -> Alignment:
    """The token spans of character ``spans``.

    Where a span begins or ends inside a token, the token is split there or else the span is
    widened to the whole token. Whitespace at the ends of a span is dropped; visible text in a span
    that is not covered by tokens gets new ones. Only a span of whitespace becomes ``None``. Takes
    O((tokens + spans) log tokens) where tokens cover the visible text.
    """
    cases: list[Case] = []
    tokens = [token for sentence in sentences for token in sentence]
    owners = [index for index, sentence in enumerate(sentences) for _ in sentence]
    if split:
        cuts = _cuts(tokens, spans, cases)
        pieces = [_pieces(token, cuts) for token in tokens] if cuts else [[t] for t in tokens]
        owners = [owner for owner, parts in zip(owners, pieces, strict=True) for _ in parts]
        tokens = [part for parts in pieces for part in parts]
    tokens, owners = _with_made_tokens(text, tokens, owners, spans, cases)
    starts, ends = [t[0] for t in tokens], [t[1] for t in tokens]
    aligned: list[Span | None] = []
    for span in spans:
        first, last = bisect_right(ends, span.start), bisect_left(starts, span.end)
        if first >= last:
            cases.append(Case(span, BLANK))
            aligned.append(None)
            continue
        if starts[first] < span.start or ends[last - 1] > span.end:
            cases.append(Case(span, WIDENED))
        if starts[first] > span.start or ends[last - 1] < span.end:
            cases.append(Case(span, TRIMMED))
        aligned.append(Span(first, last, span.label))
    grouped: list[list[Offsets]] = [[] for _ in range(max(len(sentences), bool(tokens)))]
    for owner, token in zip(owners, tokens, strict=True):
        grouped[owner].append(token)
    return Alignment(grouped, aligned, cases)


def inside_token(tokens: Sequence[Offsets], position: int) -> bool:
    """Whether ``position`` is strictly inside one of the ordered tokens."""
    index = bisect_right(tokens, (position, -1)) - 1
    return index >= 0 and tokens[index][0] < position < tokens[index][1]


def _cuts(tokens: list[Offsets], spans: Iterable[Span], cases: list[Case]) -> list[int]:
    cuts: set[int] = set()
    for span in spans:
        inside = {edge for edge in (span.start, span.end) if inside_token(tokens, edge)}
        if inside:
            cases.append(Case(span, SPLIT))
        cuts |= inside
    return sorted(cuts)


def _pieces(token: Offsets, cuts: list[int]) -> list[Offsets]:
    start, end = token
    inner = cuts[bisect_right(cuts, start) : bisect_left(cuts, end)]
    edges = [start, *inner, end]
    return list(pairwise(edges))


def _with_made_tokens(
    text: str,
    tokens: list[Offsets],
    owners: list[int],
    spans: Sequence[Span],
    cases: list[Case],
) -> tuple[list[Offsets], list[int]]:
    """The tokens, plus new ones where spans cover text without any: nothing may be lost."""
    made: dict[Offsets, int] = {}
    gaps = _visible_gaps(text, tokens, spans)
    if not gaps:
        return tokens, owners
    edges = sorted({edge for span in spans for edge in span[:2]})
    covering = _Covering(spans)
    for start, end, place in gaps:
        inner = edges[bisect_right(edges, start) : bisect_left(edges, end)]
        for piece in pairwise([start, *inner, end]):
            over = covering.at(piece[0])
            if over and piece not in made:
                made[piece] = owners[max(place - 1, 0)] if owners else 0
                cases.append(Case(Span(*piece, over.label), MADE_TOKEN))
    if not made:
        return tokens, owners
    together = sorted([*zip(tokens, owners, strict=True), *made.items()])
    return [token for token, _ in together], [owner for _, owner in together]


def _visible_gaps(
    text: str, tokens: list[Offsets], spans: Sequence[Span]
) -> list[tuple[int, int, int]]:
    """Words between the tokens, each with the number of tokens before it.

    Tokenizers leave only invisible text between tokens; tokens from elsewhere may leave more.
    Invisible characters count as a word only for a span that consists of nothing else.
    """
    edges = [0, *(edge for token in tokens for edge in token), len(text)]
    gaps = [
        (match.start(), match.end(), place)
        for place, (start, end) in enumerate(zip(edges[::2], edges[1::2], strict=True))
        if end - start > 1 or not text[start:end].isspace()
        for match in _VISIBLE.finditer(text, start, end)
    ]
    ends = edges[2::2]
    for start, end in _invisible(text, spans):
        place = bisect_right(ends, start, 0, len(tokens))
        if place == len(tokens) or tokens[place][0] >= end:
            gaps.append((start, end, place))
    return sorted(set(gaps))


def _invisible(text: str, spans: Sequence[Span]) -> list[Offsets]:
    """Words of invisible characters in the spans that have no others, cut at the edges of spans."""
    suspects = [span for span in spans if not _VISIBLE.match(text, span.start, span.end)]
    if not suspects:
        return []
    words = [match.span() for match in _VISIBLE.finditer(text)]
    blank = []
    for span in suspects:
        following = bisect_right(words, (span.start, len(text)))
        if following == len(words) or words[following][0] >= span.end:
            blank.append(span)
    edges = sorted({edge for span in spans for edge in span[:2]})
    pieces: list[Offsets] = []
    for start, end in _union(blank):
        inner = edges[bisect_right(edges, start) : bisect_left(edges, end)]
        for first, last in pairwise([start, *inner, end]):
            pieces += [match.span() for match in _WORD.finditer(text, first, last)]
    return pieces


def _union(spans: Iterable[Span]) -> list[Offsets]:
    """The text that the spans cover, without overlaps."""
    union: list[Offsets] = []
    for start, end, _ in sorted(spans):
        if union and start <= union[-1][1]:
            union[-1] = union[-1][0], max(union[-1][1], end)
        else:
            union.append((start, end))
    return union


class _Covering:
    """The first of the spans over a place; places must be asked for from left to right."""

    def __init__(self, spans: Sequence[Span]) -> None:
        self._spans = spans
        self._order = sorted(range(len(spans)), key=lambda number: spans[number].start)
        self._next = 0
        self._begun: list[int] = []

    def at(self, place: int) -> Span | None:
        while self._next < len(self._order):
            number = self._order[self._next]
            if self._spans[number].start > place:
                break
            heapq.heappush(self._begun, number)
            self._next += 1
        while self._begun and self._spans[self._begun[0]].end <= place:
            heapq.heappop(self._begun)
        return self._spans[self._begun[0]] if self._begun else None
