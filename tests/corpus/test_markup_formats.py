from __future__ import annotations

import pytest

from innermost.corpus import Report, Sentence, registry
from innermost.corpus.format import Options
from innermost.errors import DataError, UsageError
from innermost.files.source import Source
from innermost.nest import Span

WHITESPACE = Options(tokenizer="whitespace")


def read_text(tmp_path, name, text, report=None, **settings):
    path = tmp_path / "data"
    path.write_bytes(text.encode())
    options = Options(tokenizer="whitespace", settings=settings)
    return list(registry.get(name).read(Source(path), options, report or Report()))


def test_inline_xml(tmp_path):
    text = (
        '<corpus><doc id="d"><s>The <PER>wife of <PER>Bob</PER></PER> &amp; R&lt;D . Y</s></doc>\n'
        '<s id="7"><entity label="two words">a</entity></s></corpus>'
    )
    first, second = read_text(tmp_path, "xml", text)
    assert first.tokens == ["The", "wife", "of", "Bob", "&", "R<D", ".", "Y"]
    assert first.entities == [Span(1, 4, "PER"), Span(3, 4, "PER")]
    assert (first.doc, second.doc, second.id) == ("d", None, "7")
    assert second.entities == [Span(0, 1, "two words")]


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("<c>\nhello</c>", 2, "text outside"),
        ("<c>\n<s>a<PER/></s></c>", 2, "contains no text"),
        ("<c>\n<s><entity>a</entity></s></c>", 2, "without a label"),
        ("<c>\n<s><s>a</s></s></c>", 2, "inside a sentence"),
        ("<c>\n<s>a</c>", 2, "well-formed"),
    ],
)
def test_inline_xml_errors(tmp_path, text, line, message):
    with pytest.raises(DataError, match=message) as caught:
        read_text(tmp_path, "xml", text)
    assert caught.value.line == line


def test_labels_that_are_no_elements_are_written_as_attributes(tmp_path):
    labels = ["2D", "s", "a b", 'q"<', "cell_line", "Größe"]
    given = [Sentence(["x"], [Span(0, 1, label) for label in labels], id="a", doc='d"')]
    report = Report()
    registry.get("xml").write(given, tmp_path / "a.xml", WHITESPACE, report)
    written = (tmp_path / "a.xml").read_text()
    assert "<cell_line>" in written
    assert '<entity label="2D">' in written
    (back,) = registry.get("xml").read(Source(tmp_path / "a.xml"), WHITESPACE, Report())
    assert sorted(back.entities) == sorted(given[0].entities)
    assert (back.id, back.doc) == ("a", 'd"')
    assert not report.counts


def test_characters_that_xml_cannot_hold_lose_the_sentence(tmp_path):
    report = Report()
    given = [Sentence(["a\x00"], doc="d"), Sentence(["b"], doc="d"), Sentence(["c"], doc="\x01")]
    registry.get("xml").write(given, tmp_path / "a.xml", WHITESPACE, report)
    (back,) = registry.get("xml").read(Source(tmp_path / "a.xml"), WHITESPACE, Report())
    assert (back.tokens, back.doc) == (["b"], "d")
    assert dict(report.counts) == {("lost", "sentence"): 2}


def test_brackets(tmp_path):
    text = "# doc = d\n[PER the wife of [PER Bob]] ate \\[one\\] . Yes\n\n# doc =\n\\# a\\\\b\n"
    first, second = read_text(tmp_path, "brackets", text)
    assert first.tokens == ["the", "wife", "of", "Bob", "ate", "[one]", ".", "Yes"]
    assert first.entities == [Span(0, 4, "PER"), Span(3, 4, "PER")]
    assert (first.doc, second.doc) == ("d", None)
    assert second.tokens == ["#", "a\\b"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("a ] b", "does not open or close an entity"),
        ("[PER a", "not closed"),
        ("[ a]", "does not open or close an entity"),
        ("[PER ]", "contains no text"),
        ("a \\b", "has no meaning"),
    ],
)
def test_brackets_errors(tmp_path, line, message):
    with pytest.raises(DataError, match=message) as caught:
        read_text(tmp_path, "brackets", f"fine\n{line}\n")
    assert caught.value.line == 2


def test_comments_in_brackets_are_reported(tmp_path):
    report = Report()
    assert len(read_text(tmp_path, "brackets", "# hello\na b\n", report)) == 1
    assert dict(report.counts) == {("lost", "comment"): 1}


