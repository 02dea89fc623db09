from __future__ import annotations

import json
from dataclasses import replace

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

    biaffine = {
        "doc_key": "d",
        "sentences": [["A", "b"], TOKENS],
        "ners": [[], [[1, 2, "DNA"], [1, 1, "protein"]]],
    }
    report = Report()
    assert read_json(tmp_path, "papers", [biaffine], report) == [first, second]
    assert registry.guess(Source(tmp_path / "data.json")).name == "papers"
    assert not report.counts

    w2ner = {"sentence": TOKENS, "ner": [{"index": [1, 2], "type": "DNA"}, [1, 1, "protein"]]}
    (sentence,) = read_json(tmp_path, "papers", [w2ner])
    assert sentence.entities == inner_and_outer


def test_papers_reads_tags(tmp_path):
    record = {"id": 7, "tokens": TOKENS, "ner_tags": ["O", "B-DNA", "I-DNA"], "topic": "x"}
    (sentence,) = read_json(tmp_path, "papers", [record])
    assert sentence == Sentence(TOKENS, [Span(1, 3, "DNA")], id="7", extra={"topic": "x"})
    assert registry.guess(Source(tmp_path / "data.json")).name == "papers"
    with pytest.raises(DataError, match="0 in 'ner_tags' is not a tag"):
        read_json(tmp_path, "papers", [{"tokens": TOKENS, "ner_tags": [0, 1, 2]}])


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
        {"tokens": TOKENS, "entities": [{"start": True, "end": 2, "type": "X"}]},
        {"tokens": TOKENS, "entities": [[0, True, "X"]]},
        {"tokens": TOKENS, "entities": [{"start": 0, "end": 2, "type": ""}]},
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


@pytest.mark.parametrize(
    ("record", "settings", "advice"),
    [
        ({"tokens": TOKENS, "entities": [[0, 9, "X"]]}, {}, "--read-set ends=inclusive"),
        ({"tokens": TOKENS, "entities": [[0, 9, "X"]]}, {"ends": "inclusive"}, None),
        ({"tokenized_text": TOKENS, "ner": [[0, 9, "X"]]}, {}, None),
        ({"sentence": TOKENS, "ner": [{"index": [9], "type": "X"}]}, {}, None),
        ({"sentences": [TOKENS], "ner": [[[0, 9, "X"]]]}, {}, None),
    ],
)
def test_papers_advises_inclusive_ends_only_where_it_can_read_them(
    tmp_path, record, settings, advice
):
    with pytest.raises(DataError, match="outside the 3 tokens") as caught:
        read_json(tmp_path, "papers", [record], **settings)
    hint = caught.value.hint or ""
    assert ("--read-set" in hint) == bool(advice)
    assert (advice or "ends are read as inclusive; tokens count from 0") in hint


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
    assert dict(report.counts) == {("lost", "example that was not accepted"): 1}


@pytest.mark.parametrize("doc", ["d", None])
def test_a_prodigy_record_can_be_a_document(tmp_path, doc):
    given = [
        Sentence(["Bob", "came"], [Span(0, 1, "PER")], gaps=["\n", " ", " "], doc="d"),
        Sentence(["a"], [Span(0, 1, "X")], gaps=["", "\n"], doc="d", scores={Span(0, 1, "X"): 0.5}),
        Sentence(["b"], [], gaps=["", ""], doc="e"),
    ]
    for sentence in given:
        sentence.unnamed = doc is None
    path = tmp_path / "a.jsonl"
    options = Options(settings={"record": "document"})
    registry.get("prodigy").write(given, path, options, Report())
    first, _ = [json.loads(line) for line in path.read_text().splitlines()]
    assert first["text"] == "\nBob came a\n"
    assert [first["text"][s["start"] : s["end"]] for s in first["spans"]] == ["Bob", "a"]
    assert [t.get("sent_start") for t in first["tokens"]] == [None, None, True]
    back = list(registry.get("prodigy").read(Source(path), Options(), Report()))
    if doc is None:
        assert "meta" not in first
        assert back[0].doc == back[1].doc != back[2].doc
        assert all(sentence.unnamed for sentence in back[:2])
        back = [replace(b, doc=g.doc) for b, g in zip(back, given, strict=True)]
    assert back == given


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
        "annotation that is not a labeled span",
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


