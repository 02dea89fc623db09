"""Documents as HTML: nested boxes in the text, and a list for screen readers.

Nothing is loaded from elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from importlib.resources import files
from itertools import chain
from typing import TYPE_CHECKING

from innermost.plurals import count
from innermost.rendering.boxes import boxes, document_boxes, legend, style
from innermost.rendering.palette import look

if TYPE_CHECKING:
    from innermost.document import Document

MOST_IN_A_FRAGMENT = 100
"""Documents that a notebook shows."""
_PAGE_STYLE = """
:root { color-scheme: light dark; }
body { font: 1.05rem/1.5 system-ui, sans-serif; max-width: 56rem; margin: 2rem auto;
  padding: 0 1rem; }
h1 { font-size: 1.4rem; margin: 0; }
h2 { font-size: 1rem; overflow-wrap: anywhere; }
article { border-top: 1px solid light-dark(#d0d7de, #3a4148); padding: 1rem 0; }
form { display: flex; flex-wrap: wrap; align-items: center; gap: .2rem 1.5rem; font-size: .9em; }
form[hidden] { display: none; }
.innermost-legend label { cursor: pointer; }
"""


def fragment(documents: Sequence[Document]) -> str:
    """Documents with their styles, for notebooks; of very many, the first ones."""
    shown = documents[:MOST_IN_A_FRAGMENT]
    labels = list(dict.fromkeys(entity.label for d in shown for entity in d.entities))
    types = dict.fromkeys(name for d in shown for name in d.types)
    rest = len(documents) - len(shown)
    return (
        f'<div class="innermost"><style>{style(labels)}</style>{"<hr>".join(map(_body, shown))}'
        f"{f'<p>... and {rest:,} more</p>' if rest else ''}"
        f"{legend(sorted(labels), list(types))}</div>"
    )


def page(
    documents: Iterable[tuple[str | None, Document]], title: str, about: str = ""
) -> Iterator[str]:
    """A page of named documents, yielded in pieces as the documents arrive.

    ``about`` is a line below the title.
    """
    here = files("innermost.rendering")
    stream = iter(documents)
    first = next(stream, None)
    types = first[1].types if first else ()
    yield (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{_PAGE_STYLE}{style(types)}</style>\n</head>\n"
        f'<body class="innermost">\n<header>\n<h1>{escape(title)}</h1>\n<p>{escape(about)}</p>\n'
        f"{_controls(types)}</header>\n<main>\n"
    )
    for number, (name, document) in enumerate(chain([first] if first else [], stream), start=1):
        heading = f"<h2>{escape(name)}</h2>" if name else ""
        yield (
            f'<article aria-label="{escape(name or f"Text {number}")}">{heading}'
            f"{_body(document)}</article>\n"
        )
    script = (here / "filters.js").read_text(encoding="utf-8")
    yield f"</main>\n<script>{script}</script>\n</body>\n</html>\n"


def _controls(types: Iterable[str]) -> str:
    """The legend; with JavaScript, also the filters."""
    names = list(types)
    items = "".join(
        f'<li><label><input type="checkbox" checked value="{escape(label)}" hidden>'
        f'<i class="{look(label, names).classes}"></i>{escape(label)}</label></li>'
        for label in names
    )
    return (
        f'<ul class="innermost-legend" aria-label="Types">{items}</ul>\n'
        '<form hidden><label>Score at least <input type="range" min="0" max="100" value="0"> '
        '<output>0.00</output></label><label><input type="checkbox" id="lines"> Underlines</label>'
        "</form>\n"
    )


def _body(document: Document) -> str:
    drawn = boxes(document.text, document_boxes(document), document.types)
    return drawn + _list(document)


def _list(document: Document) -> str:
    """The entities as a nested list."""
    if not document.entities:
        return ""
    number = count(len(document.entities), "entity", "entities")
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
            f'<li><b class="{look(entity.label, document.types).classes}" dir="auto">'
            f"{escape(entity.text)}</b> {escape(entity.label)}, {entity.score:.0%}"
        )
        children = inside.get(item)
        waiting.append("</li>")
        if children:
            waiting += ["</ul>", *reversed(children), "<ul>"]
    return f'<details class="innermost-list"><summary>{number}</summary>{"".join(parts)}</details>'
