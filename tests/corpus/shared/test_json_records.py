"""JSON records one at a time, with every size of the window, against the standard library."""

import io
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from innermost.corpus import Context, Options, Report, Source
from innermost.corpus.shared import json_records
from innermost.corpus.shared.json_records import (
    are_numbers,
    decode_record,
    first_record,
    head_records,
    head_values,
    is_json_array,
    json_values,
    name_of,
    probability,
    write_records,
)
from innermost.errors import DataError

CONTEXT = Context(Options(), Report(), "x.json", 7)
values = st.recursive(
    st.none() | st.booleans() | st.integers(-99, 99) | st.text('aé😀"\\\n,]}', max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("k,", max_size=2), inner),
    max_leaves=6,
)
blank = st.text(" \t\r\n", max_size=3)


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return tmp_path_factory.mktemp("json") / "x.json"


@given(data=st.data(), items=st.lists(values, max_size=5), chunk=st.sampled_from([1, 3, 1 << 16]))
def test_a_list_is_read_value_by_value(path, data, items, chunk):
    text, lines = data.draw(blank) + "[" + data.draw(blank), []
    for number, item in enumerate(items):
        text += ("," + data.draw(blank)) if number else ""
        lines.append(text.count("\n") + 1)
        text += json.dumps(item, ensure_ascii=False) + data.draw(blank)
    text += "]" + data.draw(blank)
    path.write_bytes(text.encode())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_records, "_CHUNK", chunk)
        assert is_json_array(Source(path))
        found = list(json_values(Source(path)))
    assert [line for line, _ in found] == lines
    assert [json.loads(value) for _, value in found] == items
    assert list(head_values(Source(path))) == items


objects = st.dictionaries(st.sampled_from("kl"), values, min_size=1, max_size=2)


@settings(max_examples=40)
@given(st.lists(objects, min_size=1, max_size=3))
def test_indented_objects_one_after_the_other(items):
    text = "\n".join(json.dumps(item, indent=1) for item in items)
    source = _Memory(text.encode())
    found = list(json_values(source))
    assert [json.loads(value) for _, value in found] == items
    lines = [
        1 + "\n".join(json.dumps(i, indent=1) for i in items[:n]).count("\n") + (n > 0)
        for n in range(len(items))
    ]
    assert [line for line, _ in found] == lines


class _Memory(Source):
    """A source in memory."""

    def __init__(self, data):
        super().__init__("-")
        self._data = data

    def head(self, size=1 << 16):
        return self._data[:size]

    def open(self):
        return io.BufferedReader(io.BytesIO(self._data))


def test_lines_are_numbered_blank_ones_and_the_mark_skipped():
    source = _Memory(b'\xef\xbb\xbf{"a": 1}\n\n  \n{"a": 2}\r\n{')
    assert list(json_values(source)) == [(1, b'{"a": 1}\n'), (4, b'{"a": 2}\r\n'), (5, b"{")]
    assert not is_json_array(source)


def test_the_mark_before_a_list_is_skipped():
    source = _Memory(b"\xef\xbb\xbf [1,\n2]")
    assert is_json_array(source)
    assert list(json_values(source)) == [(1, b"1"), (2, b"2")]


@pytest.mark.parametrize(
    ("text", "message", "line"),
    [
        ("[1\n2]", "a comma or the end of the list, found '2'", 2),
        ("[1,\n2", "a comma or the end of the list, found the end of the file", 2),
        ("[1]\n\n3", "nothing after the list, found '3'", 3),
        ("[1,\n\n{]", "not valid JSON", 3),
        ("[1,\n" + "[" * 100_000, "not valid JSON", 2),
        ("{\n", "not valid JSON", 1),
    ],
)
def test_what_is_not_a_list_is_named_with_its_line(text, message, line):
    with pytest.raises(DataError, match=message) as error:
        list(json_values(_Memory(text.encode())))
    assert error.value.line == line


def test_bytes_that_are_not_text():
    with pytest.raises(DataError, match="not UTF-8"):
        list(json_values(_Memory(b"[1, \xff]")))
    with pytest.raises(DataError, match="not valid JSON") as error:
        decode_record(b'{"a": "\xff"}', CONTEXT)
    assert (error.value.path, error.value.line) == ("x.json", 7)


def test_the_start_of_a_file():
    assert list(head_values(_Memory(b' [ {"a": 1} , 2, {"b'))) == [{"a": 1}, 2]
    assert list(head_records(_Memory(b'{"a": 1}\n{"a": 2}\n[3]\n{"a": 4}'))) == [{"a": 1}, {"a": 2}]
    assert first_record(_Memory(b'\xef\xbb\xbf{"a": 1}')) == {"a": 1}
    assert first_record(_Memory(b"3")) == first_record(_Memory(b"")) == {}


def test_only_objects_are_records():
    assert decode_record(b'{"a": [1]}', CONTEXT) == {"a": [1]}
    with pytest.raises(DataError, match="expected a JSON object, found") as error:
        decode_record(b'"%s"' % (b"x" * 500), CONTEXT)
    assert len(error.value.message) == 80


def test_names_are_text_or_whole_numbers():
    record = {"a": "x", "b": 12, "c": None, "d": True, "e": 1.5, "f": ["x" * 999]}
    assert [name_of(record, key, CONTEXT) for key in "abcz"] == ["x", "12", None, None]
    for key in "def":
        with pytest.raises(DataError, match=f'expected "{key}": a string') as error:
            name_of(record, key, CONTEXT)
        assert len(error.value.message) <= 200


def test_numbers_and_probabilities():
    assert all([are_numbers(), are_numbers(0, -3)])
    assert not any([are_numbers(0, True), are_numbers(1.0), are_numbers(None, 1)])
    given = [0, 1, 0.25, 1.01, -0.01, True, False, "1", None, float("nan")]
    assert [probability(value) for value in given] == [0.0, 1.0, 0.25, *[None] * 7]
    assert type(probability(1)) is float


@pytest.mark.parametrize("items", [[], [{"a": "é"}], [{"a": 1}, {"b": [2]}, {}]])
def test_records_are_written_as_a_list_or_as_lines(items, tmp_path):
    for name in ("x.json", "x.json.gz", "x.jsonl"):
        write_records(iter(items), tmp_path / name)
        found = [json.loads(value) for _, value in json_values(Source(tmp_path / name))]
        assert found == items
    text = (tmp_path / "x.json").read_text(encoding="utf-8")
    assert json.loads(text) == items
    assert text.count("\n") == len(items) + (2 if items else 1)
    lines = (tmp_path / "x.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line) for line in lines] == items
