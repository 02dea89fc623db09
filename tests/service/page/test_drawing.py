"""A text is typed, and its entities are drawn: the right ones, in the right places."""

from __future__ import annotations

import random
import re
from html.parser import HTMLParser
from typing import Any

import pytest

from helpers.browser import faults, selected_text
from helpers.documents import document
from helpers.page import TEXT, TYPES, Page
from helpers.stub_service import Answer
from innermost.rendering.boxes import boxes, document_boxes


def test_typed_text_is_drawn_with_its_entities(page: Page) -> None:
    page.type(TEXT)
    assert page.marks() == [
        ["DNA", "IL-2 gene promoter"],
        ["DNA", "IL-2 gene"],
        ["protein", "IL-2"],
        ["protein", "NF-kappa B"],
        # Two that cross others are cut at the end of those.
        ["RNA", "kappa B"],
        ["RNA", " in activated"],
        ["cell_type", "activated"],
        ["cell_type", " T cells"],
        ["cell_type", "T cells"],
    ]
    assert page.text("#drawn") == TEXT
    assert selected_text(page.tab, "#drawn") == TEXT
    assert page.text("#count") == "7 entities"
    assert page.tab.complaints() == []


@pytest.mark.parametrize("width", [360, 800, 1200])
@pytest.mark.parametrize("drawing", ["boxes", "lines"])
def test_boxes_are_nested_on_every_line(page: Page, width: int, drawing: str) -> None:
    page.tab.resize(width, 900)
    page.type(f"{TEXT} " * 6 + f"\n\n  {TEXT}\n")
    page.click(f"[value={drawing}]")
    assert faults(page.tab) == []
    assert page.tab.run("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("view", ["text", "tree", "table", "json"])
def test_a_phone_never_scrolls_sideways(page: Page, view: str) -> None:
    page.tab.resize(320, 640, phone=True)
    page.type(f"{TEXT} " * 3)
    page.click(f"[data-view={view}]")
    assert page.tab.run("document.documentElement.scrollWidth") <= 320


def test_a_short_word_is_one_box_at_every_width(page: Page) -> None:
    page.type("Activation of the IL-2 gene promoter in activated T cells.")
    rects = "[...document.querySelectorAll('mark')].find((m) => m.textContent === 'IL-2')"
    for width in range(300, 420, 7):
        page.tab.resize(width, 600)
        page.frame()
        assert page.tab.run(f"{rects}.getClientRects().length") == 1
        assert faults(page.tab) == []


def test_emoji_do_not_shift_the_boxes(page: Page) -> None:
    page.type("👩‍🔬 and 𝒳: IL-2 gene 🧬 in activated T cells")
    assert ["DNA", "IL-2 gene"] in page.marks()
    assert ["cell_type", "T cells"] in page.marks()


def test_right_to_left(page: Page) -> None:
    text = "زار الرئيس مدينة القدس أمس مع وفد كبير من الوزراء"
    page.tab.resize(360, 800)
    page.type(text)
    assert page.marks() == [["RNA", "مدينة القدس"], ["DNA", "القدس"]]
    assert faults(page.tab) == []
    assert selected_text(page.tab, "#drawn") == text
    assert page.tab.run("getComputedStyle(document.querySelector('mark')).direction") == "rtl"


def test_each_line_has_its_own_direction(page: Page) -> None:
    page.tab.resize(800, 800)
    page.type("زار الرئيس مدينة القدس\nIL-2 gene in activated T cells")
    marks = "[...document.querySelectorAll('mark')]"
    left = "find((mark) => mark.textContent.startsWith('{}')).getBoundingClientRect().left"
    assert page.tab.run(f"{marks}.{left.format('IL-2')}") < 200
    assert page.tab.run(f"{marks}.{left.format('مدينة')}") > 400
    assert faults(page.tab) == []


class Elements(HTMLParser):
    """Text and boxes without what only one of the two renderers writes."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.parts: list[object] = []
        self.feed(source)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        # Widths of text are measured in the browser and estimated in Python.
        classes = set((values.get("class") or "").split()) - {"deep", "inner", "tight"}
        self.parts.append((tag, classes, values.get("dir"), values.get("data-type")))

    def handle_endtag(self, tag: str) -> None:
        self.parts.append(tag)

    def handle_data(self, data: str) -> None:
        self.parts.append(data)


@pytest.mark.parametrize("seed", range(4))
def test_the_page_and_python_make_the_same_elements(page: Page, seed: int) -> None:
    chance = random.Random(seed)
    words = ["<b>", "IL-2", "&", "gene", "T", "cells", "日本", "x\n", "\n", "y" * 30]
    text = " ".join(chance.choices(words, k=400))
    starts = [found.start() for found in re.finditer(r"\S+", text)]
    ends = [found.end() for found in re.finditer(r"\S+", text)]
    found = set()
    for _ in range(120):
        first = chance.randrange(len(starts))
        last = min(first + chance.choice([0, 0, 1, 2, 5, 20]), len(starts) - 1)
        found.add((starts[first], ends[last], chance.choice([*TYPES, "unknown"])))
    made = document(text, found, TYPES)
    entities = [entity.to_dict() for entity in made.entities]
    answer = {"entities": entities, "characters": len(text), "truncated": False, "dropped": []}
    page.service.extract = lambda _: (
        200,
        {"model": "genes", "version": "1", "documents": [answer]},
    )
    page.type(text)
    drawn = page.tab.run("document.querySelector('#drawn').innerHTML")
    python = boxes(text, document_boxes(made), TYPES)
    inner = python.removeprefix('<div class="innermost-text" lang="">').removesuffix("</div>")
    assert Elements(drawn).parts == Elements(inner).parts


def test_a_long_text_with_many_entities(page: Page) -> None:
    line = f"{TEXT} " * 5 + "\n"
    text = line * (200_000 // len(line))
    page.type(text)
    assert page.tab.run("document.querySelectorAll('mark').length") > 20_000
    assert page.tab.run("document.querySelector('#drawn').textContent") == text
    # Only what is near the window is laid out and painted.
    painted, chunks = page.tab.run(
        "((all) => [all.filter((chunk) => chunk.firstElementChild.checkVisibility("
        "{ contentVisibilityAuto: true })).length, all.length])"
        "([...document.querySelectorAll('#drawn > span')])"
    )
    assert chunks > 300
    assert painted < 20
    page.click("[data-view=tree]")
    assert page.tab.run("document.querySelectorAll('.tree li').length") < 1000
    page.click("[data-view=table]")
    assert page.tab.run("document.querySelectorAll('tbody tr').length") < 1000
    assert page.tab.complaints() == []


def test_dark_and_light(page: Page) -> None:
    page.type(TEXT)
    colors = (
        "[document.body, document.querySelector('mark')]"
        ".map((e) => getComputedStyle(e).backgroundColor)"
    )
    light, dark = (
        ["rgb(255, 255, 255)", "rgb(232, 241, 250)"],
        ["rgb(20, 23, 26)", "rgb(26, 39, 51)"],
    )
    page.tab.dark(False)
    assert page.tab.run(colors) == light
    page.tab.dark()
    assert page.tab.run(colors) == dark
    page.click("#theme")
    assert page.tab.run(colors) == light
    page.open()
    page.type(TEXT)
    assert page.tab.run(colors) == light
    page.click("#theme")
    page.tab.dark(False)
    assert page.tab.run(colors) == dark


def test_an_empty_text_and_one_without_entities(page: Page) -> None:
    page.type("Nothing here.")
    assert page.text("#error") == ("genes found no entities in this text. Other models: other.")
    assert page.text("#drawn") == "Nothing here."
    page.tab.run("document.querySelector('#text').value = '  '")
    page.click("button.main")
    assert page.tab.run("document.querySelector('#result').hidden")
    assert page.text("#status") == ""


def test_levels_that_were_not_searched_are_reported(page: Page) -> None:
    works = page.service.extract

    def stop(request: Any) -> Answer:
        status, answer = works(request)
        answer["documents"][0]["dropped"] = [{"what": "levels", "detail": "too deep"}]
        return status, answer

    page.service.extract = stop
    page.type(TEXT)
    assert page.text("#error") == "Incomplete: too deep."
    page.service.extract = works
    page.type(TEXT)
    assert page.text("#error") == ""
