"""Layouts of published columns: HIPE, KLUE, OntoNotes, Few-NERD."""

from __future__ import annotations

import pytest

from innermost.corpus import Options, Report, Source, read, registry
from innermost.errors import DataError
from innermost.nest import Span

NAMES = (
    "TOKEN NE-COARSE-LIT NE-COARSE-METO NE-FINE-LIT NE-FINE-METO NE-FINE-COMP NE-NESTED "
    "NEL-LIT NEL-METO MISC"
)


def row(token, coarse="O", fine="O", nested="O", flags="_"):
    return "\t".join([token, coarse, "O", fine, "_", "O", nested, "Q1", "_", flags])


HIPE = "\n".join(
    [
        NAMES.replace(" ", "\t"),
        "# hipe2022:document_id = letter-7",
        "# hipe2022:language = en",
        row("The", "B-org", "B-org.adm"),
        row("Bank", "I-org", "I-org.adm"),
        row("of", "I-org", "I-org.adm", flags="EndOfLine"),
        row("St", "I-org", "I-org.adm", "B-loc"),
        row(".", "I-org", "I-org.adm", "I-loc", "EndOfLine|EndOfSentence"),
        row("Ives", "I-org", "I-org.adm", "I-loc"),
        row("closed", coarse="_", nested="_", flags="NoSpaceAfter"),
        row(".", flags="EndOfSentence"),
        "# hipe2022:segment = 2",
        row("Bob", "B-pers", "B-pers.ind"),
        row("left", flags="").rstrip("\t"),
        "",
        "# document_id = letter-8",
        row("Yes"),
        "",
    ]
)


def test_hipe(tmp_path):
    path, report = tmp_path / "a", Report()
    path.write_text(HIPE)
    assert registry.guess(Source(path)).name == "columns"
    first, second, third = read(path, report=report)
    assert first.tokens == ["The", "Bank", "of", "St", ".", "Ives", "closed", "."]
    assert first.entities == [Span(0, 6, "org"), Span(3, 6, "loc")]
    assert (second.tokens, second.entities) == (["Bob", "left"], [Span(0, 1, "pers")])
    assert [s.doc for s in (first, second, third)] == ["letter-7", "letter-7", "letter-8"]
    comments = ["# hipe2022:language = en", "# hipe2022:segment = 2"]
    assert [s.extra for s in (first, second)] == [{"comments": comments}, {}]
    assert dict(report.counts) == {("odd", "several columns of tags"): 1}
    (event,) = report.examples
    assert "NE-COARSE-LIT and NE-NESTED (tags=2,7); not read: NE-COARSE-METO" in event.detail


def test_other_columns_of_hipe(tmp_path):
    path, report = tmp_path / "a.tsv", Report()
    path.write_text(HIPE)
    first, *_ = read(path, options=Options(settings={"tags": "4,7"}), report=report)
    assert first.entities == [Span(0, 6, "org.adm"), Span(3, 6, "loc")]
    assert not report.counts


KLUE = """\
## CHAR\tNE_TAG
## first\t<B. O:PS> left
B\tB-PS
.\tI-PS
 \tI-PS
O\tI-PS
 \tO
l\tO

## second\tA <1 :QT>
A\tO
 \tB-QT
1\tI-QT
 \tB-PS
"""


def test_klue_has_tokens_that_are_spaces(tmp_path):
    path, report = tmp_path / "a.tsv", Report()
    path.write_text(KLUE)
    first, second = read(path, report=report)
    assert first.tokens == ["B", ".", "O", "l"]
    assert first.entities == [Span(0, 3, "PS")]
    assert first.text == "B. O l\n"
    assert first.extra == {"comments": ["## CHAR\tNE_TAG", "## first\t<B. O:PS> left"]}
    assert (second.tokens, second.entities) == (["A", "1"], [Span(1, 2, "QT")])
    assert dict(report.counts) == {
        ("changed", "blank tokens"): 2,
        ("changed", "span trimmed to its tokens"): 1,
        ("lost", "span of whitespace only"): 1,
    }


def test_hashes_that_are_tokens(tmp_path):
    path = tmp_path / "a.tsv"
    path.write_text("##\tO\nBob\tB-PER\n\n# \tO\n#\tO\nBob\tB-PER\n")
    first, second = read(path)
    assert [s.tokens for s in (first, second)] == [["##", "Bob"], ["# ", "#", "Bob"]]


