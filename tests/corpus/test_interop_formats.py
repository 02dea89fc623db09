from __future__ import annotations

import pytest

from innermost.corpus import Report, Sentence
from innermost.corpus.format import Options
from innermost.corpus.formats import docbin, hf_datasets
from innermost.errors import DataError, MissingExtraError, UsageError
from innermost.files.source import Source
from innermost.nest import Span

GIVEN = [
    Sentence(["the", "wife", "of", "Bob"], [Span(0, 4, "PER"), Span(3, 4, "PER")], doc="d"),
    Sentence(["Bob", "left", "."], [Span(0, 1, "PER")], doc="d"),
]


def read(module, path, **settings):
    return list(module.FORMAT.read(Source(path), Options(settings=settings), Report()))


def test_spacy_reads_what_was_written(tmp_path):
    tokens = pytest.importorskip("spacy.tokens", reason="the extra spacy is not installed")
    spacy = pytest.importorskip("spacy")
    path = tmp_path / "a.spacy"
    docbin.FORMAT.write(GIVEN, path, Options(), Report())
    (doc,) = tokens.DocBin().from_disk(path).get_docs(spacy.blank("en").vocab)
    assert [s.text for s in doc.spans["sc"]] == ["the wife of Bob", "Bob", "Bob"]
    assert [s.text for s in doc.sents] == ["the wife of Bob", "Bob left ."]


def test_entities_and_groups_of_spacy(tmp_path):
    spacy = pytest.importorskip("spacy", reason="the extra spacy is not installed")
    from spacy.tokens import Doc, DocBin
    from spacy.tokens import Span as SpacySpan

    doc = Doc(spacy.blank("en").vocab, words=["Bob", "'s", "wife"], spaces=[False, True, False])
    doc.ents = [SpacySpan(doc, 0, 1, label="PER")]
    doc.spans["one"] = [SpacySpan(doc, 0, 3, label="PER"), SpacySpan(doc, 0, 1, label="PER")]
    doc.spans["two"] = [SpacySpan(doc, 2, 3, label="ROLE")]
    path = tmp_path / "a.spacy"
    DocBin(docs=[doc]).to_disk(path)
    (sentence,) = read(docbin, path)
    assert sentence.text == "Bob's wife"
    assert sorted(sentence.entities) == [Span(0, 1, "PER"), Span(0, 3, "PER"), Span(2, 3, "ROLE")]
    assert read(docbin, path, group="two")[0].entities == [Span(2, 3, "ROLE")]
    assert read(docbin, path, group="ents")[0].entities == [Span(0, 1, "PER")]
    with pytest.raises(DataError, match="no span group"):
        read(docbin, path, group="three")


def test_overlapping_entities_do_not_fit_into_ents(tmp_path):
    pytest.importorskip("spacy", reason="the extra spacy is not installed")
    report = Report()
    path = tmp_path / "a.spacy"
    docbin.FORMAT.write(GIVEN, path, Options(settings={"group": "ents"}), report)
    assert dict(report.counts) == {("lost", "overlapping span"): 1}
    first, second = read(docbin, path)
    assert first.entities == [Span(0, 4, "PER")]
    assert second.entities == [Span(0, 1, "PER")]


def test_a_damaged_docbin_is_a_data_error(tmp_path):
    pytest.importorskip("spacy", reason="the extra spacy is not installed")
    (tmp_path / "a.spacy").write_bytes(b"nonsense")
    with pytest.raises(DataError, match="not a DocBin"):
        read(docbin, tmp_path / "a.spacy")


def test_datasets_in_memory():
    pytest.importorskip("datasets", reason="the extra datasets is not installed")
    dataset = hf_datasets.to_dataset(GIVEN)
    assert dataset[0]["tokens"] == GIVEN[0].tokens
    assert list(hf_datasets.from_dataset(dataset)) == GIVEN
    with pytest.raises(DataError, match="extra key"):
        hf_datasets.to_dataset([Sentence(["a"], extra={"x": 1})])


def test_datasets_with_tags_and_splits(tmp_path):
    datasets = pytest.importorskip("datasets", reason="the extra datasets is not installed")
    labels = datasets.ClassLabel(names=["O", "B-PER", "I-PER"])
    features = datasets.Features(
        {"tokens": [datasets.Value("string")], "ner_tags": datasets.List(labels)}
        if hasattr(datasets, "List")
        else {
            "tokens": datasets.Sequence(datasets.Value("string")),
            "ner_tags": datasets.Sequence(labels),
        }
    )
    rows = {"tokens": [["Bob", "Roe", "left"]], "ner_tags": [[1, 2, 0]]}
    dataset = datasets.Dataset.from_dict(rows, features=features)
    expected = [Sentence(["Bob", "Roe", "left"], [Span(0, 2, "PER")])]
    assert list(hf_datasets.from_dataset(dataset)) == expected
    dataset.to_parquet(tmp_path / "a.parquet")
    assert read(hf_datasets, tmp_path / "a.parquet") == expected
    datasets.DatasetDict({"train": dataset}).save_to_disk(tmp_path / "saved")
    assert hf_datasets.FORMAT.sniff(Source(tmp_path / "saved"))
    assert read(hf_datasets, tmp_path / "saved", split="train") == expected
    assert read(hf_datasets, tmp_path / "saved") == expected  # its only split
    (arrow,) = (tmp_path / "saved" / "train").glob("*.arrow")
    assert read(hf_datasets, arrow) == expected
    with pytest.raises(UsageError, match="no split 'dev'"):
        read(hf_datasets, tmp_path / "saved", split="dev")
    datasets.DatasetDict({"train": dataset, "test": dataset}).save_to_disk(tmp_path / "two")
    with pytest.raises(UsageError, match="several splits"):
        read(hf_datasets, tmp_path / "two")


@pytest.mark.parametrize(
    "row",
    [
        {"words": ["a"]},
        {"tokens": ["a"], "entities": [{"start": 0, "end": 2, "label": "X"}]},
        {"tokens": [], "entities": []},
        {"tokens": ["a"], "ner_tags": [1]},
        {"tokens": ["a"], "ner_tags": ["O", "O"]},
    ],
)
def test_rows_that_cannot_be_read(row):
    with pytest.raises(DataError):
        list(hf_datasets.from_dataset([row]))


def test_a_damaged_parquet_file_is_a_data_error(tmp_path):
    pytest.importorskip("datasets", reason="the extra datasets is not installed")
    (tmp_path / "a.parquet").write_bytes(b"nonsense")
    with pytest.raises(DataError, match="not a Parquet"):
        read(hf_datasets, tmp_path / "a.parquet")


@pytest.mark.parametrize(("module", "package"), [(docbin, "spacy"), (hf_datasets, "datasets")])
def test_without_the_extra(tmp_path, monkeypatch, module, package):
    monkeypatch.setitem(__import__("sys").modules, package, None)
    (tmp_path / "a").touch()
    with pytest.raises(MissingExtraError, match="not installed"):
        read(module, tmp_path / "a")
