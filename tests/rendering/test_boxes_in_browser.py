"""Boxes as a real browser lays them out: nested on every line, never over each other."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from helpers.browser import faults, selected_text
from helpers.chromium import Tab
from helpers.documents import Place, document
from innermost.document import Document
from innermost.rendering.html import page

TYPES = ("PER", "ORGANIZATION", "cell_line", "x", "日本語")
WORDS = (
    "the old mayor of Ghent spoke-to co-workers, in Antwerp; internationalization & <b>so on</b>"
)
ARABIC = "قال رئيس بلدية مدينة القدس إن صحيفة New York Times كتبت ذلك أمس في المدينة القديمة"


def nested(text: str, seed: int, *, crossing: bool = False) -> Document:
    """Entities over words, up to six deep."""
    chance = random.Random(seed)
    starts = [0] + [i + 1 for i, c in enumerate(text) if c in " \n"]
    ends = [i for i, c in enumerate(text) if c in " \n"] + [len(text)]
    found: set[Place] = set()

    def fill(first: int, last: int, depth: int) -> None:
        while first < last and depth < 6:
            size = chance.randint(1, max(1, (last - first) * 2 // 3))
            stop = min(first + size, last)
            if chance.random() < 0.6:
                label = chance.choice(TYPES)
                found.add((starts[first], ends[stop - 1], label))
                fill(first, stop, depth + 1)
            first = stop

    fill(0, len(starts), 0)
    if crossing:
        for _ in range(6):
            first, size = chance.randrange(len(starts) - 6), chance.randint(2, 6)
            found.add((starts[first], ends[first + size - 1], chance.choice(TYPES)))
    return document(text, [p for p in found if text[p[0] : p[1]].strip()], TYPES)


@pytest.mark.parametrize("width", [340, 700, 1100])
@pytest.mark.parametrize("lines", [False, True])
def test_every_box_is_inside_its_parent_and_apart_from_others(
    tab: Tab, tmp_path: Path, width: int, lines: bool
) -> None:
    documents = [(None, nested(f"{WORDS}\n\n  {WORDS} {WORDS}", seed)) for seed in range(6)]
    documents += [(None, nested(WORDS, seed, crossing=True)) for seed in range(6)]
    tab.resize(width, 900)
    tab.show("".join(page(documents, "Boxes")), tmp_path)
    if lines:
        tab.run("document.getElementById('lines').click()")
    assert faults(tab) == []
    assert tab.run("document.documentElement.scrollWidth") <= width


def test_right_to_left(tab: Tab, tmp_path: Path) -> None:
    drawn = document(ARABIC, [(4, 26, "PER"), (9, 26, "x"), (15, 26, "PER"), (36, 50, "x")], TYPES)
    tab.resize(400, 600)
    tab.show("".join(page([(None, drawn)], "Boxes")), tmp_path)
    assert faults(tab) == []
    assert selected_text(tab, ".innermost-text") == ARABIC
    first, last = tab.run(
        "((box) => [box.right, innerWidth / 2])(document.querySelector('mark').getClientRects()[0])"
    )
    assert first > last


@pytest.mark.parametrize(
    "text", [f"  {WORDS}\t{WORDS}\n\n\n{WORDS} ", "a " * 9000, "line\n" * 900 + "\n\n end"]
)
def test_selected_text_is_the_text(tab: Tab, tmp_path: Path, text: str) -> None:
    tab.show("".join(page([(None, nested(text, 1))], "Boxes")), tmp_path)
    assert tab.run("document.querySelector('.innermost-text').textContent") == text
    assert selected_text(tab, ".innermost-text") == text


def test_every_line_of_a_box_has_its_label(tab: Tab, tmp_path: Path) -> None:
    text = "a name that is far longer than one line of such a narrow page can hold"
    drawn = document(text, [(0, len(text), "PER")], TYPES)
    tab.resize(340, 600)
    tab.show("".join(page([(None, drawn)], "Boxes")), tmp_path)
    label, lines, indents = tab.run(
        """((mark) => {
          const range = document.createRange();
          range.selectNodeContents(mark);
          const text = [...range.getClientRects()].filter((box) => box.width > 0);
          const boxes = [...mark.getClientRects()];
          return [getComputedStyle(mark).backgroundImage, boxes.length,
            boxes.map((box) => Math.min(...text.filter((t) => t.top < box.bottom
              && t.bottom > box.top).map((t) => t.left)) - box.left)];
        })(document.querySelector("mark"))"""
    )
    assert "data:image/svg+xml" in label
    assert lines > 1
    # On each line there is room for the label before the text.
    assert min(indents) > 20


def test_colors_are_solid_and_follow_the_theme(tab: Tab, tmp_path: Path) -> None:
    tab.show(
        "".join(page([(None, document("a b", [(0, 3, "PER"), (0, 1, "x")], TYPES))], "B")), tmp_path
    )
    script = (
        "[...document.querySelectorAll('mark')].map((m) => getComputedStyle(m).backgroundColor)"
    )
    tab.dark(False)
    assert tab.run(script) == ["rgb(232, 241, 250)", "rgb(251, 247, 225)"]
    tab.dark()
    assert tab.run(script) == ["rgb(26, 39, 51)", "rgb(44, 41, 23)"]


def test_filters_of_the_page(tab: Tab, tmp_path: Path) -> None:
    high, low = (
        document("a b", [(0, 3, "PER"), (0, 1, "x")], TYPES),
        document("c", [(0, 1, "x")], TYPES, 0.3),
    )
    tab.show("".join(page([(None, high), (None, low)], "Boxes")), tmp_path)
    shown = "document.querySelectorAll('mark:not(.off)').length"
    assert tab.run(shown) == 3
    tab.run(
        "((range) => { range.value = 50;"
        " range.dispatchEvent(new Event('input', {bubbles: true})) })"
        "(document.querySelector('[type=range]'))"
    )
    assert tab.run(shown) == 2
    tab.run("document.querySelector('input[value=PER]').click()")
    assert tab.run(shown) == 1
    assert faults(tab) == []


def test_labels_and_texts_are_never_code(tab: Tab, tmp_path: Path) -> None:
    evil = "</style><img src=x onerror=window.broken=1><script>window.broken=1</script>\"'>"
    made = document(evil, [(0, len(evil), evil)], (evil,))
    tab.show("".join(page([(evil, made)], evil, evil)), tmp_path)
    assert tab.run("[window.broken, document.images.length]") == [None, 0]
    assert tab.run("document.querySelector('mark').dataset.type") == evil
    assert "data:image" in tab.run(
        "getComputedStyle(document.querySelector('mark')).backgroundImage"
    )
    assert selected_text(tab, ".innermost-text") == evil
