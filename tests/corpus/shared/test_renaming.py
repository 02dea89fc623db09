"""Types get other names while a corpus is read."""

from __future__ import annotations

from pathlib import Path

import pytest

from innermost.corpus import Options, Report, Sentence, read, write
from innermost.corpus.reading import ReadingOptions
from innermost.corpus.renaming import renamed as renamed_sentences
from innermost.errors import UsageError
from innermost.nest import Span

SENTENCES = [
    Sentence(
        ["the", "mayor", "of", "Ghent"],
        [Span(0, 4, "PER"), Span(3, 4, "GPE"), Span(3, 4, "LOC"), Span(3, 4, "MISC")],
        scores={Span(0, 4, "PER"): 0.5, Span(3, 4, "GPE"): 0.25},
    ),
    Sentence(["no", "name"]),
    Sentence(["Bob"], [Span(0, 1, "PERSON")]),
]


def renamed(tmp_path: Path, names: dict[str, str]) -> tuple[list[Sentence], Report]:
    path, report = tmp_path / "a.jsonl", Report()
    write(SENTENCES, path)
    return list(read(path, options=Options(rename=names), report=report)), report


def test_types_get_their_new_names_and_keep_their_scores(tmp_path: Path) -> None:
    sentences, report = renamed(tmp_path, {"PER": "person"})
    first = SENTENCES[0].entities
    assert sentences[0].entities == [Span(0, 4, "person"), *first[1:]]
    assert sentences[0].scores == {Span(0, 4, "person"): 0.5, Span(3, 4, "GPE"): 0.25}
    assert [s.entities for s in sentences[1:]] == [s.entities for s in SENTENCES[1:]]
    assert not report.counts


def test_types_can_change_places(tmp_path: Path) -> None:
    sentences, _ = renamed(tmp_path, {"GPE": "PER", "PER": "GPE"})
    assert sentences[0].entities[:2] == [Span(0, 4, "GPE"), Span(3, 4, "PER")]


def test_a_type_without_a_new_name_is_left_out_and_counted(tmp_path: Path) -> None:
    sentences, report = renamed(tmp_path, {"MISC": "", "GPE": ""})
    assert [e.label for s in sentences for e in s.entities] == ["PER", "LOC", "PERSON"]
    assert [str(event) for event in report.examples] == [
        f"{tmp_path / 'a.jsonl'}: note: type left out by renaming: MISC (1 entity)",
        f"{tmp_path / 'a.jsonl'}: note: type left out by renaming: GPE (1 entity)",
    ]


def test_two_types_on_the_same_words_become_one_entity(tmp_path: Path) -> None:
    sentences, report = renamed(tmp_path, {"GPE": "place", "LOC": "place"})
    assert [e.label for e in sentences[0].entities] == ["PER", "place", "MISC"]
    assert report.counts == {("changed", "merged by renaming"): 1}


@pytest.mark.parametrize("labels", [["A", "B"], ["B", "A"]])
def test_a_type_can_become_one_that_exists(tmp_path: Path, labels: list[str]) -> None:
    spans = [Span(0, 1, label) for label in labels]
    report = Report()
    sentence = Sentence(["x"], spans, scores={Span(0, 1, "A"): 0.5, Span(0, 1, "B"): 0.25})
    (merged,) = renamed_sentences([sentence], {"A": "B"}, report, "f")
    assert merged.entities == [Span(0, 1, "B")]
    assert merged.scores == {Span(0, 1, "B"): 0.5}
    assert report.counts == {("changed", "merged by renaming"): 1}


def test_an_entity_that_was_annotated_twice_stays_so() -> None:
    twice = Sentence(["x"], [Span(0, 1, "A"), Span(0, 1, "A")])
    (same,) = renamed_sentences([twice], {"A": "B"}, Report(), "f")
    assert same.entities == [Span(0, 1, "B")] * 2


def test_a_type_that_no_entity_has_is_named(tmp_path: Path) -> None:
    _, report = renamed(tmp_path, {"PERS": "person"})
    assert report.examples[0].detail == "none has the type PERS; did you mean 'PER'?"


@pytest.mark.parametrize("names", [{"LOCUS": "LOC"}, {"PERS": "x", "PER": "y"}, {"XYZ": "x"}])
def test_a_new_name_or_a_type_that_is_renamed_was_not_meant(names: dict[str, str]) -> None:
    report = Report()
    sentence = Sentence(["x", "y"], [Span(0, 1, "PER"), Span(1, 2, "LOC")])
    list(renamed_sentences([sentence], names, report, "f"))
    assert [example.detail for example in report.examples] == [
        f"none has the type {next(iter(names))}"
    ]


def test_a_new_name_must_be_a_label() -> None:
    with pytest.raises(UsageError, match="not a valid type name"):
        ReadingOptions(rename={"PER": "per\tson"}).check()
