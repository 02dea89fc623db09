from __future__ import annotations

import json

import pytest

from innermost.corpus import Context, Report, Sentence, registry
from innermost.corpus.format import Options
from innermost.corpus.shared import json_records
from innermost.corpus.shared.json_records import sentences_of_records, write_records
from innermost.errors import DataError, UsageError
from innermost.files.source import Source
from innermost.nest import Span


def read_json(tmp_path, name, records, report=None, *, as_text=None, **settings):
    path = tmp_path / "data.json"
    path.write_text(as_text if as_text is not None else json.dumps(records))
    options = Options(settings=settings)
    return list(registry.get(name).read(Source(path), options, report or Report()))


def read_records(source):
    """The records of a file, each with its line, as formats get them."""
    records = []
    context = Context(Options(), Report(), source.path)
    list(
        sentences_of_records(
            source, context, lambda r, place: records.append((place.line, r)) or []
        )
    )
    if context.problems.count:
        raise context.problems.error()
    return records


def test_an_array_is_read_in_pieces(tmp_path, monkeypatch):
    monkeypatch.setattr(json_records, "_CHUNK", 3)
    records = [{"a": "]}, é\n"}, {}, {"b": [1, {"c": "\\"}]}]
    for text in (json.dumps(records), json.dumps(records, indent=2, ensure_ascii=False)):
        path = tmp_path / "a.json"
        path.write_text(f"\ufeff \n{text}\n")
        assert [record for _, record in read_records(Source(path))] == records
    assert [line for line, _ in read_records(Source(path))] == [3, 6, 7]


@pytest.mark.parametrize("count", [0, 1, 3])
@pytest.mark.parametrize("name", ["a.json", "a.jsonl", "a.json.gz"])
def test_records_come_back(tmp_path, name, count):
    records = [{"n": n} for n in range(count)]
    write_records(iter(records), tmp_path / name)
    assert [record for _, record in read_records(Source(tmp_path / name))] == records


@pytest.mark.parametrize(
    ("text", "line"),
    [("[{},\n 3]", 2), ("[{}\n{}]", 2), ("[{},\n{]", 2), ("[{}] x", 1), ("[{}", 1), ("{}\n[1]", 2)],
)
def test_bad_json_names_the_line(tmp_path, text, line):
    path = tmp_path / "a.json"
    path.write_text(text)
    with pytest.raises(DataError) as caught:
        list(read_records(Source(path)))
    assert caught.value.line == line


TOKENS = ["the", "IL-2", "gene"]


def test_papers_reads_every_style(tmp_path):
    inner_and_outer = [Span(1, 3, "DNA"), Span(1, 2, "protein")]
    spert = {
        "tokens": TOKENS,
        "entities": [
            {"start": 1, "end": 3, "type": "DNA"},
            {"start": 1, "end": 2, "type": "protein"},
        ],
        "orig_id": 7,
        "relations": [],
    }
    (sentence,) = read_json(tmp_path, "papers", [spert])
    assert sentence == Sentence(TOKENS, inner_and_outer, id="7", extra={"relations": []})

    inclusive = {"tokens": TOKENS, "entities": [{"start": 1, "end": 2, "type": "DNA"}]}
    (sentence,) = read_json(tmp_path, "papers", [inclusive], ends="inclusive")
    assert sentence.entities == [Span(1, 3, "DNA")]

    dygie = {
        "doc_key": "d",
        "sentences": [["A", "b"], TOKENS],
        "ner": [[], [[3, 4, "DNA"], [3, 3, "protein"]]],
        "clusters": [],
    }
    report = Report()
    first, second = read_json(tmp_path, "papers", [dygie], report)
    assert (first.doc, first.entities) == ("d", [])
    assert second.entities == inner_and_outer
    assert dict(report.counts) == {("lost", "key of a document"): 1}

    w2ner = {"sentence": TOKENS, "ner": [{"index": [1, 2], "type": "DNA"}, [1, 1, "protein"]]}
    (sentence,) = read_json(tmp_path, "papers", [w2ner])
    assert sentence.entities == inner_and_outer


def test_papers_with_gaps_in_an_entity(tmp_path):
    record = {"sentence": TOKENS, "ner": [{"index": [0, 2], "type": "DNA"}]}
    report = Report()
    (sentence,) = read_json(tmp_path, "papers", [record], report)
    assert (sentence.entities, report.total("lost")) == ([], 1)
    report = Report()
    (sentence,) = read_json(tmp_path, "papers", [record], report, discontinuous="hull")
    assert (sentence.entities, report.total("changed")) == ([Span(0, 3, "DNA")], 1)


