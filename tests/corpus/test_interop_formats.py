from __future__ import annotations

import zlib
from types import SimpleNamespace

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


def _docbin(**changes):
    """A DocBin of one document, with other values under some of its keys."""
    spacy = pytest.importorskip("spacy", reason="the extra spacy is not installed")
    srsly = pytest.importorskip("srsly")
    docs = spacy.tokens.DocBin()
    docs.add(spacy.blank("xx")("a b c"))
    content = srsly.msgpack_loads(zlib.decompress(docs.to_bytes()))
    return zlib.compress(srsly.msgpack_dumps({**content, **changes}))


@pytest.mark.parametrize(
    "changes",
    [
        {"attrs": [65]},
        {"tokens": b""},
        {"spaces": b""},
        {"cats": []},
        {"flags": [5]},
        {"span_groups": ["x"]},
        {"span_groups": None},
    ],
)
def test_a_docbin_whose_documents_are_damaged_is_a_data_error(tmp_path, changes):
    (tmp_path / "a.spacy").write_bytes(_docbin(**changes))
    with pytest.raises(DataError, match=r"a\.spacy.*not a DocBin"):
        read(docbin, tmp_path / "a.spacy")


def test_a_small_docbin_with_a_huge_content_is_refused(tmp_path):
    pytest.importorskip("spacy", reason="the extra spacy is not installed")
    (tmp_path / "a.spacy").write_bytes(zlib.compress(bytes(80 << 20), 9))
    with pytest.raises(DataError, match="200 times as large"):
        read(docbin, tmp_path / "a.spacy")


def test_entities_join_the_sentences_of_a_docbin(tmp_path):
    spacy = pytest.importorskip("spacy", reason="the extra spacy is not installed")
    doc = spacy.tokens.Doc(
        spacy.blank("xx").vocab, words=list("abcdef"), sent_starts=[True, False] * 3
    )
    doc.spans["sc"] = [spacy.tokens.Span(doc, s, e, label="X") for s, e in ((1, 3), (4, 6), (0, 2))]
    spacy.tokens.DocBin(docs=[doc]).to_disk(tmp_path / "a.spacy")
    first, second = read(docbin, tmp_path / "a.spacy")
    assert (first.tokens, first.entities) == (list("abcd"), [Span(1, 3, "X"), Span(0, 2, "X")])
    assert (second.tokens, second.entities) == (list("ef"), [Span(0, 2, "X")])


TEXT = "Bob left Ghent.\n\nShe saw Mr. Hall in Paris. He spoke."


def _blank_doc(*entities):
    spacy = pytest.importorskip("spacy", reason="the extra spacy is not installed")
    doc = spacy.blank("en")(TEXT)
    doc.spans["sc"] = [doc.char_span(TEXT.index(e), TEXT.index(e) + len(e), "X") for e in entities]
    return doc


def test_a_doc_without_sentences_is_split_like_text(tmp_path):
    doc = _blank_doc("Ghent", "Hall", "Paris")
    spacy = pytest.importorskip("spacy")
    path = tmp_path / "a.spacy"
    spacy.tokens.DocBin(docs=[doc, doc]).to_disk(path)
    sentences = read(docbin, path)
    assert [s.doc for s in sentences] == ["a.spacy#1"] * 3 + ["a.spacy#2"] * 3
    first, second, third = sentences[:3]
    assert first.tokens == ["Bob", "left", "Ghent", "."]
    assert [second.tokens[s.start] for s in second.entities] == ["Hall", "Paris"]
    assert third.tokens == ["He", "spoke", "."]
    assert "".join(s.text for s in sentences[:3]) == TEXT
    assert len(read(docbin, path, sentences="lines")) == 4
    assert len(read(docbin, path, sentences="whole")) == 2


def test_an_entity_across_the_sentences_of_a_doc_joins_them(tmp_path):
    doc = _blank_doc("Paris. He")
    spacy = pytest.importorskip("spacy")
    spacy.tokens.DocBin(docs=[doc]).to_disk(tmp_path / "a.spacy")
    report = Report()
    source = Source(tmp_path / "a.spacy")
    first, second = docbin.FORMAT.read(source, Options(), report)
    assert (first.entities, len(second.entities)) == ([], 1)
    assert second.tokens[-1] == "."
    assert dict(report.counts) == {("changed", "entity across sentences"): 1}