def test_label_studio_offsets_without_text_count_as_the_others_do(tmp_path):
    bare = {"type": "labels", "value": {"start": 7, "end": 11, "labels": ["V"]}}
    (sentence,) = read_json(tmp_path, "labelstudio", [task(region(3, 6, "Bob", "PER"), bare)])
    assert [sentence.tokens[s.start : s.end] for s in sentence.entities] == [["Bob"], ["came"]]


@pytest.mark.parametrize("indent", [None, 2])
def test_label_studio_tasks_on_one_line_are_documents_of_their_own(tmp_path, indent):
    tasks = [task(text="One. Two."), task(text="Three."), task(text="Four. Five.", id=17)]
    sentences = read_json(tmp_path, "labelstudio", None, as_text=json.dumps(tasks, indent=indent))
    assert [(s.doc, s.id, s.text.strip()) for s in sentences] == [
        ("data.json#1", None, "One."),
        ("data.json#1", None, "Two."),
        (None, None, "Three."),
        ("17", "17", "Four."),
        ("17", "17", "Five."),
    ]
    assert all(sentence.unnamed for sentence in sentences)


def test_label_studio_ids_come_back(tmp_path):
    tasks = [
        task(text="One. Two.", id=17),
        task(text="Three.", id=4),
        {
            "id": 5,
            "data": {"text": "Four. Five.", "id": "a7", "doc": "d"},
            "annotations": [{"result": []}],
        },
        {"id": 6, "data": {"text": "Six.", "id": "007"}, "annotations": [{"result": []}]},
    ]
    sentences = read_json(tmp_path, "labelstudio", tasks)
    assert [s.id for s in sentences] == ["17", "17", "4", "a7", "a7", "007"]
    report = Report()
    registry.get("labelstudio").write(sentences, tmp_path / "out.json", Options(), report)
    again = json.loads((tmp_path / "out.json").read_text())
    assert [(t.get("id"), t["data"]) for t in again] == [
        (17, {"text": "One. Two."}),
        (4, {"text": "Three."}),
        (None, {"text": "Four. Five.", "id": "a7", "doc": "d"}),
        (None, {"text": "Six.", "id": "007"}),
    ]
    assert not report.counts


def test_label_studio_predictions_are_written_where_there_are_scores(tmp_path):
    span = Span(0, 1, "PER")
    corpus = [
        Sentence(["It", "rains"], doc="0"),
        Sentence(["Bob", "came"], [span], doc="1", scores={span: 0.75}),
        Sentence(["It", "rains"], doc="2"),
    ]
    path = tmp_path / "out.json"
    registry.get("labelstudio").write(corpus, path, Options(), Report())
    tasks = json.loads(path.read_text())
    assert all("annotations" not in task for task in tasks)
    (prediction,) = tasks[1]["predictions"]
    assert (prediction["score"], prediction["result"][0]["score"]) == (0.75, 0.75)
    back = list(registry.get("labelstudio").read(Source(path), Options(), Report()))
    assert [s.scores for s in back] == [{}, {span: 0.75}, {}]
    registry.get("labelstudio").write(
        corpus, path, Options(settings={"as": "annotations"}), Report()
    )
    assert all("predictions" not in task for task in json.loads(path.read_text()))
    gold = [Sentence(["Bob", "came"], [span], doc="1")]
    registry.get("labelstudio").write(gold, path, Options(), Report())
    assert "annotations" in json.loads(path.read_text())[0]


def test_label_studio_tasks_that_nobody_annotated_are_left_out(tmp_path):
    cancelled = {"data": {"text": "Bob"}, "annotations": [{"result": [], "was_cancelled": True}]}
    waiting = {"data": {"text": "Ann"}, "annotations": [], "predictions": []}
    without = {"data": {"text": "Rain"}, "annotations": [{"result": []}]}
    report = Report()
    (sentence,) = read_json(tmp_path, "labelstudio", [cancelled, waiting, without], report)
    assert sentence.tokens == ["Rain"]
    assert not sentence.entities
    assert dict(report.counts) == {("lost", "canceled task"): 1, ("lost", "open task"): 1}


def test_label_studio_tasks_to_import_have_no_entities(tmp_path):
    report = Report()
    (sentence,) = read_json(tmp_path, "labelstudio", [{"data": {"text": "Rain"}}], report)
    assert not sentence.entities
    assert dict(report.counts) == {("odd", "task without annotations"): 1}


