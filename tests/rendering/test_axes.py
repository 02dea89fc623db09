"""Axes: values where they belong, and a standalone picture."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from innermost.rendering.axes import Axes, evenly, file, label

AXES = Axes(200, 100, 20, 10, 5, 15, (1, 3), (0, 50))


@pytest.mark.parametrize(("value", "x"), [(1, 20), (2, 105), (3, 190)])
def test_x(value: float, x: float) -> None:
    assert AXES.x(value) == x


@pytest.mark.parametrize(("value", "y"), [(0, 85), (25, 45), (50, 5)])
def test_y_grows_upward(value: float, y: float) -> None:
    assert AXES.y(value) == y


def test_ticks_grid_and_lines_are_at_their_values() -> None:
    ticks = evenly(0, 50, 2)
    assert ticks == [(0, "0"), (25, "25"), (50, "50")]
    assert AXES.grid(ticks).count("<path") == 3
    assert 'd="M20 45.0H190"' in AXES.grid(ticks)
    assert label(14, 49, "25", "end") in AXES.y_ticks(ticks)
    assert label(196, 49, "25", "start") in AXES.y_ticks(ticks, on_right=True)
    assert AXES.line([(1, 0), (3, 50)], "a b") == (
        '<polyline class="a b" points="20.0,85.0 190.0,5.0"/>'
    )


def test_a_file_is_well_formed_whatever_the_titles_say() -> None:
    content = AXES.x_ticks([(1, "<a>")], "x & y") + AXES.y_ticks([(0, "<")], "<&>")
    picture = ElementTree.fromstring(file(AXES, "text{fill:red}", "a < b", content))
    words = ["".join(text.itertext()) for text in picture.iter("{http://www.w3.org/2000/svg}text")]
    assert words == ["<a>", "x & y", "<", "<&>"]
