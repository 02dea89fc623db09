"""Text with markers where non-crossing spans open and close."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from innermost.nest import Span


def bracketed(
    text: str,
    spans: Iterable[Span],
    *,
    plain: Callable[[str], str],
    opening: Callable[[str], str],
    closing: Callable[[str], str],
) -> str:
    """``text`` with markers at the ends of spans; ``opening`` and ``closing`` get the label."""
    parts: list[str] = []
    around: list[Span] = []
    position = 0

    def close_until(end: int) -> None:
        nonlocal position
        while around and around[-1].end <= end:
            span = around.pop()
            parts.append(plain(text[position : span.end]))
            parts.append(closing(span.label))
            position = span.end

    for span in sorted(spans, key=lambda s: (s.start, -s.end)):
        close_until(span.start)
        parts.append(plain(text[position : span.start]))
        parts.append(opening(span.label))
        position = span.start
        around.append(span)
    close_until(len(text))
    parts.append(plain(text[position:]))
    return "".join(parts)
