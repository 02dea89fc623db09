"""HTML that contains the text and every entity, and is well-formed whatever the text."""

from __future__ import annotations

import re
from html.parser import HTMLParser

from hypothesis import given

from helpers.documents import Place, document, places
from innermost.document import Documents
from innermost.rendering.boxes import Box, boxes, style
from innermost.rendering.html import MOST_IN_A_FRAGMENT, fragment, page
from innermost.rendering.labels import css_string, shown

TEXT = 'ab <i>&amp; cd" e'


class Checked(HTMLParser):
    """Fails on tags that do not match; collects the text and the boxes."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.text = ""
        self.marks: list[dict[str, str | None]] = []
        self.feed(source)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "mark":
            self.marks.append(dict(attrs))
        if tag not in ("meta", "input"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "span" in self.open:
            self.text += data


@given(places(len(TEXT)))
def test_boxes_hold_the_text_and_every_entity(found: list[Place]) -> None:
    source = fragment([document(TEXT, found)])
    checked = Checked(source)
    assert checked.text == TEXT
    assert source.count("<li><b") == len(found)
    whole = [m for m in checked.marks if "cut-start" not in (m["class"] or "")]
    assert sorted(m["data-type"] or "" for m in whole) == sorted(label for *_, label in found)
    assert all(m["title"] == f"{m['data-type']} 0.90, level 1" for m in checked.marks)


def test_the_same_elements_as_ever() -> None:
    found = [Box(0, 6, "X", note="!"), Box(2, 4, "<Y>", "t", 0.5, "quiet")]
    assert boxes("abcdef", found, ["X", "<Y>"]) == (
        '<div class="innermost-text" lang=""><span class="u1" dir="auto">'
        '<mark class="c0 p0 u1" data-type="X" data-note="!">ab'
        '<mark class="c1 p1 u0 tight quiet" data-type="&lt;Y&gt;" data-score="0.5000" title="t">cd'
        "</mark>ef</mark></span></div>"
    )


def test_crossing_entities_are_cut_and_say_so() -> None:
    drawn = Checked(boxes("abcdef", [Box(0, 4, "X"), Box(2, 6, "Y")], ["X", "Y"]))
    assert [m["class"] for m in drawn.marks] == [
        "c0 p0 u1",
        "c1 p1 u0 cut-end",
        "c1 p1 u0 cut-start tight",
    ]


def test_page_is_whole_and_needs_nothing_else() -> None:
    documents = [("a<b>.txt", document(TEXT, [(0, 2, "X")])), (None, document("one", []))]
    source = "".join(page(documents, "Two & two", "Model <m>"))
    Checked(source.removeprefix("<!doctype html>"))
    assert "<title>Two &amp; two</title>" in source
    assert source.count("<article") == 2
    assert "<h2>a&lt;b&gt;.txt</h2>" in source
    assert "Model &lt;m&gt;" in source
    assert "1 entity" in source
    # Only the name of the SVG namespace, in the pictures of the labels.
    assert set(re.findall(r"https?:[^%\"' ]*", source.replace("%2F", "/"))) <= {
        "http://www.w3.org/2000/svg"
    }


def test_a_page_without_documents() -> None:
    Checked("".join(page([], "None")).removeprefix("<!doctype html>"))


def test_a_label_cannot_leave_the_style_sheet() -> None:
    label = '</style><script>alert(1)</script>"}*{color:red}\\'
    assert "<" not in css_string(label)
    assert ">" not in css_string(label)
    assert style([label]).count("</style") == 0
    assert css_string('a"b\\c\n') == '"a\\22 b\\5c c\\a "'


def test_long_labels_are_shortened_and_stay_on_one_line() -> None:
    assert shown("a\x1b[31m\nb") == "a [31m b"
    assert shown("x" * 30) == "x" * 19 + "…"


def test_notebooks_draw_lists_up_to_a_length() -> None:
    drawn = Documents([document("abc", [(0, 3, "X")]), document("def", [(1, 2, "<Y>")])])
    source = drawn._repr_html_()
    assert source.count("<style>") == 1
    assert source.count('class="innermost-list"') == 2
    assert "more" not in source
    many = Documents([document("abc", [(0, 3, "X")])] * (MOST_IN_A_FRAGMENT + 1_500))
    assert many._repr_html_().count('class="innermost-list"') == MOST_IN_A_FRAGMENT
    assert "... and 1,500 more" in many._repr_html_()
    assert Documents()._repr_html_()
