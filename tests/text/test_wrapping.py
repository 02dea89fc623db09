from __future__ import annotations

import textwrap

import pytest

from innermost.text.wrapping import is_hard_wrapped

PROSE = """
It was a cold day when the old mayor of the town came back from the sea, and nobody had thought
that he would ever come back. He had been away for so long that the children did not know his
name any more; only the baker, who was older than he was, took off his hat. The two of them
went up the street together and said very little, for what was there to say after all these
years? In the evening the lamps were lit in the house on the hill. The people in the valley saw
them and wondered who it was.
"""
PARAGRAPHS = [" ".join(PROSE.split())] * 3


def wrapped(width: int) -> list[str]:
    return [line for p in PARAGRAPHS for line in (*textwrap.wrap(p, width), "")]


@pytest.mark.parametrize("width", [40, 60, 72, 100, 132])
def test_lines_of_a_page_are_recognized(width: int) -> None:
    assert is_hard_wrapped(wrapped(width))


SENTENCES = [f"{s.strip()}." for p in PARAGRAPHS for s in p.split(".") if s.strip()]


@pytest.mark.parametrize(
    "lines",
    [
        [],
        PARAGRAPHS,
        SENTENCES,
        [line for sentence in SENTENCES for line in (sentence, "")],
        ["the mayor of ghent spoke", "so cold today", "no idea who that was lol", "ok"] * 20,
        ["Mayor of Ghent Speaks", "Town Hall Burns Down in the Night", "Prices Rise Again"] * 20,
        wrapped(72)[:4],
    ],
)
def test_a_text_on_each_line_is_no_page(lines: list[str]) -> None:
    assert not is_hard_wrapped(lines)