def test_label_studio_min(tmp_path):
    value = {"start": 3, "end": 6, "text": "Bob", "labels": ["Mental or Social"]}
    record = {"id": 3, "text": "👍 Bob came", "label": [value], "annotator": 1, "annotation_id": 9}
    without = {"id": 4, "text": "It rains", "annotation_id": 10, "source": "x"}
    for records in ([record, without], [without, record]):
        path = tmp_path / "data.json"
        sentences = read_json(tmp_path, "labelstudio", records)
        assert registry.guess(Source(path)).name == "labelstudio"
        first, second = sorted(sentences, key=lambda s: s.id)
        assert first.entities == [Span(1, 2, "Mental or Social")]
        assert (second.id, second.extra, second.entities) == ("4", {"source": "x"}, [])


def test_label_studio_text_must_match(tmp_path):
    with pytest.raises(DataError, match="'Eve'"):
        read_json(tmp_path, "labelstudio", [task(region(2, 5, "Eve", "PER"))])


def test_doccano(tmp_path):
    records = [
        {"id": 1, "text": "IL-2 gene", "label": [[0, 9, "DNA"], [0, 4, "protein"]], "Comments": []},
        {"id": 2, "text": "One. Two.", "labels": [], "topic": "x"},
        {
            "id": 3,
            "text": "IL-2 gene",
            "entities": [{"id": 7, "label": "DNA", "start_offset": 0, "end_offset": 9}],
            "relations": [{"id": 0, "from_id": 7, "to_id": 7, "type": "is"}],
        },
    ]
    report = Report()
    lines = "".join(json.dumps(record) + "\n" for record in records)
    first, second, third, fourth = read_json(tmp_path, "doccano", None, report, as_text=lines)
    assert [s.label for s in first.entities] == ["DNA", "protein"]
    assert (first.id, second.id, second.doc, third.extra) == ("1", "2", "2", {"topic": "x"})
    assert [s.label for s in fourth.entities] == ["DNA"]
    assert dict(report.counts) == {("lost", "relation"): 1}
    for record in records:
        (tmp_path / "one.jsonl").write_text(json.dumps(record))
        assert registry.guess(Source(tmp_path / "one.jsonl")).name == "doccano"


def test_spacy_doc_json(tmp_path):
    record = {
        "text": "Bob's wife came. It rained.",
        "ents": [{"start": 0, "end": 10, "label": "PER"}],
        "sents": [{"start": 0, "end": 16}, {"start": 17, "end": 27}],
        "tokens": [
            {"id": n, "start": start, "end": end, "tag": "X"}
            for n, (start, end) in enumerate(
                [(0, 3), (3, 5), (6, 10), (11, 15), (15, 16), (17, 19), (20, 26), (26, 27)]
            )
        ],
        "spans": {"sc": [{"start": 0, "end": 3, "label": "PER", "kb_id": ""}], "x": []},
    }
    for text in (json.dumps(record), json.dumps(record, indent=1), json.dumps([record])):
        first, second = read_json(tmp_path, "spacy-json", None, as_text=text)
        assert registry.guess(Source(tmp_path / "data.json")).name == "spacy-json"
        assert first.tokens == ["Bob", "'s", "wife", "came", "."]
        assert first.entities == [Span(0, 1, "PER"), Span(0, 3, "PER")]
        assert first.text + second.text == record["text"]
    assert read_json(tmp_path, "spacy-json", [record], group="sc")[0].entities == [
        Span(0, 1, "PER")
    ]
    with pytest.raises(DataError, match="no span group 'y'"):
        read_json(tmp_path, "spacy-json", [record], group="y")
    bare = {"text": "Bob came. It rained.", "ents": [{"start": 0, "end": 3, "label": "PER"}]}
    assert [s.tokens[-1] for s in read_json(tmp_path, "spacy-json", [bare])] == [".", "."]


def test_a_doc_with_tokens_but_without_sentences_is_split(tmp_path):
    text = "Bob came. It rained."
    tokens = [(0, 3), (4, 8), (8, 9), (10, 12), (13, 19), (19, 20)]
    record = {
        "text": text,
        "ents": [{"start": 0, "end": 3, "label": "PER"}],
        "tokens": [{"id": n, "start": a, "end": b} for n, (a, b) in enumerate(tokens)],
    }
    first, second = read_json(tmp_path, "spacy-json", [record])
    assert (first.tokens, first.entities) == (["Bob", "came", "."], [Span(0, 1, "PER")])
    assert second.tokens == ["It", "rained", "."]
    assert first.doc == second.doc is not None
    (whole,) = read_json(tmp_path, "spacy-json", [record], sentences="whole")
    assert len(whole.tokens) == 6


