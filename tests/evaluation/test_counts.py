"""Counting: cases with known answers, an independent counter, and parts that add up."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.operations import count_calls
from innermost.corpus import Sentence
from innermost.document import Entity, ScoredSpan
from innermost.errors import UsageError
from innermost.evaluation import Counts, Evaluation
from innermost.evaluation.analysis.breakdown import Breakdown, SeenForms, places
from innermost.evaluation.analysis.partial_matches import LooseMatches
from innermost.nest import Span

LENGTH = 8
span = st.builds(
    lambda start, width, label: Span(start, min(LENGTH, start + width), label),
    st.integers(0, LENGTH - 1),
    st.integers(1, LENGTH),
    st.sampled_from("AB"),
)
spans = st.lists(span, max_size=6)
pairs = st.lists(st.tuples(spans, spans), max_size=8)


def evaluate(*sentences: tuple[list[Span], list[Span]], paper_counts: bool = False) -> Evaluation:
    result = Evaluation(paper_counts=paper_counts)
    for gold, predicted in sentences:
        result.add(gold, predicted)
    return result


OUTER, INNER, OTHER = Span(0, 4, "A"), Span(1, 3, "A"), Span(0, 4, "B")

CASES = {
    "all right": ([OUTER, INNER], [INNER, OUTER], (2, 2, 2)),
    "inner missed": ([OUTER, INNER], [OUTER], (2, 1, 1)),
    "outer missed": ([OUTER, INNER], [INNER], (2, 1, 1)),
    "one span, two types, both found": ([OUTER, OTHER], [OTHER, OUTER], (2, 2, 2)),
    "one span, two types, one found": ([OUTER, OTHER], [OTHER], (2, 1, 1)),
    "the right span with the wrong type": ([OUTER], [OTHER], (1, 1, 0)),
    "crossing": ([Span(0, 3, "A"), Span(2, 5, "A")], [Span(2, 5, "A")], (2, 1, 1)),
    "duplicates on both sides": ([OUTER, OUTER], [OUTER, OUTER, OUTER], (1, 1, 1)),
    "empty gold": ([], [OUTER], (0, 1, 0)),
    "empty prediction": ([OUTER], [], (1, 0, 0)),
    "nothing at all": ([], [], (0, 0, 0)),
}


@pytest.mark.parametrize("case", CASES)
def test_known_answers(case: str) -> None:
    gold, predicted, expected = CASES[case]
    micro = evaluate((gold, predicted)).micro
    assert (micro.gold, micro.predicted, micro.correct) == expected
    assert micro.found == micro.correct


def test_entities_in_every_form() -> None:
    entity = Entity("old town", "A", 10, 18, 1, 0.5, None, token_start=0, token_end=4)
    forms = [(0, 4, "A"), [0, 4, "A"], ScoredSpan(0, 4, "A", 1, 0.5), (0, 4, "A", None), entity]
    for form in forms:
        result = Evaluation()
        result.add([OUTER], [form])
        result.add((form,), {OUTER: 0.5})
        assert result.micro == Counts(2, 2, 2)


@pytest.mark.parametrize(
    "wrong",
    [
        {"start": 10, "end": 18, "label": "A"},
        {0: 0, 4: 4, "A": "A"},
        (0, 4),
        (0, 4, 1),
        ("A", 0, 4),
        (0.5, 4, "A"),
        "0 4 A",
        None,
    ],
)
def test_what_has_no_token_offsets_is_an_error(wrong: Any) -> None:
    with pytest.raises(UsageError, match="not an entity in token offsets") as raised:
        Evaluation().add([OUTER], [wrong])
    assert repr(wrong) in str(raised.value)
    assert "count tokens" in str(raised.value)


def test_scores_of_known_counts() -> None:
    counts = Counts(gold=4, predicted=5, correct=3)
    assert counts.precision == pytest.approx(0.6)
    assert counts.recall == pytest.approx(0.75)
    assert counts.f1 == pytest.approx(2 / 3)
    assert Counts().to_dict() == {
        "precision": 0.0,
        "recall": 0.0,
        "f1": 0.0,
        "gold": 0,
        "predicted": 0,
        "correct": 0,
    }


def test_paper_counts_repeated_gold_mentions_in_recall_only() -> None:
    result = evaluate(([OUTER, OUTER, INNER], [OUTER, OUTER]), paper_counts=True)
    assert result.micro == Counts(gold=3, predicted=1, correct=1, found=2)
    assert result.micro.precision == 1.0
    assert result.micro.recall == pytest.approx(2 / 3)
    assert result.micro.f1 == pytest.approx(0.8)
    assert result.gold_levels[1] == Counts(gold=2, correct=2)


def test_levels_are_those_of_each_side() -> None:
    gold = [Span(0, 6, "A"), Span(1, 5, "A"), Span(2, 4, "A"), Span(2, 4, "B")]
    predicted = [Span(1, 5, "A"), Span(2, 4, "A")]
    result = evaluate((gold, predicted))
    assert {level: (c.gold, c.found) for level, c in result.gold_levels.items()} == {
        1: (2, 0),
        2: (1, 1),
        3: (1, 1),
    }
    assert {level: (c.predicted, c.correct) for level, c in result.predicted_levels.items()} == {
        1: (1, 1),
        2: (1, 1),
    }


def test_json_has_the_documented_shape() -> None:
    result = evaluate(([OUTER, INNER], [OUTER])).to_dict()
    assert set(result) == {"micro", "types", "levels"}
    assert set(result["levels"]) == {"gold", "predicted"}
    assert result["levels"]["gold"]["2"] == {"recall": 0.0, "gold": 1, "found": 0}
    assert result["levels"]["predicted"]["1"] == {"precision": 1.0, "predicted": 1, "correct": 1}


def test_evaluations_of_different_kinds_do_not_add_up() -> None:
    with pytest.raises(ValueError, match="duplicates"):
        Evaluation() + Evaluation(paper_counts=True)


@given(pairs, st.booleans())
def test_agrees_with_a_counter_written_another_way(
    data: list[tuple[list[Span], list[Span]]], paper_counts: bool
) -> None:
    """The entities of each sentence are keyed by position; the rest is set arithmetic."""
    all_gold: dict[tuple[int, int, int, str], int] = {}
    all_predicted: set[tuple[int, int, int, str]] = set()
    for number, (gold, predicted) in enumerate(data):
        for s in gold:
            key = (number, *s)
            all_gold[key] = all_gold.get(key, 0) + 1
        all_predicted |= {(number, *s) for s in predicted}
    if not paper_counts:
        all_gold = dict.fromkeys(all_gold, 1)
    result = evaluate(*data, paper_counts=paper_counts)

    def independent(label: str | None) -> Counts:
        gold = {k: n for k, n in all_gold.items() if label in (None, k[3])}
        predicted = {k for k in all_predicted if label in (None, k[3])}
        return Counts(
            sum(gold.values()),
            len(predicted),
            len(predicted & set(gold)),
            sum(n for k, n in gold.items() if k in predicted),
        )

    assert result.micro == independent(None)
    for label, counts in result.types.items():
        assert counts == independent(label)


@given(pairs, st.integers(0, 8))
def test_any_partition_adds_up_to_the_whole(
    data: list[tuple[list[Span], list[Span]]], cut: int
) -> None:
    whole = evaluate(*data)
    parts = evaluate(*data[:cut]) + evaluate(*data[cut:])
    assert parts.to_dict() == whole.to_dict()
    assert parts.sentences == whole.sentences
    assert sum(whole.types.values(), Counts()) == whole.micro
    assert sum(c.gold for c in whole.gold_levels.values()) == whole.micro.gold
    assert sum(c.found for c in whole.gold_levels.values()) == whole.micro.found
    assert sum(c.predicted for c in whole.predicted_levels.values()) == whole.micro.predicted
    assert sum(c.correct for c in whole.predicted_levels.values()) == whole.micro.correct


@given(pairs, st.booleans())
def test_every_breakdown_adds_up_to_the_whole(
    data: list[tuple[list[Span], list[Span]]], paper_counts: bool
) -> None:
    tokens = list("abcabcab")
    seen = SeenForms([Sentence(tokens, [Span(0, 1, "A"), Span(0, 2, "B")])])
    breakdown = Breakdown(seen, paper_counts=paper_counts)
    for gold, predicted in data:
        breakdown.add(Sentence(tokens, gold), predicted)
    micro = evaluate(*data, paper_counts=paper_counts).micro
    assert set(breakdown.tables) == {"length", "sentence", "place", "form"}
    for table in breakdown.tables.values():
        assert sum(table.values(), Counts()) == micro


def test_breakdown_of_a_known_sentence() -> None:
    tokens = ["the", "mayor", "of", "the", "old", "town", "met", "her"]
    mayor, town, her = Span(0, 6, "PER"), Span(3, 6, "GPE"), Span(7, 8, "PER")
    seen = SeenForms([Sentence(["her", "old", "town"], [Span(0, 1, "PER"), Span(1, 3, "LOC")])])
    breakdown = Breakdown(seen)
    breakdown.add(Sentence(tokens, [mayor, town, her]), [town, her])
    tables = breakdown.tables
    assert tables["place"] == {
        "alone": Counts(1, 2, 2, 1),
        "outer": Counts(1, 0, 0),
        "inner": Counts(1, 0, 0, 1),
    }
    assert tables["length"] == {"1": Counts(1, 1, 1), "3": Counts(1, 1, 1), "6-10": Counts(1, 0, 0)}
    assert tables["sentence"] == {"nested": Counts(3, 2, 2)}
    assert tables["form"] == {"seen": Counts(1, 1, 1), "unseen": Counts(2, 1, 1)}


@given(st.lists(span, max_size=8, unique=True))
def test_places_agree_with_their_definition(given_spans: list[Span]) -> None:
    for s, place in places(given_spans).items():
        inside = any(o.contains(s) for o in given_spans)
        around = any(s.contains(o) for o in given_spans)
        assert place == ("inner" if inside else "outer" if around else "alone")


def test_loose_matches_of_known_sentences() -> None:
    loose = LooseMatches()
    loose.add([Span(0, 4, "A"), Span(6, 7, "A")], [Span(1, 4, "A"), Span(6, 7, "B")])
    assert loose.tables["boundaries"] == Counts(2, 2, 1)
    assert loose.tables["type"] == Counts(2, 2, 1, 1)
    assert loose.tables["tokens"] == Counts(5, 4, 3, 3)
    loose.add([Span(0, 4, "A")], [Span(0, 2, "A"), Span(2, 4, "A")])
    assert loose.tables["type"] == Counts(3, 4, 3, 2)
    assert loose.tables["tokens"] == Counts(9, 8, 7, 5)


@given(spans, spans)
def test_a_looser_match_never_scores_lower(gold: list[Span], predicted: list[Span]) -> None:
    exact = evaluate((gold, predicted)).micro
    loose = LooseMatches()
    loose.add(gold, predicted)
    assert loose.tables["type"].correct >= exact.correct
    assert loose.tables["type"].found >= exact.found
    assert loose.tables["tokens"].correct >= sum(
        s.end - s.start for s in set(gold) & set(predicted)
    )
    edges = {(s.start, s.end) for s in set(gold) & set(predicted)}
    assert loose.tables["boundaries"].correct >= len(edges)


def test_the_work_grows_with_the_entities_alone() -> None:
    gold = [Span(0, 4, "A"), Span(1, 3, "A"), Span(6, 8, "B")]
    predicted = [Span(0, 4, "A"), Span(6, 7, "B"), Span(9, 12, "B")]
    result = Evaluation()

    def add(times: int) -> None:
        for _ in range(times):
            result.add(gold, predicted)

    few = count_calls(lambda: add(100))
    assert count_calls(lambda: add(1_000)) < 11 * few
    assert result.micro == Counts(3_300, 3_300, 1_100)


def test_plain_tuples_are_spans() -> None:
    evaluation = Evaluation()
    evaluation.add([Span(0, 1, "X")], [(0, 1, "X"), (0, 2, "X")])  # type: ignore[list-item]
    assert (evaluation.micro.correct, evaluation.micro.predicted) == (1, 2)
