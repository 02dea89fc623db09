"""Every format: what is written is read back the same, or the report says what is not."""

from __future__ import annotations

import json
import sys
import tempfile
from collections import Counter
from itertools import groupby
from pathlib import Path

import pytest
from hypothesis import assume, given, settings

from corpus.cases import CASES, each_case, is_slow, options, skip_unless_installed
from corpus.strategies import content, corpora, full_corpora, odd_tokens, with_documents
from innermost.corpus import Report, Sentence, read, registry, write
from innermost.corpus.format import HOLDABLE
from innermost.corpus.shared.character_spans import text_of

EXAMPLES = 40


def round_trip(case, sentences, report):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / case.file
        write(sentences, path, format=case.format, options=options(case.writing), report=report)
        read_report = Report()
        if not kept(sentences, report):
            return [], read_report  # an empty folder is not a corpus
        back = read(path, format=case.format, options=options(case.reading), report=read_report)
        return list(back), read_report


def for_all(case, strategy, check):
    """Run ``check`` on corpora, few of them if an external library is slow."""
    skip_unless_installed(case.format)
    run = given(corpus=strategy)(lambda corpus: check(corpus))
    settings(deadline=None, max_examples=10 if is_slow(case) else EXAMPLES)(run)()


def expected_entities(case, entities):
    return Counter(entities if "duplicates" in case.holds else set(entities))


def entities_of(corpus):
    return Counter((number, span) for number, s in enumerate(corpus) for span in s.entities)


def test_what_formats_hold_is_known():
    for name in registry.names():
        assert registry.get(name).holds <= set(HOLDABLE)


@each_case
def test_spans_over_plain_words_come_back(case):
    def check(corpus):
        report = Report()
        back, read_report = round_trip(case, corpus, report)
        allowed = {"document name", "duplicate mention merged", "no entities"}
        allowed |= set() if "crossings" in case.holds else {"crossing span"}
        assert not {what for _, what in [*report.counts, *read_report.counts]} - allowed
        assert [s.tokens for s in back] == [s.tokens for s in corpus]
        lost = 0
        for before, after in zip(corpus, back, strict=True):
            expected = expected_entities(case, before.entities)
            assert not Counter(after.entities) - expected
            lost += (expected - Counter(after.entities)).total()
        assert lost == report.counts["lost", "crossing span"]
        names = 0 if "doc" in case.holds else sum(s.doc is not None for s in corpus)
        assert report.counts["lost", "document name"] == names
        assert report.total("lost") == lost + names
        if corpus[0].doc is not None and "doc" in case.holds:
            assert [s.doc for s in back] == [s.doc for s in corpus]

    for_all(case, corpora() | with_documents(), check)


@each_case
def test_everything_comes_back_or_is_reported(case):
    def check(corpus):
        report = Report(keep=1000)
        back, _ = round_trip(case, corpus, report)
        assert [s.tokens for s in back] == [s.tokens for s in corpus]
        events = Counter(what for _, what in report.counts.elements())
        if "doc" in case.holds:
            assert [s.doc for s in back] == [s.doc for s in corpus]
        else:
            assert events["document name"] == len(corpus)
        if "id" in case.holds:
            assert [s.id for s in back] == [s.id for s in corpus]
        else:
            assert events["sentence id"] == len(corpus)
        if "extra" in case.holds:
            assert [s.extra for s in back] == [as_stored(case, s.extra) for s in corpus]
        else:
            assert events["extra key"] + events["key of a document"] == 2 * len(corpus)
        if "scores" in case.holds:
            assert [s.scores for s in back] == [s.scores for s in corpus]
        else:
            assert events["scores"] == sum(bool(s.scores) for s in corpus)
        if "gaps" in case.holds:
            text, text_back = (text_of(sentences)[0] for sentences in (corpus, back))
            assert (
                text_back == text or events["whitespace"] or events["whitespace between sentences"]
            )
        else:
            assert events["whitespace"] == sum("  " in s.gaps for s in corpus)

    for_all(case, full_corpora(), check)


def as_stored(case, extra):
    """The cells of a table are text; other values are JSON."""
    if case.format != "table":
        return extra
    return {
        key: value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))
        for key, value in extra.items()
    }


def kept(corpus, report):
    lost = {
        int(e.detail.split()[1].rstrip(":"))
        for e in report.examples
        if (e.kind, e.what) == ("lost", "sentence")
    }
    return [s for n, s in enumerate(corpus, start=1) if n not in lost]


OF_TOKENS = [case for case in CASES if "tokens" in case.holds]
OF_TEXT = [case for case in CASES if "tokens" not in case.holds]


@pytest.mark.parametrize("case", OF_TOKENS, ids=lambda case: case.id)
def test_odd_tokens_come_back_or_are_reported(case):
    def check(corpus):
        report = Report(keep=100)
        back, read_report = round_trip(case, corpus, report)
        assert not read_report.total("lost")
        corpus = kept(corpus, report)
        assert [s.tokens for s in back] == [s.tokens for s in corpus]
        if "crossings" in case.holds and "duplicates" in case.holds:
            assert content(back) == content(corpus)

    for_all(case, corpora(tokens=odd_tokens), check)


@pytest.mark.parametrize("spaced", [False, True])
@pytest.mark.parametrize("case", OF_TEXT, ids=lambda case: case.id)
def test_odd_text_comes_back_character_for_character(case, spaced):
    def check(corpus):
        # The csv module of Python 3.10 cannot write null characters.
        assume(case.format != "table" or sys.version_info >= (3, 11) or not has_null(corpus))
        if spaced:
            for sentence in corpus:
                sentence.gaps = ["", *["\u00a0 "] * (len(sentence.tokens) - 1), "\r\n"]
        report = Report(keep=100)
        back, read_report = round_trip(case, corpus, report)
        text, spans = text_of(kept(corpus, report))
        if case.format == "xml" and not spaced:
            for sentence in back:  # the line break for an unknown gap is not written
                sentence.gaps[-1] += "\n"
        text_back, spans_back = text_of(back)
        assert text_back == text
        lost = report.counts["lost", "crossing span"]
        blank = read_report.counts["lost", "span of whitespace only"]
        assert len(spans_back) == len(spans) - lost - blank
        trimmed = read_report.counts["changed", "span trimmed to its tokens"]
        if not lost and not blank and not trimmed:
            assert sorted(spans_back) == sorted(spans)

    for_all(case, corpora(tokens=odd_tokens), check)


def has_null(corpus):
    return any("\0" in token for sentence in corpus for token in sentence.tokens)


FOLDERS = [case for case in CASES if registry.get(case.format).is_folder]


@pytest.mark.parametrize("case", FOLDERS, ids=lambda case: case.id)
def test_a_document_that_occurs_twice_is_written_twice(case):
    corpus = [Sentence(["one", "two"], doc=doc) for doc in ("a", "b", "a", "A", "x/y", "..", None)]
    report = Report()
    back, _ = round_trip(case, corpus, report)
    assert len(back) == len(corpus)
    assert dict(report.counts) == {("changed", "document name"): 3}  # the second a, A, unnamed
    assert len({doc for doc, _ in groupby(back, key=lambda s: s.doc)}) == len(corpus)
