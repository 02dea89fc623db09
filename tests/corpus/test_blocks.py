"""Blocks of words, tags and entities: what numbers mean, and what is wrong in them."""

from __future__ import annotations

import pytest

from innermost.corpus import Options, Report, Sentence, Source, read, registry, write
from innermost.errors import BadRecordsError, DataError, UsageError
from innermost.nest import Span

TAGGED = """\
Bob 's wife left Ghent \n\
NNP POS NN VBD NNP \n\
0,3 PER|0,1 PER|4,5 GPE

It rains
PRP VBZ


0,5 mg
CD NN


Bob left
NNP VBD
0,1 PER
"""
NESTED = [Span(0, 3, "PER"), Span(0, 1, "PER"), Span(4, 5, "GPE")]
PARTS = "Arms and legs hurt and itch\n0,0,3,3 ADR|2,3 ADR|2,2,5,5,4,4 ADR\n"
HEADS = "the wife of Bob left\n0,4,1,2 PER|3,4,3,4 PER\n\nBob\n0,1,0,1 PER\n"


def reading(tmp_path, text, **settings):
    """The sentences and the report; the format is detected."""
    path = tmp_path / "a.txt"
    path.write_text(text)
    assert registry.guess(Source(path)).name == "blocks"
    report = Report()
    return list(read(path, options=Options(settings=settings), report=report)), report


def error(tmp_path, text, **settings):
    path = tmp_path / "a.txt"
    path.write_text(text)
    with pytest.raises(DataError) as caught:
        list(read(path, format="blocks", options=Options(settings=settings)))
    return caught.value


def test_words_tags_and_nested_entities(tmp_path):
    sentences, report = reading(tmp_path, TAGGED)
    assert [s.entities for s in sentences] == [NESTED, [], [], [Span(0, 1, "PER")]]
    assert sentences[0].tokens == ["Bob", "'s", "wife", "left", "Ghent"]
    assert sentences[1].extra == {"pos": ["PRP", "VBZ"]}
    assert [s.line for s in sentences] == [1, 5, 9, 13]
    assert not report.counts


@pytest.mark.parametrize("change", [lambda t: t.replace("\n", "\r\n"), lambda t: "\ufeff" + t])
def test_line_breaks_of_windows_and_a_byte_order_mark(tmp_path, change):
    assert reading(tmp_path, change(TAGGED))[0] == reading(tmp_path, TAGGED)[0]


def test_sentences_without_tags_or_entities(tmp_path):
    text = "Bob left\n0,1 PER\n\n0,5 mg\n\n\n0,1 a\n\n\nthe wife of Bob\n3,4 family name|0,4 PER"
    sentences, _ = reading(tmp_path, text)
    assert [len(s.entities) for s in sentences] == [1, 0, 0, 2]
    assert sentences[3].entities[0] == Span(3, 4, "family name")
    assert sentences[1] == Sentence(["0,5", "mg"])


def test_blank_lines_may_be_missing_or_more_where_the_format_is_named(tmp_path):
    path = tmp_path / "a"
    path.write_text("\n\nIt rains\n\nBob left\n0,2 X\n\n\n\nIt rains\n\n")
    sentences = list(read(path, format="blocks"))
    assert [len(s.entities) for s in sentences] == [0, 1, 0]


def test_inclusive_ends_are_detected_and_reported(tmp_path):
    text = "the wife of Bob left\n0,3 PER\n\nBob left\n0,0 PER\n"
    sentences, report = reading(tmp_path, text)
    assert [s.entities for s in sentences] == [[Span(0, 4, "PER")], [Span(0, 1, "PER")]]
    assert dict(report.counts) == {("changed", "inclusive ends"): 1}
    assert "2 moved by one" in report.examples[0].detail
    assert reading(tmp_path, text, ends="inclusive")[0] == sentences


def test_ends_that_the_file_leaves_open_are_asked_for(tmp_path):
    text = "It rains\n\n\nthe wife of Bob left\n0,3 PER\n"
    open_ends = error(tmp_path, text)
    assert "does not show whether the ends" in str(open_ends)
    assert open_ends.line == 5
    assert "set ends=exclusive" in str(open_ends.hint)
    for ends, end in (("exclusive", 3), ("inclusive", 4)):
        assert reading(tmp_path, text, ends=ends)[0][1].entities == [Span(0, end, "PER")]


def test_ends_that_contradict_each_other_are_asked_for(tmp_path):
    text = "Bob left Ghent\n0,0 PER|1,2 X\n\nBob left\n0,2 X\n"
    contradiction = error(tmp_path, text)
    assert "inclusive here" in str(contradiction)
    assert "exclusive in line 5" in str(contradiction)
    assert contradiction.line == 2
    wrong = error(tmp_path, text, ends="inclusive")
    assert "0,2 X is empty or outside the 2 words" in str(wrong)
    assert wrong.line == 5
    assert error(tmp_path, text, ends="exclusive").line == 2


