"""CoNLL-U with entities in brackets: the conventions of CorefUD and of GUM, old and new."""

from __future__ import annotations

import pytest

from innermost.corpus import Options, Report, Sentence, registry
from innermost.corpus.formats.conllu.write import escaped
from innermost.errors import DataError, UsageError
from innermost.files.source import Source
from innermost.nest import Span

FORMAT = registry.get("conllu")


def rows(*words):
    """Lines of ``(form, misc)``, numbered consecutively unless they have a number."""
    lines = []
    number = 0
    for word in words:
        form, misc, *given = word
        number += not given
        id = given[0] if given else str(number)
        lines.append("\t".join([id, form, *"_" * 7, misc]))
    return "\n".join(lines) + "\n\n"


def read(tmp_path, text, report=None, **settings):
    path = tmp_path / "a.conllu"
    path.write_text(text)
    return list(FORMAT.read(Source(path), Options(settings=settings), report or Report()))


WIFE = [Span(0, 4, "person"), Span(3, 4, "person")]


@pytest.mark.parametrize(
    ("header", "brackets"),
    [
        # CorefUD: name, type, head, other.
        ("# global.Entity = eid-etype-head-other\n", ("(e1-person-2-", "(e2-person-1-)e1)")),
        # GUM: more fields, names that are numbers.
        (
            "# global.Entity = GRP-etype-infstat-salience-centering-minspan-link-identity\n",
            ("(1-person-new-nnnnn-cf1-2-sgl", "(2-person-new-nnnnn-cf2-1-coref-Bob_Dylan)1)"),
        ),
        # Closing brackets before opening ones.
        ("# global.Entity = eid-etype-head-other\n", ("(e1-person-2-", "e1)(e2-person-1-)")),
        # Without a header: the type first (older GUM), or the name first.
        ("", ("(person-1", "(person-2)person-1)")),
        ("", ("(1-person", "(2-person)1)")),
        ("", ("(e1-person", "(e2-person)e1)")),
        # One entity mentioned within itself: the inner mention closes first.
        ("# global.Entity = eid-etype-head-other\n", ("(e1-person-2-", "(e1-person-1-)e1)")),
    ],
)
def test_conventions_of_brackets(tmp_path, header, brackets):
    opening, closing = brackets
    text = header + rows(
        ("the", f"Entity={opening}"), ("wife", "_"), ("of", "_"), ("Bob", f"Entity={closing}")
    )
    report = Report()
    (sentence,) = read(tmp_path, text, report)
    assert sentence.tokens == ["the", "wife", "of", "Bob"]
    assert sentence.entities == WIFE
    assert not report.counts
    assert registry.guess(Source(tmp_path / "a.conllu")).name == "conllu"


def test_documents_ids_comments_and_spacing(tmp_path):
    text = (
        "# newdoc id = letters/7\n# global.Entity = eid-etype\n# newpar\n# sent_id = s1\n"
        "# text = (Bob)\n"
        + rows(("(", "SpaceAfter=No"), ("Bob", "SpaceAfter=No|Entity=(e1-person)"), (")", "_"))
        + "# sent_id = s2\n"
        + rows(("It", "_"), ("rains", "SpacesAfter=\\s\\n"))
        + "# newdoc\n"
        + rows(("Yes", "_"))
    )
    first, second, third = read(tmp_path, text)
    assert (first.doc, first.id, first.extra) == ("letters/7", "s1", {"comments": ["# newpar"]})
    assert first.text + second.text == "(Bob) It rains \n"
    assert (second.doc, second.id) == ("letters/7", "s2")
    assert (third.doc, third.unnamed, third.gaps) == ("a.conllu:14", True, None)


