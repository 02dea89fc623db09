"""Two systems side by side on one HTML page: agreements are muted, differences stand out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from innermost.evaluation.analysis.differences import Difference
from innermost.rendering.boxes import Box, boxes, legend, style

_STYLE = """
:root { color-scheme: light dark; }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 90rem; margin: 0 auto; padding: 1rem; }
h1 { font-size: 1.4rem; overflow-wrap: anywhere; }
.pair { display: grid; grid-template-columns: 1fr 1fr; gap: .2rem 1.5rem; }
.pair > * { min-width: 0; }
.names { position: sticky; top: 0; z-index: 1; font-weight: 600; padding: .4rem 0;
  background: light-dark(#fff, #14171a); }
article { border-top: 1px solid light-dark(#d0d7de, #3a4148); padding: .5rem 0 .8rem;
  content-visibility: auto; contain-intrinsic-size: auto 8rem; }
h2 { font-size: .9rem; font-weight: 500; margin: .2rem 0; color: light-dark(#57606a, #a4adb6); }
h3 { display: none; font-size: .9rem; margin: .4rem 0 0; }
@media (max-width: 48rem) { .pair { grid-template-columns: 1fr; } .names { display: none; }
  h3 { display: block; } }
"""


def page(
    differences: Sequence[Difference], names: Sequence[str], title: str, about: Iterable[str]
) -> str:
    """The page; ``about`` are the lines below the title."""
    drawn = [(difference, difference.boxes()) for difference in differences]
    labels = sorted({box.label for _, pair in drawn for side in pair for box in side})
    articles = "".join(_article(*item, names, labels) for item in drawn)
    columns = "".join(f"<div>{escape(name)}</div>" for name in names)
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{_STYLE}{style(labels)}</style>\n</head>\n"
        f'<body class="innermost">\n<h1>{escape(title)}</h1>\n'
        f"{''.join(f'<p>{escape(line)}</p>' for line in about)}\n{legend(labels, labels)}\n"
        f'<main>\n<div class="pair names" aria-hidden="true">{columns}</div>\n{articles}</main>\n'
        f"</body>\n</html>\n"
    )


def _article(
    difference: Difference,
    pair: tuple[list[Box], list[Box]],
    names: Sequence[str],
    labels: Sequence[str],
) -> str:
    heading = f"{difference.number:,}" + (f", {difference.doc}" if difference.doc else "")
    sides = "".join(
        f"<section><h3>{escape(name)}</h3>{boxes(difference.text, side, labels)}</section>"
        for name, side in zip(names, pair, strict=True)
    )
    return f'<article><h2>{escape(heading)}</h2><div class="pair">{sides}</div></article>\n'
