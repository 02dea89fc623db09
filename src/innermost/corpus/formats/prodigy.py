"""Prodigy's JSON lines: a text, its tokens, and spans that count characters and tokens::

    {"text": "IL-2 gene",
     "tokens": [{"text": "IL-2", "start": 0, "end": 4, "id": 0, "ws": true}, ...],
     "spans": [{"start": 0, "end": 9, "token_start": 0, "token_end": 1, "label": "DNA"}]}

``token_end`` is inclusive. Records without tokens are tokenised. Names go into ``meta``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from innermost.corpus.format import Options
from innermost.corpus.report import Report
from innermost.corpus.sentence import Sentence
from innermost.corpus.shared.character_spans import sentences_from_text, sentences_from_tokens
from innermost.corpus.shared.json_records import Record, first_record, read_records, write_records
from innermost.corpus.shared.unsupported import with_extra
from innermost.errors import DataError
from innermost.files.source import Source
from innermost.nest import Span

Offsets = tuple[int, int]


class _Prodigy:
    name = "prodigy"
    description = "Prodigy JSON lines: text, tokens, spans"
    suffixes = (".prodigy.jsonl",)

    def sniff(self, source: Source) -> bool:
        record = first_record(source)
        return "text" in record and ("spans" in record or "_input_hash" in record)

    def read(self, source: Source, options: Options, report: Report) -> Iterator[Sentence]:
        options.check_settings(self.name, ())
        for line, record in read_records(source):
            yield from _sentences(record, options, report, source.path, line)

    def write(
        self, sentences: Iterable[Sentence], path: Path | str, options: Options, report: Report
    ) -> None:
        options.check_settings(self.name, ())
        write_records((_record(s, n, path, report) for n, s in enumerate(sentences, 1)), path)


def _sentences(
    record: Record, options: Options, report: Report, path: str, line: int
) -> list[Sentence]:
    text = record.get("text")
    if not isinstance(text, str):
        raise DataError('expected "text": a string', path=path, line=line)
    if (answer := record.get("answer", "accept")) != "accept":
        report.lost("example not accepted", f"{answer}: {text[:60]!r}", path=path, line=line)
        return []
    tokens = [_offsets(t, text, path, line) for t in _list(record, "tokens", path, line)]
    spans = [_span(item, tokens, path, line) for item in _list(record, "spans", path, line)]
    held = ("text", "tokens", "spans", "answer")
    extra = {key: value for key, value in record.items() if key not in held}
    doc, name, extra = _names_from_meta(extra)
    if tokens:
        made = sentences_from_tokens(
            text, [tokens], spans, options, report, path=path, doc=doc, line=line, extra=extra
        )
    else:
        made = sentences_from_text(
            text, spans, options, report, path=path, doc=doc, line=line, extra=extra
        )
    for sentence in made:
        sentence.id = name
    return made


def _list(record: Record, key: str, path: str, line: int) -> list[Any]:
    value = record.get(key) or []
    if not isinstance(value, list):
        raise DataError(f'expected "{key}": a list, found {value!r}', path=path, line=line)
    return value


def _offsets(token: Any, text: str, path: str, line: int) -> Offsets:
    match token:
        case {"start": int(start), "end": int(end), "text": str(given)}:
            if text[start:end] != given:
                raise DataError(
                    f"the token {given!r} is {text[start:end]!r} in the text [{start}, {end})",
                    path=path,
                    line=line,
                )
            return start, end
    raise DataError(f"a token needs text, start and end, found {token!r}", path=path, line=line)


def _span(item: Any, tokens: list[Offsets], path: str, line: int) -> Span:
    match item:
        case {"start": int(start), "end": int(end), "label": str(label)}:
            return Span(start, end, label)
        case {"token_start": int(first), "token_end": int(last), "label": str(label)} if (
            0 <= first <= last < len(tokens)
        ):
            return Span(tokens[first][0], tokens[last][1], label)
    raise DataError(
        f"a span needs start, end and label, found {item!r}",
        path=path,
        line=line,
        hint="token_start and token_end do too, counting the tokens from 0, both inclusive",
    )


def _names_from_meta(
    extra: dict[str, Any],
) -> tuple[str | None, str | None, dict[str, Any]]:
    """The names that writing put into ``meta``, and the other keys."""
    meta = extra.get("meta")
    if not isinstance(meta, dict):
        return None, None, extra
    doc, name = meta.get("doc"), meta.get("id")
    rest = {k: v for k, v in meta.items() if k not in ("doc", "id")}
    others = {k: v for k, v in extra.items() if k != "meta"} | ({"meta": rest} if rest else {})
    return (
        None if doc is None else str(doc),
        None if name is None else str(name),
        others,
    )


def _record(sentence: Sentence, number: int, path: Path | str, report: Report) -> Record:
    text = sentence.text if sentence.gaps is not None else sentence.text.removesuffix("\n")
    offsets = sentence.token_offsets()
    record: Record = {
        "text": text,
        "tokens": [
            {"text": token, "start": s, "end": e, "id": i, "ws": text[e : e + 1] == " "}
            for i, (token, (s, e)) in enumerate(zip(sentence.tokens, offsets, strict=True))
        ],
        "spans": [
            {
                "start": offsets[start][0],
                "end": offsets[end - 1][1],
                "token_start": start,
                "token_end": end - 1,
                "label": label,
            }
            for start, end, label in sentence.entities
        ],
    }
    names = {"doc": sentence.doc, "id": sentence.id}
    held = {key: value for key, value in names.items() if value is not None}
    meta = sentence.extra.get("meta", {})
    if not isinstance(meta, dict):
        report.lost("extra key", f"'meta' of sentence {number} is no object", path=path)
        meta = {}
    if meta or held:
        record["meta"] = meta | held
    return with_extra(record, sentence, number, path, report, placed=("meta",))


FORMAT = _Prodigy()
