"""Documents of several sentences: their names, ids and keys on the way to and from text."""

import pytest

from innermost.corpus import Context, Options, Report, Sentence, read
from innermost.corpus.sentence import documents, is_label
from innermost.corpus.shared import text_documents
from innermost.corpus.shared.character_spans import annotated_text_of, sentences_from_text
from innermost.corpus.shared.document_folders import FileNames, document_of, open_folder
from innermost.corpus.shared.text_documents import (
    identified,
    named_runs,
    read_named_text,
    read_one_sentence,
    report_tokens,
    text_records,
)
from innermost.errors import DataError, UsageError
from innermost.nest import Span

HOLDS = frozenset({"id", "doc", "extra", "gaps", "scores"})


def context(**settings):
    options = Options(tokenizer="whitespace", settings=settings)
    return Context(options, Report(), "folder/x.txt", 3, holds=HOLDS)


def names(sentences):
    return [(s.id, s.doc, s.unnamed, s.extra) for s in sentences]


def test_a_text_of_one_sentence_needs_no_name():
    def named(text, **keys):
        keys = {"id": None, "doc": None, "extra": {"k": 1}, "scores": {}} | keys
        return names(read_named_text(text, [], context(sentences="lines"), **keys))

    assert named("a b") == [(None, None, True, {"k": 1})]
    assert named("a\nb") == [(None, "x.txt:3", True, {"k": 1})] * 2
    assert named("a\nb", id="i") == [("i", "i", True, {"k": 1})] * 2
    assert named("a", id="i") == [("i", None, True, {"k": 1})]
    assert named("a", id="i", doc="d") == [("i", "d", False, {"k": 1})]
    assert identified([], id="i", doc=None) == []


def test_sentences_are_split_or_lines():
    text = "A b. C d.\n\nE"
    split = sentences_from_text(text, [], context())
    lines = sentences_from_text(text, [], context(sentences="lines"))
    assert [s.tokens for s in split] == [["A", "b."], ["C", "d."], ["E"]]
    assert [s.tokens for s in lines] == [["A", "b.", "C", "d."], ["E"]]
    assert "".join(s.text for s in lines) == "".join(s.text for s in split) == text
    with pytest.raises(UsageError, match="sentences"):
        sentences_from_text(text, [], context(sentences="words"))


def test_scores_belong_to_entities_wherever_their_sentence_begins():
    text = "a b\nc d\ne"
    spans = [Span(0, 1, "X"), Span(4, 7, "Y"), Span(8, 9, "Z")]
    scores = {spans[1]: 0.25, spans[2]: 0.0}
    found = sentences_from_text(
        text, spans, context(sentences="lines"), scores=scores, extra={"k": 1}
    )
    assert [s.entities for s in found] == [[Span(0, 1, "X")], [Span(0, 2, "Y")], [Span(0, 1, "Z")]]
    assert [s.scores for s in found] == [{}, {Span(0, 2, "Y"): 0.25}, {Span(0, 1, "Z"): 0.0}]
    assert annotated_text_of(found) == (text, spans, scores)
    assert found[0].extra is not found[1].extra
    assert [s.line for s in found] == [3, 3, 3]


def test_entities_over_several_sentences_join_exactly_those():
    text = "a b c d e f"
    tokens = [[(i, i + 1)] for i in range(0, 11, 2)]
    place = context()
    spans = [Span(2, 5, "X"), Span(2, 7, "Y"), Span(8, 9, "Z")]
    found = sentences_from_text(text, spans, place, tokens=[[], *tokens, []])
    assert [s.tokens for s in found] == [["a"], ["b", "c", "d"], ["e"], ["f"]]
    assert [s.entities for s in found] == [
        [],
        [Span(0, 2, "X"), Span(0, 3, "Y")],
        [Span(0, 1, "Z")],
        [],
    ]
    assert place.report.counts == {("changed", "entity across sentences"): 2}
    assert "".join(s.text for s in found) == text