@pytest.mark.parametrize("is_marked", [True, False])
@pytest.mark.parametrize("as_array", [True, False])
def test_scores_of_a_span_group_are_read(tmp_path, is_marked, as_array):
    numpy = pytest.importorskip("numpy")
    spacy = pytest.importorskip("spacy", reason="the extra spacy is not installed")
    starts = {"sent_starts": [True, False, True, False]} if is_marked else {}
    doc = spacy.tokens.Doc(spacy.blank("en").vocab, words=["Bob", "left", "Bob", "."], **starts)
    spans = [spacy.tokens.Span(doc, n, n + 1, label="X") for n in (0, 2)]
    scores = numpy.array([0.5, 0.25]) if as_array else [0.5, 0.25]
    attributes = {"scores": scores, "levels": [1, 1], "parents": [None, None]}
    doc.spans["innermost"] = spacy.tokens.SpanGroup(doc, attrs=attributes, spans=spans)
    spacy.tokens.DocBin(docs=[doc]).to_disk(tmp_path / "a.spacy")
    report = Report()
    sentences = list(docbin.FORMAT.read(Source(tmp_path / "a.spacy"), Options(), report))
    assert [score for s in sentences for score in s.scores.values()] == [0.5, 0.25]
    assert len(sentences) == 1 + is_marked
    assert all(s.scores.keys() == set(s.entities) for s in sentences)
    assert not report.counts


@pytest.mark.parametrize("scores", [[0.5], [1.5], 7, ["high"], []])
def test_what_a_docbin_has_besides_entities_is_reported(tmp_path, scores):
    spacy = pytest.importorskip("spacy", reason="the extra spacy is not installed")
    doc = spacy.tokens.Doc(spacy.blank("en").vocab, words=["Bob"])
    spans = [spacy.tokens.Span(doc, 0, 1, label="PER", kb_id="Q1")]
    attributes = {"scores": scores, "annotator": "Ann"}
    doc.spans["sc"] = spacy.tokens.SpanGroup(doc, attrs=attributes, spans=spans)
    doc.cats["sports"] = 1.0
    doc.user_data["source"] = "a letter"
    spacy.tokens.DocBin(docs=[doc], store_user_data=True).to_disk(tmp_path / "a.spacy")
    report = Report()
    (sentence,) = docbin.FORMAT.read(Source(tmp_path / "a.spacy"), Options(), report)
    lost = {event.what: event.detail for event in report.examples if event.kind == "lost"}
    assert lost == {
        "normalization": "'Bob' is Q1",
        "category of a document": "'sports' of document 1",
        "key of a document": "'source' of document 1",
        "attribute of a span group": "'annotator' of document 1",
    }
    is_right = scores == [0.5]
    assert sentence.scores == ({Span(0, 1, "PER"): 0.5} if is_right else {})
    assert report.counts["changed", "scores"] == (not is_right)


def test_doc_ents_cannot_store_scores(tmp_path):
    pytest.importorskip("spacy", reason="the extra spacy is not installed")
    span = Span(0, 1, "PER")
    sentence = Sentence(["Bob"], [span], scores={span: 0.5})
    for group, changed in (("ents", 1), ("sc", 0)):
        report = Report()
        options = Options(settings={"group": group})
        docbin.FORMAT.write([sentence], tmp_path / "a.spacy", options, report)
        assert report.counts["changed", "scores"] == changed
        assert bool(read(docbin, tmp_path / "a.spacy")[0].scores) == (group == "sc")


def test_datasets_in_memory():
    pytest.importorskip("datasets", reason="the extra datasets is not installed")
    dataset = hf_datasets.to_dataset(GIVEN)
    assert dataset[0]["tokens"] == GIVEN[0].tokens
    assert list(hf_datasets.from_dataset(dataset)) == GIVEN
    with pytest.raises(DataError, match="extra key"):
        hf_datasets.to_dataset([Sentence(["a"], extra={"x": 1})])


