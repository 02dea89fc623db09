"""Types whose names are probably one: ``PER`` and ``per``, ``PERSN`` and ``PERSON``."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from itertools import permutations

SHORT = 4
"""Names of so many letters differ by one of them on purpose, as ``DNA`` and ``RNA``."""
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
        for rare, frequent in permutations(sorted(counts), 2)
        if counts[rare] * TIMES <= counts[frequent] and _is_typo(rare, frequent)
    )
    return [*(tuple(labels) for labels in spellings.values() if len(labels) > 1), *typos]


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