def test_spacy_reads_what_is_written_as_its_json(tmp_path):
    spacy = pytest.importorskip("spacy")
    corpus = [
        Sentence(["The", "wife", "of", "Bob"], [Span(0, 4, "PER"), Span(3, 4, "PER")], doc="a"),
        Sentence(["It", "rains"], gaps=["", " ", ""], doc="a"),
    ]
    registry.get("spacy-json").write(corpus, tmp_path / "a.jsonl", Options(), Report())
    record = json.loads((tmp_path / "a.jsonl").read_text())
    doc = spacy.tokens.Doc(spacy.blank("xx").vocab).from_json(record)
    assert [span.text for span in doc.spans["sc"]] == ["The wife of Bob", "Bob"]
    assert [[token.text for token in sentence] for sentence in doc.sents] == [
        ["The", "wife", "of", "Bob", "\n"],  # the line break is a token in spaCy
        ["It", "rains"],
    ]
    (tmp_path / "b.json").write_text(json.dumps(doc.to_json()))
    back = list(registry.get("spacy-json").read(Source(tmp_path / "b.json"), Options(), Report()))
    assert [(s.tokens, s.entities) for s in back] == [(s.tokens, s.entities) for s in corpus]


def test_spacy_training_json(tmp_path):
    def sentence(*pairs):
        return {"tokens": [{"orth": word, "ner": tag} for word, tag in pairs]}

    record = {
        "id": 3,
        "paragraphs": [
            {
                "raw": "Bob Ross came. It rained",
                "sentences": [
                    sentence(("Bob", "B-PER"), ("Ross", "L-PER"), ("came", "O"), (".", "-")),
                    sentence(("It", "O"), ("rained", "O")),
                ],
            }
        ],
    }
    report = Report()
    first, second = read_json(tmp_path, "spacy-json", [record], report)
    assert (first.entities, first.doc) == ([Span(0, 2, "PER")], "3")
    assert first.text + second.text == record["paragraphs"][0]["raw"]
    assert dict(report.counts) == {("odd", "tokens without a tag"): 1}
    del record["paragraphs"][0]["raw"]
    assert read_json(tmp_path, "spacy-json", [record])[0].gaps is None
    record["paragraphs"][0]["sentences"][0]["tokens"][0]["ner"] = "PER"
    with pytest.raises(DataError, match="'PER' is not a tag"):
        read_json(tmp_path, "spacy-json", [record])


def test_spacy_pairs(tmp_path):
    pairs = [["One. Two.", {"entities": []}], ["Bob left", {"entities": [[0, 3, "PER"]]}]]
    for value in (pairs, {"classes": ["PER"], "annotations": [*pairs, None]}):
        first, second, third = read_json(tmp_path, "spacy-json", value)
        assert registry.guess(Source(tmp_path / "data.json")).name == "spacy-json"
        assert first.doc == second.doc == "data.json#1"
        assert third.entities == [Span(0, 1, "PER")]


def test_spacy_pairs_on_lines(tmp_path):
    pairs = [["[1] Bob left", {"entities": [[4, 7, "PER"]]}], ["It rains", {"entities": []}]]
    text = "".join(json.dumps(pair) + "\n" for pair in pairs)
    first, second = read_json(tmp_path, "spacy-json", None, as_text=text)
    assert registry.guess(Source(tmp_path / "data.json")).name == "spacy-json"
    assert first.entities == [Span(3, 4, "PER")]
    assert (second.tokens, second.line) == (["It", "rains"], 2)


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


def test_a_tag_without_a_beginning_is_reported(tmp_path):
    report = Report()
    path = tmp_path / "data.json"
    path.write_text(json.dumps([{"tokens": ["Bob", "left"], "ner_tags": ["I-PER", "O"]}]))
    source = Source(path)
    (sentence,) = registry.guess(source).read(source, Options(), report)
    assert sentence.entities == [Span(0, 1, "PER")]
    assert dict(report.counts) == {("odd", "tag without a beginning"): 1}