def test_datasets_of_texts_have_entities_that_count_characters(tmp_path):
    datasets = pytest.importorskip("datasets", reason="the extra datasets is not installed")
    rows = [
        {"text": "Bob left Oslo.", "entities": [{"start": 9, "end": 13, "label": "LOC"}]},
        {"text": "It rains.", "entities": []},
    ]
    dataset = datasets.Dataset.from_list(rows)
    dataset.save_to_disk(str(tmp_path / "saved"))
    for sentences in (hf_datasets.from_dataset(dataset), read(hf_datasets, tmp_path / "saved")):
        first, second = sentences
        assert (first.text, first.entities) == ("Bob left Oslo.", [Span(2, 3, "LOC")])
        assert second.tokens == ["It", "rains", "."]


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
    datasets.DatasetDict({"train": dataset}).save_to_disk(str(tmp_path / "saved"))
    assert hf_datasets.FORMAT.sniff(Source(tmp_path / "saved"))
    assert read(hf_datasets, tmp_path / "saved", split="train") == expected
    assert read(hf_datasets, tmp_path / "saved") == expected  # its only split
    (arrow,) = (tmp_path / "saved" / "train").glob("*.arrow")
    assert read(hf_datasets, arrow) == expected
    with pytest.raises(UsageError, match="no split 'dev'"):
        read(hf_datasets, tmp_path / "saved", split="dev")
    datasets.DatasetDict({"train": dataset, "test": dataset}).save_to_disk(str(tmp_path / "two"))
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
        {"tokens": ["a"], "ner_tags": 5},
        {"tokens": ["a"], "entities": 5},
        {"tokens": ["a"], "entities": [], "gaps": ["", ""][:1]},
        {"tokens": ["a"], "entities": [], "gaps": [None, None]},
        {"tokens": ["a"], "entities": [], "gaps": 5},
    ],
)
def test_rows_that_cannot_be_read(row):
    with pytest.raises(DataError):
        list(hf_datasets.from_dataset([row]))


@pytest.mark.parametrize("tag", [-1, -100, 3, True, None])
def test_a_number_without_a_name_is_not_a_tag(tag):
    """-1, Hugging Face's "no label", must not be the last label."""

    class Dataset(list):
        features = {"ner_tags": SimpleNamespace(names=["O", "B-PER", "I-PER"])}  # noqa: RUF012

    rows = Dataset([{"tokens": ["a", "b"], "ner_tags": [tag, 1]}])
    with pytest.raises(DataError, match=f"record 1: {tag} is not a tag"):
        list(hf_datasets.from_dataset(rows))


def test_an_arrow_file_with_wrong_offsets_is_refused(tmp_path):
    """pyarrow trusts them: reading beyond a buffer kills the process."""
    pyarrow = pytest.importorskip("pyarrow", reason="the extra datasets is not installed")
    pytest.importorskip("datasets", reason="the extra datasets is not installed")
    offsets = b"".join(place.to_bytes(4, "little") for place in (0, 1 << 30, 1))
    buffers = [None, pyarrow.py_buffer(offsets), pyarrow.py_buffer(b"a")]
    tokens = pyarrow.Array.from_buffers(pyarrow.string(), 2, buffers)
    lists = pyarrow.ListArray.from_arrays(pyarrow.array([0, 2], pyarrow.int32()), tokens)
    batch = pyarrow.RecordBatch.from_arrays([lists], ["tokens"])
    for make in (pyarrow.ipc.new_stream, pyarrow.ipc.new_file):
        with make(str(tmp_path / "a.arrow"), batch.schema) as writer:
            writer.write_batch(batch)
        with pytest.raises(DataError, match=r"a\.arrow: not an Arrow file"):
            read(hf_datasets, tmp_path / "a.arrow")


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("state.json", '{"_data_files": [{"filename": "../outside.arrow"}]}'),
        ("state.json", '{"_data_files": [{"filename": "/etc/passwd"}]}'),
        ("state.json", '{"_data_files": [{"filename": 5}]}'),
        ("state.json", '{"_data_files": []}'),
        ("state.json", "[]"),
        ("state.json", "{"),
        ("dataset_dict.json", '{"splits": [".."]}'),
        ("dataset_dict.json", '{"splits": 5}'),
    ],
)
def test_a_saved_dataset_names_only_files_of_its_own(tmp_path, file, content):
    pytest.importorskip("datasets", reason="the extra datasets is not installed")
    hf_datasets.to_dataset(GIVEN).save_to_disk(str(tmp_path / "saved"))
    (data,) = (tmp_path / "saved").glob("*.arrow")
    (tmp_path / "outside.arrow").write_bytes(data.read_bytes())
    (tmp_path / "saved" / file).write_text(content)
    with pytest.raises(DataError):
        read(hf_datasets, tmp_path / "saved")


