from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given

from corpus.strategies import content, corpora, odd_tokens, with_documents
from innermost.corpus import Report, Sentence, read
from innermost.corpus.format import Options
from innermost.corpus.formats.columns import FORMAT
from innermost.corpus.shared.tag_schemes import SCHEMES, spans_of, split_tag, tags_of
from innermost.corpus.shared.unsupported import layers
from innermost.errors import BadRecordsError, DataError, UsageError
from innermost.files.source import Source
from innermost.nest import Span

DATA = Path(__file__).parents[2] / ".." / "shared" / "data"


def read_text(path, text, report=None, **settings):
    path.write_text(text, newline="")
    return list(FORMAT.read(Source(path), Options(settings=settings), report or Report()))


def round_trip(tmp_path_factory, sentences, report, **settings):
    path = tmp_path_factory.mktemp("columns") / "out.conll"
    FORMAT.write(sentences, path, Options(settings=settings), report)
    return list(FORMAT.read(Source(path), Options(), Report()))


@given(corpus=corpora())
def test_every_scheme_gives_all_spans_back(corpus, tmp_path_factory):
    for scheme in SCHEMES:
        report = Report()
        back = round_trip(tmp_path_factory, corpus, report, scheme=scheme)
        assert not report.counts
        assert content(back) == content(corpus)


@given(corpus=with_documents())
def test_document_names_come_back(corpus, tmp_path_factory):
    back = round_trip(tmp_path_factory, corpus, Report())
    assert [(s.doc, *c) for s, c in zip(back, content(back), strict=True)] == [
        (s.doc, *c) for s, c in zip(corpus, content(corpus), strict=True)
    ]


@given(corpus=corpora(tokens=odd_tokens))
def test_odd_tokens_come_back_or_are_reported(corpus, tmp_path_factory):
    report = Report(keep=100)
    back = round_trip(tmp_path_factory, corpus, report)
    lost = {int(e.detail.split()[1].rstrip(":")) for e in report.examples if e.kind == "lost"}
    kept = [s for n, s in enumerate(corpus, start=1) if n not in lost]
    assert content(back) == content(kept)
    for number in lost:
        tokens = corpus[number - 1].tokens
        assert tokens == ["-DOCSTART-"] or any(
            "\t" in t or "\n" in t or not t.strip(" \r") for t in tokens
        )


def test_columns_that_are_not_read_are_reported(tmp_path):
    report = Report()
    read_text(tmp_path / "a", "Ada NNP B-PER\nmet VBD O\n", report)
    path = tmp_path / "a"
    assert [str(e) for e in report.examples] == [
        f"{path}: note: columns not read: column 2 (NNP, VBD)"
    ]
    report = Report()
    (sentence,) = read_text(path, "the DT B-A O\nwife NN I-A B-B\n", report)
    assert sentence.entities == [Span(0, 2, "A"), Span(1, 2, "B")]
    assert [event.detail for event in report.examples] == [
        "read as layers of entities: column 3 (A) and column 4 (B); not read: column 2 (DT, NN); "
        "to choose: --read-set tags=3,4"
    ]


def test_conll_2003(tmp_path):
    text = (
        "-DOCSTART- -X- -X- O\n\nAda NNP I-NP I-PER\nmet VBD I-VP O\nOslo NNP I-NP I-LOC\n"
        "Bergen NNP I-NP B-LOC\n\n-DOCSTART- -X- -X- O\n\n# DT I-NP O\n"
    )
    report = Report()
    first, second = read_text(tmp_path / "a", text, report)
    assert first.tokens == ["Ada", "met", "Oslo", "Bergen"]
    assert first.entities == [Span(0, 1, "PER"), Span(2, 3, "LOC"), Span(3, 4, "LOC")]
    assert (first.doc, second.doc) == ("1", "2")
    assert second.tokens == ["#"]
    # IOB1: an I may begin an entity. The chunks are not entities, and that is reported.
    assert dict(report.counts) == {("odd", "several columns of tags"): 1}
    (event,) = report.examples
    assert event.detail == (
        "read as entities: column 4 (LOC, PER); not read: column 2 (DT, NNP, VBD) and column 3 "
        "(NP, VP); to choose: --read-set tags=3,4"
    )
    assert event.detail.endswith("to choose: --read-set tags=3,4")
    both = read_text(tmp_path / "a", text, tags="3,4")
    assert {span.label for span in both[0].entities} == {"PER", "LOC", "NP", "VP"}


def test_germeval(tmp_path):
    text = "#\tnews [2009]\n1\tStadt\tB-LOC\tO\n2\tOslo\tI-LOC\tB-LOC\n\n#\tother\n1\tNein\tO\tO\n"
    first, second = read_text(tmp_path / "a", text)
    assert first.tokens == ["Stadt", "Oslo"]
    assert first.entities == [Span(0, 2, "LOC"), Span(1, 2, "LOC")]
    assert first.extra == {"comments": ["#\tnews [2009]"]}
    assert second.tokens == ["Nein"]


