"""Label Studio's JSON export: tasks with annotations (or predictions) of character spans::

    [{"data": {"text": "IL-2 gene", "doc": "d1"},
      "annotations": [{"result": [{"type": "labels", "from_name": "label", "to_name": "text",
                                   "value": {"start": 0, "end": 9, "text": "IL-2 gene",
                                             "labels": ["DNA"]}}]}]}]

A task is a document. Label Studio counts as JavaScript does, in UTF-16 units, or in characters,
depending on its version; the text in each value tells which.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from innermost.corpus.context import Context
from innermost.corpus.format import Format
from innermost.corpus.sentence import Sentence, documents
from innermost.corpus.shared.character_spans import text_of
from innermost.corpus.shared.json_records import (
    Record,
    first_record,
    sentences_of_records,
    write_records,
)
from innermost.corpus.shared.text_documents import read_text, report_tokens
from innermost.corpus.shared.unsupported import report_unheld
from innermost.files.source import Source
from innermost.nest import Span

_SOURCES = ("annotations", "predictions")


class _LabelStudio(Format):
    name = "labelstudio"
    description = "Label Studio JSON export: annotations or predictions"
    suffixes = (".labelstudio.json",)
    reading_settings = ("sentences", "text", "take")
    writing_settings = ("sentences",)

    def sniff(self, source: Source) -> bool:
        record = first_record(source)
        return isinstance(record.get("data"), dict) and any(key in record for key in _SOURCES)

    def sentences(self, source: Source, context: Context) -> Iterator[Sentence]:
        context.options.choice("take", _SOURCES)
        return sentences_of_records(source, context, _sentences)

    def save(self, sentences: Iterable[Sentence], path: Path | str, context: Context) -> None:
        write_records(_tasks(sentences, context), path)


def _sentences(task: Record, context: Context) -> list[Sentence]:
    data = task.get("data")
    key = context.options.settings.get("text", "text")
    if not isinstance(data, dict) or not isinstance(data.get(key), str):
        raise context.wrong(
            f'expected "data": an object with "{key}", the text',
            hint='if another key holds the text, name it: "text=KEY"',
        )
    text: str = data[key]
    spans = [span for region in _regions(task, context) for span in _spans(region, text, context)]
    doc = data.get("doc")
    extra = {name: value for name, value in data.items() if name not in (key, "doc")}
    return read_text(text, spans, context, doc=None if doc is None else str(doc), extra=extra)


def _regions(task: Record, context: Context) -> list[Any]:
    """The regions of the one annotation that is taken: the first that was not cancelled."""
    take = context.options.choice("take", _SOURCES)
    given = task.get(take) or []
    if not isinstance(given, list) or not all(isinstance(item, dict) for item in given):
        raise context.wrong(f'expected "{take}": a list of objects')
    usable = [item for item in given if not item.get("was_cancelled")]
    for item in usable[1:]:
        context.lost("further annotation of a task", f"id {item.get('id')}: only the first is read")
    regions = usable[0].get("result", []) if usable else []
    if not isinstance(regions, list):
        raise context.wrong('expected "result": a list')
    return regions


def _spans(region: Any, text: str, context: Context) -> list[Span]:
    match region:
        case {"type": "labels", "value": {"start": int(start), "end": int(end), **value}}:
            labels = value.get("labels")
        case {"type": str(kind)} if kind != "labels":
            context.lost("annotation that is no labelled span", kind)
            return []
        case _:
            raise context.wrong(f"a region of labels needs start and end, found {region!r}"[:200])
    if not isinstance(labels, list) or not all(isinstance(label, str) for label in labels):
        raise context.wrong(f"a region of labels needs its labels, found {labels!r}")
    if not labels:
        context.lost("region without a label", f"[{start}, {end})")
    start, end = _characters(start, end, value.get("text"), text, context)
    return [Span(start, end, label) for label in labels]


def _characters(start: int, end: int, given: Any, text: str, context: Context) -> tuple[int, int]:
    if not isinstance(given, str) or text[start:end] == given:
        return start, end
    units = text.encode("utf-16-le")
    before, inside = units[: 2 * start], units[2 * start : 2 * end]
    if inside == given.encode("utf-16-le"):
        first = len(before.decode("utf-16-le", errors="ignore"))
        return first, first + len(given)
    raise context.wrong(
        f"the region says {given[:60]!r}, the text has {text[start:end][:60]!r} "
        f"at [{start}, {end})",
        hint="the text was changed after it was annotated",
    )


def _tasks(sentences: Iterable[Sentence], context: Context) -> Iterator[Record]:
    number = 0
    for count, (doc, run) in enumerate(documents(sentences), start=1):
        shared = run[0].extra if all(s.extra == run[0].extra for s in run) else {}
        for sentence in run:
            number += 1
            holds = ("doc", "gaps", "extra") if sentence.extra == shared else ("doc", "gaps")
            report_unheld(sentence, number, context, holds=holds)
        report_tokens(run, context)
        text, spans = text_of(run)
        data = {**shared, "text": text} | ({} if doc is None else {"doc": doc})
        for key in shared.keys() & {"text", "doc"}:
            context.lost("extra key", f"{key!r} of task {count}: the name is taken")
        yield {"id": count, "data": data, "annotations": [{"result": _results(text, spans)}]}


def _results(text: str, spans: list[Span]) -> list[Record]:
    return [
        {
            "id": str(number),
            "type": "labels",
            "from_name": "label",
            "to_name": "text",
            "value": {"start": start, "end": end, "text": text[start:end], "labels": [label]},
        }
        for number, (start, end, label) in enumerate(spans, start=1)
    ]


FORMAT = _LabelStudio()
