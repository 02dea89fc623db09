"""Prediction files: every form of an entity, and an error that names the place."""

from __future__ import annotations

import gzip
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from innermost.corpus import Sentence
from innermost.errors import DataError
from innermost.evaluation.predictions import align, read_predictions
from innermost.evaluation.systems import side_by_side
from innermost.nest import Span

GOOD = '{"tokens": ["old", "town"], "entities": [[0, 2, "GPE", 0.5]]}\n'


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "predictions.jsonl"


def test_every_form_of_an_entity(file: Path) -> None:
    forms = (
        '[0, 3, "A"], [0, 2, "A", 0.25], [0, 1, "A", 1], [1, 2, "B", null], '
        '{"start": 2, "end": 3, "label": "B", "score": 0.5, "text": "ignored"}, '
        '{"start": 0, "end": 1, "label": "B"}'
    )
    file.write_text(f'{{"tokens": ["a", "b", "c"], "entities": [{forms}], "id": "x"}}\n\n')
    (prediction,) = read_predictions(file)
    assert prediction.entities == {
        Span(0, 3, "A"): None,
        Span(0, 2, "A"): 0.25,
        Span(0, 1, "A"): 1.0,
        Span(1, 2, "B"): None,
        Span(2, 3, "B"): 0.5,
        Span(0, 1, "B"): None,
    }


def test_of_repeated_predictions_the_surest_stands(file: Path) -> None:
    file.write_text('{"tokens": ["a"], "entities": [[0, 1, "A", 0.2], [0, 1, "A", 0.7]]}')
    (prediction,) = read_predictions(file)
    assert prediction.entities == {Span(0, 1, "A"): 0.7}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "not valid JSON"),
        ("[]", "Expected `object`, got `array`"),
        ('{"text": "a"}', "missing required field `tokens`"),
        ('{"tokens": ["a"], "entities": 3}', "got `int` - at `$.entities`"),
        ('{"tokens": ["a"], "entities": [[0, 1]]}', "at `$.entities[0]`"),
        ('{"tokens": ["a"], "entities": [[0, 1, "A", 0.5, 2]]}', "at `$.entities[0]`"),
        ('{"tokens": ["a"], "entities": [{"start": 0}]}', "missing required field `end`"),
        ('{"tokens": ["a"], "entities": [[0, 2, "A"]]}', "not within the 1 tokens"),
        ('{"tokens": ["a"], "entities": [[0, 0, "A"]]}', "not within the 1 tokens"),
        ('{"tokens": ["a"], "entities": [[0, 1, ""]]}', "length >= 1 - at `$.entities[0][2]`"),
        ('{"tokens": ["a"], "entities": [[0, 1, "A", 1.5]]}', "<= 1.0 - at `$.entities[0][3]`"),
        (
            '{"tokens": ["a"], "entities": [[0, 1, "A", "high"]]}',
            "got `str` - at `$.entities[0][3]`",
        ),
    ],
)
def test_a_bad_line_is_named(file: Path, line: str, message: str) -> None:
    file.write_text(GOOD + line + "\n")
    with pytest.raises(DataError) as raised:
        list(read_predictions(file))
    assert str(raised.value).startswith(f"{file}:2:")
    assert message in str(raised.value)


GOLD = [Sentence(["old", "town"], line=1), Sentence(["new", "town"], line=2)]


def test_other_tokens_are_named(file: Path) -> None:
    file.write_text(GOOD + '{"tokens": ["new", "city"]}\n')
    with pytest.raises(DataError, match=r":2: token 1 is 'city'.*line 2 of the gold.*'town'"):
        list(align(file, GOLD))


def test_other_lengths_are_named(file: Path) -> None:
    file.write_text(GOOD + '{"tokens": ["new"]}\n')
    with pytest.raises(DataError, match=r":2: has 1 tokens, but the gold sentence .* has 2"):
        list(align(file, GOLD))


def test_a_file_that_is_too_short_is_an_error(file: Path) -> None:
    file.write_text(GOOD)
    with pytest.raises(DataError, match="ends after 1 sentences"):
        list(align(file, GOLD))


def test_a_file_that_is_too_long_is_an_error(file: Path) -> None:
    file.write_text(GOOD * 2)
    with pytest.raises(DataError, match=":2: goes on after the 1 sentences"):
        list(side_by_side([file], GOLD[:1]))


def test_a_missing_file_is_an_error_without_a_trace(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"nowhere\.jsonl: no such file"):
        list(read_predictions(tmp_path / "nowhere.jsonl"))


def test_systems_side_by_side(file: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.jsonl"
    file.write_text(GOOD + '{"tokens": ["new", "town"]}\n')
    other.write_text('{"tokens": ["old", "town"]}\n{"tokens": ["new", "town"]}\n')
    rows = list(side_by_side([file, other], iter(GOLD)))
    assert [sentence for sentence, _ in rows] == GOLD
    assert [predicted for _, predicted in rows] == [
        [{Span(0, 2, "GPE"): 0.5}, {}],
        [{}, {}],
    ]


def test_a_model_predicts_for_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class FirstToken:
        """Finds one entity a sentence, and reads ahead as models that work in batches do."""

        def __init__(self, path: str | Path, *, layer: str | None) -> None:
            assert (Path(path), layer) == (tmp_path, None)

        def predict_sentences(
            self, sentences: Iterable[Sentence]
        ) -> Iterator[list[tuple[int, int, str, int, float]]]:
            yield from [[(0, 1, sentence.tokens[0], 1, 0.5)] for sentence in list(sentences)]

    monkeypatch.setattr("innermost.runtime.load", FirstToken)
    rows = list(side_by_side([tmp_path], iter(GOLD)))
    assert [predicted for _, [predicted] in rows] == [
        {Span(0, 1, "old"): 0.5},
        {Span(0, 1, "new"): 0.5},
    ]


def test_a_compressed_file_is_read_as_it_is(tmp_path: Path) -> None:
    compressed = tmp_path / "predictions.jsonl.gz"
    compressed.write_bytes(gzip.compress(GOOD.encode()))
    assert [p.tokens for p in read_predictions(compressed)] == [["old", "town"]]
