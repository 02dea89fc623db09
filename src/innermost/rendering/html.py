"""Documents as HTML: nested boxes in the text, and the same as a list for those who listen.

Nothing is loaded from elsewhere. The colours are translucent, so they fit light and dark pages.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape

from innermost.document import Document
from innermost.rendering.palette import hue
from innermost.rendering.pieces import Piece, nested_pieces

_STYLE = """
.innermost-text{line-height:calc(1.9em + var(--tall)*.5em);
overflow-wrap:anywhere;white-space:pre-wrap;margin:.4em 0}
.innermost-text mark{display:inline;box-decoration-break:clone;-webkit-box-decoration-break:clone;
background:hsl(var(--hue) 80% 50%/.16);border:1.5px solid hsl(var(--hue) 60% 50%/.85);
border-radius:.3em;color:inherit;margin:0 .05em;padding:calc(.1em + var(--up)*.22em) .2em}
.innermost-text small{font-size:.68em;font-weight:600;letter-spacing:.02em;margin-left:.45em;
opacity:.8;white-space:nowrap;user-select:none}
.innermost-list{font-size:.9em}
.innermost-list summary{cursor:pointer;opacity:.75}
.innermost-list ul{margin:.2em 0;padding-left:1.4em}
.innermost-list b{border-bottom:2px solid hsl(var(--hue) 60% 50%)}
"""
_PAGE_STYLE = """
:root{color-scheme:light dark}
body{font:1.05rem/1.5 system-ui,sans-serif;max-width:50rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.4rem}
article{border-top:1px solid #8884;padding:1rem 0}
"""


def fragment(document: Document) -> str:
    """One document, with the style that it needs: for notebooks."""
    return f"<style>{_STYLE}</style>{_body(document)}"


def page(documents: Iterable[Document], title: str) -> Iterator[str]:
    """A page, piece by piece, so that it can be written while documents come in."""
    yield (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{_PAGE_STYLE}{_STYLE}</style>\n</head>\n"
        f"<body>\n<main>\n<h1>{escape(title)}</h1>\n"
    )
    for number, document in enumerate(documents, start=1):
        yield f'<article aria-label="Text {number}">\n{_body(document)}\n</article>\n'
    yield "</main>\n</body>\n</html>\n"


def _body(document: Document) -> str:
    pieces = list(nested_pieces(document.entities))
    heights = _heights([piece.depth for piece in pieces])
    boxes = _boxes(document, pieces, heights)
    tall = max(heights, default=0)
    return f'<p class="innermost-text" style="--tall:{tall}">{boxes}</p>{_list(document)}'


def _boxes(document: Document, pieces: list[Piece], heights: list[int]) -> str:
    """The text with a box around each entity; its type and score stand at the end of the box."""
    text, entities = document.text, document.entities
    parts: list[str] = []
    closing: list[tuple[int, str]] = []
    position = 0
    for piece, height in zip(pieces, heights, strict=True):
        entity = entities[piece.entity]
        while closing and closing[-1][0] <= piece.start:
            end, tag = closing.pop()
            parts += [escape(text[position:end]), tag]
            position = end
        parts.append(escape(text[position : piece.start]))
        position = piece.start
        shown = f"{escape(entity.label)} {entity.score:.2f}"
        parts.append(
            f'<mark style="--hue:{hue(entity.label, document.types)};--up:{height}" '
            f'title="{shown}, level {entity.level}">'
        )
        last = piece.end == entity.end
        closing.append((piece.end, f"<small>{shown if last else '…'}</small></mark>"))
    while closing:
        end, tag = closing.pop()
        parts += [escape(text[position:end]), tag]
        position = end
    parts.append(escape(text[position:]))
    return "".join(parts)


def _heights(depths: list[int]) -> list[int]:
    """How many boxes lie inside each, at most: outer boxes are drawn higher."""
    heights = [0] * len(depths)
    above: list[int] = []
    for index, depth in enumerate(depths):
        del above[depth:]
        for distance, outer in enumerate(reversed(above), start=1):
            heights[outer] = max(heights[outer], distance)
        above.append(index)
    return heights


def _list(document: Document) -> str:
    """The entities as a nested list."""
    count = len(document.entities)
    if not count:
        return ""
    noun = "entity" if count == 1 else "entities"
    inside: dict[int | None, list[int]] = {}
    for index, entity in enumerate(document.entities):
        inside.setdefault(entity.parent, []).append(index)
    parts: list[str] = []
    waiting: list[int | str] = ["</ul>", *reversed(inside[None]), "<ul>"]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            parts.append(item)
            continue
        entity = document.entities[item]
        parts.append(
            f'<li><b style="--hue:{hue(entity.label, document.types)}">{escape(entity.text)}</b> '
            f"{escape(entity.label)}, {entity.score:.0%}"
        )
        children = inside.get(item)
        waiting.append("</li>")
        if children:
            waiting += ["</ul>", *reversed(children), "<ul>"]
    return (
        f'<details class="innermost-list"><summary>{count} {noun}</summary>'
        f"{''.join(parts)}</details>"
    )
