"""What training should say about its data before it begins: nothing is left out silently."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from innermost.nest import crossing_pairs, merge_duplicates
from innermost.training.dataset import Split

EXAMPLES = 5


def unseen_types(split: Split, types: Sequence[str]) -> Iterator[str]:
    """A warning for each type of ``split`` that the training data does not have."""
    first: dict[str, int | None] = {}
    for sentence in split.sentences:
        for span in sentence.entities:
            first.setdefault(span.label, sentence.line)
    for label in sorted(set(first) - set(types)):
        yield (
            f"{split.path}:{first[label]}: the type {label!r} is not in the training data: "
            "it cannot be learned and counts as missed"
        )


def left_out(split: Split) -> Iterator[str]:
    """Warnings about what the training target of ``split`` cannot hold."""
    crossings = duplicates = 0
    for sentence in split.sentences:
        distinct, repeated = merge_duplicates(sentence.entities)
        duplicates += repeated
        for a, b in crossing_pairs(distinct):
            crossings += 1
            if crossings <= EXAMPLES:
                yield (
                    f"{split.path}:{sentence.line}: two entities of type {a.label!r} cross, "
                    f"[{a.start}, {a.end}) and [{b.start}, {b.end}): one is not trained on"
                )
    if crossings or duplicates:
        yield (
            f"{split.path}: {_count(crossings, 'crossing')} left out of the training target, "
            f"{_count(duplicates, 'duplicate')} merged"
        )


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
