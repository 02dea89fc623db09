"""The quote that makes a row of CSV unreadable, found as by reading character by character."""

from __future__ import annotations

import csv

from hypothesis import example, given
from hypothesis import strategies as st

from innermost.files.csv_quotes import RowLines


def first_problem(text: str) -> tuple[int, str] | None:
    """The same for a whole file, character by character."""
    state, opened, line = "start", 0, 1
    for character in text:
        if state == "quoted":
            state = "closed?" if character == '"' else "quoted"
        elif state == "closed?" and character == '"':
            state = "quoted"
        elif state == "closed?" and character not in ",\n":
            return opened, f"is closed in line {line}, before the end of the field"
        elif state == "start" and character == '"':
            state, opened = "quoted", line
        else:
            state = "start" if character in ",\n" else "plain"
        line += character == "\n"
    return (opened, "is not closed") if state == "quoted" else None


@given(st.text('",a\n', max_size=30))
@example('a\n"b\nc",""\n,"a"",\n')
@example('a\n"b\nc","d\ne"f,\n')
def test_the_quote_is_the_one_found_by_reading_every_character(text: str) -> None:
    lines = RowLines(text.splitlines(keepends=True), ",")
    problem = None
    try:
        for _ in csv.reader(lines, strict=True):
            lines.end_row()
    except csv.Error:
        problem = lines.problem()
        assert problem
    assert problem == first_problem(text)


def test_lines_are_counted_as_they_are_given() -> None:
    lines = RowLines(['"a\r\n', 'b\r"\t"c\n'], "\t")
    list(lines)
    assert lines.problem() == (2, "is not closed")
