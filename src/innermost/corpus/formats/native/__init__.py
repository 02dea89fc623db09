"""The native format: JSON lines, one sentence or one document per line, or one array (``.json``).

    {"tokens": ["IL-2", "gene"], "entities": [[0, 2, "DNA"], [0, 1, "protein"]]}
    {"text": "IL-2 gene", "entities": [{"start": 0, "end": 9, "label": "DNA"}]}

plus any of ``id``, ``doc`` and other keys, which are kept. ``gaps`` are the pieces of text before
each token and after the last. Text is split into sentences and tokens. An entity may have a score,
``[0, 2, "DNA", 0.93]`` or ``"score": 0.93``; the output of ``innermost predict`` can be read as is.
Entities with the keys of other tools, such as ``span`` and ``type``, are read as well.

Settings: ``form`` is the form to write, ``tokens`` (the default) or ``characters``; with
``sentences`` = ``lines`` each line of a text is one sentence.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from innermost.corpus.context import Context
from innermost.corpus.format import Format
from innermost.corpus.formats.native import text as native_text
from innermost.corpus.formats.native.fields import (
    Entity,
    entities_key,
    entities_of,
    entity,
    kind,
    misspelled,
    name_of,
    scores_of,
)
from innermost.corpus.sentence import Sentence
from innermost.corpus.shared.entity_checks import Wrong, check_span
from innermost.corpus.shared.entity_objects import (
    has_known_keys,
    with_exclusive_ends,
    with_our_keys,
)
from innermost.corpus.shared.json_records import (
    first_record,
    is_one_value_per_line,
    sentences_of_values,
    write_values,
)
from innermost.corpus.shared.unsupported import with_extra
from innermost.errors import DataError
from innermost.files.source import Source

_FIELDS = frozenset({"tokens", "entities", "gaps", "id", "doc"})
_TEXTS = frozenset(["body", "content", "document", "paragraph", "sentence", "words"])
"""Keys that other data uses for texts or tokens."""
_decode = msgspec.json.Decoder().decode
_encode = msgspec.json.Encoder().encode


class NativeFormat(Format):
    name = "native"
    description = "JSON lines with tokens and token spans, or text and character spans"
    suffixes = (".jsonl", ".ndjson", ".json")
    holds = frozenset({"crossings", "duplicates", "tokens", "gaps", "doc", "id", "extra", "scores"})
    reading_settings = ("sentences",)
    writing_settings = ("form", "sentences")

    def sniff(self, source: Source) -> bool:
        record = first_record(source)
        key = entities_key(record) or "entities"
        entities = record.get(key, [])
        entities = [] if entities is None else entities
        if not isinstance(entities, list):
            return False
        objects = all(map(has_known_keys, entities))
        lists = all(isinstance(item, list) for item in entities)
        if native_text.is_text_record(record):
            return key in record and (objects or lists)
        return isinstance(record.get("tokens"), list) and (objects or lists)

    def sentences(self, source: Source, context: Context) -> Iterator[Sentence]:
        if not is_one_value_per_line(source):
            yield from sentences_of_values(source, context, _checked_sentences)
            return
        for number, line in source.utf8_lines():
            if line.isspace():
                continue
            try:
                record = _decode(line)
                sentences = sentences_of_record(record, context.at(number))
            except (msgspec.DecodeError, RecursionError) as error:
                context.bad(context.wrong(f"not valid JSON: {error}", line=number))
            except Wrong as error:
                context.bad(context.wrong(str(error), line=number, hint=error.hint))
            except DataError as error:
                context.bad(error)
            else:
                yield from sentences

    def save(self, sentences: Iterable[Sentence], path: Path | str, context: Context) -> None:
        form = context.options.choice("form", ("tokens", "characters"))
        records: Iterable[dict[str, Any]]
        if form == "characters":
            records = native_text.records(sentences, context)
        else:
            records = (_record(s, number, context) for number, s in enumerate(sentences, start=1))
        write_values((_encoded(record, context) for record in records), path)


FORMAT = NativeFormat()


def sentences_of_record(record: Any, context: Context) -> list[Sentence]:
    """The sentences of a parsed record; raises ``Wrong`` if it is malformed."""
    if native_text.is_text_record(record):
        return native_text.sentences_of_record(record, context)
    return [_sentence(record, context)]


def _checked_sentences(record: Any, context: Context) -> list[Sentence]:
    try:
        return sentences_of_record(record, context)
    except Wrong as error:
        raise context.wrong(str(error), hint=error.hint) from None


def _record(sentence: Sentence, number: int, context: Context) -> dict[str, Any]:
    """The token form of a sentence."""
    record: dict[str, Any] = {}
    if sentence.id is not None:
        record["id"] = sentence.id
    if sentence.doc is not None:
        record["doc"] = sentence.doc
    record["tokens"] = sentence.tokens
    scores = sentence.scores
    record["entities"] = [
        (*span, scores[span]) if span in scores else span for span in sentence.entities
    ]
    gaps = sentence.gaps
    if gaps is None and not sentence.tokens:
        gaps = sentence.filled_gaps()
    if gaps is not None:
        record["gaps"] = gaps
    return with_extra(record, sentence, number, context) if sentence.extra else record


def _encoded(record: dict[str, Any], context: Context) -> bytes:
    try:
        return _encode(record)
    except UnicodeEncodeError as error:
        raise context.wrong(
            f"unpaired surrogate U+{ord(error.object[error.start]):04X} cannot be written as UTF-8",
            hint="replace it in the source",
        ) from None


def _sentence(record: Any, context: Context) -> Sentence:
    if not isinstance(record, dict):
        raise Wrong(f"expected a JSON object, found {kind(record)}")
    tokens = record.get("tokens")
    if not isinstance(tokens, list) or not set(map(type, tokens)) <= {str}:
        other = "" if "tokens" in record else ', or "text": a string'
        raise Wrong(f'expected "tokens": a list of strings{other}', _hint(record))
    if not tokens and "gaps" not in record:
        raise Wrong("the sentence has no tokens", "remove the line")
    if "" in tokens:
        raise Wrong(
            f"token {tokens.index('')} is empty", "every token needs at least one character"
        )
    gaps = record.get("gaps")
    if gaps is not None and not (
        isinstance(gaps, list)
        and len(gaps) == len(tokens) + 1
        and all(isinstance(g, str) for g in gaps)
    ):
        raise Wrong('expected "gaps": a list of strings, one more than there are tokens')
    items = [_counting_tokens(item) for item in entities_of(record, context)]
    items = with_exclusive_ends(items, lambda start, end: "".join(tokens[start:end]), context)
    entities = [_entity(item, index, len(tokens), context) for index, item in enumerate(items)]
    between = _gaps_in(record.get("text"), tokens)
    gaps = between if gaps is None else gaps
    held = _FIELDS | {entities_key(record)}
    if between is not None and gaps == between:
        held |= {"text"}
    return Sentence(
        tokens=tokens,
        entities=[span for span, _ in entities],
        gaps=gaps,
        id=name_of(record, "id"),
        doc=name_of(record, "doc"),
        extra={key: value for key, value in record.items() if key not in held},
        scores=scores_of(entities),
        line=context.line,
    )


def _gaps_in(text: Any, tokens: list[str]) -> list[str] | None:
    """The whitespace between the tokens, if the record has their text too."""
    if not isinstance(text, str):
        return None
    gaps: list[str] = []
    end = 0
    for token in tokens:
        start = text.find(token, end)
        gaps.append(text[end:start] if start >= 0 else text)
        end = start + len(token)
    gaps.append(text[end:])
    return None if any(gap.strip() for gap in gaps) or "".join(tokens) == "" else gaps


def _hint(record: dict[str, Any]) -> str:
    meant = misspelled("tokens", record) or misspelled("text", record)
    if meant is not None and meant not in ("tokens", "text"):
        return f'did you mean "tokens" or "text" by "{meant}"?'
    if "tokens" not in record:
        for key, value in record.items():
            if key in _TEXTS and isinstance(value, str):
                return f'rename the key "{key}" to "text"; entities then count characters'
            if key in _TEXTS and _is_words(value):
                return f'rename the key "{key}" to "tokens"; entities then count tokens'
    return (
        'e.g. {"tokens": ["IL-2", "gene"], "entities": [[0, 2, "DNA"]]} or '
        '{"text": "IL-2 gene", "entities": [[0, 9, "DNA"]]}; other layouts: docs/formats.md'
    )


def _is_words(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and set(map(type, value)) == {str}


def _counting_tokens(item: Any) -> Any:
    """The entity with ``start`` and ``end`` in tokens; those of a prediction count characters."""
    if isinstance(item, dict) and isinstance(item.get("token_start"), int):
        return {**item, "start": item["token_start"], "end": item.get("token_end")}
    return with_our_keys(item)


def _entity(item: Any, index: int, length: int, context: Context) -> Entity:
    parsed = entity(item, index, context)
    check_span(parsed.span, index, length, "tokens")
    return parsed
