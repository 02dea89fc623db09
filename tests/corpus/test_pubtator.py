"""PubTator: titles and abstracts, and what is wrong in mentions."""

from __future__ import annotations

import pytest

from innermost.corpus import Options, Report, Sentence, Source, read, registry, write
from innermost.errors import DataError
from innermost.nest import Span

TEXT = """\
71|t|IL-2 gene expression
71|a|It needs NF-kappa B. So does Bob's IL-2.
71\t0\t4\tIL-2\tprotein\tC01
71\t0\t9\tIL-2 gene\tDNA\t
71\t30\t40\tNF-kappa B \tprotein
71\tCID\tC01\tC02

72|t|A title without an abstract
72|a|
"""
OPTIONS = Options(tokenizer="ptb")


def test_titles_abstracts_and_nested_mentions(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text(TEXT)
    assert registry.guess(Source(path)).name == "pubtator"
    report = Report()
    sentences = list(read(path, options=OPTIONS, report=report))
    assert [s.doc for s in sentences] == ["71", "71", "71", "72"]
    assert sentences[0].entities == [Span(0, 1, "protein"), Span(0, 2, "DNA")]
    assert [s.text for s in sentences[:2]] == ["IL-2 gene expression\n", "It needs NF-kappa B. "]
    assert sentences[1].entities == [Span(2, 4, "protein")]
    assert dict(report.counts) == {("lost", "normalization"): 1, ("lost", "relation"): 1}


def test_documents_without_blank_lines_between_them(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("\ufeff" + TEXT.replace("\n\n", "\n").replace("\n", "\r\n"))
    assert registry.guess(Source(path)).name == "pubtator"
    sentences = list(read(path, options=OPTIONS))
    assert {s.doc for s in sentences} == {"71", "72"}
    assert sum(len(s.entities) for s in sentences) == 3


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("71\t1\t5\tIL-2\tprotein", r"says 'IL-2', the text has 'L-2 ' at \[1, 5\)"),
        ("71\t0\t4\tIL-2", "a mention has an identifier"),
        ("72\t0\t4\tIL-2\tprotein", "neither a passage nor a mention of the document above"),
        ("IL-2", "neither a passage nor a mention of the document above"),
    ],
)
def test_a_bad_line_is_named(tmp_path, line, message):
    path = tmp_path / "a.txt"
    path.write_text(f"71|t|IL-2 gene\n71|a|It needs it.\n{line}\n")
    with pytest.raises(DataError, match=message) as error:
        list(read(path, options=OPTIONS))
    assert error.value.line == 3


def test_names_that_do_not_fit_are_replaced(tmp_path):
    path, report = tmp_path / "a.pubtator", Report()
    corpus = [Sentence(["Bob"], [Span(0, 1, "PER")], doc="a|b"), Sentence(["Ann"], doc="c")]
    write(corpus, path, report=report)
    assert [s.doc for s in read(path, options=OPTIONS)] == ["1", "c"]
    assert report.counts["changed", "document name"] == 1


def test_a_title_without_a_full_stop_is_a_sentence(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("1|t|Effects on cells\n1|a|We saw. It works.\n1\t11\t19\tcells We\tX\n")
    joined, last = read(path)
    assert joined.tokens == ["Effects", "on", "cells", "We", "saw", "."]
    assert last.tokens == ["It", "works", "."]
    path.write_text("1|t|Effects on cells\n1|a|We saw. It works.\n")
    assert [s.tokens[0] for s in read(path)] == ["Effects", "We", "It"]
    assert [s.tokens[0] for s in read(path, options=Options(settings={"sentences": "lines"}))] == [
        "Effects",
        "We",
    ]


def test_a_sentence_that_becomes_a_title_and_an_abstract_is_reported(tmp_path):
    report = Report()
    sentence = Sentence(["We", "met", "."], gaps=["", "\n", "", ""], doc="1")
    write([sentence], tmp_path / "a.pubtator", report=report)
    assert dict(report.counts) == {("changed", "tokens"): 1}
    assert [s.tokens for s in read(tmp_path / "a.pubtator")] == [["We"], ["met", "."]]
