"""Check sentences that a program built, as the readers check those of a file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from operator import index as whole_number
from typing import Any

from innermost.corpus.sentence import Sentence
from innermost.corpus.shared.entity_checks import Wrong, check_span, score_of
from innermost.errors import DataError
from innermost.nest import Span

_ONLY_STRINGS = {str}
_ONLY_SPANS = {Span}


def checked(sentences: Iterable[Sentence], *, origin: str | None = None) -> Iterator[Sentence]:
    """The sentences, one at a time; an error names the ``origin`` and the number of a bad one.

    Entities may also be tuples or lists of start, end and label. They become spans in a copy: the
    given sentences stay as they are.
    """
    for number, sentence in enumerate(sentences, start=1):
        try:
            yield _sentence(sentence)
        except Wrong as error:
            raise DataError(f"sentence {number}: {error}", path=origin, hint=error.hint) from None


def _sentence(sentence: Sentence) -> Sentence:
    if not isinstance(sentence, Sentence):
        raise Wrong(
            f"expected a Sentence, found {sentence!r:.60}", 'e.g. Sentence(["IL-2", "gene"])'
        )
    tokens = _strings(sentence.tokens, "tokens")
    if "" in tokens:
        raise Wrong(
            f"token {tokens.index('')} is empty", "every token needs at least one character"
        )
    gaps = sentence.gaps
    if gaps is not None and len(gaps := _strings(gaps, "gaps")) != len(tokens) + 1:
        raise Wrong(f"{len(gaps)} gaps for {len(tokens)} tokens", "one more than there are tokens")
    entities = _spans(sentence.entities)
    for index, span in enumerate(entities):
        check_span(span, index, len(tokens), "tokens")
        if sentence.scores:
            score_of(sentence.scores.get(span), index)
    is_same = tokens is sentence.tokens and entities is sentence.entities and gaps is sentence.gaps
    return sentence if is_same else replace(sentence, tokens=tokens, entities=entities, gaps=gaps)


def _strings(values: Any, name: str) -> list[str]:
    if type(values) is list and set(map(type, values)) <= _ONLY_STRINGS:
        return values
    if not isinstance(values, list | tuple):
        raise Wrong(f"the {name} are {values!r:.60}", "give a list of strings")
    for index, value in enumerate(values):
        if not isinstance(value, str):
            raise Wrong(f"{name[:-1]} {index} is {value!r:.60}, not a string")
    return [str(value) for value in values]


def _spans(entities: Any) -> list[Span]:
    if type(entities) is not list:
        if not isinstance(entities, tuple):
            raise Wrong(f"the entities are {entities!r:.60}", "give a list of spans")
        entities = list(entities)
    is_plain = set(map(type, entities)) <= _ONLY_SPANS and all(
        type(start) is type(end) is int and type(label) is str for start, end, label in entities
    )
    return entities if is_plain else [_span(item, index) for index, item in enumerate(entities)]


def _span(item: Any, index: int) -> Span:
    """The span of a tuple or list, whose numbers may be NumPy's."""
    if isinstance(item, list | tuple) and len(item) == 3:
        start, end, label = item
        if isinstance(start, bool) or isinstance(end, bool):
            return Span(start, end, label)  # refused as in a file
        with suppress(TypeError):
            if isinstance(label, str):
                return Span(whole_number(start), whole_number(end), str(label))
    raise Wrong(
        f"entity {index} is not a start, an end and a label: {item!r:.60}",
        'e.g. Span(0, 2, "DNA"): whole numbers that count tokens, and a string',
    )