def test_bad_entities_show_nothing_about_ends(tmp_path):
    assert "does not show" in str(error(tmp_path, "Bob left\n0,9 X|2,2 X\n"))


def test_ends_do_not_matter_without_entities(tmp_path):
    path = tmp_path / "a.blocks"
    path.write_text("Bob left Ghent\n0,1 PER\n")
    assert list(read(path, options=Options(entities=False))) == [Sentence(["Bob", "left", "Ghent"])]
    path.write_text("It rains\n\n\n")
    assert list(read(path)) == [Sentence(["It", "rains"])]


def test_discontinuous_entities_are_lost_or_filled(tmp_path):
    sentences, report = reading(tmp_path, PARTS)
    assert sentences[0].entities == [Span(2, 4, "ADR")]
    assert report.counts["lost", "discontinuous span"] == 2
    assert "0,0,3,3 ADR" in report.examples[1].detail
    sentences, report = reading(tmp_path, PARTS, discontinuous="hull")
    assert sentences[0].entities == [Span(0, 4, "ADR"), Span(2, 4, "ADR"), Span(2, 6, "ADR")]
    assert report.counts["changed", "discontinuous span"] == 2
    assert not report.total("lost")


def test_parts_next_to_each_other_are_one_span(tmp_path):
    text = "Arms hurt a lot\n0,0,1,1 ADR|2,2,3,3 ADR\n"
    sentences, report = reading(tmp_path, text)
    assert sentences[0].entities == [Span(0, 2, "ADR"), Span(2, 4, "ADR")]
    assert not report.total("lost")


def test_parts_with_exclusive_ends(tmp_path):
    sentences, _ = reading(tmp_path, "Arms and legs hurt\n0,1,3,4 ADR\n", discontinuous="hull")
    assert sentences[0].entities == [Span(0, 4, "ADR")]


def test_heads_are_lost_and_entities_read(tmp_path):
    sentences, report = reading(tmp_path, HEADS)
    assert sentences[0].entities == [Span(0, 4, "PER"), Span(3, 4, "PER")]
    assert sentences[1].entities == [Span(0, 1, "PER")]
    assert dict(report.counts) == {("lost", "head of an entity"): 3}
    assert reading(tmp_path, HEADS, pairs="head", ends="exclusive")[0] == sentences


def test_heads_and_parts_in_one_file_are_asked_for(tmp_path):
    text = "the wife of Bob\n0,4,1,2 PER\n\nArms and legs hurt\n0,1,3,4 ADR\n"
    both = error(tmp_path, text)
    assert "its head here, inside it, but in line 5 another part" in str(both)
    assert (both.line, "pairs=head" in str(both.hint)) == (2, True)
    wrong = error(tmp_path, text, pairs="head")
    assert "0,1,3,4 ADR are not a span and a head inside it" in str(wrong)
    assert wrong.line == 5
    assert "are not parts that do not overlap" in str(error(tmp_path, text, pairs="parts"))


