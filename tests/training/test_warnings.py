"""Warnings about the data before training."""

import pytest

pytest.importorskip("torch", reason="training needs torch")

from innermost.corpus import Sentence
from innermost.nest import Span
from innermost.training.data.dataset import Coverage, Split
from innermost.training.data.warnings import (
    EXAMPLES,
    absent_types,
    alike_types,
    left_out,
    same_data,
    uncorrected,
    unseen_types,
)

WORDS = ["it", "rained", "in", "Oslo"]


def split_of(*lines, path="s", files=()):
    return Split(path, [Sentence(line.split()) for line in lines], "f", files)


def numbered(numbers, words="it rained in Oslo on day"):
    return [f"{words} {number}" for number in numbers]


def warnings(train, test, name="test"):
    return list(same_data({"train": split_of(*train), name: split_of(*test)}))


def test_evaluation_data_inside_the_training_data_is_a_warning():
    for name in ("dev", "test"):
        (warning,) = warnings(numbered(range(90)), numbered(range(60)), name)
        assert warning == (
            f"60 of 60 {name} sentences with at least 4 tokens (100%) are also in the training "
            "data: scores are too high"
        )


def test_types_that_are_probably_one():
    sentences = [Sentence(WORDS, [Span(3, 4, "PLACE"), Span(0, 4, label)]) for label in "Ab"]
    sentences[0].entities.append(Span(3, 4, "Place"))
    split = Split("s", sentences, "f")
    assert list(alike_types(split)) == [
        "s: the types PLACE (2), Place (1) have similar names: if they mean the same, use one"
    ]
    (warning,) = unseen_types(split, ["A", "b", "PLACE"])
    assert warning.endswith("counts as missed; did you mean 'PLACE'?")


def test_a_few_sentences_in_common_are_normal():
    train = numbered(range(90))
    assert not warnings(train, numbered(range(88, 150)))  # 2 of them
    assert not warnings(train, numbered(range(87, 500)))  # less than 1%
    (warning,) = warnings(train, numbered(range(87, 387)))
    assert warning.startswith("3 of 300 test sentences with at least 4 tokens (1%)")


def test_greetings_and_numbers_in_common_are_normal():
    greetings = numbered(range(50), "Good morning")
    assert not warnings([*greetings, "it rained in Oslo"], [*greetings, "it rained in Lyon"])


def test_identical_data_has_one_warning():
    lines = numbered(range(9))
    assert warnings(lines, lines) == [
        "the train and test data are the same sentences: scores are meaningless"
    ]


def test_development_and_test_data_may_share_sentences():
    dev, test = split_of(*numbered(range(9))), split_of(*numbered(range(8)))
    assert not list(same_data({"train": split_of("it rained"), "dev": dev, "test": test}))


def test_an_absent_type_with_the_letters_of_an_unlisted_one_is_a_typo():
    annotates = frozenset({"PER", "LCO"})
    sentence = Sentence(list(WORDS), [Span(0, 1, "PER")])

    def warning_of(others):
        file = Coverage("s", 1, annotates, ignored=1, others=frozenset(others))
        (warning,) = absent_types(Split("s", [sentence], "f", (file,)))
        return warning

    never = "s: the type 'LCO' is annotated but never occurs: the model learns that there are none"
    assert warning_of({"LOC", "MISC"}) == f"{never}; did you mean 'LOC'?"
    assert warning_of({"MISC"}) == never


def test_only_what_was_excluded_is_counted():
    def warnings_of(*spans, sentences=1):
        sentence = Sentence(list(WORDS), [Span(*span, "X") for span in spans], line=7)
        return list(left_out(Split("s", [sentence] * sentences, "f")))

    crossing, duplicate = ((0, 2), (1, 3)), ((0, 2), (0, 2))
    excluded = "s: 1 crossing entity excluded from the training target (X [1, 3) at s:7)"
    assert warnings_of(*crossing) == [excluded]
    assert warnings_of(*duplicate) == ["s: 1 duplicate merged"]
    assert warnings_of(*crossing, (0, 2)) == [f"{excluded}, 1 duplicate merged"]
    assert warnings_of((0, 2)) == []
    (many,) = warnings_of(*crossing, sentences=EXAMPLES + 2)
    assert many.startswith("s: 7 crossing entities excluded")
    assert many.count("at s:7") == EXAMPLES
    assert many.endswith(" and 2 more)")


def test_predictions_that_nobody_corrected_are_a_warning():
    span, other = Span(3, 4, "PLACE"), Span(0, 1, "X")

    def warnings_of(entities, scores):
        return list(uncorrected(Split("s", [Sentence(list(WORDS), entities, scores=scores)], "f")))

    (warning,) = warnings_of([span], {span: 0.7})
    assert warning.startswith("s: every entity (1) has a score, so a model predicted it")
    assert not warnings_of([span, other], {span: 0.7})
    assert not warnings_of([span], {})
    assert not warnings_of([], {})
