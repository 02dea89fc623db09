"""User actions on the page, and a model that knows a few names."""

from __future__ import annotations

import re
from typing import Any

from helpers.chromium import Tab
from helpers.stub_service import Answer, StubService
from innermost.document import ScoredSpan, assemble

TYPES = ["DNA", "RNA", "cell_line", "cell_type", "protein"]
NAMES = {
    "IL-2 gene promoter": ("DNA", 0.9),
    "IL-2 gene": ("DNA", 0.8),
    "IL-2": ("protein", 0.7),
    "NF-kappa B": ("protein", 0.95),
    "activated T cells": ("cell_type", 0.6),
    "T cells": ("cell_type", 0.4),
    "kappa B in activated": ("RNA", 0.3),
    "القدس": ("DNA", 0.9),
    "مدينة القدس": ("RNA", 0.8),
}
"""Everything that the model of the tests knows; one name crosses two others."""

TEXT = "The IL-2 gene promoter binds NF-kappa B in activated T cells."


def extract(request: Any) -> Answer:
    documents = [_document(text) for text in request["texts"]]
    return 200, {"model": request["model"], "version": "0a1b2c", "documents": documents}


def _document(text: str) -> dict[str, Any]:
    """Every known name, with offsets in UTF-16 code units."""
    spans = [
        ScoredSpan(found.start(), found.end(), label, 1, score)
        for name, (label, score) in NAMES.items()
        for found in re.finditer(re.escape(name), text)
    ]
    document = assemble(text, [[(i, i + 1) for i in range(len(text))]], [spans], TYPES)
    units = [0]
    for character in text:
        units.append(units[-1] + len(character.encode("utf-16-le")) // 2)
    entities = [
        {**entity.to_dict(), "start": units[entity.start], "end": units[entity.end]}
        for entity in document.entities
    ]
    return {"entities": entities, "characters": len(text), "truncated": False, "dropped": []}


class Page:
    """User actions on the page."""

    def __init__(self, tab: Tab, service: StubService) -> None:
        self.tab = tab
        self.service = service

    def open(self, fragment: str = "") -> None:
        self.tab.open("about:blank")
        self.tab.open(self.service.address + fragment)
        self.tab.until("document.querySelector('#model').options.length > 0")

    def type(self, text: str) -> None:
        """Type a text in place of the one that is there, and wait for its entities."""
        self.tab.run("document.querySelector('#text').select()")
        self.tab.run("document.querySelector('#text').focus()")
        self.tab.insert(text)
        self.tab.run("document.querySelector('button.main').click()")
        self.tab.until(
            "document.querySelector('#error').textContent"
            " || document.querySelector('#status').textContent.endsWith('ms')"
        )

    def click(self, selector: str) -> None:
        self.tab.run(f"document.querySelector({selector!r}).click()")
        self.frame()

    def set(self, selector: str, value: object) -> None:
        """Move a slider or choose from a list."""
        script = """((element, value) => {
          element.value = value;
          for (const kind of ["input", "change"])
            element.dispatchEvent(new Event(kind, { bubbles: true }));
        })"""
        self.tab.run(f"{script}(document.querySelector({selector!r}), {str(value)!r})")
        self.frame()

    def frame(self) -> None:
        """Wait until the changes are drawn."""
        self.tab.run("new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(r)))")

    def text(self, selector: str) -> str:
        text: str = self.tab.run(f"document.querySelector({selector!r}).textContent")
        return text.strip()

    def marks(self) -> list[list[str]]:
        """Type and text of each box in the document's order."""
        marks: list[list[str]] = self.tab.run(
            "[...document.querySelectorAll('mark')].map((m) => [m.dataset.type, m.textContent])"
        )
        return marks

    def middle(self, mark: str) -> tuple[float, float]:
        """A point on the text of a box that no box inside it covers: near its end."""
        x, y = self.tab.run(
            f"((box) => [box.right - 6, box.top + box.height / 2])([...document.querySelectorAll("
            f"'mark')].find((m) => m.textContent === {mark!r}).getClientRects()[0])"
        )
        return x, y

    def focused(self) -> str:
        """The name of what has the focus, for a screen reader."""
        name: str = self.tab.run("document.activeElement.getAttribute('aria-label') ?? ''")
        return name
