"""Every error has one kind; every unmatched entity belongs to one error."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from innermost.corpus import Sentence
from innermost.evaluation.analysis.error_analysis import (
    KINDS,
    Error,
    ErrorAnalysis,
    errors,
    in_context,
)
from innermost.nest import Span

TOKENS = ["They", "saw", "the", "mayor", "of", "the", "old", "town", "yesterday", "."]
MAYOR, TOWN, THEY = Span(2, 8, "PER"), Span(5, 8, "GPE"), Span(0, 1, "VEH")

span = st.builds(
    lambda start, width, label: Span(start, min(10, start + width), label),
    st.integers(0, 9),
    st.integers(1, 5),
    st.sampled_from(["PER", "GPE"]),
)

CASES = {
    "wrong type": ([TOWN], [Span(5, 8, "LOC")]),
    "too short": ([MAYOR], [Span(2, 4, "PER")]),
    "too long": ([TOWN], [Span(4, 9, "GPE")]),
    "shifted": ([TOWN], [Span(6, 9, "GPE")]),
    "wrong type and boundaries": ([TOWN], [Span(6, 8, "LOC")]),
    "missed": ([THEY], []),
    "missed outer": ([MAYOR, TOWN], [TOWN]),
    "missed inner": ([MAYOR, TOWN], [MAYOR]),
    "spurious": ([], [TOWN]),
    "spurious inner": ([MAYOR], [MAYOR, TOWN]),
}


def test_there_is_a_case_for_every_kind() -> None:
    assert set(CASES) == set(KINDS)


@pytest.mark.parametrize("kind", CASES)
def test_known_kinds(kind: str) -> None:
    gold, predicted = CASES[kind]
    assert [error.kind for error in errors(gold, predicted)] == [kind]


@given(st.lists(span, max_size=6), st.lists(span, max_size=6))
def test_every_unmatched_entity_is_in_exactly_one_error(
    gold: list[Span], predicted: list[Span]
) -> None:
    found = errors(gold, predicted)
    in_gold = Counter(e.gold for e in found if e.gold)
    in_predicted = Counter(e.predicted for e in found if e.predicted)
    assert in_gold == Counter(set(gold) - set(predicted))
    assert in_predicted == Counter(set(predicted) - set(gold))
    assert {e.kind for e in found} <= set(KINDS)


def test_the_closest_pair_is_taken_first() -> None:
    gold = [Span(0, 5, "PER"), Span(6, 7, "PER")]
    predicted = [Span(0, 4, "PER"), Span(2, 4, "PER")]
    assert errors(gold, predicted) == [
        Error("too short", Span(0, 5, "PER"), Span(0, 4, "PER")),
        Error("spurious inner", None, Span(2, 4, "PER")),
        Error("missed", Span(6, 7, "PER"), None),
    ]


def test_pronouns_are_counted_missed_or_mistaken() -> None:
    analysis = ErrorAnalysis()
    analysis.add(Sentence(TOKENS, [THEY]), [])
    analysis.add(Sentence(TOKENS, [THEY]), [Span(0, 1, "PER")])
    analysis.add(Sentence(TOKENS, [TOWN]), [])
    assert analysis.kinds == {"missed": 2, "wrong type": 1}
    assert analysis.pronouns["missed"] == 1
    assert analysis.pronouns["wrong type"] == 1


def test_confusion_adds_up_to_gold_and_predictions() -> None:
    analysis = ErrorAnalysis()
    analysis.add(Sentence(TOKENS, [MAYOR, TOWN, THEY]), [MAYOR, Span(5, 8, "LOC")])
    assert analysis.confusion == {
        ("PER", "PER"): 1,
        ("GPE", "LOC"): 1,
        ("VEH", None): 1,
    }


def test_an_error_in_context() -> None:
    error = Error("too short", MAYOR, Span(2, 4, "PER"))
    assert in_context(TOKENS, error, window=1) == (
        "... saw [{the mayor}PER of the old town]PER yesterday ..."
    )


def test_examples_are_kept_up_to_a_number() -> None:
    analysis = ErrorAnalysis(keep=2)
    for _ in range(5):
        analysis.add(Sentence(TOKENS, [TOWN]), [])
    assert len(analysis.examples["missed"]) == 2
    assert analysis.to_dict()["kinds"]["missed"] == 5
