"""Published JSON that the format papers reads: GLiNER, PhoNER, CLUENER, Dataturks."""

from __future__ import annotations

import json

import pytest

from innermost.corpus import Options, Report, Source, read, registry
from innermost.errors import DataError
from innermost.nest import Span

TOKENS = ["The", "wife", "of", "Bob", "left", "."]
TEXT = "The wife of Bob left."
NESTED = [Span(0, 4, "PER"), Span(3, 4, "PER")]
OPTIONS = Options(tokenizer="ptb")


def read_records(tmp_path, *records):
    path, report = tmp_path / "a", Report()
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    assert registry.guess(Source(path)).name == "papers"
    return list(read(path, options=OPTIONS, report=report)), report


def point(start, end, text=None):
    return {"start": start, "end": end, "text": TEXT[start : end + 1] if text is None else text}


def turk(labels, *points):
    return {"label": labels, "points": list(points)}


@pytest.mark.parametrize(
    "record",
    [
        {"tokenized_text": TOKENS, "ner": [[0, 3, "PER"], [3, 3, "PER"]]},
        {"text": TEXT, "label": {"PER": {"The wife of Bob": [[0, 14]], "Bob": [[12, 14]]}}},
        {
            "content": TEXT,
            "annotation": [turk(["PER"], point(0, 14)), turk(["PER"], point(12, 14))],
            "extras": None,
        },
    ],
)
def test_nested_entities_with_inclusive_ends(tmp_path, record):
    (sentence,), report = read_records(tmp_path, record)
    assert sentence.tokens == TOKENS
    assert sentence.entities == NESTED
    assert not sentence.extra
    assert not report.counts


@pytest.mark.parametrize(
    ("tokens_key", "tags_key"), [("words", "tags"), ("tokens", "ner_tags"), ("tokens", "entities")]
)
def test_lists_of_tags(tmp_path, tokens_key, tags_key):
    tags = ["B-PER", "I-PER", "I-PER", "I-PER", "O", "O"]
    record = {tokens_key: TOKENS, tags_key: tags, "source": "x"}
    (sentence,), report = read_records(tmp_path, record)
    assert (sentence.tokens, sentence.entities) == (TOKENS, [Span(0, 4, "PER")])
    assert sentence.extra == {"source": "x"}
    assert not report.counts


def test_records_without_entities(tmp_path):
    records = [{"text": TEXT, "label": {}}, {"content": TEXT, "annotation": None}]
    sentences, report = read_records(tmp_path, *records)
    assert [s.entities for s in sentences] == [[], []]
    assert not report.counts


def test_a_mention_that_differs_from_the_text_is_reported(tmp_path):
    records = [
        {"text": TEXT, "label": {"PER": {"Ann": [[12, 14]]}}},
        {"content": TEXT, "annotation": [turk(["PER"], point(12, 14, "Ann"))]},
        {"content": TEXT, "annotation": [turk([], point(12, 14))]},
    ]
    sentences, report = read_records(tmp_path, *records)
    assert [len(s.entities) for s in sentences] == [1, 1, 0]
    assert dict(report.counts) == {
        ("odd", "text of an entity"): 2,
        ("lost", "annotation without a label"): 1,
    }


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({"text": TEXT, "label": {"PER": [[12, 14]]}}, "expected an object with mentions"),
        ({"text": TEXT, "label": {"PER": {"Bob": [12]}}}, "an entity needs two offsets"),
        ({"text": TEXT, "label": {"PER": {"Bob": [[12, 99]]}}}, "outside the text"),
        ({"content": TEXT, "annotation": [{"label": "PER"}]}, "an annotation needs"),
        ({"content": TEXT, "annotation": [turk(["PER"], {})]}, "an entity needs two offsets"),
        ({"tokenized_text": TOKENS, "ner": [["Bob", "PER"]]}, "an entity needs index and type"),
    ],
)
def test_a_bad_record_is_named(tmp_path, record, message):
    with pytest.raises(DataError, match=message):
        read_records(tmp_path, record)
