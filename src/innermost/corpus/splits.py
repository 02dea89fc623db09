"""Assign the documents of a corpus to splits: train, dev, test."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from innermost.corpus.sentence import Sentence
from innermost.errors import UsageError
from innermost.files.source import Source

_MOST_PASSES = 20
_ROUNDING = 0.0101
"""Shares may be rounded, as in three times 0.33."""


@dataclass(frozen=True, slots=True)
class Splits:
    """Documents named in lists, then shares of the rest, counted in sentences.

    The documents in a share depend on the seed and on the names of all documents (on the words, for
    sentences without a document), not on their order.
    """

    lists: Mapping[str, frozenset[str]] = field(default_factory=dict)
    shares: Mapping[str, float] = field(default_factory=dict)
    seed: int = 0

    @classmethod
    def parse(cls, pairs: Iterable[str], seed: int = 0) -> Splits:
        """From ``name=0.8`` or ``name=FILE``, a file with one document name per line."""
        lists: dict[str, frozenset[str]] = {}
        shares: dict[str, float] = {}
        for pair in pairs:
            name, _, value = pair.partition("=")
            if not name or not value or name in lists or name in shares:
                raise UsageError(
                    f"not a split: {pair!r}", hint="NAME=SHARE or NAME=FILE, each name once"
                )
            try:
                shares[name] = float(value)
            except ValueError:
                lines = Source(value).text_lines()
                lists[name] = frozenset(text.strip() for _, text in lines if text.strip())
        if not all(0 < share < float("inf") for share in shares.values()):
            raise UsageError(
                "the shares of splits must be greater than 0",
                hint="they add up to 1, e.g. --split train=0.8 --split dev=0.2",
            )
        total = sum(shares.values())
        if shares and abs(total - 1) > _ROUNDING:
            rest = " of what no list names" if lists else ""
            raise UsageError(
                f"the shares of the splits add up to {total:.4g}, not 1",
                hint=f"they divide all documents{rest}, e.g. --split train=0.8 --split dev=0.2",
            )
        return cls(lists, shares, seed)

    @property
    def names(self) -> list[str]:
        return [*self.lists, *self.shares]

    def assign(self, sentences: Iterable[Sentence]) -> Assignment:
        """The split of every document, with the shares met as closely as whole documents allow."""
        sizes: dict[str, int] = {}
        documents: dict[str, str | None] = {}
        for sentence in sentences:
            key = document_key(sentence)
            sizes[key] = sizes.get(key, 0) + 1
            documents[key] = sentence.doc
        splits: dict[str, str | None] = {}
        for key, doc in documents.items():
            listed = (name for name, names in self.lists.items() if doc in names)
            splits[key] = next(listed, None)
        rest = {key: size for key, size in sizes.items() if splits[key] is None}
        if self.shares:
            splits.update(_shared(rest, self.shares, self.seed))
        return Assignment(splits, {doc for doc in documents.values() if doc is not None})


@dataclass(frozen=True, slots=True)
class Assignment:
    splits: Mapping[str, str | None]
    documents: set[str]
    """The names of all documents in the corpus."""

    def of(self, sentence: Sentence) -> str | None:
        """The split of the sentence's document; None if no list names it and no share takes it."""
        return self.splits[document_key(sentence)]


def document_key(sentence: Sentence) -> str:
    """The key that keeps sentences together: the document name, else the words."""
    if sentence.doc is not None:
        return f"doc {sentence.doc}"
    words = "\0".join(sentence.tokens).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(words, digest_size=16).hexdigest()


def _shared(sizes: Mapping[str, int], shares: Mapping[str, float], seed: int) -> dict[str, str]:
    """Put each document into the split that lacks most, then move documents to improve the fit."""

    def shuffled(key: str) -> bytes:
        return hashlib.sha256(f"{seed}\0{key}".encode("utf-8", "surrogatepass")).digest()

    total = sum(sizes.values())
    whole = sum(shares.values())
    lacks = {name: total * share / whole for name, share in shares.items()}
    order = sorted(sizes, key=shuffled)
    splits: dict[str, str] = {}
    for key in order:
        name = max(lacks, key=lambda name: lacks[name])
        splits[key] = name
        lacks[name] -= sizes[key]
    for _ in range(_MOST_PASSES):
        moved = [_move(key, sizes[key], splits, lacks) for key in order]
        if not any(moved):
            break
    _fill_empty(splits, sizes, shares, order)
    return splits


def _move(key: str, size: int, splits: dict[str, str], lacks: dict[str, float]) -> bool:
    """Move a document to the split that lacks most, if both get closer to their shares."""
    here, there = splits[key], max(lacks, key=lambda name: lacks[name])
    before = abs(lacks[here]) + abs(lacks[there])
    if here == there or abs(lacks[here] + size) + abs(lacks[there] - size) >= before - 1e-9:
        return False
    splits[key] = there
    lacks[here] += size
    lacks[there] -= size
    return True


def _fill_empty(
    splits: dict[str, str], sizes: Mapping[str, int], shares: Mapping[str, float], order: list[str]
) -> None:
    """Give an empty split the smallest document of the split with the most documents."""
    for name in shares:
        if name in splits.values():
            continue
        counts = {n: sum(split == n for split in splits.values()) for n in shares}
        richest = max(counts, key=lambda n: counts[n])
        if counts[richest] < 2:
            return
        smallest = min((k for k in order if splits[k] == richest), key=lambda k: sizes[k])
        splits[smallest] = name