NESTED = [
    (["Frau", "B-PER", "O"], ["der", "I-PER", "O"], ["Stadt", "I-PER", "B-LOC"]),
    (["Oslo", "B-LOC", "O"], ["!", "O", "O"]),
]
"""Outer and inner tags."""


@pytest.mark.parametrize("separator", ["\t", " "])
@pytest.mark.parametrize("counted", [False, True], ids=["token first", "counted"])
@pytest.mark.parametrize("comment", ["", "# https://example.org [2009-10-17]\n", "#\tx\n"])
def test_layers_without_a_header_are_all_read(tmp_path, separator, counted, comment):
    text = "".join(
        comment
        + "".join(
            separator.join([str(number)] * counted + row) + "\n"
            for number, row in enumerate(sentence, start=1)
        )
        + "\n"
        for sentence in NESTED
    )
    report = Report()
    first, second = read_text(tmp_path / "a", text, report)
    assert first.tokens == ["Frau", "der", "Stadt"]
    assert first.entities == [Span(0, 3, "PER"), Span(2, 3, "LOC")]
    assert second.entities == [Span(0, 1, "LOC")]
    assert not report.counts
    assert FORMAT.sniff(Source(tmp_path / "a"))


def test_three_layers_after_other_columns_are_read_and_reported(tmp_path):
    report = Report()
    text = "a NN x B-A O O\nb NN y I-A B-B O\nc NN z I-A I-B B-C\n"
    (sentence,) = read_text(tmp_path / "a", text, report)
    assert sentence.entities == [Span(0, 3, "A"), Span(1, 3, "B"), Span(2, 3, "C")]
    (event,) = report.examples
    assert "column 4 (A) and column 5 (B) and column 6 (C)" in event.detail
    assert event.detail.endswith("to choose: --read-set tags=4,5,6")


def test_a_slip_in_a_layer_is_a_bad_line_and_not_the_end_of_the_layer(tmp_path):
    text = "".join(f"w{n}\tB-A\t{'B-B' if n != 7 else 'B:B'}\n\n" for n in range(10))
    with pytest.raises(DataError, match="'B:B' is not a tag") as caught:
        read_text(tmp_path / "a", text)
    assert caught.value.line == 15


def test_gold_and_predicted_tags_are_not_layers(tmp_path):
    text = "".join(f"w{n} NN B-A {'B-A' if n % 4 else 'O'}\n\n" for n in range(20))
    with pytest.raises(DataError, match="columns 3 and 4 hold mostly the same entities"):
        read_text(tmp_path / "a", text)
    assert len(read_text(tmp_path / "a", text, tags="3")) == 20


def test_chunks_alone_are_read(tmp_path):
    (sentence,) = read_text(tmp_path / "a", "Ada NNP B-NP\nmet VBD B-VP\n")
    assert sentence.entities == [Span(0, 1, "NP"), Span(1, 2, "VP")]


def test_every_bad_line_of_a_sentence_is_listed(tmp_path):
    with pytest.raises(BadRecordsError) as caught:
        read_text(tmp_path / "a", "a O\nb X\nc\nd O\ne Y\n\nf O\ng O\nh O\ni O\nj O\nk O\n")
    assert [problem.line for problem in caught.value.problems] == [2, 3, 5]


def test_comments_are_written_again(tmp_path_factory):
    given = Sentence(["Nein"], extra={"comments": ["#\tnews [2009]"]}, id="s O")
    report = Report()
    assert round_trip(tmp_path_factory, [given], report) == [given]
    assert not report.counts


def test_spaces_and_tabs_at_the_end_and_in_a_row_do_not_matter(tmp_path):
    text = "Ada   NNP  B-PER \nmet VBD O\t\r\n \t\nOslo\tNNP\tB-LOC\t\n"
    first, second = read_text(tmp_path / "a", text)
    assert (first.tokens, first.entities) == (["Ada", "met"], [Span(0, 1, "PER")])
    assert (second.tokens, second.entities) == (["Oslo"], [Span(0, 1, "LOC")])


@given(corpus=corpora(max_entities=12))
def test_no_more_layers_than_spans_over_one_token(corpus):
    for sentence in corpus:
        dealt = layers(sentence.entities)
        over = [
            sum(start <= token < end for start, end, _ in sentence.entities)
            for token in range(len(sentence.tokens))
        ]
        assert len(dealt) == max(over)


def test_columns_by_number(tmp_path):
    (sentence,) = read_text(tmp_path / "a", "x Bob B-A B-B z\n", token="2", tags="3,4")
    assert sentence.tokens == ["Bob"]
    assert sentence.entities == [Span(0, 1, "A"), Span(0, 1, "B")]


