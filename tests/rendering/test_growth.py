"""Drawing takes time in proportion to what is drawn."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest

from helpers.operations import count_calls
from innermost import Document
from innermost.document import ScoredSpan, assemble
from innermost.rendering.html import page
from innermost.rendering.svg import picture
from innermost.rendering.terminal import draw

SMALL, LARGE = 200, 1_600
DRAWN: dict[str, Callable[[Document], object]] = {
    "terminal": lambda document: list(draw(document, 80)),
    "html": lambda document: list(page([("", document)], "title", "note")),
    "svg": lambda document: picture([("", document)], "title"),
}
SHAPES: dict[str, Callable[[int], list[tuple[int, int, str]]]] = {
    "every token": lambda n: [(i, i + 1, "A") for i in range(n)],
    "chains that cross": lambda n: [(i, i + 2, "AB"[i % 2]) for i in range(n - 1)],
    "nests of three": lambda n: [(i + k, i + 4, "A") for i in range(0, n - 3, 4) for k in range(3)],
    "around everything": lambda n: [(k, n - k, "A") for k in range(5)],
    "one long word": lambda n: [(0, 1, "A")],
}


def document_of(shape: str, size: int) -> Document:
    words = ["w" * size] if shape == "one long word" else [f"w{i % 7}" for i in range(size)]
    offsets, place = [], 0
    for word in words:
        offsets.append((place, place + len(word)))
        place += len(word) + 1
    spans = [ScoredSpan(*place, 1, 0.5) for place in SHAPES[shape](size)]
    return assemble(" ".join(words), [offsets], [spans], ["A", "B"])


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("how", DRAWN)
def test_the_work_grows_with_the_drawing(how: str, shape: str) -> None:
    documents = [document_of(shape, size) for size in (SMALL, LARGE)]
    small, large = (count_calls(partial(DRAWN[how], document)) for document in documents)
    assert large < 1.2 * LARGE / SMALL * small
