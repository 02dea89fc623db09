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
label = st.text(st.characters(categories=["L", "N", "P", "Zs"]), min_size=1).filter(
    lambda text: text == text.strip()
)


@st.composite
def any_sentence(draw):
    tokens = draw(st.lists(token, min_size=1, max_size=6))
    edges = st.integers(0, len(tokens))
    pairs = draw(st.lists(st.tuples(edges, edges, label), max_size=4))
    size = len(tokens) + 1
    spans = [Span(min(a, b), max(a, b), name) for a, b, name in pairs if a != b]
    scored = draw(st.sets(st.sampled_from(spans))) if spans else set()
    return Sentence(
        tokens,
        spans,
        draw(st.none() | st.lists(st.sampled_from(["", " ", "\n "]), min_size=size, max_size=size)),
        draw(st.none() | token),
        draw(st.none() | token),
        draw(st.dictionaries(st.sampled_from(["score", "note", "meta"]), st.integers() | token)),
        {span: draw(st.floats(0, 1)) for span in scored},
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


def test_the_text_of_given_tokens_says_what_is_between_them(folder):
    tokens = ["Bob", "'s", "hat"]
    predicted = {"start": 0, "end": 5, "label": "X", "token_start": 0, "token_end": 2}
    path = written(
        folder / "t.jsonl",
        {"tokens": tokens, "text": " Bob's\that", "entities": [predicted]},
        {"tokens": tokens, "text": "Rob's hat", "entities": []},
        {"tokens": tokens, "text": "Bob's hat", "gaps": ["", "", " ", ""], "entities": []},
        {"tokens": tokens, "text": 3, "entities": []},
    )
    first, second, third, fourth = read(path)
    assert (first.text, first.extra) == (" Bob's\that", {})
    assert first.entities == [Span(0, 2, "X")]
    assert (second.gaps, second.extra) == (None, {"text": "Rob's hat"})
    assert (third.text, third.extra) == ("Bob's hat", {})
    assert fourth.extra == {"text": 3}


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
    entity = {"start": 0, "end": 1, "label": "X", "text": "b", "comment": "why"}
    written(tmp_path / "y.jsonl", {"text": "a", "entities": [entity]})
    read(tmp_path / "y.jsonl", report)
    assert report.counts["lost", "keys of an entity"] == 1
    assert report.counts["odd", "text of an entity"] == 1


PREDICTED = {
    "id": 7,
    "text": "The IL-2 gene fell. It rose.",
    "entities": [
        {
            "start": 4,
            "end": 13,
            "label": "DNA",
            "text": "IL-2 gene",
            "level": 1,
            "score": 0.9312,
            "parent": None,
        },
        {
            "start": 4,
            "end": 8,
            "label": "cell or protein",
            "text": "IL-2",
            "level": 1,
            "score": 0.5,
            "parent": 0,
        },
    ],
    "topic": "genes",
}


def test_predictions_are_read_as_they_are_with_their_scores(tmp_path):
    report = Report()
    first, second = read(written(tmp_path / "x.jsonl", PREDICTED), report)
    assert first.scores == {Span(1, 3, "DNA"): 0.9312, Span(1, 2, "cell or protein"): 0.5}
    assert not second.scores
    for form in ("tokens", "characters"):
        options = Options(tokenizer="ptb", settings={"form": form})
        corpus.write([first, second], tmp_path / "y.jsonl", options=options, report=report)
        assert read(tmp_path / "y.jsonl", report) == [first, second]
    again = json.loads((tmp_path / "y.jsonl").read_text())
    assert again["id"] == "7"
    assert [entity["score"] for entity in again["entities"]] == [0.9312, 0.5]
    assert not report.counts


def test_entities_may_be_lists_or_objects_in_both_forms(tmp_path):
    records = [
        {"tokens": ["a", "b"], "entities": [{"start": 0, "end": 2, "label": "X", "score": 1}]},
        {"text": "a b", "entities": [[0, 3, "X", 1.0]]},
    ]
    report = Report()
    by_tokens, by_characters = read(written(tmp_path / "x.jsonl", *records), report)
    assert by_tokens.entities == by_characters.entities == [Span(0, 2, "X")]
    assert by_tokens.scores == by_characters.scores == {Span(0, 2, "X"): 1.0}
    assert not report.counts


@pytest.mark.parametrize("tokens", [{"tokens": ["Bob"]}, {"text": "Bob"}], ids=["tokens", "text"])
@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"entites": []}, 'no "entities" but has "entites": did you mean "entities"?'),
        ({"Entities": []}, 'no "entities" but has "Entities"'),
        ({"label": [[0, 3, "PER"]]}, 'no "entities" but has "label", a key of another format'),
        ({"ner_tags": ["B-PER"]}, 'no "entities" but has "ner_tags"'),
        ({"spans": []}, 'no "entities" but has "spans"'),
    ],
)
def test_a_misspelled_or_foreign_key_does_not_mean_no_entities(tmp_path, tokens, keys, message):
    with pytest.raises(DataError, match=message):
        read(written(tmp_path / "x.jsonl", {**tokens, **keys}))