def test_i_without_b_is_odd_once_the_file_is_known_not_to_be_iob1(tmp_path):
    report = Report()
    (sentence,) = read_text(tmp_path / "a", "a\tI-X\nb\tO\nc\tB-Y\nd\tO\ne\tI-Z\n", report)
    assert [s.label for s in sentence.entities] == ["X", "Y", "Z"]
    assert [(e.kind, e.line) for e in report.examples] == [("odd", 1), ("odd", 5)]


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("a\tO\nb\tPER\n", 2, "'PER' is not a tag"),
        ("a\tO\nb\n", 2, "expected at least 2 columns"),
        ("a\tO\n\tO\n", 2, "token is empty"),
        ("# global.columns = ID LEMMA\n1\tx\n", 1, "do not include FORM and NER"),
        ("a\tO\n# late\tcomment\n", 2, "'comment' is not a tag"),
    ],
)
def test_errors_name_the_line(tmp_path, text, line, message):
    with pytest.raises(DataError, match=message) as caught:
        read_text(tmp_path / "a", text)
    assert caught.value.line == line


def test_wrong_settings(tmp_path):
    for settings in ({"tags": "x"}, {"scheme": "bmes"}, {"color": "red"}):
        with pytest.raises(UsageError):
            read_text(tmp_path / "a", "a\tO\n", **settings)


def test_what_has_no_place_is_reported(tmp_path_factory):
    given = Sentence(["a", "b"], gaps=["", "", ""], extra={"topic": 1})
    report = Report()
    round_trip(tmp_path_factory, [given], report)
    assert dict(report.counts) == {("lost", "extra key"): 1, ("changed", "whitespace"): 1}


def test_tags_against_spans_found_by_trying_every_stretch():
    """The reader's rule against its definition: a maximal run of tags that belong together."""
    generator = random.Random(0)
    alphabet = [("O", ""), *((p, label) for p in "BIES" for label in "XY")]
    for _ in range(3000):
        tags = [generator.choice(alphabet) for _ in range(generator.randint(1, 6))]

        def joins(i, tags=tags):
            """Whether token i continues the entity of token i - 1."""
            (left, left_label), (right, right_label) = tags[i - 1], tags[i]
            return left in "BI" and right in "IE" and left_label == right_label

        expected = [
            Span(start, end, tags[start][1])
            for start in range(len(tags))
            for end in range(start + 1, len(tags) + 1)
            if tags[start][0] != "O"
            and all(joins(i) for i in range(start + 1, end))
            and not (start > 0 and joins(start))
            and not (end < len(tags) and joins(end))
        ]
        assert spans_of(tags)[0] == expected


def test_iob1_marks_only_what_touches():
    spans = [Span(0, 2, "X"), Span(2, 3, "X"), Span(3, 4, "Y")]
    assert tags_of(spans, 5, "iob1") == ["I-X", "I-X", "B-X", "I-Y", "O"]
    assert tags_of(spans, 5, "bilou") == ["B-X", "L-X", "U-X", "U-Y", "O"]


def test_a_label_may_hold_a_hyphen():
    assert split_tag("B-creative-work") == ("B", "creative-work")
    assert split_tag("B-") is None
    assert split_tag("X-PER") is None


@pytest.mark.parametrize(
    ("raw", "split"),
    [
        ("wnut17train.conll.xz", "train"),
        ("emerging.dev.conll.xz", "dev"),
        ("emerging.test.annotated.xz", "test"),
    ],
)
def test_wnut17(raw, split):
    folder = DATA / "wnut17"
    if not folder.exists():
        pytest.skip("the WNUT-17 corpus is not here")
    source = Source(folder / "raw" / raw)
    assert FORMAT.sniff(source)
    report = Report()
    got = list(FORMAT.read(source, Options(), report))
    assert got == list(read(folder / f"{split}.jsonl"))
    assert not report.counts


def test_tags_in_further_columns_of_some_lines_are_reported_as_lost(tmp_path):
    path = tmp_path / "a.conll"
    flat = "The\tO\nBank\tB-ORG\n\n" * 3
    path.write_text(flat + "The\tO\tO\nBank\tB-ORG\tO\nSpain\tI-ORG\tB-LOC\n\n")
    report = Report()
    sentences = list(FORMAT.read(Source(path), Options(), report))
    assert sentences[-1].entities == [Span(1, 3, "ORG")]
    assert dict(report.counts) == {("lost", "tag in a further column"): 1}
    assert report.examples[0].line == 12


def test_a_token_with_a_space_is_an_error_that_counts_the_columns(tmp_path):
    path = tmp_path / "a.conll"
    path.write_text("Bob B-PER O\nwas O O\nin O O\nNew York B-LOC O\n")
    with pytest.raises(DataError, match=r"a\.conll:4: expected 3 columns, found 4") as caught:
        list(read(path))
    assert "a token with a space" in str(caught.value.problems[0].hint)
