"""The result of a prediction: a text with its nested entities."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from innermost.corpus.sentence import gaps_between
from innermost.errors import UsageError
from innermost.nest import Span
from innermost.plurals import count
from innermost.thresholds import check_thresholds

if TYPE_CHECKING:
    from innermost.corpus.sentence import Sentence

SCORE_DIGITS = 4
"""Decimal places of written scores."""
_SHOWN = 40
"""Characters of a text in a repr."""
_NOTHING: Mapping[str, Any] = MappingProxyType({})


class ScoredSpan(NamedTuple):
    """An entity in token offsets, before it is located in the text."""

    start: int
    end: int
    label: str
    level: int
    score: float


@dataclass(frozen=True, slots=True)
class Entity:
    """A name in a text. ``text`` is ``document.text[start:end]``."""

    text: str
    label: str
    start: int
    end: int
    level: int
    """1 for the outermost of its type, 2 for those directly inside it, and so on."""
    score: float
    """Its probability under the model."""
    parent: int | None
    """Index in ``Document.entities`` of the smallest entity that strictly contains it, if any."""
    token_start: int
    token_end: int

    def to_dict(self) -> dict[str, Any]:
        return {
            "start": self.start,
            "end": self.end,
            "label": self.label,
            "text": self.text,
            "level": self.level,
            "score": round(self.score, SCORE_DIGITS),
            "parent": self.parent,
        }


@dataclass(frozen=True, slots=True)
class Document:
    """A text, its tokens and its entities, sorted by start, then longest first, then label."""

    text: str
    sentences: tuple[tuple[tuple[int, int], ...], ...]
    """The character offsets of the tokens of each sentence."""
    entities: tuple[Entity, ...]
    types: tuple[str, ...] = ()
    """All types of the model; determines their colors."""

    @property
    def tokens(self) -> list[str]:
        """All tokens."""
        return [self.text[start:end] for start, end in self.token_offsets()]

    def token_offsets(self) -> list[tuple[int, int]]:
        """The character offsets of each token."""
        return [token for sentence in self.sentences for token in sentence]

    def children(self, parent: int | None = None) -> list[int]:
        """Indices of the entities directly inside ``parent``; without it, of the outermost ones."""
        return [index for index, e in enumerate(self.entities) if e.parent == parent]

    def select(
        self,
        *,
        types: Collection[str] | None = None,
        min_score: float | Mapping[str, float] = 0.0,
        max_depth: int | None = None,
    ) -> Document:
        """The same document with fewer entities; ``parent`` is an index into those that remain.

        Types that the model does not have are errors, if the document knows its model's types.
        """
        check_thresholds(min_score, max_depth=max_depth)
        self._check_selection(types, min_score)

        def least(label: str) -> float:
            return min_score.get(label, 0.0) if isinstance(min_score, Mapping) else min_score

        def selected(entity: Entity) -> bool:
            return (
                (types is None or entity.label in types)
                and (max_depth is None or entity.level <= max_depth)
                and entity.score >= least(entity.label)
            )

        entities = [entity for entity in self.entities if selected(entity)]
        if len(entities) == len(self.entities):
            return self
        parents = _parents([(entity.start, entity.end) for entity in entities])
        pairs = zip(entities, parents, strict=True)
        return replace(
            self, entities=tuple(replace(entity, parent=parent) for entity, parent in pairs)
        )

    def _check_selection(
        self, types: Collection[str] | None, min_score: float | Mapping[str, float]
    ) -> None:
        if isinstance(types, str):
            raise UsageError(f"types is {types!r}", hint="give a list of types")
        thresholds = min_score if isinstance(min_score, Mapping) else ()
        if self.types and (types or thresholds):
            from innermost.model_folder.layers import check_labels

            check_labels([*(types or ()), *thresholds], self.types)

    def to_dict(self) -> dict[str, Any]:
        """The object that ``innermost predict --format jsonl`` prints."""
        return {"text": self.text, "entities": [entity.to_dict() for entity in self.entities]}

    def to_frame(self, *, library: str | None = None) -> Any:
        """One row per entity: a DataFrame of pandas or polars. See :func:`innermost.frame`."""
        from innermost.rendering.frame import frame

        return frame([self], library=library)

    def to_sentences(
        self, *, id: str | None = None, doc: str | None = None, extra: Mapping[str, Any] = _NOTHING
    ) -> list[Sentence]:
        """The sentences with tokens, entities and scores, for any corpus format to write.

        Their texts concatenate to the text. Each has the ``id``, ``doc`` and ``extra`` keys.
        """
        from innermost.corpus.sentence import Sentence

        sentences = self.sentences or ((),)  # a text without tokens is one sentence
        starts = [0, *(tokens[0][0] for tokens in sentences[1:]), len(self.text)]
        built = [
            Sentence(
                [self.text[a:b] for a, b in tokens],
                gaps=gaps_between(self.text, tokens, start, end),
                id=id,
                doc=doc,
                extra=dict(extra),
            )
            for tokens, (start, end) in zip(sentences, pairwise(starts), strict=True)
        ]
        first_tokens = [0, *accumulate(map(len, sentences))]
        for entity in self.entities:
            number = bisect_right(first_tokens, entity.token_start) - 1
            first = first_tokens[number]
            span = Span(entity.token_start - first, entity.token_end - first, entity.label)
            built[number].entities.append(span)
            built[number].scores[span] = round(entity.score, SCORE_DIGITS)
        return built

    def tree(self) -> str:
        """The entities as an indented tree, one per line, in plain text."""
        return "\n".join(self._tree_lines())

    def _tree_lines(self) -> Iterator[str]:
        inside: dict[int | None, list[int]] = {}
        for index, entity in enumerate(self.entities):
            inside.setdefault(entity.parent, []).append(index)
        waiting = [(index, "", "") for index in reversed(inside.get(None, []))]
        while waiting:
            index, lead, below = waiting.pop()
            entity = self.entities[index]
            shown = " ".join(entity.text.split())
            yield f"{lead}{shown}  {entity.label} {entity.score:.2f}"
            children = inside.get(index, [])
            for child in reversed(children):
                last = child == children[-1]
                waiting.append(
                    (child, below + ("└─ " if last else "├─ "), below + ("   " if last else "│  "))
                )

    def __str__(self) -> str:
        return f"{self.text}\n{self.tree()}" if self.entities else self.text

    def __repr__(self) -> str:
        entities = count(len(self.entities), "entity", "entities")
        return f"<Document {_shorten(self.text, _SHOWN)!r}: {entities}>"

    def _repr_html_(self) -> str:
        from innermost.rendering.html import fragment

        return fragment([self])


class Documents(list[Document]):
    """The documents of several texts: a list that notebooks draw."""

    def to_frame(self, *, ids: Iterable[Any] | None = None, library: str | None = None) -> Any:
        """One row per entity of all documents. See :func:`innermost.frame`."""
        from innermost.rendering.frame import frame

        return frame(self, ids=ids, library=library)

    def _repr_html_(self) -> str:
        from innermost.rendering.html import fragment

        return fragment(self)


def _shorten(text: str, length: int) -> str:
    """The beginning of a text, on one line."""
    start = " ".join(text[: 2 * length].split())
    return start if len(start) <= length and len(text) <= 2 * length else start[: length - 1] + "…"


def assemble(
    text: str,
    sentences: Sequence[Sequence[tuple[int, int]]],
    spans: Iterable[Sequence[ScoredSpan]],
    types: Sequence[str] = (),
) -> Document:
    """A document from its text, its tokens and the entities of each sentence."""
    placed: list[tuple[int, int, str, int, float, int, int]] = []
    first = 0
    for sentence, own in zip(sentences, spans, strict=True):
        for start, end, label, level, score in own:
            place = sentence[start][0], sentence[end - 1][1]
            placed.append((*place, label, level, score, first + start, first + end))
        first += len(sentence)
    placed.sort(key=lambda e: (e[0], -e[1], e[2]))
    parents = _parents([(start, end) for start, end, *_ in placed])
    entities = tuple(
        Entity(text[start:end], label, start, end, level, score, parent, token_start, token_end)
        for (start, end, label, level, score, token_start, token_end), parent in zip(
            placed, parents, strict=True
        )
    )
    tokens = tuple(tuple(sentence) for sentence in sentences)
    return Document(text, tokens, entities, tuple(types))


def _parents(places: list[tuple[int, int]]) -> Iterator[int | None]:
    """For each span, sorted by (start, -end), the smallest strictly larger one around it.

    Of several equal ones, the first. Spans of different types may cross.
    """
    around: list[int] = []
    for index, (start, end) in enumerate(places):
        around = [other for other in around if places[other][1] > start]
        larger = (o for o in around if places[o][1] >= end and places[o] != (start, end))
        yield min(larger, key=lambda o: places[o][1] - places[o][0], default=None)
        around.append(index)