def test_a_record_without_entities_is_read_and_reported(tmp_path):
    report = Report()
    records = [{"text": "Bob left.", "label": "news"}, {"tokens": ["Bob"]}]
    first, second = read(written(tmp_path / "x.jsonl", *records), report)
    assert first.entities == second.entities == []
    assert first.extra == {"label": "news"}
    assert dict(report.counts) == {("odd", "record without entities"): 2}


def test_a_missing_list_of_a_data_frame_means_no_entities(tmp_path):
    report = Report()
    path = written(tmp_path / "x.jsonl", {"text": "It rains.", "entities": None}, RECORD)
    first, *others = corpus.read(path, report=report)
    assert first.entities == []
    assert any(sentence.entities for sentence in others)
    (event,) = report.examples
    assert event.detail == 'its "entities" is null; read as having none'


def test_texts_without_a_name_stay_apart(tmp_path):
    records = [{"text": text, "entities": []} for text in ("One.", "Two. Three.", "Four.")]
    sentences = read(written(tmp_path / "x.jsonl", *records))
    assert [s.doc for s in sentences] == [None, "x.jsonl:2", "x.jsonl:2", None]
    assert all(sentence.unnamed for sentence in sentences)
    corpus.write(sentences, tmp_path / "brat", format="brat", options=Options(tokenizer="ptb"))
    texts = sorted((tmp_path / "brat").glob("*.txt"))
    assert [path.read_text() for path in texts] == ["One.", "Two. Three.", "Four."]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b'{"tokens": ["a"', "not valid JSON"),
        (b'{"tokens": ["\xff"]}', "byte 0xff is not UTF-8"),
        (b"[" * 100_000, "not valid JSON"),
        (b"[1]", "expected a JSON object, found a list"),
        (b"{}", 'expected "tokens"'),
        (b'{"tokens": "a b"}', 'expected "tokens": a list of strings\n'),
        (b'{"body": 1}', 'expected "tokens": a list of strings, or "text": a string'),
        (b'{"context": "a b", "span_position": []}', "other layouts: docs/formats.md"),
        (b'{"sentence": "a b"}', 'rename the key "sentence" to "text"'),
        (b'{"words": ["a", "b"]}', 'rename the key "words" to "tokens"'),
        (b'{"tokens": []}', "no tokens"),
        (b'{"tokens": ["a", ""]}', "token 1 is empty"),
        (b'{"tokens": ["a"], "entities": {}}', 'expected "entities"'),
        (b'{"tokens": ["a"], "entities": [[0, 1]]}', "entity 0 is neither"),
        (b'{"tokens": ["a"], "entities": [[0, 1, "X", 2]]}', "entity 0 has the score 2"),
        (b'{"tokens": ["a"], "entities": [[0, 1, "X", true]]}', "entity 0 has the score True"),
        (b'{"tokens": ["a"], "entities": [[0, 1, "X", 0.5, 3]]}', "entity 0 is neither"),
        (b'{"token": ["a"], "entities": []}', 'did you mean "tokens" or "text" by "token"'),
        (b'{"tokens": ["a"], "entities": [[false, true, "X"]]}', "true or false"),
        (b'{"tokens": ["a"], "entities": [[0, 2, "X"]]}', "outside the sentence of 1 tokens"),
        (b'{"tokens": ["a"], "entities": [[1, 1, "X"]]}', "is empty"),
        (b'{"tokens": ["a"], "entities": [[0, 1, "X "]]}', "has the label 'X '"),
        (b'{"tokens": ["a"], "entities": [[0, 1, "X\\tY"]]}', "has the label"),
        (b'{"tokens": ["a"], "entities": [[0, 1, ""]]}', "has the label ''"),
        (b'{"tokens": ["a"], "gaps": [""]}', 'expected "gaps"'),
        (b'{"tokens": ["a"], "id": [1]}', 'expected "id"'),
        (b'{"text": 7, "entities": []}', 'expected "text"'),
        (b'{"text": "a", "entities": [{"start": 0, "label": "X"}]}', "nor an object with start"),
        (b'{"text": "a", "entities": [null]}', "nor an object with start"),
        (
            b'{"text": "a", "entities": [{"start": 0, "end": 1, "label": 3}]}',
            "has the label 3, not",
        ),
        (b'{"text": "a", "entities": [[0, 1, null]]}', "has the label None, not a string"),
        (b'{"text": "a", "entities": [[0, 1.0, "X"]]}', "has the end 1.0, not a whole number"),
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
    with pytest.raises(UsageError, match="unknown tokenizer 'what'"):
        list(corpus.read(path, options=Options(tokenizer="what")))


@pytest.mark.parametrize("indent", [None, 2])
def test_one_array_is_read_as_lines_are(tmp_path, indent):
    records = [
        {"id": "1", "tokens": ["Bob", "left"], "entities": [[0, 1, "PER"]], "topic": "x"},
        {"id": "2", "text": "Ann came.", "entities": [{"start": 0, "end": 3, "label": "PER"}]},
    ]
    lines, array = tmp_path / "a.jsonl", tmp_path / "a.json"
    lines.write_text("".join(json.dumps(record) + "\n" for record in records))
    array.write_text(json.dumps(records, indent=indent))
    assert corpus.registry.guess(corpus.Source(array)).name == "native"
    assert read(array) == read(lines)
    array.write_text(json.dumps([*records, {"tokens": [], "entities": []}], indent=indent))
    with pytest.raises(DataError, match="no tokens"):
        read(array)