def test_a_span_at_the_very_end_fits_and_one_beyond_does_not():
    place = context()
    (sentence,) = sentences_from_text("ab", [Span(0, 2, "X")], place, tokens=[[(0, 2)]])
    assert sentence.entities == [Span(0, 1, "X")]
    for bad in (Span(0, 3, "X"), Span(1, 1, "X"), Span(-1, 1, "X")):
        with pytest.raises(DataError, match="text of 2 characters"):
            sentences_from_text("ab", [bad], place, tokens=[[(0, 2)]])
    touching = sentences_from_text("ab", [], place, tokens=[[(0, 1), (1, 2)]])
    assert touching[0].gaps == ["", "", ""]


def test_records_have_what_their_sentences_share():
    run = [
        Sentence(["a"], doc="d", id="i", extra={"k": 1}),
        Sentence(["b"], [Span(0, 1, "X")], doc="d", id="i", extra={"k": 1}),
        Sentence(["c"], doc="e", id="i", extra={"k": 1}),
        Sentence(["d"], doc="e", id="j", extra={"k": 2}),
        Sentence(["e"]),
    ]
    place = context()
    records = list(text_records(run, place))
    assert [(r.text, r.id, r.doc, r.extra) for r in records] == [
        ("a\nb\n", "i", "d", {"k": 1}),
        ("c\nd\n", None, "e", {}),
        ("e\n", None, None, {}),
    ]
    assert records[0].spans == [Span(2, 3, "X")]
    assert [len(r.sentences) for r in records] == [2, 2, 1]
    assert place.report.counts == {("lost", "sentence id"): 2, ("lost", "extra key"): 2}
    assert place.report.examples[0].detail == "'i' of sentence 3"


def test_a_text_that_was_named_by_its_id_has_no_name():
    def doc(*sentences):
        (record,) = text_records(sentences, context())
        return record.doc

    assert doc(Sentence(["a"], doc="i", id="i"), Sentence(["b"], doc="i", id="i")) is None
    assert doc(Sentence(["a"], doc="i", id="i")) == "i"
    assert doc(Sentence(["a"], doc="x:3", unnamed=True)) is None


def test_runs_of_documents(monkeypatch):
    monkeypatch.setattr(text_documents, "_UNNAMED", 2)
    sentences = [
        *(Sentence([str(n)]) for n in range(5)),
        Sentence(["a"], doc="d"),
        Sentence(["b"], doc="d"),
        Sentence(["c"], doc="p", unnamed=True),
        Sentence(["d"], doc="p", unnamed=True),
        Sentence(["e"], unnamed=True),
        Sentence(["f"], unnamed=True),
    ]
    runs = [(doc, "".join(s.tokens[0] for s in run)) for doc, run in named_runs(sentences)]
    assert runs == [
        (None, "01"), (None, "23"), (None, "4"), ("d", "ab"), (None, "cd"), (None, "e"), (None, "f")
    ]  # fmt: skip
    by_doc = [(doc, len(run)) for doc, run in documents(sentences)]
    assert by_doc == [(None, 1)] * 5 + [("d", 2), ("p", 2), (None, 1), (None, 1)]


def test_other_tokens_after_reading_are_reported():
    def changes(*sentences, **kwargs):
        place = context(sentences="lines")
        report_tokens(sentences, place, **kwargs)
        return [event.detail for event in place.report.examples]

    same = [Sentence(["a", "b"]), Sentence(["c"])]
    assert changes(*same) == []
    assert changes(Sentence(["a", "b", "c", "d"])) == []
    (detail,) = changes(Sentence(["a", "b c", "d", "e"], gaps=["", " ", " ", " ", "\n"], doc="N"))
    assert "in 'N'" in detail
    assert detail.endswith("'b c' 'd' 'e' becomes 'b' 'c' 'd'")
    (detail,) = changes(Sentence(["a", "b"]), Sentence(["c\nd"]))
    assert "in 'a b'" in detail
    assert detail.endswith("'c\\nd' becomes 'c'")
    (detail,) = changes(Sentence(["a"], gaps=["", ""]), Sentence(["b"], gaps=["", ""]))
    assert detail.endswith("'a' becomes 'ab'")
    assert changes(Sentence(["a", "b"], gaps=["", "\n", ""]), as_one_sentence=True) == []
    assert len(changes(Sentence(["a", "b"], gaps=["", "\n", ""]))) == 1


