"""What is read of corpora as they were published; sentences written for the test."""

from __future__ import annotations

import io
import zipfile

import pytest

from innermost.nest import Span
from multilingual_data import known
from published_corpora import columns, runs, tei, wikiann, zipped


def read(reader, text):
    return [(s.tokens, s.entities) for s in reader(text.encode())]


def test_columns_with_layers_comments_and_entities_without_their_beginning():
    text = (
        "-DOCSTART-\tO\tO\n\n# sent_id = 1\nBank\tB-ORG\tO\nvon\tI-ORG\tO\nRom\tI-ORG\tB-LOC\n\n"
        "Ada\tI-PER\tO\nOslo\tI-LOC\tO\nParis\tB-LOC\tO\n"
    )
    assert read(columns(1, 2), text) == [
        (["Bank", "von", "Rom"], [Span(0, 3, "ORG"), Span(2, 3, "LOC")]),
        (["Ada", "Oslo", "Paris"], [Span(0, 1, "PER"), Span(1, 2, "LOC"), Span(2, 3, "LOC")]),
    ]


def test_lines_without_sentences_are_cut_at_full_stops():
    text = (
        "De O\nman O\nuit O\nGent B-LOC\nkwam O\n. O\nHij O\nsprak O\nlang O\nen O\nveel O\n. O\n"
    )
    (first, second) = read(runs, text)
    assert first == (["De", "man", "uit", "Gent", "kwam", "."], [Span(3, 4, "LOC")])
    assert len(second[0]) == 6


def test_titles_and_redirections_are_no_sentences():
    text = (
        "de:WEITERLEITUNG\tO\nde:Bonn\tB-LOC\n\nde:er\tO\nde:wohnt\tO\nde:in\tO\nde:Bonn\tB-LOC\n"
    )
    assert [tokens for tokens, _ in read(wikiann(0, 1, "de:"), text)] == [
        ["er", "wohnt", "in", "Bonn"]
    ]


def test_names_around_words_in_tei():
    text = (
        '<TEI xmlns="http://www.tei-c.org/ns/1.0"><s><name type="ORG"><w>Bank</w><w>von</w>'
        '<name type="LOC"><w>Rom</w></name></name><pc>.</pc><linkGrp><link/></linkGrp></s></TEI>'
    )
    assert read(tei, text) == [
        (["Bank", "von", "Rom", "."], [Span(2, 3, "LOC"), Span(0, 3, "ORG")])
    ]
    assert read(tei, "<TEI><s>") == []


def test_columns_in_an_archive():
    words = [("Ion", "B-PERSON"), ("vine", "O")]
    rows = ["\t".join(["1", word, *"________", tag]) for word, tag in words]
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("corpus.conllup", "\n".join(rows))
        archive.writestr("README", "Ion vine")
    assert [(s.tokens, s.entities) for s in zipped(file.getvalue())] == [
        (["Ion", "vine"], [Span(0, 1, "PERSON")])
    ]


def test_types_have_our_names_and_derived_words_are_left_out():
    spans = [Span(0, 1, "LOCderiv"), Span(1, 2, "ORGpart"), Span(2, 3, "PERS"), Span(2, 3, "PER")]
    assert list(known(spans)) == [Span(1, 2, "organization"), Span(2, 3, "person")]


def test_the_map_between_vectors_is_found():
    import numpy as np

    pytest.importorskip("torch")
    from add_words import linear_map, mapped

    random = np.random.default_rng(1)
    source = random.normal(size=(5_000, 4)).astype(np.float32)
    matrix, shift = random.normal(size=(4, 3)), random.normal(size=3)
    target = (source @ matrix + shift).astype(np.float32)
    learned = linear_map(source, target, np.ones(len(source), np.float32))
    assert np.abs(mapped(source, learned) - target).max() < 0.05