def test_columns_are_never_decoded(tmp_path):
    """The library would open the file that a column of images names."""
    pyarrow = pytest.importorskip("pyarrow", reason="the extra datasets is not installed")
    datasets = pytest.importorskip("datasets", reason="the extra datasets is not installed")
    secret = tmp_path / "secret"
    secret.write_text("x")
    features = datasets.Features({**hf_datasets.to_dataset(GIVEN).features, "i": datasets.Image()})
    row = {"tokens": ["a"], "entities": [], "i": {"bytes": None, "path": str(secret)}}
    table = pyarrow.Table.from_pylist([row], schema=features.arrow_schema)
    with pyarrow.ipc.new_stream(str(tmp_path / "a.arrow"), table.schema) as writer:
        writer.write_table(table)
    (sentence,) = read(hf_datasets, tmp_path / "a.arrow")
    assert sentence.extra == {"i": {"bytes": None, "path": str(secret)}}


def test_a_parquet_file_of_a_few_bytes_and_millions_of_values_is_refused(tmp_path):
    pytest.importorskip("datasets", reason="the extra datasets is not installed")
    from pyarrow import Table, array, parquet

    table = Table.from_arrays([array([None] * 5_000_000, "int8")], ["tokens"])
    parquet.write_table(table, tmp_path / "a.parquet")
    with pytest.raises(DataError, match="out of proportion"):
        read(hf_datasets, tmp_path / "a.parquet")


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


def test_a_parquet_row_of_a_few_bytes_and_millions_of_elements_is_refused(tmp_path):
    pytest.importorskip("datasets", reason="the extra datasets is not installed")
    from pyarrow import Table, array, int64, list_, parquet

    table = Table.from_arrays([array([[None] * 10_000_000], list_(int64()))], ["tokens"])
    parquet.write_table(table, tmp_path / "a.parquet")
    with pytest.raises(DataError, match="is out of proportion"):
        read(hf_datasets, tmp_path / "a.parquet")


@pytest.mark.parametrize("damage", [b"\x00", b"\xff", b"\x7f"])
def test_every_damaged_byte_of_a_parquet_footer_is_refused_or_read(damage, tmp_path):
    """Asking pyarrow for a column of a damaged footer would end the process."""
    pytest.importorskip("datasets", reason="the extra datasets is not installed")
    from pyarrow import Table, parquet

    path = tmp_path / "a.parquet"
    table = Table.from_pylist([{"tokens": ["a", "b"], "n": 1}])
    parquet.write_table(table, path, store_schema=False, write_statistics=False)
    data = path.read_bytes()
    footer = int.from_bytes(data[-8:-4], "little") + 8
    refused = 0
    for at in range(len(data) - footer, len(data)):
        path.write_bytes(data[:at] + damage + data[at + 1 :])
        try:
            read(hf_datasets, path)
        except DataError:
            refused += 1
    assert refused > footer // 2


@pytest.mark.parametrize("size", [1 << 62, 1 << 50])
def test_huge_sizes_anywhere_in_an_arrow_file_are_refused_or_read(size, tmp_path):
    """pyarrow reads as many bytes as a message declares, from a Python file."""
    pytest.importorskip("datasets", reason="the extra datasets is not installed")
    import pyarrow

    path = tmp_path / "a.arrow"
    table = pyarrow.Table.from_pylist([{"tokens": ["a", "b"], "n": 1}])
    with pyarrow.ipc.new_stream(str(path), table.schema) as writer:
        writer.write_table(table)
    data = path.read_bytes()
    refused = 0
    for at in range(0, len(data) - 8, 4):
        path.write_bytes(data[:at] + size.to_bytes(8, "little") + data[at + 8 :])
        try:
            read(hf_datasets, path)
        except DataError:
            refused += 1
    assert refused > 10
