"""Bars under the text: every entity has one, in its columns, within the width."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from innermost.document import Document, ScoredSpan, assemble
from innermost.rendering.boxes import Box
from innermost.rendering.terminal import draw, draw_text, wrap


def document(text: str, *names: tuple[str, str]) -> Document:
    tokens = [(i, i + 1) for i in range(len(text))]
    spans = [
        ScoredSpan(text.index(name), text.index(name) + len(name), label, 1, 0.9)
        for name, label in names
    ]
    return assemble(text, [tokens], [spans], ["X", "LONGER"])


def lines(made: Document, width: int) -> list[str]:
    return [line.plain for line in draw(made, width)]


def test_nested_bars() -> None:
    made = document(
        "the mayor of the old town spoke", ("the mayor of the old town", "X"), ("old town", "X")
    )
    assert lines(made, 40) == [
        "the mayor of the old town spoke",
        "                 ╰──────╯ X 0.90",
        "╰──────── X 0.90 ───────╯",
    ]


def test_labels_go_left_where_there_is_no_room_on_the_right() -> None:
    made = document("we went to the sea", ("sea", "LONGER"))
    assert lines(made, 20) == ["we went to the sea", "   LONGER 0.90 ╰─╯".rjust(18)]


def test_an_entity_over_two_lines() -> None:
    made = document("from the north sea coast on", ("north sea coast", "X"))
    assert lines(made, 15) == [
        "from the north",
        "  X 0.90 ╰────",
        "sea coast on",
        "────────╯ X 0.90",
    ]


def test_wide_characters_take_two_columns() -> None:
    made = document("日本 Oslo", ("Oslo", "X"))
    assert lines(made, 30) == ["日本 Oslo", "     ╰──╯ X 0.90"]


def test_control_characters_do_not_reach_the_terminal() -> None:
    made = document("a\x1b[31m b\0c", ("c", "X"))
    assert lines(made, 30) == ["a [31m b c", "         ╵ X 0.90"]


def test_labels_cannot_control_the_terminal() -> None:
    made = assemble("Oslo", [[(0, 4)]], [[ScoredSpan(0, 1, "\x1b]0;x\x07E\nF", 1, 0.9)]], ["X"])
    assert lines(made, 30) == ["Oslo", "╰──╯ ]0;x E F 0.90"]


def test_soft_hyphens_are_not_seen_and_joiners_join() -> None:
    made = document("pro\xadmoter 👨\u200d👩\u200d👧 Oslo", ("pro\xadmoter", "X"), ("Oslo", "X"))
    assert lines(made, 40) == [
        "promoter 👨\u200d👩\u200d👧 Oslo",
        "            ╰──╯ X 0.90",
        "╰──────╯ X 0.90",
    ]


def test_marks_of_direction_are_left_out_and_arabic_signs_kept() -> None:
    assert lines(document("a\u202eb\u0600"), 30) == ["ab\u0600"]


@pytest.mark.parametrize("width", [-1, 0, 1, 2, 5])
def test_any_width_ends(width: int) -> None:
    made = document("日本 a Oslo", ("Oslo", "LONGER"))
    drawn = lines(made, width)
    assert "".join("".join(drawn).split()).startswith("日本a") or width > 0
    assert any("LONGER" in line for line in drawn)


def test_an_unknown_width_is_the_usual_one() -> None:
    made = document("the mayor of the old town spoke", ("old town", "X"))
    assert lines(made, 0) == lines(made, 80)


def test_quiet_entities_are_dim_and_notes_are_written() -> None:
    boxes = [Box(0, 4, "X", kind="quiet"), Box(5, 9, "X", score=0.5, note="only here")]
    line, loud, quiet = draw_text("Oslo Rome", boxes, ["X"], 60)
    assert line.plain == "Oslo Rome"
    assert [(s.start, s.end, s.style) for s in line.spans] == [(5, 9, "bold cyan")]
    assert (quiet.plain, quiet.spans[0].style) == ("╰──╯ X", "dim")
    assert loud.plain == "     ╰──╯ X 0.50 (only here)"


def test_line_ends_are_kept() -> None:
    assert lines(document("one\n\ntwo"), 30) == ["one", "", "two"]


# A soft hyphen stays with the letter before it; terminals disagree on whether it has a width.
_WRAPPED = st.text(max_size=80).map(lambda t: t.replace("\r", " ").replace("\xad", ""))


@given(_WRAPPED, st.integers(4, 30))
def test_wrapping_keeps_every_character_and_the_width(text: str, width: int) -> None:
    pieces = [text[a:b] for a, b in wrap(text, width)]
    assert "".join(pieces) == text.replace("\n", "")
    assert all(cell_len(piece.rstrip(" ")) <= width for piece in pieces)


PLACES = st.tuples(st.integers(0, 59), st.integers(1, 60), st.sampled_from(["X", "LONGER"]))


@given(st.lists(PLACES.filter(lambda p: p[0] < p[1]), unique=True), st.integers(20, 70))
def test_every_entity_has_its_bars(places: list[tuple[int, int, str]], width: int) -> None:
    text = "abcde " * 10
    tokens = [(i, i + 1) for i in range(60)]
    spans = [ScoredSpan(a, b, label, 1, 0.9) for a, b, label in places]
    made = assemble(text, [tokens], [spans], ["X", "LONGER"])
    drawn = lines(made, width)
    assert all(len(line) <= width + len("LONGER 0.90") + 1 for line in drawn)
    expected = sum(
        1
        for start, end in wrap(text, width)
        for a, b, _ in places
        if text[max(a, start) : min(b, end)].strip(" ")
    )
    assert sum(line.count("0.90") for line in drawn) == expected
