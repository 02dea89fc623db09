from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from innermost.corpus import Sentence
from innermost.errors import DataError
from innermost.nest import Span
from innermost.training.data.dataset import Coverage, Split
from innermost.training.data.splitting import (
    folds,
    held_out,
    held_out_warning,
    shares,
    split_documents,
)

document_sizes = st.lists(st.integers(1, 9), min_size=2, max_size=20)


def split_of(sizes, files=()):
    """Documents with these numbers of sentences; every sentence has a unique word."""
    sentences = [
        Sentence([f"{doc}.{n}"], [Span(0, 1, "X")], doc=f"d{doc}")
        for doc, size in enumerate(sizes)
        for n in range(size)
    ]
    return Split("corpus", sentences, "f", files)


def docs(split):
    return {s.doc for s in split.sentences}


def words(split):
    return [s.tokens[0] for s in split.sentences]


@given(sizes=document_sizes, share=st.floats(0.05, 0.5), seed=st.integers(0, 5))
def test_held_out_documents_stay_whole(sizes, share, seed):
    split = split_of(sizes)
    train, dev = held_out(split, share, seed)
    assert train.sentences
    assert dev.sentences
    assert docs(train).isdisjoint(docs(dev))
    assert sorted(words(train) + words(dev)) == sorted(words(split))
    assert train.fingerprint != dev.fingerprint
    # Less than twice the share, or the smallest document.
    target = max(round(share * len(split.sentences)), 1)
    assert len(dev.sentences) < 2 * target or len(dev.sentences) == min(sizes)


def test_a_large_document_is_not_held_out_where_a_small_one_is_nearer():
    whole = split_of([155, 45])
    train, dev = held_out(whole, 0.1)
    assert (len(train.sentences), len(dev.sentences)) == (155, 45)
    (warning,) = held_out_warning(whole, dev, 0.1)
    assert "45 of 200 sentences (22%) are held out instead of 10%" in warning
    whole = split_of([155, 103, 42])
    train, dev = held_out(whole, 0.1)
    assert len(dev.sentences) == 42
    assert not held_out_warning(whole, dev, 0.1)


def test_one_document_is_split_with_a_warning():
    whole = split_of([20])
    train, dev = held_out(whole, 0.1)
    assert (len(train.sentences), len(dev.sentences)) == (18, 2)
    (warning,) = split_documents(whole)
    assert "corpus is one document and is split by sentence" in warning
    unnamed = Split("corpus", [Sentence([word]) for word in "abc"], "f")
    assert not [*split_documents(unnamed), *split_documents(split_of([9, 9]))]
    # Each of several files counts, as each is split on its own.
    files = (Coverage("a", 5), Coverage("b", 4))
    assert [w.split()[0] for w in split_documents(split_of([5, 2, 2], files))] == ["a"]


def test_the_number_of_folds_that_a_warning_recommends_is_possible():
    whole = split_of([155, 45])
    (warning,) = held_out_warning(whole, held_out(whole, 0.1)[1], 0.1)
    assert "--folds 2 trains on all of them" in warning
    assert len(folds(whole, 2)) == 2


def test_the_warning_about_the_share_says_why_it_is_larger():
    def reason(whole):
        (warning,) = held_out_warning(whole, held_out(whole, 0.1)[1], 0.1)
        return warning.partition("because ")[2].partition(";")[0]

    assert reason(split_of([50, 50])) == "documents are held out whole"
    assert reason(repeated(*"ab" * 20)) == "identical sentences stay together"
    files = tuple(Coverage(name, 2) for name in "abcde")
    assert reason(split_of([2] * 5, files)) == "every file gives at least one sentence"


