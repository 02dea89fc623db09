"""Flat data counted from tags, as conlleval does, and real corpora against published figures."""

from __future__ import annotations

from importlib import import_module
from itertools import pairwise
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from innermost.corpus import read
from innermost.evaluation import Counts, Evaluation
from innermost.nest import Span

GENIA = Path(__file__).parents[2] / ".." / "shared" / "data" / "genia" / "test.jsonl"
LENGTH = 10


@st.composite
def flat_spans(draw: st.DrawFn) -> list[Span]:
    cuts = sorted(draw(st.sets(st.integers(0, LENGTH), max_size=6)))
    labels = (draw(st.sampled_from(["A", "B", ""])) for _ in cuts)
    return [
        Span(start, end, label)
        for (start, end), label in zip(pairwise(cuts), labels, strict=False)
        if label
    ]


def tags(spans: list[Span]) -> list[str]:
    result = ["O"] * LENGTH
    for start, end, label in spans:
        result[start:end] = [f"B-{label}"] + [f"I-{label}"] * (end - start - 1)
    return result


def count_tags(gold: list[str], predicted: list[str]) -> Counts:
    """One walk over both tag sequences; a chunk is correct if both begin and end it together."""
    in_step = False
    counts = [0, 0, 0]
    pairs = list(zip(gold, predicted, strict=True))
    for (g, p), (next_g, next_p) in pairwise([*pairs, ("O", "O")]):
        counts[0] += g[0] == "B"
        counts[1] += p[0] == "B"
        if g[0] == "B" or p[0] == "B":
            in_step = g == p
        g_ends, p_ends = g != "O" and next_g[0] != "I", p != "O" and next_p[0] != "I"
        if g_ends or p_ends:
            counts[2] += in_step and g_ends and p_ends
            in_step = False
    return Counts(*counts)


@given(flat_spans(), flat_spans())
def test_flat_data_counts_as_tags_do(gold: list[Span], predicted: list[Span]) -> None:
    evaluation = Evaluation()
    evaluation.add(gold, predicted)
    assert evaluation.micro == count_tags(tags(gold), tags(predicted))


@pytest.fixture(scope="module")
def seqeval() -> ModuleType:
    for module in ("seqeval.metrics", "seqeval.scheme"):
        pytest.importorskip(module, reason="seqeval is not installed")
    return import_module("seqeval")


@settings(deadline=None)
@given(sentences=st.lists(st.tuples(flat_spans(), flat_spans()), min_size=1, max_size=5))
def test_flat_data_scores_as_in_seqeval(
    seqeval: ModuleType, sentences: list[tuple[list[Span], list[Span]]]
) -> None:
    metrics, scheme = seqeval.metrics, seqeval.scheme
    evaluation = Evaluation()
    for gold, predicted in sentences:
        evaluation.add(gold, predicted)
    columns = [[tags(side) for side in column] for column in zip(*sentences, strict=True)]
    options = {"average": "micro", "mode": "strict", "scheme": scheme.IOB2, "zero_division": 0}
    theirs = [
        score(*columns, **options)
        for score in (metrics.precision_score, metrics.recall_score, metrics.f1_score)
    ]
    micro = evaluation.micro
    assert theirs == pytest.approx([micro.precision, micro.recall, micro.f1])


@pytest.mark.skipif(not GENIA.exists(), reason="the GENIA corpus is not here")
@pytest.mark.parametrize(
    ("paper_counts", "levels"), [(True, {1: 5273, 2: 327}), (False, {1: 5269, 2: 327})]
)
def test_genia_has_the_mentions_of_the_papers_tables(
    paper_counts: bool, levels: dict[int, int]
) -> None:
    evaluation = Evaluation(paper_counts=paper_counts)
    for sentence in read(GENIA):
        evaluation.add(sentence.entities, sentence.entities)
    assert {level: counts.gold for level, counts in evaluation.gold_levels.items()} == levels
    assert evaluation.micro.f1 == 1.0
    assert evaluation.micro.gold == sum(levels.values())