@pytest.mark.parametrize("numbers", ["0,2,1,3", "0,1,1,2,0,2"])
def test_numbers_that_are_neither_parts_nor_a_head(tmp_path, numbers):
    wrong = error(tmp_path, f"Arms and legs hurt\n{numbers} ADR|3,4 X\n")
    assert "parts that do not overlap or a span and a head inside it" in str(wrong)
    assert wrong.line == 2


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("Bob left\nNNP VBD\n0,1PER\n", 3, "'0,1PER' is not an entity"),
        ("Bob left\n0,1 PER||1,2 X\n", 2, "'' is not an entity"),
        ("Bob left\n0,1,2 PER\n", 2, "'0,1,2 PER' is not an entity"),
        ("Bob left\n-1,1 PER\n", 2, "'-1,1 PER' is not an entity"),
        ("Bob left\n0,1\n", 2, "'0,1' is not an entity"),
        ("Bob left\nNNP\n0,2 PER\n", 2, "2 words, but 1 part-of-speech tags: 'NNP'"),
        ("Bob left\nNNP VBD X\n", 2, "2 words, but 3 part-of-speech tags"),
        ("Bob left\nNNP VBD\nO O\n0,2 X\n", 1, "4 lines without a blank line"),
        ("Bob left\n\n0,2 X\n", 3, "a blank line separates entities from their sentence"),
        ("Bob left\n2,1 X|0,2 Y\n", 2, "the entity 2,1 X is empty or outside the 2 words"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(tmp_path, text, line, message):
    wrong = error(tmp_path, text)
    assert (wrong.line, message in str(wrong)) == (line, True), str(wrong)


def test_all_bad_sentences_are_listed_and_can_be_skipped(tmp_path):
    path = tmp_path / "a.blocks"
    path.write_text("Bob left\n0,2 X\n\nIt rains\n0,9 X\n\nGhent\nNNP NNP\n\n\nGhent\n0,1 GPE\n")
    with pytest.raises(BadRecordsError) as caught:
        list(read(path))
    assert sorted(problem.line for problem in caught.value.problems) == [5, 8]
    report = Report()
    sentences = list(read(path, options=Options(skip_bad=True), report=report))
    assert [s.tokens[0] for s in sentences] == ["Bob", "Ghent"]
    assert report.counts["skipped", "bad record"] == 2


@pytest.mark.parametrize("key", ["ends", "pairs", "discontinuous"])
def test_settings_have_known_values(tmp_path, key):
    path = tmp_path / "a.blocks"
    path.write_text(TAGGED)
    with pytest.raises(UsageError, match=f"the setting {key} is 'x'"):
        list(read(path, options=Options(settings={key: "x"})))


def test_what_is_written(tmp_path):
    path = tmp_path / "a.blocks"
    corpus = [
        Sentence(["\ufeffBob", "left"], [Span(0, 2, "X"), Span(0, 1, "a b")]),
        Sentence(["It", "rains"], extra={"pos": ["PRP", "VBZ"]}),
        Sentence(["no\u00a0break"]),
    ]
    report = Report()
    write(corpus, path, report=report)
    assert path.read_text(encoding="utf-8") == (
        "\ufeff\ufeffBob left\n0,2 X|0,1 a b\n\nIt rains\nPRP VBZ\n\n\nno\u00a0break\n\n\n"
    )
    assert not report.counts
    assert list(read(path)) == corpus


@pytest.mark.parametrize(
    "tags", ["NN NN", ["NN"], ["NN", ""], ["NN", "a b"], ["NN", 3], ["0,1", "X"], None]
)
def test_what_is_no_line_of_tags_is_lost(tmp_path, tags):
    path = tmp_path / "a.blocks"
    report = Report()
    write([Sentence(["It", "rains"], extra={"pos": tags})], path, report=report)
    assert dict(report.counts) == {("lost", "extra key"): 1}
    assert list(read(path)) == [Sentence(["It", "rains"])]


def test_what_cannot_be_written_is_lost(tmp_path):
    path = tmp_path / "a.blocks"
    corpus = [
        Sentence(["a b"]),
        Sentence([]),
        Sentence(["Bob", "left"], [Span(0, 1, "A|B"), Span(0, 2, "C")], doc="d", id="s"),
    ]
    report = Report()
    write(corpus, path, report=report)
    assert dict(report.counts) == {
        ("lost", "sentence"): 2,
        ("lost", "entity"): 1,
        ("lost", "document name"): 1,
        ("lost", "sentence id"): 1,
    }
    assert list(read(path)) == [Sentence(["Bob", "left"], [Span(0, 2, "C")])]


@pytest.mark.parametrize("first", ["1", "document-0001"])
def test_numbers_of_documents_are_no_names(tmp_path, first):
    report = Report()
    docs = [first, first, "2", "2nd", None, "05", "7"]
    write([Sentence(["Bob"], doc=doc) for doc in docs], tmp_path / "a.blocks", report=report)
    assert dict(report.counts) == {
        ("changed", "document number"): 4,
        ("lost", "document name"): 2,
    }


@pytest.mark.parametrize(
    "text",
    [
        "It rains\n\n\nBob left\n\n\n",  # no entities
        "Bob left.\nHe was tired.\n\nIt rained.\n",
        "Bob left\n0,1 PER\n\nIt rains and\nit pours on them\n\n\n",
        "Bob left\n0,1 PER\n\nIt rains\n\nBob left\n0,1 PER\n",  # one blank line
        "Bob left\n0,1 PER\n\na\nb\nc\nd\n0,1 PER\n",
        "0,1 PER\n\n\n2,3 PER\n",
        "dose\n0,5 mg\n\nsalt\n0,2 g\n\n",  # more than the words
        "dose\n0,5 mg and more\n\nMix well.\nServe cold at once.\n",
        "1\n00:00:01,000 --> 00:00:02,500\nBob left.\n",
        "Bob\tB-PER\nleft\tO\n\n",
    ],
)
def test_other_text_is_not_taken_for_blocks(tmp_path, text):
    path = tmp_path / "a"
    path.write_text(text)
    assert not registry.get("blocks").sniff(Source(path))


def test_blocks_are_detected_although_the_head_ends_within_one(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text(TAGGED.replace("\n0,1 PER\n", "\n0,1 PER\n\n") * 2000)
    assert registry.guess(Source(path)).name == "blocks"
    assert sum(1 for _ in read(path)) == 8000
