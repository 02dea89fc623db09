"""The format of a written file is detected."""

from __future__ import annotations

import gzip
from tarfile import TarFile
from zipfile import ZipFile

import pytest

from corpus.cases import CASES, each_case, skip_unless_installed
from innermost.corpus import Options, Report, Sentence, Source, registry
from innermost.errors import DataError
from innermost.nest import Span

CORPUS = [
    Sentence(["The", "wife", "of", "Bob"], [Span(0, 4, "PER"), Span(3, 4, "PER")], doc="a"),
    Sentence(["It", "rains"], doc="a"),
]
BY_NAME = {"docbin", "datasets", "table"}
"""Detected by the suffix; the others by their content, whatever their names."""


@each_case
@pytest.mark.parametrize("corpus", [CORPUS, CORPUS[::-1]], ids=["entities first", "entities last"])
def test_what_a_format_wrote_is_recognized(tmp_path, case, corpus):
    skip_unless_installed(case.format)
    path = tmp_path / (case.file if case.format in BY_NAME else "corpus")
    options = Options(settings=case.writing)
    registry.get(case.format).write(corpus, path, options, Report())
    assert registry.guess(Source(path)).name == case.format


@each_case
def test_the_suffix_names_the_format_of_an_output(case):
    suffix = registry.get(case.format).suffixes[0]
    assert registry.for_output(f"x{suffix}").name == case.format
    assert registry.for_output(f"x{suffix}.gz").name == case.format


def test_every_format_is_a_case():
    assert {case.format for case in CASES} == set(registry.names())


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"Some plain text.\nAnd more of it.\n",
        b"[" * 100_000,
        b'{"a": ' * 1000,
        b'{"tokens": ["a"], "entities": 5}',
        b'{"tokens": 5}',
        b'{"text": "a", "label": 5, "spans": 3}',
        b'{"data": 3, "annotations": {}}',
        b'[["a", {"entities": 3}]]',
        b"[" + b"9" * 5000 + b"]",
        b"\xff\xfe\x00",
        b"1\ta\n",
        b"<s",
        b"#FORMAT=WebAnno",
    ],
)
def test_no_format_stumbles_over_what_is_not_its_own(tmp_path, content):
    """Every format is tried; an unknown file must not raise."""
    path = tmp_path / "corpus"
    path.write_bytes(content)
    for name in registry.names():
        assert registry.get(name).sniff(Source(path)) in (True, False)


def test_a_spreadsheet_is_to_be_saved_as_a_table(tmp_path):
    path = tmp_path / "corpus.XLSX"
    path.write_bytes(b"PK\x03\x04")
    with pytest.raises(DataError, match="cannot be detected") as caught:
        registry.guess(Source(path))
    assert caught.value.hint == "save the spreadsheet as CSV"


PROSE = "The mayor of Ghent spoke on Tuesday.\nShe lives in Paris.\n\n"
WRAPPED = (
    "The mayor of Ghent spoke on Tuesday about the\nharbor, which will be\n"
    "closed for three months from the first of May and\nthen opened again.\n"
)


@pytest.mark.parametrize("name", ["a.txt", "a.md", "a", "a.txt.gz"])
@pytest.mark.parametrize("text", [PROSE, WRAPPED, PROSE * 50, PROSE[:36], "她住在巴黎。\n"])
def test_plain_text_is_not_taken_for_a_corpus(tmp_path, name, text):
    path = tmp_path / name
    path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    with pytest.raises(DataError, match="looks like plain text without annotation") as caught:
        registry.guess(Source(path))
    assert f"innermost predict -i {path}" in str(caught.value)
    assert "--from" in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "a O\nb PER\nc O\nd X\n",  # slips, but columns
        "EU NNP ORG\nrejects VBZ -\nGerman JJ MISC\n. . -\n",
        "EU NNP I-NP ORG\nof IN I-PP -\n",
        "EU\tNNP\nof\t.\n",
        "Ghent\nParis\n",
        "",
    ],
)
def test_columns_with_wrong_tags_are_not_plain_text(tmp_path, text):
    path = tmp_path / "a.txt"
    path.write_text(text)
    assert registry.guess(Source(path)).name == "columns"


@pytest.mark.parametrize("file", ["model.toml", "model/model.toml"])
def test_a_model_is_not_taken_for_a_corpus(tmp_path, file):
    (tmp_path / file).parent.mkdir(exist_ok=True)
    (tmp_path / file).touch()
    with pytest.raises(DataError, match="a model, not a corpus"):
        registry.guess(Source(tmp_path))


def test_a_folder_of_plain_texts_gets_the_same_help_as_one_of_them(tmp_path):
    folder = tmp_path / "articles"
    folder.mkdir()
    (folder / "a.txt").write_text("The mayor of Ghent spoke. She left at noon.\n")
    with pytest.raises(DataError, match="a folder of plain texts without annotation") as caught:
        registry.guess(Source(folder))
    assert f"innermost predict -i {folder} -o annotated.jsonl" in str(caught.value.hint)


@pytest.mark.parametrize("name", ["a.tar", "a.tar.gz", "a.zip"])
def test_an_archive_of_other_files_is_to_be_unpacked(tmp_path, name):
    (tmp_path / "a.conll").write_text("Bob\tB-PER\n\n" * 100)
    path = tmp_path / name
    with ZipFile(path, "w") if name == "a.zip" else TarFile.open(path, f"w:{name[6:]}") as archive:
        (archive.write if name == "a.zip" else archive.add)(tmp_path / "a.conll", "a.conll")
    with pytest.raises(DataError, match="an archive, but not one of brat files") as caught:
        registry.guess(Source(path))
    assert "unpack it" in str(caught.value.hint)
