from __future__ import annotations

import json

import pytest

from innermost.corpus import Options, read
from innermost.corpus.conversion import convert
from innermost.corpus.splits import Splits
from innermost.errors import DataError, UsageError


def corpus(tmp_path, count=200, **more):
    path = tmp_path / "in.jsonl"
    lines = [
        {"tokens": ["Bob", str(n)], "entities": [[0, 1, "PER"]], "doc": f"d{n // 2}", **more}
        for n in range(count)
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def test_a_whole_corpus(tmp_path):
    source = corpus(tmp_path)
    result = convert(source, tmp_path / "out.conll")
    assert result.is_kept
    assert [(o.sentences, o.entities) for o in result.outputs] == [(200, 200)]
    convert(tmp_path / "out.conll", tmp_path / "new" / "back.jsonl.gz")
    assert list(read(tmp_path / "new" / "back.jsonl.gz")) == list(read(source))


def test_nothing_is_left_when_something_is_lost(tmp_path):
    source = corpus(tmp_path, topic="x")
    target = tmp_path / "out.conll"
    target.write_text("as before")
    result = convert(source, target)
    assert not result.is_kept
    assert result.report.counts["lost", "extra key"] == 200
    assert result.report.examples[0].path == str(target)
    assert target.read_text() == "as before"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["in.jsonl", "out.conll"]
    assert convert(source, target, allow_loss=True).is_kept
    assert len(list(read(target))) == 200


ROWS = [
    {"tokens": ["a", "b", "c"], "entities": [[0, 2, "X"], [1, 3, "X"]], "doc": "1"},
    {"tokens": ["a\x01"], "entities": [[0, 1, "X"]], "doc": "2"},
    {"tokens": ["a b"], "entities": [[0, 1, "X"]], "doc": "3"},
    {"tokens": ["a\rb"], "entities": [[0, 1, "X"]], "doc": "4"},
    {"tokens": [" "], "entities": [], "doc": "5"},
    {"tokens": ["a"], "entities": [[0, 1, "A|B"]], "doc": "6"},
]


@pytest.mark.parametrize(
    ("name", "lost"),
    [
        ("o.conll", (1, 0)),
        ("o.xml", (1, 2)),
        ("o.brackets", (1, 1)),
        ("o.genia.xml", (4, 4)),
        ("o.blocks", (3, 3)),
        ("o.pubtator", (1, 1)),
        ("o.bioc.xml", (1, 1)),
        ("o.spacy.json", (1, 0)),
        ("o.ace", (1, 1)),
        ("o.webanno.tsv", (0, 0)),
    ],
)
def test_what_a_writer_lost_was_not_written(tmp_path, name, lost):
    source = tmp_path / "in.jsonl"
    rows = ROWS[:1] if "webanno" in name else ROWS
    source.write_text("".join(json.dumps(row) + "\n" for row in rows))
    (output,) = convert(source, tmp_path / name, allow_loss=True).outputs
    assert (output.lost_sentences, output.lost_entities) == lost
    options = Options(settings={"types": "all"}, is_shared=True)  # of GENIA
    again = list(read(tmp_path / name, options=options))
    assert output.sentences + output.lost_sentences == len(rows)
    assert output.entities == sum(len(sentence.entities) for sentence in again)


def test_shares_follow_documents(tmp_path):
    source = corpus(tmp_path, 2000)
    target = tmp_path / "{split}.jsonl"
    splits = Splits.parse(["train=0.8", "dev=0.1", "test=0.1"])
    result = convert(source, target, splits=splits)
    counts = [o.sentences for o in result.outputs]
    assert sum(counts) == 2000
    assert counts == [1600, 200, 200]
    documents = [{s.doc for s in read(o.path)} for o in result.outputs]
    assert not documents[0] & documents[1]
    assert len(set.union(*documents)) == 1000
    assert not result.report.counts


def test_an_empty_part_is_reported(tmp_path):
    source = corpus(tmp_path, 2)
    splits = Splits.parse(["train=0.8", "dev=0.2"])
    result = convert(source, tmp_path / "{split}.jsonl", splits=splits)
    assert [o.sentences for o in result.outputs] == [2, 0]
    assert dict(result.report.counts) == {("odd", "no sentences"): 1}
    assert result.report.examples[0].path.endswith("dev.jsonl")


def test_lists_then_shares(tmp_path):
    source = corpus(tmp_path, 20)
    (tmp_path / "ids").write_text("d1\nd3\n\n")
    splits = Splits.parse([f"test={tmp_path / 'ids'}", "train=1"])
    convert(source, tmp_path / "{split}.jsonl", splits=splits)
    assert {s.doc for s in read(tmp_path / "test.jsonl")} == {"d1", "d3"}
    assert len(list(read(tmp_path / "train.jsonl"))) == 16


def test_documents_that_lists_leave_out_are_lost(tmp_path):
    source = corpus(tmp_path, 6)
    (tmp_path / "ids").write_text("d0\nd9\n")
    splits = Splits.parse([f"a={tmp_path / 'ids'}"])
    result = convert(source, tmp_path / "{split}.jsonl", splits=splits)
    assert not result.is_kept
    assert dict(result.report.counts) == {
        ("lost", "document in no list"): 2,
        ("lost", "document of a list not found"): 1,
    }


def test_the_input_is_not_the_output(tmp_path):
    source = corpus(tmp_path, 2)
    before = source.read_bytes()
    (tmp_path / "link.jsonl").symlink_to(source)
    for target in (source, tmp_path / "link.jsonl"):
        with pytest.raises(UsageError, match="is also the input"):
            convert(source, target)
    assert source.read_bytes() == before


def test_links_and_folders_stay_what_they_are(tmp_path):
    source = corpus(tmp_path, 2)
    (tmp_path / "real").mkdir()
    (tmp_path / "link.conll").symlink_to(tmp_path / "real" / "a.conll")
    convert(source, tmp_path / "link.conll")
    assert (tmp_path / "link.conll").is_symlink()
    assert len(list(read(tmp_path / "real" / "a.conll"))) == 2
    (tmp_path / "empty.conll").mkdir()
    with pytest.raises(UsageError, match="is a folder"):
        convert(source, tmp_path / "empty.conll")
    assert not list((tmp_path / "empty.conll").iterdir())
    convert(source, tmp_path / "empty.conll", target_format="brat", allow_loss=True)
    assert list((tmp_path / "empty.conll").glob("*.ann"))


def test_wrong_use(tmp_path):
    source = corpus(tmp_path, 2)
    with pytest.raises(UsageError, match="a single name for several"):
        convert(source, tmp_path / "out.jsonl", splits=Splits.parse(["a=1"]))
    with pytest.raises(UsageError, match="not empty"):
        convert(source, tmp_path, target_format="brat")
    with pytest.raises(UsageError, match="no setting"):
        convert(source, tmp_path / "a.conll", writing=Options(settings={"x": "y"}))
    with pytest.raises(DataError, match="cannot be detected"):
        convert(source, tmp_path / "a.unknown")


def test_an_error_in_the_source_leaves_nothing(tmp_path):
    source = corpus(tmp_path, 2)
    source.write_text(source.read_text() + "{\n")
    with pytest.raises(DataError) as caught:
        convert(source, tmp_path / "out.conll", target_format="columns")
    assert caught.value.line == 3
    report = convert(source, tmp_path / "a.conll", reading=Options(skip_bad=True)).report
    assert dict(report.counts) == {("skipped", "bad record"): 1}
    (tmp_path / "a.conll").unlink()
    assert [p.name for p in tmp_path.iterdir()] == ["in.jsonl"]


def test_each_document_that_is_in_no_list_is_named_once(tmp_path):
    source = corpus(tmp_path, 6)
    (tmp_path / "ids").write_text("d0\n")
    splits = Splits.parse([f"a={tmp_path / 'ids'}"])
    report = convert(source, tmp_path / "{split}.jsonl", splits=splits).report
    assert [example.detail for example in report.examples] == ["'d1'", "'d2'"]


def test_spans_that_overlap_are_lost_in_doc_ents(tmp_path):
    pytest.importorskip("spacy")
    source = tmp_path / "in.jsonl"
    source.write_text(json.dumps(ROWS[0]) + "\n")
    entities = Options(settings={"group": "ents"})
    result = convert(source, tmp_path / "o.spacy", writing=entities, allow_loss=True)
    assert [(o.entities, o.lost_entities) for o in result.outputs] == [(1, 1)]


def test_a_wrong_setting_is_refused_with_the_names_that_the_user_gave(tmp_path):
    source, target = corpus(tmp_path), tmp_path / "out.jsonl"
    wrong = Options(settings={"foo": "1"})
    with pytest.raises(UsageError) as error:
        convert(source, target, writing=wrong)
    assert error.value.message == f"{target}: the format native has no setting foo for writing"
    assert error.value.hint == "its settings for writing: form, sentences"
    with pytest.raises(UsageError) as error:
        convert(source, target, reading=wrong)
    assert error.value.message == f"{source}: the format native has no setting foo for reading"
    assert error.value.hint == "its settings for reading: sentences"
