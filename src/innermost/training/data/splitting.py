"""Split training data by document, for development data, folds and learning curves.

Sentences of a document are similar. If some are in the training data and their neighbors in the
evaluation data, scores are too high, so documents stay whole. A single document, or fewer documents
than folds, are split between sentences. Equal sentences stay together where they are not in
documents, unless all are equal.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from dataclasses import replace

from innermost.corpus import Sentence
from innermost.corpus.quality.fingerprint import fingerprint
from innermost.errors import DataError
from innermost.plurals import count
from innermost.training.data.dataset import Coverage, Split

Groups = list[list[int]]
"""Numbers of sentences that belong together."""
_USUAL_FOLDS = 5


def held_out(split: Split, share: float, seed: int = 0) -> tuple[Split, Split]:
    """Training data and development data: about ``share`` of the sentences of every file."""
    chosen: set[int] = set()
    for groups in _by_file(split):
        target = max(round(share * sum(map(len, groups))), 1)
        for group in _near(target, _shuffled(groups, seed)):
            chosen.update(group)
    if not chosen or len(chosen) == len(split.sentences):
        raise DataError(
            "too few sentences to hold some out as development data",
            path=split.path,
            hint="use --dev with a file",
        )
    return _part(split, chosen, "without held-out"), _part(split, chosen, "held out", inverse=True)


def split_documents(split: Split, folds: int = 1) -> Iterator[str]:
    """A warning for each file whose documents are split by sentence: one, or fewer than folds."""
    most = sum(map(len, _by_file(split)))
    for file, sentences in _files(split):
        names = {sentence.doc for sentence in sentences}
        documents = len(names - {None})
        what, advice = "is one document and is split by sentence", ""
        if len(names) > 1:
            what = f"has {count(documents, 'document')} and is split by sentence for {folds} folds"
            advice = f"; with {most} folds, documents stay whole"
        if 0 < documents < len(sentences) and (len(names) == 1 or most < folds):
            yield (
                f"{file.path} {what}: its development sentences have neighbors in the training "
                f"data, so scores are too high{advice}"
            )


def held_out_warning(whole: Split, dev: Split, share: float) -> list[str]:
    """If what stays together makes the development data much larger than its share."""
    held, total = len(dev.sentences), len(whole.sentences)
    if held <= 2 * max(share * total, 1):
        return []
    number = min(_USUAL_FOLDS, sum(map(len, _by_file(whole))))
    return [
        f"{held:,} of {total:,} sentences ({held / total:.0%}) are held out instead of "
        f"{share:.0%}, because {_kept_together(whole)}; --folds {number} trains on all of them"
    ]


def _kept_together(split: Split) -> str:
    """Why sentences of one side cannot be on the other."""
    files = [sentences for _, sentences in _files(split)]
    if any(len({s.doc for s in sentences}) > 1 for sentences in files):
        return "documents are held out whole"
    if any(len({tuple(s.tokens) for s in sentences}) < len(sentences) for sentences in files):
        return "identical sentences stay together"
    return "every file gives at least one sentence"


def _files(split: Split) -> Iterator[tuple[Coverage, list[Sentence]]]:
    first = 0
    for file in split.coverage:
        yield file, split.sentences[first : first + file.sentences]
        first += file.sentences


def _near(target: int, groups: Groups) -> Groups:
    """Groups with about ``target`` sentences in all: at least one, but not all of them."""
    chosen: Groups = []
    taken = 0
    for group in groups:
        is_nearer = abs(taken + len(group) - target) < abs(taken - target)
        if is_nearer and len(chosen) + 1 < len(groups):
            chosen.append(group)
            taken += len(group)
    return chosen or sorted(groups, key=len)[: len(groups) > 1]


def folds(split: Split, number: int, seed: int = 0) -> list[tuple[Split, Split]]:
    """Pairs of training and development data; each sentence is in the development data once."""
    files = _by_file(split)
    if sum(map(len, files)) < number:
        files = _by_file(split, are_whole=False)
    if (most := sum(map(len, files))) < number:
        raise _too_few(split, most, number)
    members: list[set[int]] = [set() for _ in range(number)]
    for groups in files:
        sizes = [0] * number
        for group in sorted(_shuffled(groups, seed), key=len, reverse=True):
            # Of equals, the one with less of other files, so that no fold stays empty.
            smallest = min(range(number), key=lambda i: (sizes[i], len(members[i])))
            members[smallest].update(group)
            sizes[smallest] += len(group)
    return [
        (
            _part(split, fold, f"without fold {i}"),
            _part(split, fold, f"fold {i}", inverse=True),
        )
        for i, fold in enumerate(members, start=1)
    ]


def _too_few(split: Split, most: int, number: int) -> DataError:
    what, why = "sentence", ""
    if most < len(split.sentences):
        what, why = "different sentence", ", because equal ones stay together"
    return DataError(
        f"{count(most, what)}; {number} folds need at least {number}{why}",
        path=split.path,
        hint=f"use --folds {most}" if most > 1 else "use --dev with a file",
    )


def shares(split: Split, parts: Iterable[float], seed: int = 0) -> list[Split]:
    """Random samples of sentences, each containing the smaller ones."""
    order = list(range(len(split.sentences)))
    random.Random(seed).shuffle(order)
    return [
        split if share >= 1 else _part(split, set(order[round(share * len(order)) :]), f"{share:g}")
        for share in parts
    ]


def _by_file(split: Split, *, are_whole: bool = True) -> list[Groups]:
    """The documents of each file, unless they are split or it has at most one; or else its
    different sentences."""
    result: list[Groups] = []
    first = 0
    for file, sentences in _files(split):
        names = {sentence.doc for sentence in sentences}
        groups: dict[object, list[int]] = {}
        for number, sentence in enumerate(sentences, start=first):
            is_alone = sentence.doc is None or len(names) == 1 or not are_whole
            key = tuple(sentence.tokens) if is_alone else sentence.doc
            groups.setdefault(key, []).append(number)
        numbers = range(first, first + len(sentences))
        result.append(list(groups.values()) if len(groups) > 1 else [[n] for n in numbers])
        first += file.sentences
    return result


def _shuffled(groups: Groups, seed: int) -> Groups:
    order = list(groups)
    random.Random(seed).shuffle(order)
    return order


def _part(split: Split, left_out: set[int], name: str, *, inverse: bool = False) -> Split:
    """The split without some sentences, or with only those."""
    kept = [(number in left_out) is inverse for number in range(len(split.sentences))]
    files, first = [], 0
    for file in split.coverage:
        size = sum(kept[first : first + file.sentences])
        files.append(replace(file, path=f"{file.path} ({name})", sentences=size))
        first += file.sentences
    sentences = [s for s, keep in zip(split.sentences, kept, strict=True) if keep]
    path = f"{split.path} ({name})"
    return Split(path, sentences, fingerprint(sentences), tuple(f for f in files if f.sentences))
