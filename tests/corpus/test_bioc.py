"""BioC: XML and JSON, offsets of characters and bytes, sentences, what is wrong in annotations."""

from __future__ import annotations

import json

import pytest

from innermost.corpus import Options, Report, Sentence, Source, read, registry, write
from innermost.errors import DataError
from innermost.nest import Span

OPTIONS = Options(tokenizer="ptb")


def annotation(label, offset, text, *, length=None):
    return (
        f'<annotation id="1"><infon key="type">{label}</infon>'
        f'<location offset="{offset}" length="{len(text) if length is None else length}"/>'
        f"<text>{text}</text></annotation>"
    )


def passage(offset, text, *annotations, kind="passage"):
    inside = "\n".join(annotations)
    return f"<{kind}><offset>{offset}</offset><text>{text}</text>\n{inside}</{kind}>"


def collection(*parts, id="71"):
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE collection SYSTEM "BioC.dtd">\n'
        "<collection><source>a</source><date/><key>b</key>\n"
        f"<document><id>{id}</id>\n" + "\n".join(parts) + "\n</document></collection>\n"
    )


def read_text(tmp_path, text, *, options=OPTIONS, name="a.xml"):
    path, report = tmp_path / name, Report()
    path.write_text(text)
    assert registry.guess(Source(path)).name == "bioc"
    return list(read(path, options=options, report=report)), dict(report.counts)


TITLE, ABSTRACT = "IL-2 gene expression", "It needs α NF-kappa B. So does Bob's IL-2."


def test_passages_with_nested_annotations(tmp_path):
    text = collection(
        passage(0, TITLE, annotation("protein", 0, "IL-2"), annotation("DNA", 0, "IL-2 gene")),
        passage(21, ABSTRACT, annotation("protein", 32, "NF-kappa B")),
    )
    sentences, counts = read_text(tmp_path, text)
    assert [(s.doc, s.tokens[0]) for s in sentences] == [("71", "IL-2"), ("71", "It"), ("71", "So")]
    assert sentences[0].entities == [Span(0, 1, "protein"), Span(0, 2, "DNA")]
    assert sentences[1].entities == [Span(3, 5, "protein")]
    assert "".join(s.text for s in sentences) == f"{TITLE}\n{ABSTRACT}"
    assert counts == {}


def test_offsets_that_count_bytes(tmp_path):
    text = collection(
        passage(0, TITLE), passage(21, ABSTRACT, annotation("protein", 33, "NF-kappa B"))
    )
    sentences, _ = read_text(tmp_path, text)
    assert sentences[1].entities == [Span(3, 5, "protein")]


def test_sentences_and_what_is_lost(tmp_path):
    first = passage(0, "He left. Dr.", annotation("X", 3, "left"), kind="sentence")
    second = passage(15, "Bob too.", kind="sentence")
    relation = '<relation id="R1"><infon key="type">CID</infon></relation>'
    inside = f'<infon key="type">abstract</infon><offset>0</offset>{first}{second}{relation}'
    sentences, counts = read_text(tmp_path, collection(f"<passage>{inside}</passage>"))
    assert [s.text for s in sentences] == ["He left. Dr. ", "Bob too."]
    assert sentences[0].entities == [Span(1, 2, "X")]
    assert counts == {("lost", "relation"): 1, ("lost", "infon"): 1}


def test_an_annotation_of_several_parts(tmp_path):
    parts = (
        '<annotation id="1"><infon key="type">X</infon><infon key="identifier">C01</infon>'
        '<location offset="0" length="6"/><location offset="18" length="7"/>'
        "<text>breast cancers</text></annotation>"
    )
    text = collection(passage(0, "breast and ovarian cancers", parts))
    sentences, counts = read_text(tmp_path, text)
    assert sentences[0].entities == []
    assert counts == {("lost", "discontinuous span"): 1, ("lost", "infon"): 1}
    filled = Options(tokenizer="ptb", settings={"discontinuous": "hull"})
    sentences, counts = read_text(tmp_path, text, options=filled)
    assert sentences[0].entities == [Span(0, 4, "X")]
    assert counts["changed", "discontinuous span"] == 1