def test_multiword_tokens(tmp_path):
    text = "# global.Entity = eid-etype\n" + rows(
        ("don't", "SpaceAfter=No", "1-2"),
        ("do", "Entity=(e1-act)"),
        ("n't", "_"),
        ("au", "_", "3-4"),
        ("à", "_"),
        ("le", "Entity=(e2-place"),
        ("café", "Entity=e2)"),
        ("gone", "Entity=(e3-person)", "5.1"),
    )
    report = Report()
    (sentence,) = read(tmp_path, text, report)
    # Words that spell out the token are tokens; others are not in the text.
    assert sentence.tokens == ["do", "n't", "au", "café"]
    assert sentence.text == "don'tau café "
    assert sentence.entities == [Span(0, 1, "act"), Span(2, 4, "place")]
    assert dict(report.counts) == {
        ("lost", "mention of an empty node"): 1,
        ("changed", "span widened to whole tokens"): 1,
    }


def test_mentions_in_pieces_are_reported(tmp_path):
    text = "# global.Entity = eid-etype\n" + rows(
        ("both", "Entity=(e1[1/2]-person)"),
        ("of", "_"),
        ("us", "Entity=(e1[2/2]-person)"),
        ("two", "Entity=(e2[1/2]-person)"),
        ("here", "Entity=(e2[2/2]-person"),
        ("now", "Entity=e2[2/2])"),
    )
    report = Report()
    (sentence,) = read(tmp_path, text, report)
    assert sentence.entities == [Span(3, 6, "person")]
    assert dict(report.counts) == {("lost", "discontinuous span"): 1}
    report = Report()
    (sentence,) = read(tmp_path, text, report, discontinuous="hull")
    assert sentence.entities == [Span(0, 3, "person"), Span(3, 6, "person")]
    assert dict(report.counts) == {("changed", "discontinuous span"): 1}
    with pytest.raises(UsageError, match="discontinuous"):
        read(tmp_path, text, discontinuous="cut")


def test_mentions_without_a_type(tmp_path):
    text = "# global.Entity = eid-etype-head-other\n" + rows(("Bob", "Entity=(e1--1-)"))
    assert read(tmp_path, text)[0].entities == [Span(0, 1, "mention")]
    text = "# global.Entity = eid-head\n" + rows(("Bob", "Entity=(e1-1)"))
    assert read(tmp_path, text)[0].entities == [Span(0, 1, "mention")]


def test_a_file_without_entities_is_reported(tmp_path):
    report = Report()
    assert len(read(tmp_path, rows(("Bob", "_")), report)) == 1
    assert dict(report.counts) == {("odd", "no entities"): 1}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (rows(("a", "Entity=(e1-x")), "the mention e1 is not closed"),
        (rows(("a", "Entity=e1)")), r"the bracket e1\) closes no open mention"),
        (rows(("a", "Entity=(e1-x)e")), "not a list of brackets"),
        (rows(("a", "Entity=()")), "not a list of brackets"),
        (rows(("a", "_", "2")), "not numbered 1, 2, 3"),
        (rows(("ab", "_", "1-3"), ("a", "_")), "multiword token 1-3 has no words"),
        ("1\ta\t_\n\n", "expected 10 TAB-separated columns"),
        ("x\ta\t_\t_\t_\t_\t_\t_\t_\t_\n\n", "expected 10 TAB-separated columns"),
    ],
)
def test_bad_sentences_name_the_line(tmp_path, text, message):
    with pytest.raises(DataError, match=message) as caught:
        read(tmp_path, text)
    assert caught.value.line == 1


def test_what_is_written(tmp_path):
    labels = ["creative-work", "a(b)|c=d", "100%", "Mental or Social", "Größe"]
    corpus = [
        Sentence(
            ["(", "Bob", ")"],
            [Span(1, 2, label) for label in labels] + [Span(0, 2, "X"), Span(1, 3, "Y")],
            gaps=["", "", "", "\n"],
            id="s1",
            doc="d",
            extra={"comments": ["# newpar"]},
        ),
        Sentence(["a b"], doc="d"),
    ]
    report = Report()
    path = tmp_path / "a.conllu"
    FORMAT.write(corpus, path, Options(), report)
    assert not report.counts
    back = list(FORMAT.read(Source(path), Options(), report))
    assert [(s.tokens, sorted(s.entities), s.id, s.doc, s.extra) for s in back] == [
        (s.tokens, sorted(s.entities), s.id, s.doc, s.extra) for s in corpus
    ]
    assert back[0].text == corpus[0].text
    first = path.read_text().split("\n")
    assert first[:5] == [
        "# global.Entity = eid-etype",
        "# newdoc id = d",
        "# sent_id = s1",
        "# newpar",
        "# text = (Bob)",
    ]
    assert first[5] == "1\t(\t_\t_\t_\t_\t_\t_\t_\tEntity=(e1-X|SpaceAfter=No"
    assert escaped("a-b") == "a%2Db"


