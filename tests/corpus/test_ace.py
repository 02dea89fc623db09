"""ACE: the LDC's files, its way of counting characters, and mentions that cross lines."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from innermost import corpus
from innermost.corpus import Options, Report, Sentence, documents
from innermost.corpus.formats.ace.text import Decoded, encoded, parse
from innermost.errors import DataError, UsageError
from innermost.nest import Span

SGM = """<DOC>
<DOCID> NW_ONE </DOCID>
<DOCTYPE SOURCE="newswire"> NEWS STORY </DOCTYPE>
<DATETIME> 2003-03-03T10:00:00 </DATETIME>
<BODY>
<HEADLINE>
A headline
</HEADLINE>
<TEXT>
The mayor of North
Town met Smith &amp; Sons' new chief. Her old
friends, the Browns of Lake Street left.
</TEXT>
</BODY>
</DOC>
"""
FORUM = """<DOC>
<DOCID> UN_TWO </DOCID>
<BODY>
<TEXT>
<POST>
<POSTER> Old Tom </POSTER>
<QUOTE PREVIOUSPOST="Ann wrote: <-- not a tag, Tom said.
more"/>
I saw Ann
</POST>
<TURN>
<SPEAKER> ANN </SPEAKER>
No.
</TURN>
</TEXT>
</BODY>
</DOC>
"""


def located(sgm: str, phrase: str) -> tuple[int, int]:
    """Start and inclusive end of a phrase, counted by hand as the LDC does."""
    bare, depth = [], 0
    for character in sgm.replace("<--", "\0--"):
        depth += character == "<"
        if not depth:
            bare.append(character)
        depth -= character == ">"
    start = "".join(bare).index(phrase)
    return start, start + len(phrase) - 1


def apf(name: str, sgm: str, mentions: list[tuple[str, str]]) -> str:
    entities = []
    for number, (label, phrase) in enumerate(mentions):
        start, end = located(sgm, phrase)
        shown = phrase.replace("&", "&amp;").replace("\n", " ")
        entities.append(f"""<entity ID="{name}-E{number}" TYPE="{label}" SUBTYPE="x" CLASS="SPC">
  <entity_mention ID="{name}-E{number}-1" TYPE="NAM" LDCTYPE="NAM">
    <extent>
      <charseq START="{start}" END="{end}">{shown}</charseq>
    </extent>
    <head>
      <charseq START="{start}" END="{start}">{shown[0]}</charseq>
    </head>
  </entity_mention>
  <entity_attributes>
    <name NAME="n"><charseq START="0" END="1">n</charseq></name>
  </entity_attributes>
</entity>
""")
    return f"""<?xml version="1.0"?>
