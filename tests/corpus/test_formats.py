"""The registry: every format describes itself, and the format of a file is found."""

import json
import re
from pathlib import Path

import pytest

from innermost import corpus
from innermost.corpus import Options, registry
from innermost.errors import DataError, UsageError
from innermost.nest import Span
from innermost.prediction.outputs import format_of_name


@pytest.mark.parametrize("name", registry.names())
def test_every_format_describes_itself(name):
    format = registry.get(name)
    assert format.name == name
    assert format.description
    assert "\n" not in format.description
    assert all(suffix.startswith(".") for suffix in format.suffixes)


def test_no_two_formats_claim_the_same_suffix():
    claimed = [suffix for name in registry.names() for suffix in registry.get(name).suffixes]
    assert len(claimed) == len(set(claimed))


@pytest.mark.parametrize("name", registry.names())
def test_unknown_settings_are_refused_by_all(name, tmp_path):
    with pytest.raises(UsageError, match="nonsense"):
        corpus.write([], tmp_path / "x", format=name, options=Options(settings={"nonsense": "1"}))


@pytest.mark.parametrize(("alias", "name"), registry.ALIASES.items())
def test_an_alias_reads_and_writes_like_the_format(alias, name, tmp_path):
    if alias == "parquet":
        pytest.importorskip("pyarrow", reason="needs the extra frames")
    sentence = corpus.Sentence(["Ghent"], [Span(0, 1, "GPE")])
    corpus.write([sentence], tmp_path / f"x.{alias}", format=alias)
    for format in (alias, name):
        (again,) = corpus.read(tmp_path / f"x.{alias}", format=format)
        assert (again.tokens, again.entities) == (sentence.tokens, sentence.entities)


def test_the_alias_decides_on_the_kind_of_table_if_the_name_does_not(tmp_path):
    for alias in ("csv", "tsv"):
        corpus.write([corpus.Sentence(["Ghent"])], tmp_path / alias, format=alias)
    assert (tmp_path / "csv").read_bytes().startswith(b"text,entities")
    assert (tmp_path / "tsv").read_bytes().startswith(b"text\tentities")


def test_the_longest_suffix_decides_for_outputs(tmp_path):
    assert registry.for_output("x.jsonl.gz").name == "native"
    assert registry.for_output("x/").name == "brat"
    assert registry.for_output(tmp_path).name == "brat"
    assert registry.for_output("a/x.merged.xml").name == "genia"
    assert registry.for_output("x.xml").name == "xml"


DIFFERENT = {".parquet", ".txt"}
"""Outputs of predictions that are something else; the documentation says so."""


def test_a_suffix_means_the_same_for_predictions_and_conversions():
    for name in registry.names():
        for suffix in set(registry.get(name).suffixes) - DIFFERENT:
            predicted = format_of_name(f"x{suffix}")
            own_name = {"json": "native"}.get(predicted, registry.ALIASES.get(predicted, predicted))
            assert own_name == registry.for_output(f"x{suffix}").name == name


def test_every_suffix_is_documented():
    text = (Path(__file__).parents[2] / "docs" / "formats.md").read_text()
    table = text.split("## Suffixes")[1].split("\n## ")[0]
    rows = [row.split("|")[1:3] for row in table.splitlines() if row.startswith("| ")]
    documented = {s: row[1] for row in rows for s in re.findall(r"`(\.[a-z0-9.]+)`", row[0])}
    for name in registry.names():
        for suffix in registry.get(name).suffixes:
            if not registry.get(name).is_folder:
                assert f"`{name}`" in documented[suffix]


def test_a_json_array_is_written_where_the_name_says_so(tmp_path):
    sentences = [corpus.Sentence(["Ghent"], [Span(0, 1, "GPE")], id=str(n)) for n in range(2)]
    corpus.write(sentences, tmp_path / "x.json")
    records = json.loads((tmp_path / "x.json").read_text())
    assert [record["entities"] for record in records] == [[[0, 1, "GPE"]]] * 2
    assert list(corpus.read(tmp_path / "x.json")) == sentences


def test_what_nobody_knows_is_an_error_that_lists_the_formats(tmp_path):
    (tmp_path / "x.what").write_bytes(b"\x00\x01\x02")
    with pytest.raises(DataError, match="native"):
        corpus.read(tmp_path / "x.what")
    with pytest.raises(DataError, match="native"):
        corpus.write([], tmp_path / "y.what")
    with pytest.raises(UsageError, match="unknown format 'conll'"):
        corpus.read(tmp_path / "x.what", format="conll")
