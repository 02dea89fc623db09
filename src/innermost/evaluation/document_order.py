"""Predicted documents in the order of the gold documents, which folders of files do not keep."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, groupby

from innermost.corpus import Sentence


def in_gold_order(gold: Iterator[Sentence], predicted: Iterator[Sentence]) -> Iterator[Sentence]:
    """The predicted sentences, document by document as in the gold data.

    Where the order of the documents differs, they are matched by name. All of them must then be
    named, their sentences must be consecutive, and both sides must have the same documents;
    otherwise, the order stays as it is. While the order is the same, nothing is kept in memory.
    """
    expected = (name for name, _ in groupby(gold, _name))
    del gold  # what it has in common with other iterators would be kept for it
    runs = groupby(predicted, _name)
    for name, run in runs:
        wanted = next(expected, None)
        if name is None or wanted is None:
            del expected
            yield from chain(run, chain.from_iterable(run for _, run in runs))
            return
        if name != wanted:
            rest = [(name, list(run)), *((name, list(run)) for name, run in runs)]
            yield from chain.from_iterable(_matched(rest, [wanted, *expected]))
            return
        yield from run


def _name(sentence: Sentence) -> str | None:
    """The name of its document; predictions for `news.txt` are in `news.ann`, in brat's format."""
    return None if sentence.doc is None or sentence.unnamed else sentence.doc.removesuffix(".txt")


def _matched(
    documents: Sequence[tuple[str | None, list[Sentence]]], order: Sequence[str | None]
) -> Iterator[list[Sentence]]:
    """The documents in the order of the names, if there is exactly one for each name."""
    by_name = dict(documents)
    fits = len(by_name) == len(documents) == len(order) and by_name.keys() == set(order)
    if None in by_name or not fits:
        yield from (sentences for _, sentences in documents)
        return
    for name in order:
        yield by_name[name]
