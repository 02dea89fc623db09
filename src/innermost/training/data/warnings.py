"""Warnings about the training data, before training: nothing is excluded silently."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

from innermost.corpus.quality.type_names import alike
from innermost.corpus.similarity import similar
from innermost.errors import ConfigError
from innermost.nest import Span, tree
from innermost.plurals import count
from innermost.training.data.dataset import Labels, Split, labels_of

EXAMPLES = 5
TYPO = 0.85
"""The similarity of two types that are probably one: ``PERSN`` and ``PERSON`` have 0.91."""
LONG = 4
"""Tokens of a sentence that two texts do not share by chance, at least."""
EXPECTED = 10
"""Entities of a type that a file would have if it were like others: none is no coincidence."""
FEW, SMALL_SHARE = 3, 0.01
"""Sentences that are also in the training data, from which scores are called too high."""


def unseen_types(split: Split, types: Sequence[str]) -> Iterator[str]:
    """A warning for each type of ``split`` that the training data does not have."""
    first: dict[str, str] = {}
    for place, sentence in split.located():
        for span in sentence.entities:
            first.setdefault(span.label, place)
    for label in sorted(set(first) - set(types)):
        close = similar(label, types, TYPO)
        question = f"; did you mean {close!r}?" if close else ""
        yield (
            f"{first[label]}: the type {label!r} is not in the training data: "
            f"it cannot be learned and counts as missed{question}"
        )


def alike_types(split: Split) -> Iterator[str]:
    """A warning for types with similar names, which are probably one."""
    counts = Counter(span.label for sentence in split.sentences for span in sentence.entities)
    for labels in alike(counts):
        names = ", ".join(f"{label} ({counts[label]:,})" for label in labels)
        yield f"{split.path}: the types {names} have similar names: if they mean the same, use one"


def absent_types(split: Split) -> Iterator[str]:
    """A warning for each type that training files annotate but that never occurs: a typo?"""
    present = labels_of(split.sentences)
    for label in sorted(declared_types(split) - present):
        files = [file for file in split.files if label in (file.annotates or ())]
        close = similar(label, sorted(Labels().union(*(file.others for file in files))))
        question = f"; did you mean {close!r}?" if close else ""
        yield (
            f"{split.path}: the type {label!r} is annotated but never occurs: the model learns "
            f"that there are none{question}"
        )


def one_sided_types(split: Split) -> Iterator[str]:
    """A warning for each file that lacks types which the others have often: were they annotated?

    Files with `annotates` say so themselves.
    """
    counts = [
        Counter(span.label for sentence in sentences for span in sentence.entities)
        for sentences in split.by_file()
    ]
    parts = [p for p in zip(split.coverage, counts, strict=True) if p[0].annotates is None]
    for file, own in parts:
        rates: dict[str, float] = {}
        for other, types in parts:
            for label, number in types.items():
                rates[label] = max(rates.get(label, 0), number / other.sentences)
        absent = [
            label
            for label, rate in sorted(rates.items())
            if not own[label] and rate * file.sentences >= EXPECTED
        ]
        if absent:
            yield (
                f"{file.path}: no {', '.join(absent)}, unlike other training files: if nobody "
                "looked for them in it, name the types that it annotates with --annotates"
            )


def declared_types(split: Split) -> Labels:
    """The types that files say they annotate, without those that a model annotated."""
    return frozenset[str]().union(*((f.annotates or Labels()) - f.predicted for f in split.files))


def check_declared(splits: Iterable[Split], known: Iterable[str] = ()) -> None:
    """Refuse a type that occurs nowhere, where a similar one occurs that the file does not list.

    ``known`` are types that need not occur.
    """
    splits = list(splits)
    others = (file.others for split in splits for file in split.coverage)
    present = Labels().union(known, *others, *(labels_of(split.sentences) for split in splits))
    for file in (file for split in splits for file in split.coverage):
        declared = file.annotates or Labels()
        for label in sorted(declared - present):
            if meant := similar(label, sorted(present - declared), TYPO):
                hint = f"did you mean {meant!r}?"
                raise ConfigError(f"{file.path}: {_unknown(label)}", hint=hint)


def _unknown(label: str) -> str:
    return f"--annotates names the type {label!r}, which occurs in no file"


def undeclared_types(split: Split, types: Iterable[str]) -> Iterator[str]:
    """A warning for each type that a file is said to annotate but that nothing has: a typo?"""
    known = set(types) | labels_of(split.sentences)
    listed = f"the types are: {', '.join(sorted(known))}"
    for label in sorted(declared_types(split) - known):
        close = similar(label, sorted(known))
        yield f"{split.path}: {_unknown(label)}: {f'did you mean {close!r}?' if close else listed}"


def ignored_entities(split: Split) -> Iterator[str]:
    """A warning for each file with entities of types that it is declared not to annotate."""
    for file in split.coverage:
        if file.ignored:
            yield (
                f"{file.path}: {count(file.ignored, 'entity', 'entities')} of types that it does "
                "not annotate: not used"
            )


def same_data(splits: dict[str, Split]) -> Iterator[str]:
    """A warning if two splits have the same sentences, whatever they annotate.

    If others share many sentences with the training data, a warning for each of those.
    """
    names = list(splits)
    for index, name in enumerate(names):
        for other in names[index + 1 :]:
            if _tokens(splits[name]) == _tokens(splits[other]):
                yield f"the {name} and {other} data are the same sentences: scores are meaningless"
            elif name == "train":
                yield from _also_trained(splits[other], splits[name], other)


def _also_trained(split: Split, train: Split, name: str) -> Iterator[str]:
    """A warning if many sentences of ``split`` are in the training data.

    Short ones do not count: texts that have nothing else in common share greetings and numbers.
    """
    trained = {tuple(tokens) for tokens in _tokens(train)}
    long = [tuple(tokens) for tokens in _tokens(split) if len(tokens) >= LONG]
    shared = sum(tokens in trained for tokens in long)
    if shared >= max(FEW, SMALL_SHARE * len(long)):
        yield (
            f"{shared:,} of {len(long):,} {name} sentences with at least {LONG} tokens "
            f"({shared / len(long):.0%}) are also in the training data: scores are too high"
        )


def _tokens(split: Split) -> list[list[str]]:
    return [sentence.tokens for sentence in split.sentences]


def uncorrected(split: Split) -> Iterator[str]:
    """A warning if the entities look like predictions: every one has a score."""
    entities = sum(len(sentence.entities) for sentence in split.sentences)
    scored = sum(len(sentence.scores) for sentence in split.sentences)
    if entities and scored >= entities:
        yield (
            f"{split.path}: every entity ({entities:,}) has a score, so a model predicted it: "
            "correct the predictions before training, or the model learns its own mistakes"
        )


def left_out(split: Split) -> Iterator[str]:
    """A warning if the training target cannot represent all entities of ``split``."""
    crossings: list[str] = []
    duplicates = 0
    for place, sentence in split.located():
        by_label: dict[str, list[Span]] = defaultdict(list)
        for span in sentence.entities:
            by_label[span.label].append(span)
        for label, spans in by_label.items():
            forest = tree(spans)
            duplicates += forest.duplicates
            crossings += [f"{label} [{s.start}, {s.end}) at {place}" for s in forest.left_out]
    changes: list[str] = []
    if crossings:
        excluded = count(len(crossings), "crossing entity", "crossing entities")
        listed = ", ".join(crossings[:EXAMPLES])
        more = f" and {len(crossings) - EXAMPLES:,} more" * (len(crossings) > EXAMPLES)
        changes.append(f"{excluded} excluded from the training target ({listed}{more})")
    if duplicates:
        changes.append(f"{count(duplicates, 'duplicate')} merged")
    if changes:
        yield f"{split.path}: {', '.join(changes)}"