def test_a_single_sentence_is_read_as_one():
    sentence = read_one_sentence("A b. C d.", [Span(2, 6, "X")], context(), doc="d")
    assert sentence.tokens == ["A", "b.", "C", "d."]
    assert (sentence.entities, sentence.doc, sentence.unnamed) == ([Span(1, 3, "X")], "d", False)


def test_file_names():
    place = context()
    files = FileNames(place)
    docs = ["a", "A", None, None, "a/b", "", "x" * 199, "x" * 200, ".hidden", "a", "a-2", "é" * 99]
    found = [files.of(doc) for doc in docs]
    assert found == [
        "a", "A-2", "document-0001", "document-0002", "a%2Fb", "empty", "x" * 199, "x" * 150,
        "%2Ehidden", "a-3", "a-2-2", "é" * 99,
    ]  # fmt: skip
    assert place.report.counts == {("changed", "document name"): 7}  # not a/b and .hidden
    assert place.report.examples[1].detail == "without a name is now 'document-0001'"


@pytest.mark.parametrize(
    "doc", ["a", "a/b", "a%2Fb", "a%252Fb", "50%", "CON", ".hidden", "ü/ß.txt", "%", "a b"]
)
def test_a_document_is_found_again_by_the_name_of_its_file(doc):
    name = FileNames(context()).of(doc)
    assert "/" not in name
    assert document_of(name) == doc


@pytest.mark.parametrize("name", ["50%25", "a%2fb", "%ff", "a%20b"])
def test_other_names_of_files_are_kept(name):
    assert document_of(name) == name


def test_a_folder_is_not_standard_output():
    with pytest.raises(UsageError, match="standard output is not a folder"), open_folder("-"):
        pass


@pytest.mark.parametrize("name", ["a.txt", "a.ann", "a.tsv"])
def test_a_folder_is_not_named_like_a_file(name, tmp_path):
    with pytest.raises(UsageError, match="names a file"), open_folder(tmp_path / name):
        pass
    with open_folder(tmp_path / "folder.d") as folder:
        (folder / "x").touch()
    assert [path.name for path in (tmp_path / "folder.d").iterdir()] == ["x"]


@pytest.mark.parametrize("label", ["x", "x y", "日本", "a\u00a0b"])
def test_labels(label):
    assert is_label(label)


@pytest.mark.parametrize("label", ["", " x", "x ", "x\ny", "\x00", "\u2028b", "a\u2029b", "\ud800"])
def test_what_is_no_label(label):
    assert not is_label(label)


def test_the_text_of_a_sentence():
    plain, spaced = Sentence(["a", "bc"]), Sentence(["a", "bc"], gaps=["\t", "", "!"])
    assert (plain.text, spaced.text, Sentence([]).text) == ("a bc\n", "\tabc!", "\n")
    assert plain.token_offsets() == [(0, 1), (2, 4)]
    assert spaced.token_offsets() == [(1, 2), (2, 4)]
    assert Sentence([]).token_offsets() == []


def test_where_a_sentence_was_read_does_not_matter_for_equality():
    sentence = Sentence(["a"], doc="d", line=1)
    assert sentence == Sentence(["a"], doc="d", line=2, unnamed=True)
    assert sentence != Sentence(["a"], doc="e", line=1)


def test_a_bad_label_is_a_bad_record(tmp_path):
    path = tmp_path / "a.jsonl"
    good = '{"tokens": ["a"], "entities": [[0, 1, "X"]]}\n'
    path.write_text(good + good.replace("X", " X"), encoding="utf-8")
    with pytest.raises(DataError, match="' X'") as error:
        list(read(path))
    assert error.value.line == 2
    report = Report()
    (kept,) = read(path, options=Options(skip_bad=True), report=report)
    assert kept.line == 1
    assert report.counts == {("skipped", "bad record"): 1}