def test_fewer_documents_than_folds_are_split_with_a_warning():
    whole = split_of([12, 8])
    pairs = folds(whole, 5)
    assert [len(dev.sentences) for _, dev in pairs] == [4] * 5
    assert sorted(word for _, dev in pairs for word in words(dev)) == sorted(words(whole))
    (warning,) = split_documents(whole, 5)
    assert "corpus has 2 documents and is split by sentence for 5 folds: its" in warning
    assert "scores are too high; with 2 folds, documents stay whole" in warning
    assert not [*split_documents(whole, 2)]
    # Documents count over all files; those of one sentence are not split.
    files = (Coverage("a", 4), Coverage("b", 2))
    parts = split_of([2, 2, 1, 1], files)
    assert not [*split_documents(parts, 4)]
    assert [w.split()[0] for w in split_documents(parts, 5)] == ["a"]


def test_too_few_sentences_for_the_folds_are_refused():
    for sizes in ([4], [3, 1]):
        with pytest.raises(DataError, match=r"4 sentences; 5 folds need at least 5\n") as caught:
            folds(split_of(sizes), 5)
        assert caught.value.hint == "use --folds 4"


def test_documents_of_several_files_fill_all_folds():
    files = (Coverage("a", 8, None), Coverage("b", 8, None))
    pairs = folds(split_of([4, 4, 4, 4], files), 4)
    assert [len(dev.sentences) for _, dev in pairs] == [4] * 4


@given(sizes=document_sizes, number=st.integers(2, 5), seed=st.integers(0, 5))
def test_every_sentence_is_in_one_fold(sizes, number, seed):
    split = split_of(sizes)
    if number > sum(sizes):
        with pytest.raises(DataError, match="folds need at least"):
            folds(split, number, seed)
        return
    pairs = folds(split, number, seed)
    assert sorted(word for _, dev in pairs for word in words(dev)) == sorted(words(split))
    for train, dev in pairs:
        assert number > len(sizes) or docs(train).isdisjoint(docs(dev))
        assert dev.sentences
        assert len(train.sentences) + len(dev.sentences) == len(split.sentences)


def test_one_document_is_cut_between_sentences():
    train, dev = held_out(split_of([20]), 0.1)
    assert (len(train.sentences), len(dev.sentences)) == (18, 2)


def repeated(*words, doc=None):
    return Split("corpus", [Sentence([w], [Span(0, 1, "X")], doc=doc) for w in words], "f")


@pytest.mark.parametrize("doc", [None, "d"])
@pytest.mark.parametrize("seed", range(5))
def test_equal_sentences_are_not_in_training_and_development_data(doc, seed):
    split = repeated("a", "b", "a", "c", "d", "a", "e", "b", doc=doc)
    for train, dev in [held_out(split, 0.25, seed), *folds(split, 4, seed)]:
        assert set(words(train)).isdisjoint(words(dev))
        assert sorted(words(train) + words(dev)) == sorted(words(split))


def test_equal_sentences_of_two_documents_stay_in_their_documents():
    split = repeated("a", "b")
    split.sentences.extend(Sentence(["a"], doc="other") for _ in range(3))
    train, dev = held_out(split, 0.4)
    assert {len(train.sentences), len(dev.sentences)} == {2, 3}


def test_too_few_different_sentences_for_the_folds_are_called_that():
    with pytest.raises(DataError, match="2 different sentences; 3 folds need at least 3, because"):
        folds(repeated("a", "b", "a", "b"), 3)


def test_a_single_sentence_cannot_be_cut():
    with pytest.raises(DataError, match="too few sentences"):
        held_out(split_of([1]), 0.1)


def test_every_file_gives_its_share_and_keeps_what_it_annotates():
    files = (Coverage("a", 20, frozenset("X")), Coverage("b", 10, frozenset("Y")))
    sizes = [2] * 15
    train, dev = held_out(split_of(sizes, files), 0.2)
    assert [f.sentences for f in dev.files] == [4, 2]
    assert [f.sentences for f in train.files] == [16, 8]
    assert [f.annotates for f in train.files] == [{"X"}, {"Y"}]
    assert len(list(train.annotated())) == len(train.sentences)


def test_larger_shares_contain_the_smaller_ones():
    split = split_of([1] * 40)
    parts = shares(split, (0.125, 0.25, 0.5, 1))
    assert [len(p.sentences) for p in parts] == [5, 10, 20, 40]
    for small, large in pairwise(parts):
        assert set(words(small)) < set(words(large))