JSON_DOCUMENT = {
    "id": "71",
    "infons": {},
    "passages": [
        {
            "offset": 0,
            "infons": {"type": "title"},
            "text": TITLE,
            "annotations": [
                {
                    "id": "1",
                    "infons": {"type": "DNA", "identifier": None},
                    "text": "IL-2 gene",
                    "locations": [{"offset": 0, "length": 9}],
                }
            ],
        }
    ],
}


@pytest.mark.parametrize(
    "value",
    [
        {"source": "a", "documents": [JSON_DOCUMENT]},
        {"PubTator3": [JSON_DOCUMENT]},
        [JSON_DOCUMENT],
        [{"source": "a", "documents": [JSON_DOCUMENT]}],
        JSON_DOCUMENT,
    ],
    ids=["a collection", "PubTator 3", "an array", "collections", "one document"],
)
def test_json(tmp_path, value):
    sentences, counts = read_text(tmp_path, json.dumps(value), name="a.json")
    assert [(s.doc, s.entities) for s in sentences] == [("71", [Span(0, 2, "DNA")])]
    assert counts == {("lost", "infon"): 1}


def test_a_type_that_is_also_that_of_a_passage_is_not_lost(tmp_path):
    passage = JSON_DOCUMENT["passages"][0]
    annotation = {**passage["annotations"][0], "infons": {"type": "title"}}
    document = {**JSON_DOCUMENT, "passages": [{**passage, "annotations": [annotation]}]}
    sentences, counts = read_text(tmp_path, json.dumps(document), name="a.json")
    assert sentences[0].entities == [Span(0, 2, "title")]
    assert counts == {("lost", "infon"): 1}  # the type of the passage


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (annotation("X", 1, "IL-2"), "says 'IL-2', the text has 'L-2 ' at offset 1, length 4"),
        (annotation("X", 99, "IL-2"), "'IL-2' is not inside its passage: offset 99, length 4"),
        (annotation("X", 0, "", length=0), "is not inside its passage"),
        (annotation("", 0, "IL-2"), "an annotation without a type: 'IL-2'"),
        (annotation("X", "one", "IL-2", length=4), "<location> needs a number"),
    ],
)
def test_a_bad_annotation_is_named(tmp_path, wrong, message):
    with pytest.raises(DataError, match=message) as error:
        read_text(tmp_path, collection(passage(0, TITLE, wrong)))
    assert error.value.line == 6


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"documents": [{"passages": [], "id": 1}, 3]}, "record 2: expected an object, found 3"),
        ({"passages": [{"text": "a"}]}, '"offset": a number'),
        ({"passages": [{"text": 3, "offset": 0}]}, 'expected "text": a string'),
        ({"passages": [], "annotations": [{}]}, "an annotation outside a passage"),
        ({"passages": [], "infons": 3}, 'expected "infons": an object, found 3'),
        (
            {"passages": [{"text": "a", "offset": 0, "annotations": [{"locations": [3]}]}]},
            "a location needs offset and length, found 3",
        ),
    ],
)
def test_bad_json_is_named(tmp_path, value, message):
    with pytest.raises(DataError, match=message):
        read_text(tmp_path, json.dumps(value), name="a.json")


@pytest.mark.parametrize("suffix", [".bioc.xml", ".bioc.json", ".bioc.json.gz"])
def test_documents_come_back(tmp_path, suffix):
    path = tmp_path / f"a{suffix}"
    options = Options(tokenizer="whitespace", settings={"sentences": "lines"})
    corpus = [
        Sentence(
            ["<the", "wife", "of", "Bob"], [Span(0, 4, "PER"), Span(3, 4, "PER")], doc="a & b"
        ),
        Sentence(["She", "left"], doc="a & b"),
        Sentence(["Ann"], [Span(0, 1, "PER")]),
    ]
    write(corpus, path, options=options)
    again = list(read(path, options=options))
    assert [(s.doc, s.tokens, s.entities) for s in again] == [
        (s.doc, s.tokens, s.entities) for s in corpus
    ]


def test_a_text_that_xml_cannot_hold_is_reported(tmp_path):
    path, report = tmp_path / "a.bioc.xml", Report()
    write([Sentence(["a\x01"], doc="x"), Sentence(["b"], doc="y")], path, report=report)
    assert report.counts["lost", "sentence"] == 1
    assert [s.doc for s in read(path)] == ["y"]
