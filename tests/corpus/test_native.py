"""The native format: both forms, kept keys, and errors that name the line."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from innermost import corpus
from innermost.corpus import Options, Report, Sentence
from innermost.errors import DataError, UsageError
from innermost.nest import Span

token = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=5)
label = st.text(st.characters(categories=["L", "N", "P"]), min_size=1, max_size=4)


@st.composite
def any_sentence(draw):
    tokens = draw(st.lists(token, min_size=1, max_size=6))
    edges = st.integers(0, len(tokens))
    pairs = draw(st.lists(st.tuples(edges, edges, label), max_size=4))
    size = len(tokens) + 1
    return Sentence(
        tokens,
        [Span(min(a, b), max(a, b), name) for a, b, name in pairs if a != b],
        draw(st.none() | st.lists(st.sampled_from(["", " ", "\n "]), min_size=size, max_size=size)),
        draw(st.none() | token),
        draw(st.none() | token),
        draw(st.dictionaries(st.sampled_from(["score", "text", "meta"]), st.integers() | token)),
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("native")


def read(path, report=None, **settings):
    options = Options(tokenizer="ptb", settings=settings)
    return list(corpus.read(path, format="native", options=options, report=report))


def written(path: Path, *records) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


@given(st.lists(any_sentence(), max_size=4))
def test_what_is_written_reads_back_the_same(folder, sentences):
    report = Report()
    corpus.write(sentences, folder / "x.jsonl.gz", report=report)
    assert read(folder / "x.jsonl.gz", report) == sentences
    assert not report.counts


def test_extra_keys_never_replace_the_fields_of_the_format(tmp_path):
    report = Report()
    sentence = Sentence(["a"], [Span(0, 1, "X")], extra={"tokens": ["b"], "source": "s"})
    corpus.write([sentence], tmp_path / "x.jsonl", report=report)
    (found,) = read(tmp_path / "x.jsonl")
    assert (found.tokens, found.extra) == (["a"], {"source": "s"})
    assert report.counts == {("lost", "extra key"): 1}


RECORD = {
    "id": "r1",
    "text": "The IL-2 gene fell. It rose\u00a0again.",
    "entities": [
        {"start": 4, "end": 13, "label": "DNA"},
        {"start": 4, "end": 8, "label": "protein"},
    ],
    "source": {"page": 3},
}


def test_the_character_form_is_split_into_sentences(tmp_path):
    first, second = read(written(tmp_path / "x.jsonl", RECORD))
    assert first.tokens == ["The", "IL-2", "gene", "fell", "."]
    assert first.entities == [Span(1, 3, "DNA"), Span(1, 2, "protein")]
    assert second.tokens == ["It", "rose", "again", "."]
    assert first.text + second.text == RECORD["text"]
    assert {(s.id, s.doc, s.line) for s in (first, second)} == {("r1", "r1", 1)}
    assert first.extra == second.extra == {"source": {"page": 3}}


def test_the_character_form_comes_back_record_by_record(tmp_path):
    records = [
        RECORD,
        {"id": "r2", "doc": "d", "text": "One. Two.", "entities": []},
        {"text": "No name.", "entities": [{"start": 0, "end": 2, "label": "X"}]},
        {"text": " ", "entities": []},
        {"doc": "e", "text": "Alone", "entities": []},
    ]
    sentences = read(written(tmp_path / "x.jsonl", *records))
    options = Options(tokenizer="ptb", settings={"form": "characters"})
    report = Report()
    corpus.write(sentences, tmp_path / "y.jsonl", options=options, report=report)
    again = [json.loads(line) for line in (tmp_path / "y.jsonl").read_text().splitlines()]
    assert again == records
    assert not report.counts


def test_losses_of_the_character_form_are_reported(tmp_path):
    report = Report()
    sentences = [
        Sentence(["IL-2", "g", "ene"], gaps=["", " ", "", " "], doc="d", extra={"a": 1}),
        Sentence(["It"], doc="d", extra={"a": 2}),
    ]
    options = Options(settings={"form": "characters"})
    corpus.write(sentences, tmp_path / "x.jsonl", options=options, report=report)
    assert report.counts == {
        ("changed", "tokens"): 1,
        ("lost", "keys that differ within a document"): 1,
    }
    entity = {"start": 0, "end": 1, "label": "X", "text": "a", "score": 0.5}
    written(tmp_path / "y.jsonl", {"text": "a", "entities": [entity]})
    read(tmp_path / "y.jsonl", report)
    assert report.counts["lost", "keys of an entity"] == 1


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b'{"tokens": ["a"', "not valid JSON"),
        (b'{"tokens": ["\xff"]}', "not valid JSON"),
        (b"[" * 100_000, "not valid JSON"),
        (b"[1]", "expected a JSON object, found a list"),
        (b"{}", 'expected "tokens"'),
        (b'{"tokens": "a b"}', 'expected "tokens"'),
        (b'{"tokens": []}', "no tokens"),
        (b'{"tokens": ["a", ""]}', "token 1 is empty"),
        (b'{"tokens": ["a"], "entities": {}}', 'expected "entities"'),
        (b'{"tokens": ["a"], "entities": [[0, 1]]}', "entity 0 is not"),
        (b'{"tokens": ["a"], "entities": [[false, true, "X"]]}', "true or false"),
        (b'{"tokens": ["a"], "entities": [[0, 2, "X"]]}', "outside the sentence of 1 tokens"),
        (b'{"tokens": ["a"], "entities": [[1, 1, "X"]]}', "is empty"),
        (b'{"tokens": ["a"], "entities": [[0, 1, "X Y"]]}', "has the label 'X Y'"),
        (b'{"tokens": ["a"], "entities": [[0, 1, ""]]}', "has the label ''"),
        (b'{"tokens": ["a"], "gaps": [""]}', 'expected "gaps"'),
        (b'{"tokens": ["a"], "id": [1]}', 'expected "id"'),
        (b'{"text": 7, "entities": []}', 'expected "text"'),
        (b'{"text": "a", "entities": [[0, 1, "X"]]}', "not an object with start"),
        (b'{"text": "a", "entities": [{"start": 0, "end": 5, "label": "X"}]}', "outside"),
    ],
)
def test_a_bad_line_is_named(tmp_path, line, message):
    path = tmp_path / "x.jsonl"
    path.write_bytes(b'{"tokens": ["a"]}\n\n' + line + b"\n")
    with pytest.raises(DataError, match=message) as error:
        read(path)
    assert (error.value.path, error.value.line) == (str(path), 3)


def test_both_forms_are_told_from_the_first_line(tmp_path):
    written(tmp_path / "tokens", {"tokens": ["a"], "entities": [[0, 1, "X"]]})
    written(tmp_path / "text", RECORD)
    assert [s.tokens for s in corpus.read(tmp_path / "tokens")] == [["a"]]
    assert len(list(corpus.read(tmp_path / "text"))) == 2


def test_a_byte_order_mark_is_no_error(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"tokens": ["a"]}\n')
    assert [s.tokens for s in corpus.read(path)] == [["a"]]


def test_half_a_surrogate_pair_cannot_be_written(tmp_path):
    with pytest.raises(DataError, match=r"U\+D800"):
        corpus.write([Sentence(["\ud800"])], tmp_path / "x.jsonl")
    assert not (tmp_path / "x.jsonl").exists()


def test_wrong_settings_are_refused(tmp_path):
    for settings in ({"form": "words"}, {"from": "tokens"}):
        with pytest.raises(UsageError, match="setting"):
            corpus.write([], tmp_path / "x.jsonl", options=Options(settings=settings))
    path = written(tmp_path / "y.jsonl", RECORD)
    with pytest.raises(UsageError, match="no tokenizer 'what'"):
        list(corpus.read(path, options=Options(tokenizer="what")))
