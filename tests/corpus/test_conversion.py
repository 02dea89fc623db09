from __future__ import annotations

import json

import pytest

from innermost.corpus import Options, Sentence, read
from innermost.corpus.conversion import Splits, convert
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


def test_shares_follow_documents(tmp_path):
    source = corpus(tmp_path, 2000)
    target = tmp_path / "{split}.jsonl"
    splits = Splits.parse(["train=8", "dev=1", "test=1"])
    result = convert(source, target, splits=splits)
    counts = [o.sentences for o in result.outputs]
    assert sum(counts) == 2000
    assert counts[0] == pytest.approx(1600, abs=150)
    documents = [{s.doc for s in read(o.path)} for o in result.outputs]
    assert not documents[0] & documents[1]
    assert len(set.union(*documents)) == 1000
    # A document stays where it is when others come in.
    first = {s.doc: splits.of(s) for s in read(source)}
    assert all(splits.of(Sentence(["x"], doc=doc)) == split for doc, split in first.items())
    other = Splits.parse(["train=8", "dev=1", "test=1"], seed=1)
    assert any(other.of(Sentence(["x"], doc=doc)) != split for doc, split in first.items())


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
        ("lost", "document in no list"): 4,
        ("lost", "document of a list not found"): 1,
    }


@pytest.mark.parametrize("given", [["x"], ["a=0.5", "a=0.5"], ["=1"], ["a=-1"]])
def test_wrong_splits(given):
    with pytest.raises(UsageError):
        Splits.parse(given)


def test_wrong_use(tmp_path):
    source = corpus(tmp_path, 2)
    with pytest.raises(UsageError, match="one name for several"):
        convert(source, tmp_path / "out.jsonl", splits=Splits.parse(["a=1"]))
    with pytest.raises(UsageError, match="not empty"):
        convert(source, tmp_path, target_format="brat")
    with pytest.raises(UsageError, match="no setting"):
        convert(source, tmp_path / "a.conll", writing=Options(settings={"x": "y"}))
    with pytest.raises(DataError, match="cannot tell"):
        convert(source, tmp_path / "a.unknown")


def test_an_error_in_the_source_leaves_nothing(tmp_path):
    source = corpus(tmp_path, 2)
    source.write_text(source.read_text() + "{\n")
    with pytest.raises(DataError) as caught:
        convert(source, tmp_path / "out.conll", target_format="columns")
    assert caught.value.line == 3
    assert [p.name for p in tmp_path.iterdir()] == ["in.jsonl"]
