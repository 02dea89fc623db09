"""The JSON of recent papers on nested entities, in three styles::

    spert  {"tokens": ["IL-2", "gene"], "entities": [{"start": 0, "end": 2, "type": "DNA"}]}
    dygie  {"doc_key": "d1", "sentences": [["IL-2", "gene"]], "ner": [[[0, 1, "DNA"]]]}
    w2ner  {"sentence": ["IL-2", "gene"], "ner": [{"index": [0, 1], "type": "DNA"}]}

JSON lines or one array. ``spert`` counts ends as exclusive unless told ``ends=inclusive``;
``dygie`` counts tokens through the document, ends inclusive.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any

from innermost.corpus.format import Options
from innermost.corpus.report import Report
from innermost.corpus.sentence import Sentence, documents
from innermost.corpus.shared.json_records import Record, head_records, read_records, write_records
from innermost.corpus.shared.unsupported import report_unheld, with_extra
from innermost.errors import DataError, UsageError
from innermost.files.source import Source
from innermost.nest import Span

_STYLES = ("spert", "dygie", "w2ner")


class _Papers:
    name = "papers"
    description = "JSON of papers: SpERT-like tokens/entities, DyGIE documents, W2NER indices"
    suffixes = (".json",)

    def sniff(self, source: Source) -> bool:
        for record in head_records(source):
            style = _style_of(record)
            if style != "spert":
                return style is not None
            # Without any entities the native format reads the same.
            for item in record.get("entities") or ():
                return isinstance(item, dict)
        return False

    def read(self, source: Source, options: Options, report: Report) -> Iterator[Sentence]:
        options.check_settings(self.name, ("ends", "discontinuous"))
        inclusive = _choice(options, "ends", ("exclusive", "inclusive")) == "inclusive"
        as_hull = _choice(options, "discontinuous", ("lose", "hull")) == "hull"
        for line, record in read_records(source):
            where = _Where(source.path, line, report, as_hull)
            style = _style_of(record)
            if style == "spert":
                yield _from_spert(record, where, inclusive)
            elif style == "dygie":
                yield from _from_dygie(record, where)
            elif style == "w2ner":
                yield _from_w2ner(record, where)
            else:
                raise where.wrong(
                    "found none of: tokens and entities, sentences and ner, sentence and ner"
                )

    def write(
        self, sentences: Iterable[Sentence], path: Path | str, options: Options, report: Report
    ) -> None:
        options.check_settings(self.name, ("style",))
        style = _choice(options, "style", _STYLES)
        if style == "dygie":
            write_records(_to_dygie(sentences, path, report), path)
        else:
            make = _to_spert if style == "spert" else _to_w2ner
            write_records((make(s, n, path, report) for n, s in enumerate(sentences, 1)), path)


def _choice(options: Options, key: str, choices: tuple[str, ...]) -> str:
    """The value of a setting; the first choice is the default."""
    value = options.settings.get(key, choices[0])
    if value not in choices:
        raise UsageError(f"the setting {key} is {value!r}", hint=f"one of: {', '.join(choices)}")
    return value


def _style_of(record: Record) -> str | None:
    if "tokens" in record:
        return "spert"
    if "ner" in record:
        return "dygie" if "sentences" in record else "w2ner" if "sentence" in record else None
    return None


class _Where:
    """The place of a record, for errors and for the report."""

    def __init__(self, path: str, line: int, report: Report, as_hull: bool) -> None:
        self.path, self.line, self.report, self.as_hull = path, line, report, as_hull

    def wrong(self, message: str, hint: str | None = None) -> DataError:
        return DataError(message, path=self.path, line=self.line, hint=hint)

    def tokens(self, value: Any) -> list[str]:
        if not isinstance(value, list) or not value:
            raise self.wrong(f"expected a list of tokens, found {value!r}")
        for token in value:
            if not isinstance(token, str) or not token:
                raise self.wrong(f"a token must be a string that is not empty, found {token!r}")
        return value

    def list_of(self, record: Record, key: str) -> list[Any]:
        value = record.get(key) or []
        if not isinstance(value, list):
            raise self.wrong(f'expected "{key}": a list, found {value!r}')
        return value

    def span(self, start: Any, end: Any, label: Any, length: int) -> Span:
        if not isinstance(start, int) or not isinstance(end, int) or not isinstance(label, str):
            raise self.wrong(f"expected two numbers and a type, found {[start, end, label]!r}")
        if not 0 <= start < end <= length:
            raise self.wrong(
                f"the entity [{start}, {end}) {label} is empty or outside the {length} tokens",
                'if its ends are inclusive, say so: "ends=inclusive"',
            )
        return Span(start, end, label)


def _from_spert(record: Record, where: _Where, inclusive: bool) -> Sentence:
    tokens = where.tokens(record["tokens"])
    entities: list[Span] = []
    for item in where.list_of(record, "entities"):
        match item:
            case {"start": int(start), "end": int(end), "type": str(label)}:
                pass
            case [int(start), int(end), str(label)]:
                pass
            case _:
                raise where.wrong(f"an entity needs start, end and type, found {item!r}")
        entities.append(where.span(start, end + inclusive, label, len(tokens)))
    known = ("tokens", "entities", "orig_id", "doc")
    extra = {key: value for key, value in record.items() if key not in known}
    return Sentence(
        tokens,
        entities,
        id=_name(record, "orig_id", where),
        doc=_name(record, "doc", where),
        extra=extra,
        line=where.line,
    )


def _from_dygie(record: Record, where: _Where) -> Iterator[Sentence]:
    sentences = [where.tokens(value) for value in where.list_of(record, "sentences")]
    lists = where.list_of(record, "ner")
    if len(lists) != len(sentences):
        raise where.wrong(f"{len(sentences)} sentences but {len(lists)} lists of entities")
    for key in record:
        if key not in ("doc_key", "sentences", "ner"):
            where.report.lost("key of a document", key, path=where.path, line=where.line)
    doc = _name(record, "doc_key", where)
    starts = accumulate((len(tokens) for tokens in sentences), initial=0)
    for tokens, start, given in zip(sentences, starts, lists, strict=False):
        entities = []
        for item in given if isinstance(given, list) else [given]:
            match item:
                case [int(first), int(last), str(label), *_]:
                    entities.append(where.span(first - start, last + 1 - start, label, len(tokens)))
                case _:
                    raise where.wrong(f"an entity is [first, last, type], found {item!r}")
        yield Sentence(tokens, entities, doc=doc, line=where.line)


def _from_w2ner(record: Record, where: _Where) -> Sentence:
    tokens = where.tokens(record["sentence"])
    entities: list[Span] = []
    for item in where.list_of(record, "ner"):
        match item:
            case {"index": [int(), *_] as indices, "type": str(label)} if all(
                isinstance(i, int) for i in indices
            ):
                whole = where.span(min(indices), max(indices) + 1, label, len(tokens))
            case [int(first), int(last), str(label)]:
                whole = where.span(first, last + 1, label, len(tokens))
                indices = range(first, last + 1)
            case _:
                raise where.wrong(f"an entity needs index and type, found {item!r}")
        if len(set(indices)) == whole.end - whole.start:
            entities.append(whole)
            continue
        detail = f"{label} {list(indices)}"
        if where.as_hull:
            where.report.changed(
                "discontinuous span", f"{detail}: its gaps filled", path=where.path, line=where.line
            )
            entities.append(whole)
        else:
            where.report.lost("discontinuous span", detail, path=where.path, line=where.line)
    extra = {key: value for key, value in record.items() if key not in ("sentence", "ner", "doc")}
    return Sentence(tokens, entities, doc=_name(record, "doc", where), extra=extra, line=where.line)


def _name(record: Record, key: str, where: _Where) -> str | None:
    value = record.get(key)
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, int):
        return str(value)
    raise where.wrong(f'expected "{key}": a string, found {value!r}')


def _to_spert(sentence: Sentence, number: int, path: Path | str, report: Report) -> Record:
    report_unheld(sentence, number, path, report, holds=("id", "doc", "extra"))
    entities = [{"start": s, "end": e, "type": label} for s, e, label in sentence.entities]
    names = {"orig_id": sentence.id, "doc": sentence.doc}
    held = {key: value for key, value in names.items() if value is not None}
    record = {"tokens": sentence.tokens, "entities": entities, **held}
    return with_extra(record, sentence, number, path, report)


def _to_w2ner(sentence: Sentence, number: int, path: Path | str, report: Report) -> Record:
    report_unheld(sentence, number, path, report, holds=("doc", "extra"))
    entities = [{"index": list(range(s, e)), "type": label} for s, e, label in sentence.entities]
    held = {} if sentence.doc is None else {"doc": sentence.doc}
    record = {"sentence": sentence.tokens, "ner": entities, **held}
    return with_extra(record, sentence, number, path, report)


def _to_dygie(sentences: Iterable[Sentence], path: Path | str, report: Report) -> Iterator[Record]:
    number = 0
    for count, (doc, run) in enumerate(documents(sentences), start=1):
        for sentence in run:
            number += 1
            report_unheld(sentence, number, path, report, holds=("doc",))
        if doc is None:
            report.changed("document name", f"document {count} gets the name {count}", path=path)
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