def tagged(key, *tags):
    return rows(*((f"w{n}", f"{key}={tag}" if tag else "_") for n, tag in enumerate(tags)))


@pytest.mark.parametrize("key", ["name", "ner", "NER"])
@pytest.mark.parametrize(
    "tags", [("B-PER", "I-PER", "O", "B-LOC"), ("B-PER", "E-PER", "", "S-LOC")]
)
def test_tags_instead_of_brackets(tmp_path, key, tags):
    report = Report()
    first, second = read(tmp_path, tagged(key, "O", "O") + tagged(key, *tags), report)
    assert first.entities == []
    assert second.entities == [Span(0, 2, "PER"), Span(3, 4, "LOC")]
    assert not report.counts


def test_tags_on_words_of_a_multiword_token(tmp_path):
    text = rows(("au", "_", "1-2"), ("à", "name=O"), ("le", "name=B-LOC"), ("Mans", "name=I-LOC"))
    (sentence,) = read(tmp_path, text)
    assert sentence.tokens == ["au", "Mans"]
    assert sentence.entities == [Span(0, 2, "LOC")]


def test_a_tag_that_begins_nothing_is_reported(tmp_path):
    report = Report()
    (sentence,) = read(tmp_path, tagged("name", "O", "I-PER"), report)
    assert sentence.entities == [Span(1, 2, "PER")]
    assert dict(report.counts) == {("odd", "tag without a beginning"): 1}


def test_what_is_no_tag_is_an_error_with_its_line(tmp_path):
    with pytest.raises(DataError, match=r"a\.conllu:2: name=Bob is no tag"):
        read(tmp_path, tagged("name", "B-PER", "Bob"))
    assert read(tmp_path, tagged("name", "Bob", "Anna"))[0].entities == []
    assert read(tmp_path, tagged("name", "B-PER", "Bob"), tags="none")[0].entities == []


def test_tags_of_another_key(tmp_path):
    text = tagged("chunk", "B-NP", "I-NP")
    assert read(tmp_path, text)[0].entities == []
    assert read(tmp_path, text, tags="chunk")[0].entities == [Span(0, 2, "NP")]


def test_one_of_two_annotations_is_read(tmp_path):
    text = rows(("Bob", "Entity=(e1-person)|name=B-PER"), ("left", "name=O"))
    assert read(tmp_path, text)[0].entities == [Span(0, 1, "person")]
    assert read(tmp_path, text, tags="name")[0].entities == [Span(0, 1, "PER")]


def test_brackets_after_tags_are_reported_as_lost(tmp_path):
    text = tagged("name", "O", "B-PER") + rows(("Bob", "Entity=(e1-person)"), ("left", "_"))
    report = Report()
    first, second = read(tmp_path, text, report)
    assert [first.entities, second.entities] == [[Span(1, 2, "PER")], []]
    assert dict(report.counts) == {("lost", "Entity= in addition to tags"): 1}
    assert read(tmp_path, text, tags="none")[1].entities == [Span(0, 1, "person")]


def test_tags_of_the_japanese_gsd(tmp_path):
    path = tmp_path / "a.conllu"
    cells = "\t_" * 7
    path.write_text(f"1\tNew{cells}\tNE=B-GPE\n2\tYork{cells}\tNE=L-GPE\n3\tis{cells}\t_\n\n")
    (sentence,) = registry.get("conllu").read(Source(path), Options(), Report())
    assert sentence.entities == [Span(0, 2, "GPE")]
