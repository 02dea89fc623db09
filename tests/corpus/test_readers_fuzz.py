"""Damaged corpora in every format of the registry: refused with a message, or read as sentences.

`INNERMOST_FUZZ=100000 pytest tests/corpus -k fuzz` tries as many of each.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpus.cases import CASES, Case, is_slow, skip_unless_installed
from innermost.corpus import Options, Report, Sentence, Source, registry
from innermost.errors import DataError, UsageError
from innermost.nest import Span
from model_folder.mutations import mutated

CORPUS = [
    Sentence(["The", "wife", "of", "Bób", "[x]"], [Span(0, 4, "PER"), Span(3, 4, "PER")], doc="a"),
    Sentence(["It", "👍", "rains"], [Span(1, 2, "X")], doc="a"),
    Sentence(["Bob", "left"], [Span(0, 1, "PER"), Span(0, 2, "Y")], doc="b"),
]
PIECES = [
    *(b"\t", b"\n", b"\n\n", b"[", b"]", b"{", b"}", b'"', b"<", b">", b"\\", b"|", b"-1", b"#"),
    *(b"null", b"true", b"[]", b"{}", b'""', b"1e999", b'"\\ud800"', b"NaN", b"9" * 5000),
    *(b"\xff", b"\x00", b"\xef\xbb\xbf", b"\xe2\x80\x8b", b"O", b"B-", b"T1", b"&#0;", b"<!--"),
    *(b"[" * 2000, b'{"a":' * 2000, b"<a>" * 2000, b"(" * 2000),
]
EXAMPLES = {False: 15, True: 3}
"""For each format, by whether it is slow, where ``INNERMOST_FUZZ`` does not say otherwise."""


class Written:
    """The corpus, as each case writes it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._paths: dict[str, Path] = {}

    def path(self, case: Case) -> Path:
        if case.id not in self._paths:
            path = self._folder / str(len(self._paths)) / case.file
            path.parent.mkdir()
            options = Options(settings=case.writing)
            registry.get(case.format).write(CORPUS, path, options, Report())
            self._paths[case.id] = path
        return self._paths[case.id]


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Written:
    return Written(tmp_path_factory.mktemp("fuzz"))


@st.composite
def _damaged(draw: st.DrawFn, data: bytes) -> bytes:
    if draw(st.booleans()):
        return draw(mutated([data]))
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(data)))
        end = start + draw(st.sampled_from((0, 0, 1, 1, 2, 5, 30)))
        data = data[:start] + draw(st.sampled_from(PIECES)) + data[end:]
    return data


def _check(sentence: Sentence) -> None:
    size = len(sentence.tokens)
    assert all(isinstance(token, str) and token for token in sentence.tokens)
    assert all(0 <= s < e <= size and label for s, e, label in sentence.entities)
    assert all(type(edge) is int for span in sentence.entities for edge in span[:2])
    assert all(0 <= score <= 1 for score in sentence.scores.values())
    assert sentence.gaps is None or len(sentence.gaps) == size + 1
    offsets = sentence.token_offsets()
    assert [sentence.text[a:b] for a, b in offsets] == sentence.tokens


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_a_damaged_corpus_is_refused_or_read(written, case):
    skip_unless_installed(case.format)
    examples = int(os.environ.get("INNERMOST_FUZZ", EXAMPLES[is_slow(case)]))

    @settings(max_examples=examples)
    @given(st.data())
    def refused_or_read(data):
        _refused_or_read(written.path(case), case, data)

    refused_or_read()


def _refused_or_read(path: Path, case: Case, data: st.DataObject) -> None:
    files = sorted(p for p in path.rglob("*") if p.is_file()) if path.is_dir() else [path]
    file = data.draw(st.sampled_from(files))
    whole = file.read_bytes()
    # All is drawn before the file is changed: hypothesis may stop at any draw.
    damaged = data.draw(_damaged(whole))
    options = Options(settings=case.reading, skip_bad=data.draw(st.booleans()))
    file.write_bytes(damaged)
    try:
        for sentence in registry.get(case.format).read(Source(path), options, Report()):
            _check(sentence)
        if not is_slow(case):
            registry.guess(Source(path))
    except (DataError, UsageError):
        pass
    finally:
        file.write_bytes(whole)