def test_underscores_after_the_prefix(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("in O\nMay B_Time\n2019 I_Time\nB B-cell_B\n")
    (sentence,) = read(path)
    assert sentence.entities == [Span(1, 3, "Time"), Span(3, 4, "cell_B")]


def test_labels_without_prefixes(tmp_path):
    path, report = tmp_path / "a.txt", Report()
    path.write_text("Ann\tperson-actor\nLee\tperson-actor\nmet\tO\nBob\tperson\n\nNo\tO\n\n")
    with pytest.raises(DataError, match="'person-actor' is not a tag") as caught:
        list(read(path))
    assert ": --read-set scheme=io" in str(caught.value.problems[0].hint)
    as_labels = Options(settings={"scheme": "io"})
    first, _ = read(path, options=as_labels, report=report)
    assert first.entities == [Span(0, 2, "person-actor"), Span(3, 4, "person")]
    assert not report.counts
    path.write_text("Ann PER\nmet 0\nBob PER\nand -\nme _\n")
    (sentence,) = read(path, options=as_labels)
    assert sentence.entities == [Span(0, 1, "PER"), Span(2, 3, "PER")]


ONTONOTES = """\
#begin document (nw/a/00/a_0001); part 000
nw/a/00/a_0001   0   0   The    DT   (TOP(NP*   -   -   -   -   (ORG*     *   (1
nw/a/00/a_0001   0   1   Bank   NN   *          -   -   -   -   *         *   -
nw/a/00/a_0001   0   2   Spain  NN   *)         -   -   -   -   (GPE*))   *   1)
nw/a/00/a_0001   0   3   #      NN   *)         -   -   -   -   *         *   -

#end document
#begin document (nw/a/00/a_0001); part 001
nw/a/00/a_0001   1   0   Bob    NN   (TOP*)     -   -   -   -   (PERSON)  *   -

#end document
"""


def test_ontonotes(tmp_path):
    path, report = tmp_path / "a", Report()
    path.write_text(ONTONOTES)
    assert registry.guess(Source(path)).name == "columns"
    first, second = read(path, report=report)
    assert first.tokens == ["The", "Bank", "Spain", "#"]
    assert first.entities == [Span(0, 3, "ORG"), Span(2, 3, "GPE")]
    assert second.entities == [Span(0, 1, "PERSON")]
    assert (first.doc, second.doc) == ("nw/a/00/a_0001", "nw/a/00/a_0001")
    assert not report.counts


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("(PERSON)", "_", "not brackets of named entities"),
        ("(PERSON)", "B-PER", "not brackets of named entities"),
        ("(PERSON)", "*)", "closes an entity that was not opened"),
        ("(PERSON)", "(PERSON*", r"the entity \(PERSON is not closed"),
        ("(PERSON)  *   -", "", "expected at least 12 columns, found 10"),
    ],
)
def test_bad_brackets_of_ontonotes(tmp_path, old, new, message):
    path = tmp_path / "a.gold_conll"
    path.write_text(ONTONOTES.replace(old, new))
    with pytest.raises(DataError, match=message) as caught:
        list(read(path))
    assert caught.value.line == 9


def test_chunks_that_are_read_for_want_of_other_tags_are_reported(tmp_path):
    path, report = tmp_path / "a.txt", Report()
    path.write_text("B-Cell\tcells\tNNS\tB-NP\nO\tgrow\tVBP\tB-VP\n\n")
    (sentence,) = read(path, report=report)
    assert [span.label for span in sentence.entities] == ["NP", "VP"]
    assert dict(report.counts) == {
        ("odd", "syntactic chunks as entities"): 1,
        ("note", "columns not read"): 1,
    }
    chosen, report = Options(settings={"token": "2", "tags": "1"}), Report()
    (sentence,) = read(path, options=chosen, report=report)
    assert (sentence.tokens, sentence.entities) == (["cells", "grow"], [Span(0, 1, "Cell")])
    assert not report.counts


def test_prefixes_alone_are_tags_of_one_type(tmp_path):
    path, report = tmp_path / "train.tsv", Report()
    path.write_text("IL-2\tB\ngene\tI\nactivation\tO\n\np53\tB\np21\tB\n")
    assert registry.guess(Source(path)).name == "columns"
    first, second = read(path, report=report)
    assert first.entities == [Span(0, 2, "entity")]
    assert second.entities == [Span(0, 1, "entity"), Span(1, 2, "entity")]
    assert dict(report.counts) == {("note", "tags without types"): 1}
    renamed = read(path, options=Options(rename={"entity": "gene"}))
    assert next(renamed).entities == [Span(0, 2, "gene")]


def test_a_prefix_alone_continues_the_tag_before(tmp_path):
    path, report = tmp_path / "a.conll", Report()
    path.write_text("93\tSN\tB_DT\n년\tNNB\tI\n의\tJKG\tO\n서울\tNNP\tB_LC\n시\tNNG\tI\n")
    (sentence,) = read(path, report=report)
    assert sentence.entities == [Span(0, 2, "DT"), Span(3, 5, "LC")]
    assert not report.counts


def test_a_prefix_alone_that_continues_nothing_begins_an_entity(tmp_path):
    path, report = tmp_path / "a.conll", Report()
    path.write_text("a\tO\nb\tI\nc\tE\nd\tI\ne\tS\n")
    (sentence,) = read(path, report=report)
    assert sentence.entities == [Span(1, 3, "entity"), Span(3, 4, "entity"), Span(4, 5, "entity")]
    assert report.counts["odd", "tag without a beginning"] == 2
