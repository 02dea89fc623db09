"""A file that was written in a format is taken for that format, whatever its name."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

from innermost.corpus import Options, Report, Sentence, Source, registry
from innermost.nest import Span

CORPUS = [
    Sentence(["The", "wife", "of", "Bob"], [Span(0, 4, "PER"), Span(3, 4, "PER")], doc="a"),
    Sentence(["It", "rains"], doc="a"),
]
OF_CONTENT = ["native", "columns", "labelstudio", "papers", "prodigy", "xml", "brackets"]
OF_NAME = {"docbin": "x.spacy", "datasets": "x.parquet"}
FOLDERS = ["brat", "webanno"]


@pytest.mark.parametrize("name", [*OF_CONTENT, *FOLDERS])
@pytest.mark.parametrize("corpus", [CORPUS, CORPUS[::-1]], ids=["entities first", "entities last"])
def test_by_content(tmp_path, name, corpus):
    path = tmp_path / "corpus"
    registry.get(name).write(corpus, path, Options(), Report())
    assert registry.guess(Source(path)).name == name


@pytest.mark.parametrize("name", OF_NAME)
def test_by_name(tmp_path, name):
    if find_spec({"docbin": "spacy"}.get(name, name)) is None:
        pytest.skip(f"the extra for {name} is not installed")
    path = tmp_path / OF_NAME[name]
    registry.get(name).write(CORPUS, path, Options(), Report())
    assert registry.guess(Source(path)).name == name


def test_every_format_describes_itself():
    for name in registry.names():
        format = registry.get(name)
        assert format.name == name
        assert format.description
        assert all(suffix.startswith(".") for suffix in format.suffixes)
