"""Other names for types while a corpus is read: ``--rename PER=person``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from innermost.corpus.report import Report
from innermost.corpus.sentence import Sentence
from innermost.nest import Span
from innermost.plurals import count


def renamed(
    sentences: Iterable[Sentence], names: Mapping[str, str], report: Report
) -> Iterator[Sentence]:
    """The sentences with the new names of their types; a type whose new name is empty is left out.

    Two types with the same new name become one: an entity that has both is then one entity. The
    report counts what was left out or merged, and names the types that no entity has.
    """
    found: Counter[str] = Counter()
    for sentence in sentences:
        if not any(entity.label in names for entity in sentence.entities):
            yield sentence
            continue
        entities: list[Span] = []
        scores: dict[Span, float] = {}
        for entity in sentence.entities:
            label = names.get(entity.label)
            found[entity.label] += label is not None
            if label == "":
                continue
            new = entity if label is None else entity._replace(label=label)
            if new != entity and new in entities:
                what = f"{entity.label} on the same words as another {label}"
                report.changed("merged by renaming", what, line=sentence.line)
                continue
            entities.append(new)
            if entity in sentence.scores:
                scores[new] = sentence.scores[entity]
        yield replace(sentence, entities=entities, scores=scores)
    for label, name in names.items():
        if not found[label]:
            report.add("warning", "no entity to rename", f"none has the type {label}")
        elif not name:
            left_out = count(found[label], "entity", "entities")
            report.add("note", "type left out by renaming", f"{label} ({left_out})")
