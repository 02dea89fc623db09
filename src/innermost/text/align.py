"""From spans of characters to spans of tokens."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from innermost.nest import Span

Offsets = tuple[int, int]

SPLIT = "token split at the edge of a span"
WIDENED = "span widened to whole tokens"
TRIMMED = "span trimmed to its tokens"
MADE_TOKEN = "text without tokens made a token"
BLANK = "span of white space only"


@dataclass(frozen=True, slots=True)
class Case:
    """One span whose edges were not those of tokens, and what was done about it."""

    span: Span
    what: str


@dataclass(frozen=True, slots=True)
class Alignment:
    tokens: list[list[Offsets]]
    """The sentences' tokens, some of them split."""
    spans: list[Span | None]
    """The spans given, in their order, as indices of the tokens of all sentences in a row."""
    cases: list[Case]


def align(
    text: str, sentences: Sequence[Sequence[Offsets]], spans: Sequence[Span], *, split: bool
) -> Alignment:
    """The token spans of character ``spans``.

    Where a span begins or ends inside a token, the token is split there or else the span is
    widened to the whole of it. White space at the ends of a span is dropped. Only a span of
    nothing but white space comes to ``None``. Needs O((tokens + spans) log tokens).
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
    """Whether ``position`` lies strictly inside one of the tokens, which are in order."""
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
    text: str, tokens: list[Offsets], owners: list[int], spans: Iterable[Span], cases: list[Case]
) -> tuple[list[Offsets], list[int]]:
    """A span over text that no token covers gets a token, else it could not be kept."""
    starts, ends = [t[0] for t in tokens], [t[1] for t in tokens]
    made: dict[Offsets, int] = {}
    covered = -1
    for span in sorted(spans):
        place = bisect_right(ends, span.start)
        if place < bisect_left(starts, span.end) or span.start < covered:
            continue
        piece = text[span.start : span.end]
        if content := piece.strip():
            start = span.start + piece.index(content)
            made[start, start + len(content)] = owners[place - 1] if place else 0
            covered = start + len(content)
            cases.append(Case(span, MADE_TOKEN))
    if not made:
        return tokens, owners
    together = sorted([*zip(tokens, owners, strict=True), *made.items()])
    return [token for token, _ in together], [owner for _, owner in together]
