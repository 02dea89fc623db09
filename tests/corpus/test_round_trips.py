"""Every format: what is written is read back the same, or the report says what is not."""

from __future__ import annotations

import tempfile
from collections import Counter
from importlib.util import find_spec
from itertools import groupby
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpus.strategies import content, corpora, odd_tokens, with_documents
from innermost.corpus import Report, Sentence, registry
from innermost.corpus.format import Options
from innermost.corpus.shared.character_spans import text_of
from innermost.files.source import Source

OF_TOKENS = ["columns", "papers", "papers-array", "dygie", "w2ner", "prodigy", "webanno"]
OF_TEXT = ["brat", "labelstudio", "xml", "brackets"]
INTEROP = ["docbin", "datasets", "datasets-folder"]
HOLDS_CROSSINGS = [*OF_TOKENS, "brat", "labelstudio"]

FILE = {
    "columns": "a.conll",
    "papers": "a.jsonl",
    "papers-array": "a.json",
    "dygie": "a.jsonl",
    "w2ner": "a.jsonl",
    "prodigy": "a.jsonl",
    "webanno": "folder",
    "brat": "folder",
    "labelstudio": "a.json",
    "xml": "a.xml",
    "brackets": "a.brackets",
    "docbin": "a.spacy",
    "datasets": "a.parquet",
    "datasets-folder": "folder",
}
WRITING = {"dygie": {"style": "dygie"}, "w2ner": {"style": "w2ner"}}
BY_LINE = {"brat": {"sentences": "lines"}, "labelstudio": {"sentences": "lines"}}


def format_of(case):
    return registry.get({"dygie": "papers", "w2ner": "papers"}.get(case, case.split("-")[0]))


def round_trip(case, sentences, report):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / FILE[case]
        lines = BY_LINE.get(case, {})
        to = Options(tokenizer="whitespace", settings={**lines, **WRITING.get(case, {})})
        format_of(case).write(sentences, path, to, report)
        read_report = Report()
        options = Options(tokenizer="whitespace", settings=lines)
        back = list(format_of(case).read(Source(path), options, read_report))
        return back, read_report


def skip_unless_installed(case):
    if case in INTEROP and find_spec("spacy" if case == "docbin" else "datasets") is None:
        pytest.skip(f"the extra for {case} is not installed")


@pytest.mark.parametrize("case", [*HOLDS_CROSSINGS, *INTEROP])
def test_all_spans_over_plain_words_come_back(case):
    skip_unless_installed(case)

    @settings(deadline=None, max_examples=10 if case in INTEROP else 40)
    @given(corpus=corpora() | with_documents())
    def check(corpus):
        report = Report()
        back, read_report = round_trip(case, corpus, report)
        assert report.total("lost") == 0
        assert not {what for _, what in report.counts} - {"document name"}
        assert not read_report.counts
        assert content(back) == content(corpus)
        if corpus[0].doc is not None:
            assert [s.doc for s in back] == [s.doc for s in corpus]

    check()


@pytest.mark.parametrize("case", ["xml", "brackets"])
@settings(deadline=None, max_examples=60)
@given(corpus=corpora() | with_documents())
def test_brackets_lose_crossing_spans_and_nothing_else(case, corpus):
    report = Report()
    back, _ = round_trip(case, corpus, report)
    assert [(s.doc, s.tokens) for s in back] == [(s.doc, s.tokens) for s in corpus]
    lost = sum((Counter(s.entities) for s in corpus), Counter()) - sum(
        (Counter(s.entities) for s in back), Counter()
    )
    assert sum(lost.values()) == report.counts["lost", "crossing span"] == report.total("lost")
    for before, after in zip(corpus, back, strict=True):
        assert not Counter(after.entities) - Counter(before.entities)


def kept(corpus, report):
    lost = {
        int(e.detail.split()[1].rstrip(":"))
        for e in report.examples
        if (e.kind, e.what) == ("lost", "sentence")
    }
    return [s for n, s in enumerate(corpus, start=1) if n not in lost]


@pytest.mark.parametrize("case", [*OF_TOKENS, *INTEROP])
def test_odd_tokens_come_back_or_are_reported(case):
    skip_unless_installed(case)

    @settings(deadline=None, max_examples=10 if case in INTEROP else 60)
    @given(corpus=corpora(tokens=odd_tokens))
    def check(corpus):
        report = Report(keep=100)
        back, read_report = round_trip(case, corpus, report)
        assert not read_report.counts
        assert content(back) == content(kept(corpus, report))

    check()


@pytest.mark.parametrize("case", OF_TEXT)
@settings(deadline=None, max_examples=60)
@given(corpus=corpora(tokens=odd_tokens), spaced=st.booleans())
def test_odd_text_comes_back_character_for_character(case, corpus, spaced):
    if spaced:
        for sentence in corpus:
            sentence.gaps = ["", *["\u00a0 "] * (len(sentence.tokens) - 1), "\r\n"]
    report = Report(keep=100)
    back, read_report = round_trip(case, corpus, report)
    text, spans = text_of(kept(corpus, report))
    if case == "xml" and not spaced:
        for sentence in back:  # the line end that stands for an unknown gap is not written
            sentence.gaps[-1] += "\n"
    text_back, spans_back = text_of(back)
    assert text_back == text
    lost = report.counts["lost", "crossing span"]
    blank = read_report.counts["lost", "span of white space only"]
    assert len(spans_back) == len(spans) - lost - blank
    trimmed = read_report.counts["changed", "span trimmed to its tokens"]
    if not lost and not blank and not trimmed:
        assert sorted(spans_back) == sorted(spans)


@pytest.mark.parametrize("case", ["brat", "webanno"])
def test_a_document_that_occurs_twice_is_written_twice(case):
    corpus = [Sentence(["one", "two"], doc=doc) for doc in ("a", "b", "a", "A", "x/y", "..", None)]
    report = Report()
    back, _ = round_trip(case, corpus, report)
    assert len(back) == len(corpus)
    assert report.counts == {("changed", "document name"): 5}
    assert len({doc for doc, _ in groupby(back, key=lambda s: s.doc)}) == len(corpus)
