"""Other names for types while a corpus is read: ``--rename PER=person``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from innermost.corpus.report import Report
from innermost.corpus.sentence import Sentence
from innermost.corpus.similarity import similar
from innermost.nest import Span
from innermost.plurals import count


def renamed(
    sentences: Iterable[Sentence], names: Mapping[str, str], report: Report, path: str
) -> Iterator[Sentence]:
    """The sentences with the new names of their types; a type whose new name is empty is left out.

    Two types with the same new name become one: an entity that has both is then one entity. The
    report counts what was left out or merged, and names the types that no entity has, each with the
    type that was probably meant.
    """
    found: Counter[str] = Counter()
    present: set[str] = set()
    for sentence in sentences:
        labels = {entity.label for entity in sentence.entities}
        present |= labels
        if labels.isdisjoint(names):
            yield sentence
            continue
        entities: list[Span] = []
        scores: dict[Span, float] = {}
        first: dict[Span, str] = {}  # the old type of each new entity
        for entity in sentence.entities:
            found[entity.label] += 1
            label = names.get(entity.label, entity.label)
            new = entity._replace(label=label)
            if not label:
                continue
            if entity in sentence.scores:
                scores[new] = max(sentence.scores[entity], scores.get(new, 0.0))
            if first.setdefault(new, entity.label) == entity.label:
                entities.append(new)
            else:
                what = f"{entity.label} and {first[new]} on the same words are one {label}"
                report.changed("merged by renaming", what, path=path, line=sentence.line)
        yield replace(sentence, entities=entities, scores=scores)
    for label, name in names.items():
        if not found[label]:
            close = similar(label, sorted(present - {*names, *names.values()}))
            question = f"; did you mean {close!r}?" if close else ""
            detail = f"none has the type {label}{question}"
            report.add("warning", "no entity to rename", detail, path=path)
        elif not name:
            left_out = f"{label} ({count(found[label], 'entity', 'entities')})"
            report.add("note", "type left out by renaming", left_out, path=path)