WEBANNO = """#FORMAT=WebAnno TSV 3.2
#T_SP=de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity|identifier|value
#T_SP=webanno.custom.Mood|mood


#Text=Die Kölner 👍 Bob-Straße ist lang
1-1\t0-3\tDie\t_\t_\t_\t
1-2\t4-10\tKölner\t*[1]|*[2]\tLOC[1]|LOCderiv[2]\tsad\t
1-3\t11-13\t👍\t*[1]\tLOC[1]\t_\t
1-4\t14-24\tBob-Straße\t*[1]\tLOC[1]\t_\t
1-4.1\t14-17\tBob\t*\tPER\\_x\t_\t
1-5\t25-28\tist\t_\t_\t_\t
1-6\t29-33\tlang\t_\t*\t_\t
"""


def test_webanno(tmp_path):
    report = Report()
    (sentence,) = read_text(tmp_path, "webanno", WEBANNO, report)
    assert sentence.tokens == ["Die", "Kölner", "👍", "Bob", "-Straße", "ist", "lang"]
    assert sentence.entities == [Span(1, 5, "LOC"), Span(1, 2, "LOCderiv"), Span(3, 4, "PER_x")]
    assert sentence.text == "Die Kölner 👍 Bob-Straße ist lang"
    assert report.counts["lost", "annotation without a value"] == 1
    assert report.counts["changed", "token split at the edge of a span"] == 1


def test_webanno_other_layers_by_setting(tmp_path):
    report = Report()
    (sentence,) = read_text(tmp_path, "webanno", WEBANNO, report, layer="Mood")
    assert sentence.entities == [Span(1, 2, "sad")]
    assert report.counts["lost", "other annotation"] > 0
    with pytest.raises(DataError, match="which layer"):
        read_text(tmp_path, "webanno", WEBANNO, layer="Color")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("4-10", "4-9", "is not at 4-9"),
        ("1-1\t0-3", "one\t0-3", "expected a token"),
        ("#Text=Die", "#Text=Das", "is not at 0-3 in #Text"),
        ("LOC[1]|", "[1]|", "the label ''"),
        ("0-3", "0-" + "3" * 5000, "expected a token"),
        ("11-13\t👍", "11-12\t", "expected a token"),
        ("11-13\t👍", "11-12\t👍", "is not at 11-12"),
        ("\t_\t_\t_\t\n1-2", "\n1-2", "3 columns"),
    ],
)
def test_webanno_errors(tmp_path, old, new, message):
    with pytest.raises(DataError, match=message) as caught:
        read_text(tmp_path, "webanno", WEBANNO.replace(old, new, 1))
    assert caught.value.line in (7, 8, 9)


def test_webanno_offsets_may_count_characters(tmp_path):
    """Some programs count a character beyond U+FFFF once, INCEpTION counts it twice."""
    shifted = WEBANNO.replace("11-13", "11-12").replace("14-24", "13-23").replace("14-17", "13-16")
    shifted = shifted.replace("25-28", "24-27").replace("29-33", "28-32")
    (expected,) = read_text(tmp_path, "webanno", WEBANNO)
    (sentence,) = read_text(tmp_path, "webanno", shifted)
    assert sentence == expected
    mixed = WEBANNO + "\n" + shifted.split("\n\n\n")[1].replace("1-", "2-", 1)
    with pytest.raises(DataError, match="is not at"):
        read_text(tmp_path, "webanno", mixed)


def test_webanno_features_without_a_value_are_no_loss(tmp_path):
    report = Report()
    read_text(tmp_path, "webanno", WEBANNO, report)
    lost = [e.detail for e in report.examples if (e.kind, e.what) == ("lost", "other annotation")]
    assert lost == ["webanno.custom.Mood|mood: sad"]


def layered(header, *cells):
    rows = "".join(f"1-{n}\t{2 * n}-{2 * n + 1}\tx\t{c}\n" for n, c in enumerate(cells))
    return f"#FORMAT=WebAnno TSV 3.3\n{header}\n\n#Text={'x ' * len(cells)}\n{rows}"


