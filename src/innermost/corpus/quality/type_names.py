"""Types whose names are probably one: ``PER`` and ``per``, ``PERSN`` and ``PERSON``."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from itertools import chain, permutations

SHORT = 4
"""Names of so many letters differ by one of them on purpose, as ``DNA`` and ``RNA``."""
LONG = 100
"""Longer names are not compared."""
TIMES = 5
"""A typo is at least so many times rarer than the name that was meant."""


def alike(counts: Mapping[str, int]) -> list[tuple[str, ...]]:
    """The types with similar names, of all types and their numbers of entities.

    They differ in case, hyphens and underscores, or a rare one in one letter from a frequent one.
    """
    spellings: dict[str, list[str]] = defaultdict(list)
    for label in sorted(counts):
        spellings[label.casefold().replace("-", "_")].append(label)
    typos = (
        (rare, frequent)
        for rare, frequent in _close(counts)
        if counts[rare] * TIMES <= counts[frequent] and _is_typo(rare, frequent)
    )
    return [*(tuple(labels) for labels in spellings.values() if len(labels) > 1), *typos]


def _close(labels: Iterable[str]) -> list[tuple[str, str]]:
    """All pairs of labels that can be equal without one letter of each, both ways around.

    Comparing every two would be slow for data with a type for each concept.
    """
    shortened: dict[str, set[str]] = defaultdict(set)
    for label in labels:
        if SHORT < len(label) <= LONG:
            for i in range(len(label) + 1):
                shortened[label[:i] + label[i + 1 :]].add(label)
    pairs = chain.from_iterable(permutations(group, 2) for group in shortened.values())
    return sorted(set(pairs))


def _is_typo(label: str, meant: str) -> bool:
    """Whether one letter after the first is missing, added or replaced, or two are exchanged.

    The last letter and digits are often replaced on purpose, as in ``grade_a`` and ``grade_b``.
    """
    if min(len(label), len(meant)) <= SHORT or label[0] != meant[0]:
        return False
    if len(label) != len(meant):
        shorter, longer = sorted((label, meant), key=len)
        return any(longer[:i] + longer[i + 1 :] == shorter for i in range(1, len(longer)))
    different = [i for i, pair in enumerate(zip(label, meant, strict=True)) if len({*pair}) > 1]
    match different:
        case [one]:
            return one < len(label) - 1 and (label[one] + meant[one]).isalpha()
        case [one, other]:
            return other == one + 1 and label[one] + label[other] == meant[other] + meant[one]
    return False
