from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given

from corpus.strategies import corpora
from helpers.operations import count_lines
from innermost.corpus import Sentence, read
from innermost.corpus.quality.statistics import Lengths, statistics
from innermost.nest import Span

DATA = Path(__file__).parents[2] / ".." / "shared" / "data"


@given(corpus=corpora(max_entities=8))
def test_figures_against_counting_by_hand(corpus):
    figures = statistics(corpus).to_dict()
    tokens = sum(len(s.tokens) for s in corpus)
    types = {span.label for s in corpus for span in s.entities}
    assert figures["tokens"] == tokens
    assert figures["mentions"] == sum(len(s.entities) for s in corpus)
    assert figures["mentions"] == sum(figures["levels"])
    assert figures["merged"]["mentions"] == figures["mentions"] - figures["duplicates"]
    assert figures["duplicates"] == sum(len(s.entities) - len(set(s.entities)) for s in corpus)
    # d by definition: walk over every token and type, and count its tags.
    tags = sum(
        1 + sum(start <= position < end for start, end, other in s.entities if other == label)
        for s in corpus
        for position in range(len(s.tokens))
        for label in types
    )
    expected = tags / (tokens * len(types)) if types else 1.0
    assert figures["labels_per_token"] == pytest.approx(expected)
    pairs = [
        (a, b)
        for s in corpus
        for a, b in combinations(sorted(set(s.entities)), 2)
        if set(range(a.start, a.end)) & set(range(b.start, b.end))
    ]
    crossings = [
        (a, b)
        for a, b in pairs
        if not set(range(a.start, a.end)) <= set(range(b.start, b.end))
        and not set(range(b.start, b.end)) <= set(range(a.start, a.end))
    ]
    assert figures["crossings"] == sum(a.label == b.label for a, b in crossings)
    assert figures["crossings_of_two_types"] == sum(a.label != b.label for a, b in crossings)
    same = [(a, b) for a, b in pairs if (a.start, a.end) == (b.start, b.end)]
    assert figures["same_stretch_two_types"] == len(same)


def test_levels_and_types():
    entities = [Span(0, 4, "A"), Span(0, 3, "A"), Span(1, 2, "A"), Span(1, 2, "B"), Span(1, 2, "B")]
    figures = statistics([Sentence(list("abcd"), entities, doc="d")]).to_dict()
    assert figures["documents"] == 1
    assert figures["levels"] == [3, 1, 1]
    assert figures["types"] == {
        "A": {"mentions": 3, "levels": [1, 1, 1]},
        "B": {"mentions": 2, "levels": [2, 0, 0]},
    }
    assert figures["merged"]["levels"] == [2, 1, 1]
    assert figures["inside_another_type"] == 1
    assert figures["sentences_with_nesting"] == 1


def test_nothing_has_no_averages():
    figures = statistics([]).to_dict()
    assert figures["labels_per_token"] is None
    assert figures["sentence_lengths"]["mean"] is None


def test_percentiles():
    lengths = Lengths()
    for length in range(1, 101):
        lengths.add(length)
    assert lengths.to_dict() == {"mean": 50.5, "median": 50, "p99": 99, "max": 100}


@pytest.mark.parametrize(
    ("split", "sentences", "levels", "merged"),
    [
        ("train", 15022, [44611, 2393, 23], [44593, 2390, 23]),
        ("dev", 1669, [4239, 230], [4233, 228]),
        ("test", 1855, [5273, 327], [5269, 327]),
    ],
)
def test_table_1_of_the_paper(split, sentences, levels, merged):
    path = DATA / "genia" / f"{split}.jsonl"
    if not path.exists():
        pytest.skip("the GENIA corpus is not here")
    figures = statistics(read(path)).to_dict()
    assert figures["sentences"] == sentences
    assert figures["mentions"] == sum(levels)
    assert figures["levels"] == levels
    assert figures["merged"]["levels"] == merged
    assert round(figures["labels_per_token"], 2) == 1.05
    assert figures["crossings"] == 0


def test_many_entities_in_a_sentence_take_little_more_than_linear_time():
    def operations(number):
        types = [Span(0, number, f"X{i}") for i in range(number)]
        crossing = [Span(i, i + number, "X") for i in range(number)]
        sentence = Sentence(["a"] * 2 * number, types + crossing)
        return count_lines(lambda: statistics([sentence]))

    assert operations(1600) < 8 * 2 * operations(200) + 100


def test_texts_without_a_name_are_documents(tmp_path):
    texts = ["Oslo is big. Bergen is wet.", "Oslo is big.", "Lima is old."]
    path = tmp_path / "a.json"
    path.write_text(
        json.dumps([{"data": {"text": text}, "annotations": [{"result": []}]} for text in texts])
    )
    assert statistics(read(path)).to_dict()["documents"] == 3
