"""One model for every shape of input, in order, with bounded memory."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import innermost
from helpers.toy_corpus import toy_sentences
from innermost import Document
from innermost.arrays import Floats, Ints
from innermost.corpus import Sentence
from innermost.errors import InnermostWarning, ResourceError, UsageError
from innermost.parts.wordchar.runtime import WordFeatures
from innermost.runtime import pipeline
from innermost.runtime.batches import batches, windows
from innermost.runtime.encoder import Encoder
from innermost.runtime.features import Opening
from innermost.runtime.model import Model

SENTENCE = "the sister of the mayor of the Academy of Lyon spoke on Monday ."
FOUND = [
    ("the sister of the mayor of the Academy of Lyon", "PERSON", 1, None),
    ("the mayor of the Academy of Lyon", "PERSON", 2, 0),
    ("the Academy of Lyon", "ORG", 1, 1),
    ("Lyon", "PLACE", 1, 2),
]


def shown(document: Document) -> list[tuple[str, str, int, int | None]]:
    return [(e.text, e.label, e.level, e.parent) for e in document.entities]


@pytest.mark.parametrize(
    "given_as",
    [
        lambda nlp: nlp(SENTENCE),
        lambda nlp: nlp([SENTENCE])[0],
        lambda nlp: nlp(iter([SENTENCE]))[0],
        lambda nlp: nlp([SENTENCE.split()])[0],
        lambda nlp: nlp([tuple(SENTENCE.split())])[0],
        lambda nlp: nlp(Sentence(SENTENCE.split())),
        lambda nlp: nlp([Sentence(SENTENCE.split())])[0],
        lambda nlp: nlp.predict_tokens([SENTENCE.split()])[0],
        lambda nlp: next(nlp.pipe([SENTENCE])),
        lambda nlp: nlp(["", SENTENCE.split(), Sentence(["Oslo"]), SENTENCE])[3],
    ],
)
def test_every_shape_of_input_gives_the_same(toy: Model, given_as) -> None:
    document = given_as(toy)
    assert shown(document) == FOUND
    assert document.text == SENTENCE
    last = document.entities[-1]
    assert (last.token_start, last.token_end) == (9, 10)
    assert all(0 < e.score <= 1 for e in document.entities)


def test_original_spacing_is_kept(toy: Model) -> None:
    tokens = ["nobody", "in", "Oslo", "."]
    document = toy(Sentence(tokens, gaps=["  ", "\t", " ", "", "\n"]))
    assert document.text == "  nobody\tin Oslo.\n"
    assert [e.text for e in document.entities] == ["Oslo"]
    assert document.entities[0].start == 12


def test_wrong_inputs_are_usage_errors(toy: Model) -> None:
    with pytest.raises(UsageError, match="cannot predict on int 3"):
        toy([3])  # type: ignore[list-item]
    with pytest.raises(UsageError, match="token 1 of a sentence is empty"):
        toy.predict_tokens([["a", ""]])
    with pytest.raises(UsageError, match="min_score"):
        innermost.load(toy.folder, min_score=1.5)
    with pytest.raises(UsageError, match="threads"):
        innermost.load(toy.folder, threads=0)


def test_the_advice_for_wrong_inputs_works(toy: Model) -> None:
    with pytest.raises(UsageError) as raised:
        toy(None)  # type: ignore[call-overload]
    assert "tokens of sentences go to nlp.predict_tokens([[" in str(raised.value)
    assert "list of str" not in str(raised.value)
    assert len(toy.predict_tokens([["in", "Oslo"]])) == 1


@pytest.mark.parametrize("items", ["nobody in Oslo", Sentence(["Oslo"])])
def test_one_item_is_no_stream(toy: Model, items: Any) -> None:
    for call in (toy.pipe, toy.predict_tokens, partial(toy.pipe, as_tuples=True)):
        with pytest.raises(UsageError, match="one item where several are expected"):
            call(items)


@pytest.mark.parametrize("items", [b"Oslo", bytearray(b"Oslo"), {"text": "Oslo"}, None, 3])
def test_what_holds_no_texts(toy: Model, items: Any) -> None:
    for call in (toy, toy.pipe, toy.predict_tokens):
        with pytest.raises(UsageError, match="cannot predict on"):
            call(items)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_frame_is_refused_and_its_column_accepted(toy: Model, library: str) -> None:
    table = pytest.importorskip(library).DataFrame({"text": ["nobody in Oslo"], "id": [1]})
    for call in (toy, toy.pipe, toy.predict_tokens):
        with pytest.raises(UsageError, match=r'nlp\(df\["text"\]\); innermost\.frame'):
            call(table)
    assert toy(table["text"]) == toy(["nobody in Oslo"])


def test_tokens_without_a_list_of_sentences_around_them(toy: Model) -> None:
    with pytest.raises(UsageError, match="a list of sentences, each a list of tokens"):
        toy.predict_tokens(["nobody", "in", "Oslo"])


def test_order_is_kept_whatever_the_batches(toy: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    sentences = [*toy_sentences(), Sentence([]), *toy_sentences()[::-1]]
    expected = [list(next(toy.predict_sentences([s]))) for s in sentences]
    assert expected[48] == []
    monkeypatch.setattr(pipeline, "WINDOW_TOKENS", 50)
    monkeypatch.setattr(toy, "pipeline", replace(toy.pipeline, batch_tokens=30))
    found = list(toy.predict_sentences(sentences))
    assert [[e[:4] for e in s] for s in found] == [[e[:4] for e in s] for s in expected]
    np.testing.assert_allclose(
        [e.score for s in found for e in s], [e.score for s in expected for e in s], rtol=1e-4
    )


def test_threads_change_nothing(toy_model: Path, toy: Model) -> None:
    """A single sentence is run by one thread, several by all."""
    several = innermost.load(toy_model, threads=2)
    texts = [" ".join(sentence.tokens) for sentence in toy_sentences()]
    together = [shown(document) for document in toy.pipe(texts)]
    assert [shown(document) for document in several.pipe(texts)] == together
    assert [shown(several(text)) for text in texts] == together


def test_max_depth_and_min_score(toy: Model) -> None:
    outermost = innermost.load(toy.folder, max_depth=1)(SENTENCE)
    assert shown(outermost) == [
        FOUND[0],
        ("the Academy of Lyon", "ORG", 1, 0),
        ("Lyon", "PLACE", 1, 1),
    ]
    every = toy(SENTENCE)
    threshold = sorted(e.score for e in every.entities)[1]
    sure = innermost.load(toy.folder, min_score=threshold)(SENTENCE)
    assert [e.text for e in sure.entities] == [
        e.text for e in every.entities if e.score >= threshold
    ]


def test_a_stream_is_answered_before_it_ends(toy: Model) -> None:
    def endless() -> Iterator[str]:
        while True:
            yield SENTENCE

    documents = toy.pipe(endless())
    assert [shown(next(documents)) for _ in range(3)] == [FOUND] * 3


def test_memory_does_not_grow_with_the_stream(
    random_model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pipeline, "WINDOW_TOKENS", 500)

    def peak(count: int) -> int:
        tracemalloc.start()
        for _ in random_model.pipe(f"the river bank {n} of sea {n}" for n in range(count)):
            pass
        used = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return used

    peak(200)
    # New words keep coming; what may differ is how full the cache of words is.
    assert peak(3000) < peak(300) + 1_500_000


def test_the_cache_is_bounded_and_changes_nothing(random_model: Model) -> None:
    words = [[f"the{n % 50}", "river", f"Z{n}", "gene"] for n in range(200)]
    small = WordFeatures(random_model.folder, Opening(1), capacity=64)
    for sentence in words:
        np.testing.assert_array_equal(small([sentence]), random_model.pipeline.features([sentence]))
        assert len(small) <= 64


def test_a_sentence_longer_than_the_cache(random_model: Model) -> None:
    small = WordFeatures(random_model.folder, Opening(1), capacity=16)
    sentences = [[f"w{n}" for n in range(50)], ["sea"] * 7]
    np.testing.assert_array_equal(small(sentences), random_model.pipeline.features(sentences))


def test_long_sentences_are_encoded_in_stretches(
    random_model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    tokens = [["the", "river", "bank", "of", "north", "sea", "gene"][n % 7] for n in range(700)]
    whole = list(random_model.predict_sentences([Sentence(tokens)]))
    monkeypatch.setattr(pipeline, "STRETCH", 100)
    monkeypatch.setattr(pipeline, "STRETCH_CONTEXT", 60)
    stretched = list(random_model.predict_sentences([Sentence(tokens)]))
    assert len(whole[0]) > 100
    assert [e[:4] for e in stretched[0]] == [e[:4] for e in whole[0]]


def test_a_very_long_word(random_model: Model) -> None:
    word = "alpha" * 20_000
    assert random_model([[word, "river"]])[0].text == f"{word} river"


@pytest.mark.parametrize("text", ["", " \n\t ", "🙂🙂🙂", "a\0b", "\ufeff", "\u202e", "é" * 3])
def test_odd_texts(random_model: Model, text: str) -> None:
    document = random_model(text)
    assert document.text == text
    assert all(e.text == text[e.start : e.end] for e in document.entities)


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=60))
def test_any_text_gives_offsets_that_fit(random_model: Model, text: str) -> None:
    document = random_model(text)
    keys = [(e.start, -e.end, e.label) for e in document.entities]
    assert keys == sorted(keys)
    tokens = document.token_offsets()
    assert document.tokens == [text[start:end] for start, end in tokens]
    for entity in document.entities:
        assert entity.text == text[entity.start : entity.end] != ""
        assert entity.start == tokens[entity.token_start][0]
        assert entity.end == tokens[entity.token_end - 1][1]
        if entity.parent is not None:
            around = document.entities[entity.parent]
            assert around.start <= entity.start
            assert entity.end <= around.end
            assert len(around.text) > len(entity.text)
    str(document)
    document._repr_html_()


@given(st.lists(st.integers(0, 40)), st.integers(1, 60))
def test_batches_hold_every_sentence_once(lengths: list[int], budget: int) -> None:
    found = list(batches(lengths, budget))
    assert sorted(i for batch in found for i in batch) == [i for i, n in enumerate(lengths) if n]
    for batch in found:
        assert len(batch) == 1 or max(lengths[i] for i in batch) * len(batch) <= budget
        assert [lengths[i] for i in batch] == sorted((lengths[i] for i in batch), reverse=True)


@given(st.lists(st.integers(0, 9)), st.integers(1, 20), st.integers(1, 5))
def test_windows_cut_a_stream(sizes: list[int], budget: int, most: int) -> None:
    found = list(windows(sizes, lambda size: size, budget, most))
    assert [size for window in found for size in window] == sizes
    for window in found:
        assert len(window) <= most
        assert sum(window[:-1]) < budget


def test_a_word_said_over_and_over_ends(toy: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    def depth(count: int) -> int:
        with pytest.warns(InnermostWarning, match="set max_depth"):
            return max(e.level for e in toy("Oslo " * count).entities)

    assert depth(300) == pipeline.MAX_LEVELS
    monkeypatch.setattr(pipeline, "STRETCH", 299)
    assert depth(300) == pipeline.MAX_LEVELS_IN_STRETCHES


def test_one_model_in_several_threads(toy: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    # Such a small cache is cleared all the time, by all threads.
    features = WordFeatures(toy.folder, Opening(1), capacity=30)
    monkeypatch.setattr(toy, "pipeline", replace(toy.pipeline, features=features))
    texts = [" ".join(sentence.tokens) for sentence in toy_sentences()] * 4
    expected = [shown(toy(text)) for text in texts]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda text: shown(toy(text)), texts))
    assert found == expected


@pytest.mark.parametrize(("option", "value"), [("max_depth", 1), ("min_score", 0.9), ("types", [])])
def test_options_cannot_be_changed_without_effect(toy: Model, option: str, value: object) -> None:
    with pytest.raises(AttributeError):
        setattr(toy, option, value)


def test_pairs_come_out_with_what_went_in(toy: Model) -> None:
    texts = [f"nobody in {place} spoke on Monday ." for place in ("Oslo", "Lyon", "Turin")] * 3
    pairs = ((text, {"id": number}) for number, text in enumerate(texts))
    results = list(toy.pipe(pairs, as_tuples=True))
    assert [document for document, _ in results] == list(toy.pipe(texts))
    assert [other for _, other in results] == [{"id": number} for number in range(9)]


@pytest.mark.parametrize("item", ["ab", ("a", "b", "c"), None])
def test_what_is_no_pair_is_an_error(toy: Model, item: object) -> None:
    with pytest.raises(UsageError, match="an item is a pair"):
        list(toy.pipe([item], as_tuples=True))  # type: ignore[list-item]


def test_a_list_of_texts_gives_a_list_that_notebooks_draw(toy: Model) -> None:
    documents = toy(["nobody in Oslo", "nobody in Lyon"])
    assert documents == list(toy.pipe(["nobody in Oslo", "nobody in Lyon"]))
    assert documents._repr_html_().count("innermost-list") >= 2
    assert toy.predict_tokens([["nobody", "in", "Oslo"]])._repr_html_()


class Crowded:
    """An encoder with the memory for a few sentences at a time."""

    def __init__(self, encoder: Encoder, most: int) -> None:
        self.encoder, self.most = encoder, most

    def __call__(self, features: Floats, lengths: Ints) -> Floats:
        if len(lengths) > self.most:
            raise ResourceError("there is not enough memory")
        return self.encoder(features, lengths)


@pytest.mark.parametrize("most", [1, 2, 5])
def test_a_batch_that_is_too_large_is_divided(toy: Model, most: int) -> None:
    items = [SENTENCE, "Nobody in Lyon .", "it rained"] * 4
    short = replace(toy.pipeline, encoder=Crowded(toy.pipeline.encoder, most))
    with pytest.warns(InnermostWarning, match="at a time: continuing with half"):
        divided = list(short.documents(items))
    assert list(map(shown, divided)) == list(map(shown, toy(items)))


def test_memory_that_is_too_short_for_one_sentence_is_an_error(toy: Model) -> None:
    short = replace(toy.pipeline, encoder=Crowded(toy.pipeline.encoder, 0))
    with pytest.raises(ResourceError, match="not enough memory"):
        list(short.documents([SENTENCE]))
