"""The registry: every format describes itself, and the format of a file is found."""

import pytest

from innermost import corpus
from innermost.corpus import Options, registry
from innermost.errors import DataError, UsageError


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


def test_the_longest_suffix_decides_for_outputs():
    assert registry.for_output("x.jsonl.gz").name == "native"
    assert registry.for_output("x/").name == "brat"
    assert registry.for_output("a/x.merged.xml").name == "genia"
    assert registry.for_output("x.xml").name == "xml"


def test_what_nobody_knows_is_an_error_that_lists_the_formats(tmp_path):
    (tmp_path / "x.what").write_bytes(b"\x00\x01\x02")
    with pytest.raises(DataError, match="native"):
        corpus.read(tmp_path / "x.what")
    with pytest.raises(DataError, match="native"):
        corpus.write([], tmp_path / "y.what")
    with pytest.raises(UsageError, match="unknown format 'conll'"):
        corpus.read(tmp_path / "x.what", format="conll")
