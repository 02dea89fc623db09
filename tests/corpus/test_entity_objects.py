"""Entities of the native format with the keys of other tools and corpora."""

from __future__ import annotations

import json

import pytest

from innermost.corpus import Options, Report, Source, read, registry
from innermost.errors import DataError
from innermost.nest import Span

TEXT = "The wife of Bob left."
NESTED = [Span(0, 4, "PER"), Span(3, 4, "PER")]
OPTIONS = Options(tokenizer="ptb")


def written(path, *records):
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


@pytest.mark.parametrize(
    "keys",
    [
        lambda s, e, t: {"name": t, "span": [s, e], "type": "PER"},
        lambda s, e, t: {"text": t, "span": [s, e], "entity_type": "PER"},
        lambda s, e, t: {"start_offset": s, "end_offset": e, "label": "PER"},
        lambda s, e, t: {"start_idx": s, "end_idx": e, "type": "PER", "entity": t},
        lambda s, e, t: {"start": s, "end": e, "entity_group": "PER", "word": t, "score": 0.5},
        lambda s, e, t: {"begin": s, "end": e, "type": "PER"},
        lambda s, e, t: {"offset": [s, e], "type": "PER", "mention": t},
    ],
)
@pytest.mark.parametrize("name", ["a.json", "a"])
def test_entities_with_the_keys_of_other_corpora_are_read(tmp_path, keys, name):
    entities = [keys(start, end, TEXT[start:end]) for start, end in [(0, 15), (12, 15)]]
    path = written(tmp_path / name, {"id": "1", "text": TEXT, "entities": entities})
    assert registry.guess(Source(path)).name == "native"
    report = Report()
    (sentence,) = read(path, options=OPTIONS, report=report)
    assert (sentence.entities, sentence.id) == (NESTED, "1")
    assert not report.counts


def test_a_span_of_tokens(tmp_path):
    tokens = ["The", "wife", "of", "Bob"]
    entities = [
        {"span": [0, 4], "entity_type": "PER", "text": "The wife of Bob"},
        {"span": [3, 4], "entity_type": "PER", "text": "Bob"},
    ]
    path = written(tmp_path / "a.json", {"tokens": tokens, "entities": entities})
    report = Report()
    (sentence,) = read(path, report=report)
    assert sentence.entities == NESTED
    assert not report.counts


@pytest.mark.parametrize("by_token", [False, True])
def test_the_texts_of_entities_show_inclusive_ends(tmp_path, by_token):
    edges = [(0, 3), (3, 3)] if by_token else [(0, 14), (12, 14)]
    content = {"tokens": TEXT[:-1].split()} if by_token else {"text": TEXT}
    texts = ["The wife of Bob", "Bob"]
    entities = [
        {"start_idx": start, "end_idx": end, "type": "PER", "entity": text}
        for (start, end), text in zip(edges, texts, strict=True)
    ]
    path = written(tmp_path / "a.json", {**content, "entities": entities})
    report = Report()
    (sentence,) = read(path, options=OPTIONS, report=report)
    assert sentence.entities == NESTED
    assert dict(report.counts) == {("changed", "inclusive ends"): 1}


def test_a_text_without_the_space_of_its_span_does_not_show_inclusive_ends(tmp_path):
    entity = {"name": "Bob", "span": [12, 16], "type": "PER"}
    shorter = {"name": "Bob ", "span": [12, 15], "type": "PER"}
    for item in (entity, shorter):
        report = Report()
        path = written(tmp_path / "a.json", {"text": TEXT, "entities": [item]})
        (sentence,) = read(path, options=OPTIONS, report=report)
        assert sentence.entities == [Span(3, 4, "PER")]
        assert ("odd", "text of an entity") in report.counts
        assert ("changed", "inclusive ends") not in report.counts


@pytest.mark.parametrize(
    "entity",
    [
        {"span": [0, 3]},
        {"span": [0, 3, 5], "type": "PER"},
        {"span": ["0", "3"], "type": "PER"},
        {"type": "PER"},
        {"start_idx": 0, "end_offset": 3, "type": "PER"},
    ],
)
def test_an_entity_without_known_keys_is_refused(tmp_path, entity):
    path = written(tmp_path / "a.json", {"text": TEXT, "entities": [entity]})
    with pytest.raises(DataError, match="entity 0 is neither") as caught:
        list(read(path))
    assert '"span": [0, 9]' in str(caught.value.hint)


def test_keys_that_are_not_used_are_reported(tmp_path):
    entity = {"span": [0, 3], "type": "PER", "source": "x"}
    report = Report()
    list(read(written(tmp_path / "a.json", {"text": TEXT, "entities": [entity]}), report=report))
    assert dict(report.counts) == {("lost", "keys of an entity"): 1}


def test_papers_with_texts_show_inclusive_ends_too(tmp_path):
    tokens = ["The", "wife", "of", "Bob"]
    entity = {"start": 3, "end": 3, "type": "PER", "text": "Bob", "link": "Q1"}
    path = written(tmp_path / "a.json", {"tokens": tokens, "entities": [entity]})
    report = Report()
    (sentence,) = read(path, report=report)
    assert registry.guess(Source(path)).name == "papers"
    assert sentence.entities == [Span(3, 4, "PER")]
    assert dict(report.counts) == {
        ("changed", "inclusive ends"): 1,
        ("lost", "keys of an entity"): 1,
    }


def test_entity_mentions_of_oneie(tmp_path):
    mentions = [
        {"start": 0, "end": 4, "entity_type": "PER", "text": "The wife of Bob"},
        {"start": 3, "end": 4, "entity_type": "PER", "text": "Bob", "mention_type": "NAM"},
    ]
    record = {"sent_id": "a-1", "tokens": ["The", "wife", "of", "Bob"], "entity_mentions": mentions}
    report = Report()
    path = written(tmp_path / "a", record)
    assert registry.guess(Source(path)).name == "native"
    (sentence,) = read(path, report=report)
    assert (sentence.entities, sentence.extra) == (NESTED, {"sent_id": "a-1"})
    assert dict(report.counts) == {("lost", "keys of an entity"): 1}
    with pytest.raises(DataError, match='expected "entity_mentions": a list'):
        list(read(written(tmp_path / "a.jsonl", {"tokens": ["a"], "entity_mentions": 1})))


def test_objects_of_several_lines(tmp_path):
    path = tmp_path / "a.json"
    record = {"text": TEXT, "entities": [{"span": [12, 15], "type": "PER"}]}
    path.write_text(f"{json.dumps(record, indent=2)}\n{json.dumps(record, indent=2)}\n")
    sentences = list(read(path, options=OPTIONS))
    assert [s.entities for s in sentences] == [[Span(3, 4, "PER")]] * 2
    path.write_text(json.dumps({"documents": [{"sentences": []}]}, indent=2))
    with pytest.raises(DataError, match='expected "tokens": a list of strings') as caught:
        list(read(path))
    assert caught.value.count == 1


def test_entities_under_an_unknown_key_are_not_taken_for_none(tmp_path):
    mentions = [{"start": 0, "end": 1, "type": "PER"}]
    path = written(tmp_path / "a.jsonl", {"tokens": ["Bob"], "golden-entity-mentions": mentions})
    with pytest.raises(DataError, match='"golden-entity-mentions", a key of another format'):
        list(read(path))
