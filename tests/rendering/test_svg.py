"""SVG pictures: well-formed, with all of the text, drawn the same by any program."""

from __future__ import annotations

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.chromium import Tab
from helpers.documents import Place, document, places
from innermost.rendering.svg import picture
from innermost.rendering.widths import _LATIN

TEXT = 'ab <i>&amp; cd" e'
NAMESPACE = "{http://www.w3.org/2000/svg}"


def texts(svg: str) -> list[str]:
    return ["".join(t.itertext()) for t in ElementTree.fromstring(svg).iter(f"{NAMESPACE}text")]


@given(places(len(TEXT)))
def test_text_labels_and_legend(found: list[Place]) -> None:
    drawn = texts(picture([("<name>", document(TEXT, found))], "A & b"))
    assert drawn[0] == "<name>"
    labels = {label for *_, label in found}
    assert set(drawn[len(drawn) - len(labels) :]) == labels
    words = [t for t in drawn[1 : len(drawn) - len(labels)] if t not in labels]
    assert "".join("".join(words).split()) == "".join(TEXT.split())


@given(st.text(max_size=40), st.text(min_size=1, max_size=10))
def test_any_text_and_label_is_well_formed(text: str, label: str) -> None:
    found = [(0, len(text), label)] if text else []
    ElementTree.fromstring(picture([(label, document(text, found, (label,)))], label))


def test_no_document() -> None:
    ElementTree.fromstring(picture([], "None"))


def test_colors_are_attributes_and_nothing_is_loaded() -> None:
    svg = picture([(None, document(TEXT, [(0, 4, "X"), (3, 9, "<Y>")]))], "Title")
    assert not re.search(r"<style|style=|class=|href|@import", svg)
    assert set(re.findall(r"url\((.*?)\)", svg)) <= {"#stripes1"}


def test_a_browser_gives_every_run_its_width(tab: Tab, tmp_path: Path) -> None:
    made = document("Nested ENTITIES & wide 日本 naïve", [(0, 6, "X"), (0, 15, "<Y>")])
    path = tmp_path / "picture.svg"
    path.write_text(picture([(None, made)], "Widths"), encoding="utf-8")
    tab.open(path.as_uri())
    gaps = tab.run(
        "[...document.querySelectorAll('text[textLength]')].map((t) =>"
        " Math.abs(t.getComputedTextLength() - t.textLength.baseVal.value))"
    )
    assert max(gaps) < 1


def test_the_widths_are_those_of_the_typeface(tab: Tab) -> None:
    characters = json.dumps([c for c in _LATIN if c != "\t"])
    wide = tab.run(
        f"""((context) => {{ context.font = "1000px 'Liberation Sans'";
           return {characters}.map((c) => context.measureText(c).width) }})
        (document.createElement('canvas').getContext('2d'))"""
    )
    if abs(wide[0] - 191) > 1:
        pytest.skip("no typeface with the widths of Helvetica")
    expected = [1000 * width for c, width in _LATIN.items() if c != "\t"]
    assert wide == pytest.approx(expected, abs=1)
