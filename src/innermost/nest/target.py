"""The training target of one sentence.

For each type: the tags of the outermost entities over the whole sentence, and for EVERY entity of
two or more tokens, at any level, the tags of the entities directly inside it (all ``O`` if there
are none). Those inner terms are the paper's second-best paths.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from innermost.nest.span import Span
from innermost.nest.tree import Node, tree

B, I, E, S, O = range(5)  # noqa: E741


@dataclass(frozen=True, slots=True)
class InnerTerm:
    """The tags inside one entity: ``tags[i]`` is the tag of token ``start + i``."""

    type: int
    start: int
    end: int
    tags: list[int]


@dataclass(frozen=True, slots=True)
class Target:
    """The training target of one sentence; ``outer[type][token]`` are tags (B I E S O = 0..4)."""

    outer: list[list[int]]
    inner: list[InnerTerm]
    duplicates: int = 0
    crossings: int = 0
    unannotated: frozenset[int] = frozenset()
    """Types that were not annotated in this sentence: their rows of ``outer`` are meaningless."""


def target(
    spans: Iterable[Span],
    length: int,
    types: Sequence[str],
    annotated: Collection[str] | None = None,
) -> Target:
    """The target of a sentence of ``length`` tokens, one row of tags per type.

    ``annotated`` are the types that were annotated in this sentence, present or not; without it,
    all. Duplicates are merged and same-type crossings dropped; both are counted in the result.
    """
    by_label: dict[str, list[Span]] = defaultdict(list)
    for span in spans:
        by_label[span.label].append(span)
    if unknown := sorted(set(by_label) - set(types)):
        raise ValueError(f"spans of types that are not among {list(types)}: {unknown}")
    if annotated is not None and (extra := sorted(set(by_label) - set(annotated))):
        raise ValueError(f"spans of types that are not annotated here: {extra}")
    outer: list[list[int]] = []
    inner: list[InnerTerm] = []
    duplicates = crossings = 0
    for index, label in enumerate(types):
        forest = tree(by_label.get(label, ()))
        duplicates += forest.duplicates
        crossings += len(forest.left_out)
        outer.append(_tags(forest.roots, 0, length))
        waiting = list(forest.roots)
        while waiting:
            node = waiting.pop()
            start, end, _ = node.span
            if end - start > 1:
                inner.append(InnerTerm(index, start, end, _tags(node.children, start, end)))
            waiting.extend(node.children)
    known = types if annotated is None else annotated
    unannotated = frozenset(i for i, label in enumerate(types) if label not in known)
    return Target(outer, inner, duplicates, crossings, unannotated)


def _tags(nodes: Iterable[Node], start: int, end: int) -> list[int]:
    tags = [O] * (end - start)
    for node in nodes:
        first, last = node.span.start - start, node.span.end - start - 1
        if first == last:
            tags[first] = S
        else:
            tags[first : last + 1] = [B] + [I] * (last - first - 1) + [E]
    return tags
