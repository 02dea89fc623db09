"""The JSON of papers on nested entities and of published corpora, in several styles::

    spert  {"tokens": ["IL-2", "gene"], "entities": [{"start": 0, "end": 2, "type": "DNA"}]}
    dygie  {"doc_key": "d1", "sentences": [["IL-2", "gene"]], "ner": [[[0, 1, "DNA"]]]}
    w2ner  {"sentence": ["IL-2", "gene"], "ner": [{"index": [0, 1], "type": "DNA"}]}
    gliner {"tokenized_text": ["IL-2", "gene"], "ner": [[0, 1, "DNA"]]}
    biaffine {"doc_key": "d1", "sentences": [["IL-2", "gene"]], "ners": [[[0, 1, "DNA"]]]}
    tagged {"tokens": ["IL-2", "gene"], "ner_tags": ["B-DNA", "I-DNA"]}

of which the last two are only read; and the styles of text in :mod:`texts`, which are only read.
JSON lines or one array. ``spert`` counts ends as exclusive unless ``ends=inclusive`` is set, or the
texts of its entities show that they are inclusive; ``dygie``, ``gliner`` and ``biaffine`` have
inclusive ends, which in ``dygie`` count tokens across the document.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any

from innermost.corpus.context import Context
from innermost.corpus.format import Format
from innermost.corpus.formats.papers.texts import (
    from_cluener,
    from_dataturks,
    is_cluener,
    is_dataturks,
)
from innermost.corpus.sentence import Sentence, documents
from innermost.corpus.shared.discontinuous import SETTING, check_choice, fill_gaps_or_lose
from innermost.corpus.shared.entity_objects import with_exclusive_ends
from innermost.corpus.shared.json_records import (
    Record,
    are_numbers,
    head_records,
    list_of,
    name_of,
    sentences_of_records,
    write_records,
)
from innermost.corpus.shared.tag_schemes import Tag, reported_spans, split_tag
from innermost.corpus.shared.unsupported import report_unheld, with_extra
from innermost.files.source import Source
from innermost.nest import Span

_STYLES = ("spert", "dygie", "w2ner", "gliner")
_TAGS = ("ner_tags", "tags", "labels", "ner")
_ENDS = ("exclusive", "inclusive")
_IF_INCLUSIVE = "if ends are inclusive in this file: --read-set ends=inclusive"
_SPERT_KEYS = frozenset({"start", "end", "type"})


class _Papers(Format):
    name = "papers"
    description = (
        "JSON of papers and corpora: SpERT, DyGIE, W2NER, GLiNER, biaffine-ner, tags, CLUENER"
    )
    suffixes = (".papers.json",)
    holds = frozenset({"crossings", "duplicates", "tokens", "doc", "id", "extra"})
    reading_settings = ("ends", SETTING, "sentences")
    writing_settings = ("style",)

    def sniff(self, source: Source) -> bool:
        for record in head_records(source):
            style = _style_of(record)
            if style != "spert":
                return style is not None
            # Without entities, this is the native format.
            entities = record.get("entities")
            if isinstance(entities, list) and entities:
                return isinstance(entities[0], dict) and entities[0].keys() >= _SPERT_KEYS
        return False

    def sentences(self, source: Source, context: Context) -> Iterator[Sentence]:
        context.options.choice("ends", _ENDS)
        check_choice(context)
        return sentences_of_records(source, context, _sentences)

    def save(self, sentences: Iterable[Sentence], path: Path | str, context: Context) -> None:
        style = context.options.choice("style", _STYLES)
        if style == "dygie":
            write_records(_to_dygie(sentences, context), path)
        else:
            make = {"spert": _to_spert, "w2ner": _to_w2ner, "gliner": _to_gliner}[style]
            write_records((make(s, n, context) for n, s in enumerate(sentences, 1)), path)


def _sentences(record: Record, context: Context) -> Iterable[Sentence]:
    style = _style_of(record)
    if style == "spert":
        return [_from_spert(record, context)]
    if style == "tagged":
        return [_from_tags(record, context)]
    if style == "dygie":
        return _from_documents(record, "ner", context, per_sentence=False)
    if style == "biaffine":
        return _from_documents(record, "ners", context, per_sentence=True)
    if style == "w2ner":
        return [_from_w2ner(record, "sentence", context)]
    if style == "gliner":
        return [_from_w2ner(record, "tokenized_text", context)]
    if style == "cluener":
        return from_cluener(record, context)
    if style == "dataturks":
        return from_dataturks(record, context)
    raise context.wrong(
        "found none of: tokens and entities, sentences and ner or ners, sentence and ner, "
        "tokenized_text and ner, words and tags, text and label, content and annotation"
    )


def _style_of(record: Record) -> str | None:
    if "tokens" in record:
        return "tagged" if _tag_key(record, "tokens") else "spert"
    if "words" in record and _tag_key(record, "words"):
        return "tagged"
    if "sentences" in record and "ners" in record:
        return "biaffine"
    if "ner" in record:
        keys = {"sentences": "dygie", "sentence": "w2ner", "tokenized_text": "gliner"}
        return next((style for key, style in keys.items() if key in record), None)
    return "cluener" if is_cluener(record) else "dataturks" if is_dataturks(record) else None


def _tag_key(record: Record, tokens_key: str) -> str | None:
    """The key with a list as long as the tokens, of tags or of their numbers.

    Under ``entities`` only tags are expected, and other keys do not count where it has none.
    """
    tokens = record.get(tokens_key)
    size = len(tokens) if isinstance(tokens, list) else -1
    entities = record.get("entities")
    if entities is not None:
        is_tags = isinstance(entities, list) and bool(entities) and isinstance(entities[0], str)
        return "entities" if is_tags and len(entities) == size else None
    lists = [key for key in _TAGS if isinstance(record.get(key), list)]
    return next((key for key in lists if len(record[key]) == size), None)


def _tokens(value: Any, context: Context) -> list[str]:
    if not isinstance(value, list) or not value:
        raise context.wrong(f"expected a list of tokens, found {value!r}")
    for token in value:
        if not isinstance(token, str) or not token:
            raise context.wrong(f"a token must be a non-empty string, found {token!r}")
    return value


def _span(
    start: int, end: int, label: str, length: int, context: Context, *, hint: str | None = None
) -> Span:
    if not 0 <= start < end <= length:
        raise context.wrong(
            f"the entity [{start}, {end}) {label} is empty or outside the {length} tokens",
            hint=hint or "ends are read as inclusive; tokens count from 0",
        )
    return Span(start, end, label)


def _from_spert(record: Record, context: Context) -> Sentence:
    inclusive = context.options.choice("ends", _ENDS) == "inclusive"
    tokens = _tokens(record["tokens"], context)
    entities: list[Span] = []
    items = list_of(record, "entities", context)
    if "ends" not in context.options.settings:
        items = with_exclusive_ends(items, lambda s, e: "".join(tokens[s:e]), context)
    for item in items:
        match item:
            case {"start": start, "end": end, "type": str(label)} if are_numbers(start, end):
                if others := sorted(item.keys() - _SPERT_KEYS - {"text"}):
                    context.lost("keys of an entity", ", ".join(others))
            case [start, end, str(label)] if are_numbers(start, end):
                pass
            case _:
                raise context.wrong(f"an entity needs start, end and type, found {item!r}")
        hint = None if inclusive else _IF_INCLUSIVE
        entities.append(_span(start, end + inclusive, label, len(tokens), context, hint=hint))
    known = ("tokens", "entities", "orig_id", "doc")
    extra = {key: value for key, value in record.items() if key not in known}
    return Sentence(
        tokens,
        entities,
        id=name_of(record, "orig_id", context),
        doc=name_of(record, "doc", context),
        extra=extra,
        line=context.line,
    )


def _from_tags(record: Record, context: Context) -> Sentence:
    tokens_key = "tokens" if "tokens" in record else "words"
    tokens = _tokens(record[tokens_key], context)
    key = _tag_key(record, tokens_key) or ""
    tags: list[Tag] = []
    for tag in record[key]:
        split = split_tag(tag) if isinstance(tag, str) else None
        if split is None:
            raise context.wrong(
                f"{tag!r} in {key!r} is not a tag",
                hint="a tag is O or a letter of BIESLU, a hyphen and a label; numbers need names, "
                "which the datasets format has",
            )
        tags.append(split)
    known = (tokens_key, key, "id", "doc")
    return Sentence(
        tokens,
        reported_spans(tags, context),
        id=name_of(record, "id", context),
        doc=name_of(record, "doc", context),
        extra={name: value for name, value in record.items() if name not in known},
        line=context.line,
    )


def _from_documents(
    record: Record, key: str, context: Context, *, per_sentence: bool
) -> Iterator[Sentence]:
    """The sentences of a document; ``per_sentence``: tokens are numbered in each anew."""
    sentences = [_tokens(value, context) for value in list_of(record, "sentences", context)]
    lists = list_of(record, key, context)
    if len(lists) != len(sentences):
        raise context.wrong(f"{len(sentences)} sentences but {len(lists)} lists of entities")
    for other in sorted(record.keys() - {"doc_key", "sentences", key}):
        context.lost("key of a document", other)
    doc = name_of(record, "doc_key", context)
    starts = accumulate((0 if per_sentence else len(tokens) for tokens in sentences), initial=0)
    for tokens, start, given in zip(sentences, starts, lists, strict=False):
        entities = []
        for item in given if isinstance(given, list) else [given]:
            match item:
                case [first, last, str(label), *_] if are_numbers(first, last):
                    span = _span(first - start, last + 1 - start, label, len(tokens), context)
                    entities.append(span)
                case _:
                    raise context.wrong(f"an entity is [first, last, type], found {item!r}")
        yield Sentence(tokens, entities, doc=doc, line=context.line)


def _from_w2ner(record: Record, tokens_key: str, context: Context) -> Sentence:
    tokens = _tokens(record[tokens_key], context)
    entities: list[Span] = []
    for item in list_of(record, "ner", context):
        match item:
            case {"index": [_, *_] as indices, "type": str(label)} if are_numbers(*indices):
                whole = _span(min(indices), max(indices) + 1, label, len(tokens), context)
            case [first, last, str(label)] if are_numbers(first, last):
                whole = _span(first, last + 1, label, len(tokens), context)
                indices = range(first, last + 1)
            case _:
                raise context.wrong(f"an entity needs index and type, found {item!r}")
        is_continuous = len(set(indices)) == whole.end - whole.start
        if is_continuous or fill_gaps_or_lose(f"{label} {list(indices)}", context):
            entities.append(whole)
    extra = {key: value for key, value in record.items() if key not in (tokens_key, "ner", "doc")}
    return Sentence(
        tokens, entities, doc=name_of(record, "doc", context), extra=extra, line=context.line
    )


def _to_spert(sentence: Sentence, number: int, context: Context) -> Record:
    report_unheld(sentence, number, context)
    entities = [{"start": s, "end": e, "type": label} for s, e, label in sentence.entities]
    names = {"orig_id": sentence.id, "doc": sentence.doc}
    held = {key: value for key, value in names.items() if value is not None}
    record = {"tokens": sentence.tokens, "entities": entities, **held}
    return with_extra(record, sentence, number, context)


def _to_w2ner(sentence: Sentence, number: int, context: Context) -> Record:
    report_unheld(sentence, number, context, holds=("doc", "extra"))
    entities = [{"index": list(range(s, e)), "type": label} for s, e, label in sentence.entities]
    held = {} if sentence.doc is None else {"doc": sentence.doc}
    record = {"sentence": sentence.tokens, "ner": entities, **held}
    return with_extra(record, sentence, number, context)


def _to_gliner(sentence: Sentence, number: int, context: Context) -> Record:
    report_unheld(sentence, number, context, holds=("doc", "extra"))
    entities = [[s, e - 1, label] for s, e, label in sentence.entities]
    held = {} if sentence.doc is None else {"doc": sentence.doc}
    record = {"tokenized_text": sentence.tokens, "ner": entities, **held}
    return with_extra(record, sentence, number, context)


def _to_dygie(sentences: Iterable[Sentence], context: Context) -> Iterator[Record]:
    number = 0
    for count, (doc, run) in enumerate(documents(sentences), start=1):
        for sentence in run:
            number += 1
            report_unheld(sentence, number, context, holds=("doc",))
        if doc is None:
            context.changed("document name", f"document {count} gets the name {count}")
        yield {
            "doc_key": str(count) if doc is None else doc,
            "sentences": [sentence.tokens for sentence in run],
            "ner": _inclusive(run),
        }


def _inclusive(run: Sequence[Sentence]) -> list[list[list[Any]]]:
    starts = accumulate((len(sentence.tokens) for sentence in run), initial=0)
    return [
        [[start + s, start + e - 1, label] for s, e, label in sentence.entities]
        for start, sentence in zip(starts, run, strict=False)
    ]


FORMAT = _Papers()