@pytest.mark.parametrize(
    ("header", "cells", "labels"),
    [
        # One of two custom layers is named or used like labels.
        ("#T_SP=own.Thing|link|kind", ["https://x.y/z\tGene", "Q42\t_"], ["Gene"]),
        ("#T_SP=own.Thing|sure|kind", ["true\tGene", "false\tCell line"], ["Gene", "Cell line"]),
        ("#T_SP=own.A|rank\n#T_SP=own.B|kind", ["3\tGene", "_\tCell line"], ["Gene", "Cell line"]),
        ("#T_SP=own.A|note\n#T_SP=own.B|kind", ["*\tGene", "_\t_"], ["Gene"]),
        (
            "#T_SP=de.tudarmstadt.ukp.dkpro.core.api.lexmorph.type.pos.POS|PosValue\n"
            "#T_SP=own.B|kind",
            ["NN\tGene", "VB\t_"],
            ["Gene"],
        ),
        ("#T_SP=own.A|x\n#T_SP=own.B|y", ["_\t_", "_\t_"], []),
        ("#T_SP=own.A|x\n#T_SP=own.B|y", ["P\tGene", "Q\t_"], None),
    ],
)
def test_webanno_finds_the_layer_whose_values_are_labels(tmp_path, header, cells, labels):
    text = layered(header, *cells)
    if labels is None:
        with pytest.raises(DataError, match="cannot determine which layer") as caught:
            read_text(tmp_path, "webanno", text)
        assert "Gene" in caught.value.hint
        return
    (sentence,) = read_text(tmp_path, "webanno", text)
    assert [span.label for span in sentence.entities] == labels


def test_webanno_chooses_the_layer_once_for_a_folder(tmp_path):
    header = "#T_SP=own.A|x\n#T_SP=own.B|y"
    (tmp_path / "a.tsv").write_text(layered(header, "P\t_"))
    (tmp_path / "b.tsv").write_text(layered(header, "_\tGene"))
    with pytest.raises(DataError, match="cannot determine which layer"):
        list(registry.get("webanno").read(Source(tmp_path), Options(), Report()))
    (tmp_path / "a.tsv").write_text(layered(header, "7\t_"))
    first, second = registry.get("webanno").read(Source(tmp_path), Options(), Report())
    assert not first.entities
    assert second.entities == [Span(0, 1, "Gene")]


def test_webanno_layers_declared_late_are_an_error(tmp_path):
    with pytest.raises(DataError, match="declared after the first token") as caught:
        read_text(tmp_path, "webanno", WEBANNO + "#T_SP=late|x\n")
    assert caught.value.line == 14


def test_webanno_escapes_labels(tmp_path):
    labels = ["a|b", "_", "*", "x[3]", "\\", "a->b", "p;q"]
    given = Sentence(["x", "y"], [Span(0, 1, label) for label in labels], id="s\t1", doc="d")
    report = Report()
    registry.get("webanno").write([given], tmp_path / "out", Options(), report)
    (back,) = registry.get("webanno").read(Source(tmp_path / "out"), Options(), Report())
    assert sorted(back.entities) == sorted(given.entities)
    assert (back.id, back.doc) == ("s\t1", "d")
    assert not report.counts


@pytest.mark.parametrize("name", ["d.webanno.tsv", "d.tsv", "d.webanno.tsv.gz"])
def test_webanno_writes_one_document_to_a_file(tmp_path, name):
    given = [Sentence(["Bob", "left"], [Span(0, 1, "PER")], doc="d"), Sentence(["Yes"], doc="d")]
    report = Report()
    registry.get("webanno").write(given, tmp_path / name, Options(), report)
    assert (tmp_path / name).is_file()
    back = list(registry.get("webanno").read(Source(tmp_path / name), Options(), Report()))
    assert [(s.tokens, s.entities, s.doc) for s in back] == [
        (s.tokens, s.entities, s.doc) for s in given
    ]
    assert not report.counts


def test_webanno_names_a_document_by_its_file(tmp_path):
    report = Report()
    path = tmp_path / "out.webanno.tsv"
    registry.get("webanno").write([Sentence(["Bob"], doc="d")], path, Options(), report)
    (event,) = report.examples
    assert (event.what, event.detail) == ("document name", "'d' is now 'out'")
    given = [Sentence(["Bob"], doc=doc) for doc in "de"]
    with pytest.raises(UsageError, match="one document, and the data has several") as caught:
        registry.get("webanno").write(given, path, Options(), report)
    assert "--to webanno" in str(caught.value.hint)