<!DOCTYPE source_file SYSTEM "apf.v5.1.1.dtd">
<source_file URI="{name}.sgm" SOURCE="newswire" TYPE="text" AUTHOR="LDC" ENCODING="UTF-8">
<document DOCID="{name}">
{"".join(entities)}<timex2 ID="t" VAL="2003"><timex2_mention ID="t1"><extent>
<charseq START="3" END="5">now</charseq></extent></timex2_mention></timex2>
</document>
</source_file>
"""


MENTIONS = [
    ("PER", "The mayor of North\nTown"),
    ("GPE", "North\nTown"),
    ("ORG", "Smith &amp; Sons"),
    ("PER", "Smith &amp; Sons' new chief"),
    ("PER", "Her old\nfriends, the Browns"),
    ("PER", "the Browns of Lake Street"),
    ("PER", "Her"),
]


@pytest.fixture
def ldc(tmp_path: Path) -> Path:
    for part in ("adj", "timex2norm"):
        folder = tmp_path / "English" / "nw" / part
        folder.mkdir(parents=True)
        (folder / "NW_ONE.sgm").write_text(SGM)
        (folder / "NW_ONE.apf.xml").write_text(apf("NW_ONE", SGM, MENTIONS))
    other = tmp_path / "English" / "un" / "timex2norm"
    other.mkdir(parents=True)
    (other / "UN_TWO.sgm").write_text(FORUM)
    (other / "UN_TWO.apf.xml").write_text(
        apf("UN_TWO", FORUM, [("PER", "Old Tom"), ("PER", "Ann\n"), ("PER", "ANN")])
    )
    arabic = tmp_path / "Arabic" / "nw"
    arabic.mkdir(parents=True)
    (arabic / "AR.apf.xml").write_text("not even XML")
    return tmp_path


def read(path, report=None, **settings):
    options = Options(tokenizer="ptb", settings=settings)
    return list(corpus.read(path, format="ace", options=options, report=report))


def texts(sentence: Sentence) -> list[tuple[str, str]]:
    return [(" ".join(sentence.tokens[s.start : s.end]), s.label) for s in sentence.entities]


def test_nested_and_crossing_mentions_across_lines(ldc):
    report = Report()
    first, second = (s for s in read(ldc, report) if s.doc == "NW_ONE")
    assert texts(first) == [
        ("The mayor of North Town", "PER"),
        ("North Town", "GPE"),
        ("Smith & Sons", "ORG"),
        ("Smith & Sons ' new chief", "PER"),
    ]
    assert texts(second) == [
        ("Her old friends , the Browns", "PER"),
        ("the Browns of Lake Street", "PER"),
        ("Her", "PER"),
    ]
    assert (first.text + second.text).startswith("\nThe mayor of North\nTown met Smith & Sons'")
    assert {what for _, what in report.counts} == {"span trimmed to its tokens"}


def test_tags_inside_the_text_end_sentences_and_hold_no_text(ldc):
    sentences = [s for s in read(ldc) if s.doc == "UN_TWO"]
    assert [s.tokens for s in sentences] == [
        ["Old", "Tom"],
        ["I", "saw", "Ann"],
        ["ANN"],
        ["No", "."],
    ]
    assert [texts(s) for s in sentences] == [
        [("Old Tom", "PER")],
        [("Ann", "PER")],
        [("ANN", "PER")],
        [],
    ]


def test_the_folders_of_2004_and_single_files_are_read_too(ldc, tmp_path):
    expected = [s for s in read(ldc) if s.doc == "NW_ONE"]
    folder = tmp_path / "other" / "nwire"
    folder.mkdir(parents=True)
    for suffix in (".sgm", ".apf.xml"):
        found = ldc / "English/nw/timex2norm" / f"NW_ONE{suffix}"
        (folder / found.name).write_text(found.read_text())
    assert read(folder.parent) == read(folder / "NW_ONE.apf.xml") == expected


def test_a_list_of_documents_chooses_and_orders(ldc, tmp_path):
    wanted = tmp_path / "wanted.ids"
    wanted.write_text("un/UN_TWO\n\nNW_ONE\n")
    assert [doc for doc, _ in documents(read(ldc, documents=str(wanted)))] == ["UN_TWO", "NW_ONE"]
    wanted.write_text("NW_ONE\nNW_THREE\n")
    with pytest.raises(DataError, match="NW_THREE") as error:
        read(ldc, documents=str(wanted))
    assert error.value.line == 2


def test_tokens_of_another_tool(ldc, tmp_path):
    folder = tmp_path / "tokens"
    folder.mkdir()
    start = located(SGM, "Smith")[0]
    (folder / "NW_ONE.tok").write_text(f"{start}:{start + 5} {start + 6}:{start + 11}\n")
    (folder / "UN_TWO.tok").write_text("")
    first, *_ = read(ldc, tokens=str(folder))
    words = "The mayor of North Town Smith & Sons ' new chief Her old friends, the Browns"
    assert " ".join(first.tokens).startswith(words.replace(" & Sons '", " & Sons '"))
    (folder / "NW_ONE.tok").write_text("1:2 3-4\n")
    with pytest.raises(DataError, match="start:end"):
        read(ldc, tokens=str(folder))


def test_duplicates_are_merged_and_reported(ldc):
    file = ldc / "English/nw/timex2norm/NW_ONE.apf.xml"
    file.write_text(apf("NW_ONE", SGM, [("PER", "Her"), ("PER", "Her"), ("ORG", "Her")]))
    report = Report()
    entities = [s.label for sentence in read(file, report) for s in sentence.entities]
    assert entities == ["PER", "ORG"]
    assert report.counts["changed", "duplicate mention merged"] == 1


def test_wrong_offsets_are_reported_or_refused(ldc):
    file = ldc / "English/nw/timex2norm/NW_ONE.apf.xml"
    good = apf("NW_ONE", SGM, [("PER", "Her")])
    file.write_text(good.replace(">Her<", ">Him<"))
    report = Report()
    read(file, report)
    assert report.counts["odd", "mention text differs from the document"] == 1
    start = located(SGM, "Her")[0]
    for wrong in (f'START="{start}" END="99999"', f'START="{start}" END="x"'):
        file.write_text(good.replace(f'START="{start}" END="{start + 2}"', wrong))
        with pytest.raises(DataError) as error:
            read(file)
        assert (error.value.path, error.value.line) == (str(file), 8)


def test_a_mention_in_the_headline_is_kept(ldc):
    file = ldc / "English/nw/timex2norm/NW_ONE.apf.xml"
    file.write_text(apf("NW_ONE", SGM, [("ORG", "headline"), ("PER", "Her")]))
    report = Report()
    found = [pair for sentence in read(file, report) for pair in texts(sentence)]
    assert found == [("headline", "ORG"), ("Her", "PER")]
    assert report.counts["odd", "mention outside <TEXT>"] == 1


def test_missing_files_and_unknown_settings_are_errors(ldc):
    (ldc / "English/nw/timex2norm/NW_ONE.sgm").unlink()
    with pytest.raises(DataError, match="no such file"):
        read(ldc)
    with pytest.raises(UsageError, match="no setting document"):
        read(ldc, document="x")
    (ldc / "empty").mkdir()
    with pytest.raises(DataError, match=r"no \.apf\.xml"):
        read(ldc / "empty")


def test_what_is_written_reads_back_the_same(ldc, tmp_path):
    sentences = read(ldc)
    sentences += [Sentence(["a", "<&>", "b"], [Span(0, 2, "X"), Span(1, 3, "Y")], doc="plain")]
    corpus.write(sentences, tmp_path / "out", format="ace")
    again = read(tmp_path / "out")
    key = dict(documents(again))
    for doc, run in documents(sentences):
        assert [(s.tokens, s.entities, s.text) for s in key[doc]] == [
            (s.tokens, s.entities, s.text) for s in run
        ]
    assert len(again) == len(sentences)


def test_names_that_are_taken_or_no_file_names_are_changed_and_reported(tmp_path):
    report = Report()
    given = [Sentence([t], doc=d) for t, d in (("a", "x"), ("b", "y/z"), ("c", "x"))]
    corpus.write([*given, Sentence(["d"], id="4")], tmp_path / "out", format="ace", report=report)
    found = {s.doc: s.tokens for s in read(tmp_path / "out")}
    assert found == {"x": ["a"], "y/z": ["b"], "x-2": ["c"], "document-0001": ["d"]}
    assert report.counts == {("changed", "document name"): 2, ("lost", "sentence id"): 1}


@given(st.text(st.sampled_from("ab&;<> \nmpltg#4")))
def test_offsets_in_escaped_text_are_those_of_its_characters(text):
    raw = encoded(text)
    decoded = Decoded(raw)
    assert decoded.text == text
    for index in range(len(text) + 1):
        assert decoded.offset(len(encoded(text[:index]))) == index
    assert parse(f"<DOC><TEXT>{raw}</TEXT></DOC>").text == raw


@pytest.mark.parametrize("name", ["../outside", "/etc/x", "d" * 300, "a\tb"])
def test_the_name_of_a_document_is_not_a_path(tmp_path, name):
    """The tokens of a document are next to it; its name must not lead elsewhere."""
    folder = tmp_path / "corpus"
    folder.mkdir()
    (tmp_path / "outside.tok").write_text("0:1\n")
    (folder / "a.sgm").write_text("<DOC><TEXT>Bob came.</TEXT></DOC>\n")
    (folder / "a.apf.xml").write_text(
        f'<source_file><document DOCID="{name}"></document></source_file>'
    )
    (sentence,) = read(folder)
    assert sentence.tokens == ["Bob", "came", "."]


def test_numbers_too_long_are_bad_mentions(ldc):
    for path in ldc.rglob("*.apf.xml"):
        path.write_text(path.read_text().replace('END="', 'END="' + "9" * 5000))
    with pytest.raises(DataError, match=r"apf\.xml:\d+: a mention spans '\d+' to '9{20}'"):
        list(read(ldc))
