"""XML: events in order, nothing dropped, nothing fetched, nothing blown up."""

import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from innermost.corpus.shared.xml_events import End, Start, Text, escaped, events, quoted
from innermost.errors import DataError


def parsed(data: str | bytes):
    raw = data.encode() if isinstance(data, str) else data
    return list(events(io.BytesIO(raw), "x.xml"))


def test_tags_and_text_come_in_order_with_lines():
    found = parsed('<a>one\n<b k="v">two</b></a>')
    assert found == [
        Start("a", {}, 1),
        Text("one\n", 2),
        Start("b", {"k": "v"}, 2),
        Text("two", 2),
        End("b", 2),
        End("a", 2),
    ]


def test_a_doctype_with_a_system_id_is_read_without_fetching_it():
    found = parsed('<!DOCTYPE a SYSTEM "http://nowhere.invalid/a.dtd"><a>x &amp; y</a>')
    assert "".join(e.text for e in found if isinstance(e, Text)) == "x & y"


@pytest.mark.parametrize(
    ("document", "message", "line"),
    [
        ('<!DOCTYPE a [\n<!ENTITY b "bb">\n<!ENTITY c "&b;&b;">]><a>&c;</a>', "declared", 2),
        ('<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>', "declared", 1),
        ('<!DOCTYPE a [<!ENTITY % b SYSTEM "b.dtd">\n%b;]><a/>', "declared", 1),
        ('<!DOCTYPE a SYSTEM "a.dtd">\n<a>\n&what;</a>', "&what; is unknown", 3),
        ("<a>\n<b>\n</a>", "mismatched tag", 3),
        ("<a>", "no element", 1),
        ("", "no element found", 1),
        (b"<a>\n\xff</a>", "invalid token", 2),
    ],
)
def test_what_is_refused_names_file_and_line(document, message, line):
    with pytest.raises(DataError, match=message) as error:
        parsed(document)
    assert (error.value.path, error.value.line) == ("x.xml", line)


def test_external_entities_read_no_file(tmp_path: Path):
    secret = tmp_path / "secret"
    secret.write_text("secret")
    with pytest.raises(DataError) as error:
        parsed(f'<!DOCTYPE a [<!ENTITY b SYSTEM "{secret.as_uri()}">]><a>&b;</a>')
    assert "secret" not in error.value.message


xml_text = st.text(
    st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufffe\uffff")
    | st.sampled_from("\t\n\r<>&\"'")
)


@given(xml_text, xml_text)
def test_what_is_escaped_reads_back_the_same(text, value):
    found = parsed(f"<a k={quoted(value, 'x')}>{escaped(text, 'x')}</a>")
    assert found[0] == Start("a", {"k": value}, 1)
    assert "".join(e.text for e in found if isinstance(e, Text)) == text


@pytest.mark.parametrize("bad", ["\0", "\x0b", "\ufffe", "\ud800"])
def test_characters_xml_cannot_hold_are_an_error(bad):
    for written in (escaped, quoted):
        with pytest.raises(DataError, match=f"U\\+{ord(bad):04X}"):
            written(f"a{bad}", "x.xml")
