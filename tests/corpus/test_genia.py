"""GENIA: the official files and the merged XML give the same sentences; writing preserves them."""

import gzip
import io
import lzma
import tarfile
from itertools import islice
from pathlib import Path

import pytest

from innermost import corpus
from innermost.corpus import Options, Report, Sentence
from innermost.corpus.formats.genia import SPLITS
from innermost.errors import DataError, UsageError
from innermost.nest import Span

SHARED = Path(__file__).parents[2] / "../shared/data/genia"

XML = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE set SYSTEM "gpml.dtd">
<set>
<article>
<articleinfo>
<bibliomisc>MEDLINE:1</bibliomisc>
</articleinfo>
<title>
<sentence><cons sem="G#other_name"><cons sem="G#protein_molecule">Abc-1</cons>-driven growth\
</cons> &lt; control.</sentence>
</title>
<abstract>
<sentence>Both <cons sem="(AND G#DNA_N/A G#DNA_N/A)"><cons>abc</cons> and <cons>def</cons> genes\
</cons> bind G + C (<cons sem="G#cell_line"><cons sem="G#cell_line">HX</cons></cons>).</sentence>
<sentence>Thus 0.5 -2 units act.</sentence>
</abstract>
</article>
<article>
<articleinfo>
<bibliomisc>MEDLINE:2</bibliomisc>
</articleinfo>
<title>
<sentence>No terms.</sentence>
</title>
</article>
</set>
"""
TRAIN_POS = """UI/LS -/: 1/CD
TI/LS -/: Abc-1-driven/JJ growth/NN </SYM control/NN ./.
AB/LS -/: Both/CC abc/NN and/CC def/NN genes/NNS bind/VBP G + C/NN (/( HX/NN )/ ./.
Thus/RB 0.5 -2/CD units/NNS act/VBP ./.
"""
TEST_POS = """UI/LS -/: 2/CD
TI/LS -/: No/DT terms/NNS ./.
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "GENIAcorpus3.02.xml").write_text(XML)
    (tmp_path / "GENIAtrain.pos").write_text(TRAIN_POS)
    (tmp_path / "GENIAtest.pos.xz").write_bytes(lzma.compress(TEST_POS.encode()))
    return tmp_path


def read(path, report=None, **settings):
    return list(
        corpus.read(path, format="genia", options=Options(settings=settings), report=report)
    )


def test_tokens_are_those_of_the_pos_files_split_at_every_term(folder):
    title, first, second, other = read(folder)
    assert title.tokens == ["Abc-1", "-driven", "growth", "<", "control", "."]
    assert title.entities == [Span(0, 1, "protein")]
    assert first.tokens[6:] == ["G\u00a0+\u00a0C", "(", "HX", ")", "."]
    assert first.entities == [Span(1, 5, "DNA"), Span(8, 9, "cell_line"), Span(8, 9, "cell_line")]
    assert second.tokens == ["Thus", "0.5", "-2", "units", "act", "."]
    assert (title.doc, other.doc, other.tokens) == ("1", "2", ["No", "terms", "."])


def test_the_spacing_of_the_xml_is_kept(folder):
    sentences = read(folder)
    assert "".join(s.text for s in sentences if s.doc == "1") == (
        "Abc-1-driven growth < control.\n"
        "Both abc and def genes bind G\u00a0+\u00a0C (HX). Thus 0.5 -2 units act."
    )


def test_terms_outside_the_five_types_are_reported_or_read_under_their_own_names(folder):
    report = Report()
    read(folder, report)
    assert report.counts == {("lost", "term of another type"): 1}
    assert report.examples[0].path == str(folder / "GENIAcorpus3.02.xml")
    title, first, *_ = read(folder, types="all")
    assert title.entities == [Span(0, 1, "protein_molecule"), Span(0, 3, "other_name")]
    assert first.entities[0] == Span(1, 5, "DNA_N/A")


