"""HTML that says the text, holds every entity, and is well-formed whatever the text."""

from __future__ import annotations

import re
from html import unescape
from html.parser import HTMLParser
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from innermost.document import Document, ScoredSpan, assemble
from innermost.rendering.html import fragment, page
from innermost.rendering.pieces import nested_pieces

TEXT = 'ab <i>&amp; cd" e'
PLACES = st.tuples(
    st.integers(0, len(TEXT) - 1), st.integers(1, len(TEXT)), st.sampled_from(["X", "<Y>"])
).filter(lambda place: place[0] < place[1])


def document(places: list[tuple[int, int, str]], text: str = TEXT) -> Document:
    tokens = [(i, i + 1) for i in range(len(text))]
    spans = [ScoredSpan(a, b, label, 1, 0.9) for a, b, label in places]
    return assemble(text, [tokens], [spans], ["X", "<Y>"])


class Checked(HTMLParser):
    """Fails on tags that do not match; collects the text of the paragraph without labels."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.text = ""
        self.feed(source)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "p" in self.open and "small" not in self.open:
            self.text += data


@given(st.lists(PLACES, unique=True))
def test_boxes_hold_the_text_and_every_entity(places: list[tuple[int, int, str]]) -> None:
    made = document(places)
    source = fragment(made)
    assert Checked(source).text == TEXT
    assert source.count("<li>") == len(places)
    labels = [unescape(label) for label in re.findall(r"<small>([^<\s]+) 0\.90</small>", source)]
    assert sorted(labels) == sorted(label for *_, label in places)


@given(st.lists(PLACES, unique=True))
def test_pieces_never_cross_and_cover_their_entities(places: list[tuple[int, int, str]]) -> None:
    made = document(places)
    pieces = list(nested_pieces(made.entities))
    for a in pieces:
        for b in pieces:
            assert not a.start < b.start < a.end < b.end
    for index, entity in enumerate(made.entities):
        parts = [(p.start, p.end) for p in pieces if p.entity == index]
        assert parts[0][0] == entity.start
        assert parts[-1][1] == entity.end
        assert all(left[1] == right[0] for left, right in pairwise(parts))


def test_page_is_whole_and_needs_nothing_else() -> None:
    source = "".join(page([document([(0, 2, "X")]), document([])], "Two & two"))
    Checked(source.removeprefix("<!doctype html>"))
    assert "<title>Two &amp; two</title>" in source
    assert source.count("<article") == 2
    assert "http" not in source
    assert "1 entity" in source