@pytest.mark.parametrize(
    "record",
    [
        {"tokens": TOKENS, "entities": [{"start": 0, "end": 9, "type": "X"}]},
        {"tokens": TOKENS, "entities": [{"start": 0, "type": "X"}]},
        {"tokens": ["a", ""], "entities": []},
        {"tokens": "a b", "entities": []},
        {"sentences": [TOKENS], "ner": []},
        {"sentences": [TOKENS], "ner": [[["0", 1, "X"]]]},
        {"sentence": TOKENS, "ner": [{"index": [], "type": "X"}]},
        {"words": TOKENS},
    ],
)
def test_papers_refuses_what_it_cannot_read(tmp_path, record):
    with pytest.raises(DataError) as caught:
        read_json(tmp_path, "papers", [record])
    assert caught.value.line == 1


def test_papers_refuses_an_unknown_choice(tmp_path):
    with pytest.raises(UsageError, match="style"):
        registry.get("papers").write([], tmp_path / "a", Options(settings={"style": "x"}), Report())


def test_prodigy(tmp_path):
    text = "Bob's wife"
    record = {
        "text": text,
        "tokens": [
            {"text": "Bob", "start": 0, "end": 3},
            {"text": "'s", "start": 3, "end": 5},
            {"text": "wife", "start": 6, "end": 10},
        ],
        "spans": [
            {"start": 0, "end": 10, "label": "PER"},
            {"token_start": 0, "token_end": 0, "label": "PER"},
        ],
        "meta": {"source": "x", "doc": "d"},
        "_input_hash": 1,
    }
    (sentence,) = read_json(tmp_path, "prodigy", [record])
    assert sentence.tokens == ["Bob", "'s", "wife"]
    assert sentence.entities == [Span(0, 3, "PER"), Span(0, 1, "PER")]
    assert (sentence.doc, sentence.text) == ("d", text)
    assert sentence.extra == {"meta": {"source": "x"}, "_input_hash": 1}
    rejected = {**record, "answer": "reject"}
    report = Report()
    assert read_json(tmp_path, "prodigy", [rejected], report) == []
    assert dict(report.counts) == {("lost", "example not accepted"): 1}


@pytest.mark.parametrize(
    "change",
    [
        {"text": 3},
        {"tokens": [{"text": "x", "start": 0, "end": 3}]},
        {"tokens": [{"text": "Bob"}]},
        {"spans": [{"start": 0, "label": "PER"}]},
        {"spans": [{"token_start": 0, "token_end": 4, "label": "PER"}]},
        {"spans": [{"start": 0, "end": 40, "label": "PER"}]},
        {"spans": 3},
    ],
)
def test_prodigy_refuses_what_it_cannot_read(tmp_path, change):
    with pytest.raises(DataError):
        read_json(tmp_path, "prodigy", [{"text": "Bob came", "spans": [], **change}])


def task(*regions, text="👍 Bob came", **more):
    return {"data": {"text": text}, "annotations": [{"result": list(regions)}], **more}


def region(start, end, text, *labels):
    value = {"start": start, "end": end, "text": text, "labels": list(labels)}
    return {"type": "labels", "value": value}


def test_label_studio_counts_characters_or_utf_16_units(tmp_path):
    for start, end in ((2, 5), (3, 6)):
        (sentence,) = read_json(
            tmp_path, "labelstudio", [task(region(start, end, "Bob", "PER", "NAME"))]
        )
        assert sentence.tokens[sentence.entities[0].start] == "Bob"
        assert [span.label for span in sentence.entities] == ["PER", "NAME"]


def test_label_studio_reports_what_it_does_not_read(tmp_path):
    report = Report()
    given = task({"type": "choices", "value": {}}, region(2, 5, "Bob"))
    given["annotations"].append({"result": [], "id": 9})
    read_json(tmp_path, "labelstudio", [given], report)
    assert {what for _, what in report.counts} == {
        "annotation that is no labelled span",
        "region without a label",
        "further annotation of a task",
    }


def test_label_studio_predictions(tmp_path):
    given = {"data": {"body": "Bob"}, "predictions": [{"result": [region(0, 3, "Bob", "PER")]}]}
    settings = {"take": "predictions", "text": "body"}
    (sentence,) = read_json(tmp_path, "labelstudio", [given], **settings)
    assert sentence.entities == [Span(0, 1, "PER")]
    with pytest.raises(DataError, match="body"):
        read_json(tmp_path, "labelstudio", [task()], **settings)
    with pytest.raises(UsageError):
        read_json(tmp_path, "labelstudio", [given], take="all")


def test_label_studio_text_must_match(tmp_path):
    with pytest.raises(DataError, match="'Eve'"):
        read_json(tmp_path, "labelstudio", [task(region(2, 5, "Eve", "PER"))])


def test_extra_keys_are_kept_or_reported(tmp_path):
    given = Sentence(["a"], doc="d", extra={"topic": 1, "text": "taken"})
    for name, lost in (("papers", 0), ("prodigy", 1), ("labelstudio", 1)):
        report = Report()
        path = tmp_path / f"{name}.jsonl"
        registry.get(name).write([given], path, Options(), report)
        (back,) = registry.get(name).read(Source(path), Options(), Report())
        assert back.extra["topic"] == 1
        assert back.tokens == ["a"]
        assert report.counts["lost", "extra key"] == lost
