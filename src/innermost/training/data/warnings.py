"""Warnings about the training data, before training: nothing is excluded silently."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches

from innermost.nest import Span, tree
from innermost.plurals import count
from innermost.training.data.dataset import Split, labels_of

EXAMPLES = 5


def unseen_types(split: Split, types: Sequence[str]) -> Iterator[str]:
    """A warning for each type of ``split`` that the training data does not have."""
    first: dict[str, str] = {}
    for place, sentence in split.located():
        for span in sentence.entities:
            first.setdefault(span.label, place)
    for label in sorted(set(first) - set(types)):
        yield (
            f"{first[label]}: the type {label!r} is not in the training data: "
            "it cannot be learned and counts as missed"
        )


def absent_types(split: Split) -> Iterator[str]:
    """A warning for each type that training files annotate but that never occurs."""
    present = labels_of(split.sentences)
    declared = frozenset[str]().union(*(file.annotates or () for file in split.files))
    for label in sorted(declared - present):
        yield f"{split.path}: the type {label!r} is annotated but never occurs: nothing to learn"


def undeclared_types(split: Split, types: Iterable[str]) -> Iterator[str]:
    """A warning for each type that a file is said to annotate but that nothing has: a typo?"""
    known = set(types) | labels_of(split.sentences)
    declared = frozenset[str]().union(*(file.annotates or () for file in split.files))
    by_lower = {label.lower(): label for label in sorted(known)}
    for label in sorted(declared - known):
        close = get_close_matches(label.lower(), by_lower, n=1)
        listed = f"the types are: {', '.join(sorted(known))}"
        meant = f"did you mean {by_lower[close[0]]!r}?" if close else listed
        what = f"--annotates names the type {label!r}, which occurs in no file"
        yield f"{split.path}: {what}: {meant}"


def ignored_entities(split: Split) -> Iterator[str]:
    """A warning for each file with entities of types that it is declared not to annotate."""
    for file in split.coverage:
        if file.ignored:
            yield (
                f"{file.path}: {count(file.ignored, 'entity', 'entities')} of types that it does "
                "not annotate: not used"
            )


def same_data(splits: dict[str, Split]) -> Iterator[str]:
    """A warning if two splits have the same sentences."""
    names = list(splits)
    for index, name in enumerate(names):
        for other in names[index + 1 :]:
            if splits[name].fingerprint == splits[other].fingerprint:
                yield f"the {name} and {other} data are the same sentences: scores are meaningless"


def left_out(split: Split) -> Iterator[str]:
    """Warnings about entities of ``split`` that the training target cannot represent."""
    crossings = duplicates = 0
    for place, sentence in split.located():
        by_label: dict[str, list[Span]] = defaultdict(list)
        for span in sentence.entities:
            by_label[span.label].append(span)
        for label, spans in by_label.items():
            forest = tree(spans)
            duplicates += forest.duplicates
            for span in forest.left_out:
                crossings += 1
                if crossings <= EXAMPLES:
                    yield (
                        f"{place}: the entity [{span.start}, {span.end}) crosses another of its "
                        f"type {label!r}: it is not trained on"
                    )
    if crossings or duplicates:
        yield (
            f"{split.path}: {count(crossings, 'crossing entity', 'crossing entities')} excluded "
            f"from the training target, {count(duplicates, 'duplicate')} merged"
        )
