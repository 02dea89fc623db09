"""Lines of text and boxes: all of the text, boxes inside each other, nothing over the edge."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.documents import Place, document, places
from innermost.rendering.boxes import Box, document_boxes
from innermost.rendering.layout import MARGIN, Line, lay_out
from innermost.rendering.widths import text_width

TEXT = "ab cde  f-g hi\njkl 日本語 mnopqr st"


def lines_of(text: str, found: list[Place], width: float) -> list[Line]:
    boxes = sorted(document_boxes(document(text, found)), key=lambda b: (b.start, -b.end))
    return lay_out(text, boxes, width)


@given(places(len(TEXT)), st.floats(6, 60))
def test_lines_hold_the_text_in_order(found: list[Place], width: float) -> None:
    drawn = "".join(run.text for line in lines_of(TEXT, found, width) for run in line.runs)
    assert "".join(drawn.split()) == "".join(TEXT.split())


@given(places(len(TEXT)), st.floats(6, 60))
def test_boxes_are_inside_each_other_and_beside_each_other(
    found: list[Place], width: float
) -> None:
    for line in lines_of(TEXT, found, width):
        for i, a in enumerate(line.frames):
            for b in line.frames[i + 1 :]:
                inside = a.x < b.x and b.x + b.width < a.x + a.width and b.height < a.height
                apart = a.x + a.width <= b.x + 1e-9
                assert inside or apart
        for run in line.runs:
            for frame in line.frames:
                left, right = frame.x + frame.label, frame.x + frame.width
                within = left <= run.x and run.x + run.width <= right
                assert within or run.x + run.width <= frame.x + 1e-9 or run.x >= right - 1e-9


@given(places(len(TEXT)), st.floats(6, 60))
def test_only_what_cannot_be_broken_is_wider_than_the_line(
    found: list[Place], width: float
) -> None:
    for line in lines_of(TEXT, found, width):
        end = max([r.x + r.width for r in line.runs] + [f.x + f.width for f in line.frames] + [0])
        words = "".join(run.text for run in line.runs).split()
        if end > width + MARGIN:
            assert len(words) == 1


@given(places(len(TEXT)))
def test_every_entity_with_text_has_a_box_on_each_of_its_lines(found: list[Place]) -> None:
    lines = lines_of(TEXT, found, 15)
    for index, entity in enumerate(document(TEXT, found).entities):
        if entity.text.strip():
            assert any(f.piece.entity == index for line in lines for f in line.frames)


def test_a_box_over_two_lines_has_its_label_on_both() -> None:
    first, second = lay_out("one two", [Box(0, 7, "X")], 3.5)
    assert [run.text for run in first.runs + second.runs] == ["one", "two"]
    assert first.frames[0].label == second.frames[0].label > 0


def test_lines_of_scripts_without_spaces_and_endless_words_are_broken() -> None:
    assert len(lay_out("日本語" * 10, [], 10)) == 3
    assert len(lay_out("x" * 100, [], 21)) == 3
    # A family emoji is one character.
    assert [run.text for run in lay_out("👨\u200d👩\u200d👧", [], 0.1)[0].runs] == [
        "👨\u200d👩\u200d👧"
    ]


def test_direction_is_that_of_the_paragraph() -> None:
    assert [line.right_to_left for line in lay_out("abc\nقال a\n12 قال", [], 50)] == [
        False,
        True,
        True,
    ]


@pytest.mark.parametrize(
    ("text", "width"),
    [("", 0), ("ijl", 0.666), ("W@", 1.959), ("é", 0.556), ("e\u0301", 0.556), ("日", 1.0)],
)
def test_widths(text: str, width: float) -> None:
    assert text_width(text) == pytest.approx(width)
