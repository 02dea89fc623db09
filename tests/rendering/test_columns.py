"""Two drawings in a terminal: next to each other, line by line, or below each other."""

from __future__ import annotations

from innermost.rendering.boxes import Box
from innermost.rendering.columns import draw_pair

TEXT = "the mayor of the old town spoke to us"
LEFT = [Box(0, 25, "X", kind="quiet"), Box(17, 25, "Y", note="only here")]
RIGHT = [Box(0, 25, "X", kind="quiet")]


def drawn(width: int) -> list[str]:
    return [line.plain for line in draw_pair(TEXT, [LEFT, RIGHT], ["A", "B"], ["X", "Y"], width)]


def test_wide() -> None:
    space = " " * 48
    assert drawn(100) == [
        f"A{space[1:]} │ B",
        f"{TEXT.ljust(48)} │ {TEXT}",
        f"{'                 ╰──────╯ Y (only here)'.ljust(48)} │ ╰────────── X ──────────╯",
        f"{'╰────────── X ──────────╯'.ljust(48)} │",
    ]


def test_narrow() -> None:
    assert drawn(60) == [
        "A",
        TEXT,
        "                 ╰──────╯ Y (only here)",
        "╰────────── X ──────────╯",
        "B",
        TEXT,
        "╰────────── X ──────────╯",
    ]


def test_lines_of_text_stay_next_to_each_other() -> None:
    text = "word " * 30
    boxes = [Box(0, 4, "X", score=0.5, note="only here"), Box(0, 40, "X", note="only here")]
    lines = [line.plain for line in draw_pair(text, [boxes, []], ["A", "B"], ["X"], 100)]
    for line in lines:
        left, _, right = line.partition(" │")
        assert right.startswith(" word") == left.startswith("word")
