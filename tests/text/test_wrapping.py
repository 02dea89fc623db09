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


NAMES = """
The governor of the Bank of England said on Monday that he would meet the president of the Swiss
National Bank in Zurich. Andrew Bailey has led the Bank of England since March 2020, and was the
chief executive of the Financial Conduct Authority before. Both banks are members of the Bank for
International Settlements, which has its seat in Basel.
"""


@pytest.mark.parametrize("width", [50, 60, 72, 80])
@pytest.mark.parametrize("text", [PROSE, NAMES])
def test_a_single_paragraph_is_recognized(text: str, width: int) -> None:
    lines = textwrap.wrap(text, width)
    assert is_hard_wrapped(lines)
    assert is_hard_wrapped(["", *lines, ""])
    assert is_hard_wrapped(["A headline", "", *lines])


def test_three_lines_are_recognized() -> None:
    assert is_hard_wrapped(textwrap.wrap(f"{' '.join(NAMES.split()[:38])}.", 72))


LETTER = """
12 Mill Lane
Leeds LS1 4AB

Dear Mr. Bailey,

I am writing to let you know that the meeting with
the council of the city of Ghent has been moved to
next Thursday. Please tell Anna.

Kind regards,
Marie
"""


def test_a_signed_letter_is_recognized() -> None:
    assert is_hard_wrapped(LETTER.splitlines())
    assert not is_hard_wrapped(LETTER.replace("to\nnext", "to next").splitlines()[:7])


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
        ["the mayor of ghent spoke", "so cold today", "no idea who that was lol", "ok."],
        [
            "so tired today but the match in the old town was great fun",
            "who else is going to see the new film about the mayor tonight",
            "still no answer from the bank and it has been three weeks now",
        ],
        ["two cups of flour", "one cup of sugar", "three eggs, beaten well", "a bit of salt."],
        [
            "Mayor of Ghent Speaks at the Opening of the Bridge",
            "Town Hall of Leeds Burns Down in the Night of May",
            "Prices of Bread and Coal Rise for the Third Month",
            "Bank of England Meets to Talk About the New Rates.",
        ],
        [
            "The mayor of Ghent spoke at the opening of the bridge.",
            "the town hall of Leeds burned down in the night of May.",
            "prices of bread and coal rose again for the third time.",
        ],
        ["- bread, which the baker in the old town sells", "- milk from the farm", "- eggs."],
        textwrap.wrap(NAMES, 72)[:2],
    ],
)
def test_a_text_on_each_line_is_no_page(lines: list[str]) -> None:
    assert not is_hard_wrapped(lines)
