"""Splits by document: shares as close as whole documents allow, deterministic."""

from __future__ import annotations

from collections import Counter
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from innermost.corpus import Sentence
from innermost.corpus.splits import Splits
from innermost.errors import DataError, UsageError

SHARES = {"train": 0.8, "dev": 0.1, "test": 0.1}


def corpus(sizes):
    return [
        Sentence([f"w{n}"], doc=f"d{number}")
        for number, size in enumerate(sizes)
        for n in range(size)
    ]


def counts(splits, sentences):
    assignment = splits.assign(sentences)
    return Counter(assignment.of(sentence) for sentence in sentences)


def deviation(found, shares, total):
    whole = sum(shares.values())
    return sum(abs(found[name] - total * share / whole) for name, share in shares.items())


@pytest.mark.parametrize("seed", range(5))
def test_ten_equal_documents(seed):
    found = counts(Splits(shares=SHARES, seed=seed), corpus([4] * 10))
    assert found == {"train": 32, "dev": 4, "test": 4}


@given(
    sizes=st.lists(st.integers(1, 9), min_size=1, max_size=6),
    weights=st.lists(st.integers(1, 9), min_size=1, max_size=3),
    seed=st.integers(0, 3),
)
def test_against_every_way_to_split(sizes, weights, seed):
    """No split is off by more than one document from the best possible."""
    shares = dict(zip("abc", weights, strict=False))
    sentences = corpus(sizes)
    found = counts(Splits(shares=shares, seed=seed), sentences)
    best = min(
        deviation(Counter(dict.fromkeys(shares, 0)) + _sums(choice, sizes), shares, len(sentences))
        for choice in product(shares, repeat=len(sizes))
    )
    assert deviation(found, shares, len(sentences)) <= best + 2 * max(sizes)
    if len(sizes) >= len(shares):
        assert set(found) == set(shares)


def _sums(choice, sizes):
    total = Counter()
    for name, size in zip(choice, sizes, strict=True):
        total[name] += size
    return total


@given(st.lists(st.integers(1, 30), min_size=20, max_size=60), st.randoms())
def test_large_documents_and_small_ones(sizes, generator):
    sentences = corpus(sizes)
    splits = Splits(shares=SHARES)
    found = counts(splits, sentences)
    for name, share in SHARES.items():
        assert abs(found[name] - share * len(sentences)) <= max(sizes)
    # The order of the documents does not matter.
    shuffled = list(sentences)
    generator.shuffle(shuffled)
    first, second = splits.assign(sentences), splits.assign(shuffled)
    assert all(first.of(sentence) == second.of(sentence) for sentence in sentences)


def test_the_seed_chooses():
    sentences = corpus([3] * 40)
    chosen = {
        frozenset(
            s.doc
            for s in sentences
            if Splits(shares=SHARES, seed=seed).assign(sentences).of(s) == "dev"
        )
        for seed in range(6)
    }
    assert len(chosen) > 1


def test_fewer_documents_than_splits():
    found = counts(Splits(shares=SHARES), corpus([5, 2]))
    assert sum(found.values()) == 7
    assert len(found) <= 2


def test_equal_sentences_without_a_document_stay_together():
    sentences = [Sentence([f"w{n % 7}"]) for n in range(70)]
    assignment = Splits(shares=SHARES).assign(sentences)
    for n in range(7):
        assert len({assignment.of(sentence) for sentence in sentences[n::7]}) == 1


def test_lists_come_first(tmp_path):
    (tmp_path / "ids").write_text("d1\nd3\n\n")
    splits = Splits.parse([f"test={tmp_path / 'ids'}", "train=1"])
    assignment = splits.assign(corpus([1] * 5))
    assert [assignment.of(Sentence([], doc=f"d{n}")) for n in range(5)] == [
        "train",
        "test",
        "train",
        "test",
        "train",
    ]
    alone = Splits.parse([f"test={tmp_path / 'ids'}"]).assign(corpus([1] * 2))
    assert alone.of(Sentence([], doc="d0")) is None


@pytest.mark.parametrize(
    "pairs", [["x"], ["a=0.5", "a=0.5"], ["=1"], ["a=-1"], ["a=0"], ["a=nan"], ["a=inf"]]
)
def test_wrong_splits(pairs):
    with pytest.raises(UsageError):
        Splits.parse(pairs)


def test_a_list_that_is_not_there():
    with pytest.raises(DataError, match="no such file"):
        Splits.parse(["a=nowhere.ids"])


@pytest.mark.parametrize("pairs", [["train=0.8", "dev=0.3"], ["train=0.5", "dev=0.2"], ["a=80"]])
def test_shares_that_do_not_add_up_to_one_are_refused(pairs: list[str]) -> None:
    with pytest.raises(UsageError, match=r"add up to \d+(\.\d)?, not 1"):
        Splits.parse(pairs)


def test_shares_may_be_rounded() -> None:
    assert len(Splits.parse(["a=0.33", "b=0.33", "c=0.33"]).names) == 3
