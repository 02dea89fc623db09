"""Hugging Face ``datasets``: in memory, a ``save_to_disk`` folder, Parquet or Arrow.

Each row is a sentence: ``tokens``, ``entities`` (a list of ``start``, ``end``, ``label``), and
optionally ``id``, ``doc`` and ``gaps``. Rows with ``tokens`` and a column of tags (``ner_tags``, as
numbers or strings) are read too, and rows with ``text`` and entities that count characters. Needs
the extra ``datasets``.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import IO, Any

from innermost.corpus.context import Context, complete
from innermost.corpus.format import Format, Options
from innermost.corpus.formats.hf_datasets.tables import datasets, rows_of
from innermost.corpus.formats.table import sentences_of_row
from innermost.corpus.report import Report
from innermost.corpus.sentence import Sentence
from innermost.corpus.shared.document_folders import open_folder
from innermost.corpus.shared.tag_schemes import reported_spans, split_tag
from innermost.corpus.shared.unsupported import report_unheld
from innermost.errors import DataError
from innermost.files.source import Source, open_output
from innermost.nest import Span

_ROWS = 1000


class _HuggingFace(Format):
    name = "datasets"
    description = "Hugging Face datasets: a save_to_disk folder, Parquet or Arrow"
    suffixes = (".parquet",)
    holds = frozenset({"crossings", "duplicates", "tokens", "gaps", "doc", "id"})
    extra = "datasets"
    folder_suffixes = (".arrow", ".json")
    reading_settings = ("split", "tags")

    def sniff(self, source: Source) -> bool:
        if source.is_folder:
            folder = Path(source.path)
            return any((folder / n).exists() for n in ("dataset_info.json", "dataset_dict.json"))
        return source.name.endswith((".parquet", ".arrow"))

    def sentences(self, source: Source, context: Context) -> Iterator[Sentence]:
        return _sentences(rows_of(source, context.options.settings.get("split")), context)

    def save(self, sentences: Iterable[Sentence], path: Path | str, context: Context) -> None:
        rows = _rows(sentences, context)
        if str(path).endswith(".parquet"):
            with open_output(path) as sink:
                _write_parquet(rows, sink)
            return
        library = datasets()
        with open_folder(path) as folder, tempfile.TemporaryDirectory() as cache:
            file = Path(cache) / "rows.parquet"
            with file.open("wb") as sink:
                _write_parquet(rows, sink)
            dataset = library.Dataset.from_parquet(str(file), cache_dir=cache)
            dataset.save_to_disk(str(folder))


def from_dataset(
    dataset: Iterable[Mapping[str, Any]], *, tags: str | None = None, path: str = "dataset"
) -> Iterator[Sentence]:
    """The sentences of a dataset in memory (or streamed); ``tags`` names a column of tags."""
    context = Context(Options(settings={"tags": tags} if tags else {}), Report(), path)
    return complete(_sentences(dataset, context), context)


def _sentences(dataset: Iterable[Mapping[str, Any]], context: Context) -> Iterator[Sentence]:
    features = getattr(dataset, "features", None) or {}
    tags = context.options.settings.get("tags")
    names = None

    def read(numbered: tuple[int, Mapping[str, Any]]) -> list[Sentence]:
        nonlocal tags, names
        number, row = numbered
        if number == 1:
            tags = tags or _tag_column(row, context.path)
            names = _class_names(features.get(tags)) if tags else None
        place = context.at(record=number)
        if "tokens" not in row and "text" in row:
            return sentences_of_row(dict(row), place)
        return [_sentence(row, tags, names, place)]

    return context.each(enumerate(dataset, start=1), read)


def to_dataset(sentences: Iterable[Sentence]) -> Any:
    """A ``datasets.Dataset`` of ``sentences``; extra keys cannot be stored and are refused."""
    report = Report()
    rows = list(_rows(sentences, Context(Options(), report, "dataset", holds=FORMAT.holds)))
    if report.total("lost"):
        raise DataError(str(report.examples[0]), hint="remove the extra keys first")
    return datasets().Dataset.from_list(rows, features=_features())


def _tag_column(row: Mapping[str, Any], path: str) -> str | None:
    if "entities" in row:
        return None
    for name in ("ner_tags", "tags", "labels"):
        if name in row:
            return name
    raise DataError(
        "the dataset has neither entities nor a column of tags",
        path=path,
        hint=f"name the column with tags=NAME; the columns are: {', '.join(row)}",
    )


def _class_names(feature: Any) -> list[str] | None:
    inner = getattr(feature, "feature", feature)
    inner = inner[0] if isinstance(inner, list) else inner
    return getattr(inner, "names", None)


def _sentence(
    row: Mapping[str, Any], tags: str | None, names: list[str] | None, context: Context
) -> Sentence:
    tokens = row.get("tokens")
    if (
        not isinstance(tokens, list)
        or not tokens
        or not all(isinstance(t, str) and t for t in tokens)
    ):
        hint = f"a row has `tokens` or `text`; the columns are: {', '.join(row)}"
        raise context.wrong("there is no list of tokens", hint=hint)
    entities = (
        [_span(item, len(tokens), context) for item in _list(row, "entities", context)]
        if tags is None
        else _spans_of_tags(_list(row, tags, context), names, len(tokens), context)
    )
    gaps = _list(row, "gaps", context) or None
    if gaps and (len(gaps) != len(tokens) + 1 or not all(isinstance(gap, str) for gap in gaps)):
        raise context.wrong(f"gaps must be {len(tokens) + 1} strings, one more than the tokens")
    held = {"tokens", "entities", "gaps", "id", "doc", tags}
    return Sentence(
        list(tokens),
        entities,
        gaps=gaps,
        id=None if row.get("id") is None else str(row["id"]),
        doc=None if row.get("doc") is None else str(row["doc"]),
        extra={key: value for key, value in row.items() if key not in held},
    )


def _list(row: Mapping[str, Any], key: str, context: Context) -> list[Any]:
    value = row.get(key)
    if value is None:
        return []
    if not isinstance(value, list):
        raise context.wrong(f"{key} is not a list: {value!r}"[:200])
    return value


def _span(item: Any, length: int, context: Context) -> Span:
    match item:
        case {"start": int(start), "end": int(end), "label": str(label)} if (
            0 <= start < end <= length and label
        ):
            return Span(start, end, label)
    raise context.wrong(
        f"an entity is not start, end, label within the tokens: {item!r}",
        hint="start is inclusive, end is exclusive, both count tokens from 0",
    )


def _spans_of_tags(
    tags: list[Any], names: list[str] | None, length: int, context: Context
) -> list[Span]:
    # Not every number has a name: -1 and -100 mean that there is no label.
    named = [
        names[tag] if names and type(tag) is int and 0 <= tag < len(names) else tag for tag in tags
    ]
    split = [split_tag(tag) if isinstance(tag, str) else None for tag in named]
    wrong = [tag for tag, parts in zip(named, split, strict=True) if parts is None]
    if wrong or len(named) != length:
        detail = f"{wrong[0]!r} is not a tag" if wrong else f"{len(named)} tags for {length} tokens"
        raise context.wrong(
            detail,
            hint="numbers need a feature that names them, such as ClassLabel; -1 and -100 are not "
            "tags: use O",
        )
    return reported_spans([parts for parts in split if parts is not None], context)


def _rows(sentences: Iterable[Sentence], context: Context) -> Iterator[dict[str, Any]]:
    for number, sentence in enumerate(sentences, start=1):
        report_unheld(sentence, number, context)
        yield {
            "id": sentence.id,
            "doc": sentence.doc,
            "tokens": sentence.tokens,
            "gaps": sentence.gaps,
            "entities": [
                {"start": s, "end": e, "label": label} for s, e, label in sentence.entities
            ],
        }


def _write_parquet(rows: Iterator[dict[str, Any]], sink: IO[bytes]) -> None:
    schema = _features().arrow_schema
    from pyarrow import Table, parquet

    with parquet.ParquetWriter(sink, schema) as writer:
        while batch := list(islice(rows, _ROWS)):
            writer.write_table(Table.from_pylist(batch, schema=schema))


def _features() -> Any:
    library = datasets()
    text = library.Value("string")
    number = library.Value("int64")
    return library.Features(
        {
            "id": text,
            "doc": text,
            "tokens": [text],
            "gaps": [text],
            "entities": [{"start": number, "end": number, "label": text}],
        }
    )


FORMAT = _HuggingFace()