def test_the_archive_reads_like_the_xml_out_of_it(folder):
    expected = read(folder)
    data = (folder / "GENIAcorpus3.02.xml").read_bytes()
    (folder / "GENIAcorpus3.02.xml").unlink()
    member = tarfile.TarInfo("GENIA_term_3.02/GENIAcorpus3.02.xml")
    member.size = len(data)
    archive = folder / "GENIAcorpus3.02.tgz"
    with tarfile.open(archive, "w:gz") as tar:
        tar.addfile(member, io.BytesIO(data))
    assert read(folder) == read(archive) == expected
    archive.write_bytes(archive.read_bytes()[:200])
    with pytest.raises(DataError, match="cut short"):
        read(folder)


def test_merged_xml_comes_back_as_it_was_written(folder, tmp_path):
    sentences = read(folder)
    merged = tmp_path / "out" / "x.merged.xml.gz"
    report = Report()
    corpus.write(sentences, merged, format="genia", report=report)
    assert not report.counts
    assert b'<w c="*">-driven</w>' in gzip.decompress(merged.read_bytes())
    assert read(merged) == sentences


def test_crossing_entities_cannot_be_written_and_are_reported(tmp_path):
    report = Report()
    sentence = Sentence(["a", "b", "c"], [Span(0, 2, "DNA"), Span(1, 3, "RNA")], id="7")
    corpus.write([sentence], tmp_path / "x.xml", format="genia", report=report)
    assert report.counts == {
        ("lost", "crossing span"): 1,
        ("lost", "sentence id"): 1,
    }
    assert read(tmp_path / "x.xml")[0].entities == [Span(0, 2, "DNA")]


def test_white_space_between_sentences_that_will_not_come_back_is_reported(tmp_path):
    report = Report()
    corpus.write(
        [Sentence(["a"], gaps=["", "  "], doc="1"), Sentence(["b"], gaps=["", ""], doc="1")],
        tmp_path / "x.xml",
        format="genia",
        report=report,
    )
    assert report.counts == {("changed", "whitespace between sentences"): 1}


def test_a_sentence_without_tokens_survives(tmp_path):
    corpus.write([Sentence([], doc="1"), Sentence(["a"], doc="1")], tmp_path / "x", format="genia")
    assert [s.tokens for s in read(tmp_path / "x")] == [[], ["a"]]


def test_missing_or_foreign_tokens_are_an_error(folder):
    (folder / "GENIAtest.pos.xz").unlink()
    with pytest.raises(DataError, match="no tokens for document 2"):
        read(folder)
    (folder / "GENIAtest.pos").write_text(TEST_POS.replace("terms", "words"))
    with pytest.raises(DataError, match="expected the token 'words'"):
        read(folder)
    (folder / "GENIAtest.pos").write_text(TEST_POS.replace("2/CD", "3/CD"))
    with pytest.raises(DataError, match=r"document 3 .* does not belong to document 2"):
        read(folder)


def test_wrong_settings_are_refused(folder):
    with pytest.raises(UsageError, match="unknown split 'dve'"):
        read(folder, split="dve")
    with pytest.raises(UsageError, match="no setting splits"):
        read(folder, splits="dev")
    with pytest.raises(DataError, match="18,546 sentences, found 4"):
        read(folder, split="dev")


@pytest.mark.skipif(not (SHARED / "raw").exists(), reason="the GENIA corpus is not here")
def test_the_official_files_give_the_published_split_exactly():
    sentences = iter(read(SHARED / "raw"))
    for name, (start, end) in SPLITS.items():
        part = list(islice(sentences, end - start))
        expected = list(corpus.read(SHARED / f"{name}.jsonl"))
        assert len(part) == len(expected)
        for found, wanted in zip(part, expected, strict=True):
            assert (found.doc, found.tokens, found.entities) == (
                wanted.doc,
                wanted.tokens,
                wanted.entities,
            )
    assert next(sentences, None) is None
