"""brat standoff: a text in ``.txt`` and its annotations, by character, in ``.ann``::

    T1	DNA 4 13	IL-2 gene
    T2	protein 4 8	IL-2

A folder of such pairs (or a tar archive of one), or one pair. In the BioNLP shared tasks the
entities are in ``.a1``; the events in ``.a2`` are not read. Written as a folder with the
``annotation.conf`` that brat needs to offer the types. Scores are written as notes, ``score=0.93``.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from os.path import commonpath
from pathlib import Path, PurePosixPath

from innermost.corpus.context import Context
from innermost.corpus.format import Format
from innermost.corpus.formats.brat.annotations import (
    LINE_PARTS,
    Annotations,
    read_annotations,
)
from innermost.corpus.formats.brat.types import TypeNames, read_labels
from innermost.corpus.sentence import Sentence
from innermost.corpus.shared.character_spans import (
    AnnotatedText,
    annotated_text_of,
    sentences_from_text,
)
from innermost.corpus.shared.discontinuous import SETTING, check_choice
from innermost.corpus.shared.document_folders import FileNames, document_of, open_folder
from innermost.corpus.shared.text_documents import named_runs, report_tokens
from innermost.corpus.shared.unsupported import report_unheld
from innermost.errors import DataError
from innermost.files.archives import is_archive, member_names, unpack
from innermost.files.source import BOM_CHARACTER, Source, plain_name
from innermost.nest import Span

_ANNOTATIONS = (".ann", ".a1")
"""Files with entities; the second are those of the BioNLP shared tasks."""
_EVENTS = ".a2"
_SUFFIXES = (".txt", *_ANNOTATIONS, _EVENTS)


class _Brat(Format):
    name = "brat"
    description = "brat standoff: .txt and .ann, a folder or a tar archive of them"
    suffixes = (".ann",)
    holds = frozenset({"crossings", "duplicates", "gaps", "doc", "scores"})
    is_folder = True
    folder_suffixes = _SUFFIXES
    reading_settings = ("sentences", SETTING, "name_suffix")
    writing_settings = ("sentences",)

    def sniff(self, source: Source) -> bool:
        if source.is_folder:
            return any(any(source.files(suffix)) for suffix in _ANNOTATIONS)
        if is_archive(source):
            try:
                return any(name.endswith(_ANNOTATIONS) for name in member_names(source))
            except DataError:
                return False
        return source.name.endswith(_ANNOTATIONS) or (
            source.name.endswith(".txt")
            and any(Path(source.path).with_suffix(suffix).exists() for suffix in _ANNOTATIONS)
        )

    def sentences(self, source: Source, context: Context) -> Iterator[Sentence]:
        check_choice(context)
        with tempfile.TemporaryDirectory() as folder:
            pairs = list(_pairs(source, Path(folder), context))
            labels = _labels(source) if context.options.entities else {}
            yield from context.each(pairs, lambda pair: _read(pair, labels, context))

    def save(self, sentences: Iterable[Sentence], path: Path | str, context: Context) -> None:
        number = 0
        with open_folder(path) as folder:
            names = FileNames(context)
            types = TypeNames()
            for doc, run in named_runs(sentences):
                for sentence in run:
                    number += 1
                    report_unheld(sentence, number, context)
                report_tokens(run, context)
                name = names.of(doc)
                document = annotated_text_of(run)
                mark = BOM_CHARACTER if document.text.startswith(BOM_CHARACTER) else ""
                (folder / f"{name}.txt").write_bytes((mark + document.text).encode())
                lines = _annotation_lines(document, types)
                (folder / f"{name}.ann").write_bytes("".join(lines).encode())
            types.write(folder)


@dataclass(frozen=True, slots=True)
class _Pair:
    text: Source
    annotations: Source | None
    name: str


def _read(pair: _Pair, labels: dict[str, str], context: Context) -> list[Sentence]:
    text = pair.text.text()
    annotations = _annotations(pair, text, context) if context.options.entities else Annotations()
    named = [Span(s.start, s.end, labels.get(s.label, s.label)) for s in annotations.spans]
    scores = {
        new: annotations.scores[old]
        for new, old in zip(named, annotations.spans, strict=True)
        if old in annotations.scores
    }
    name = pair.name.removesuffix(context.options.settings.get("name_suffix", ""))
    place = context.at(path=pair.text.path)
    sentences = sentences_from_text(text, named, place, doc=name, scores=scores)
    for sentence in sentences:
        # The order of the lines in a .ann file only says when they were annotated.
        sentence.entities.sort(key=lambda span: (span.start, -span.end, span.label))
    return sentences


def _annotations(pair: _Pair, text: str, context: Context) -> Annotations:
    if pair.annotations is None:
        context.odd("text without annotations", pair.name)
        return Annotations()
    return read_annotations(pair.annotations, text, context.at(path=pair.annotations.path))


def _by_plain_path(found: list[Source], context: Context) -> dict[str, Source]:
    files: dict[str, Source] = {}
    for file in found:
        first = files.setdefault(_plain_path(file.path), file)
        if first is not file:
            message = f"the same document as {first.path}"
            context.bad(context.at(path=file.path).wrong(message, hint="remove one of them"))
    return files


def _labels(source: Source) -> dict[str, str]:
    if is_archive(source):
        return {}
    path = Path(source.path)
    return read_labels(path if source.is_folder else path.parent)


def _pairs(source: Source, folder: Path, context: Context) -> Iterator[_Pair]:
    """The documents of a folder, an archive (which is unpacked) or a single file."""
    if is_archive(source):
        files = unpack(source, folder, lambda name: name.endswith(_SUFFIXES))
    elif source.is_folder:
        found = [file for suffix in _SUFFIXES for file in source.files(suffix)]
        files = _by_plain_path(found, context)
    else:
        path = Path(source.path)
        files = {
            str(file): Source(file) for file in map(path.with_suffix, _SUFFIXES) if file.exists()
        }
    texts = {name.removesuffix(".txt"): f for name, f in files.items() if name.endswith(".txt")}
    annotated = _annotated(files, context)
    for stem in sorted(annotated.keys() - texts.keys()):
        if context.options.entities:
            context.bad(_no_text(annotated[stem].path))
        else:
            context.report.add("note", "no .txt file for an .ann file", annotated[stem].path)
    if not texts:
        if annotated and context.options.entities:
            return
        raise context.wrong("no .txt files")
    root = commonpath([str(PurePosixPath(stem).parent) for stem in texts])
    for stem in sorted(texts):
        name = document_of(PurePosixPath(stem).relative_to(root).as_posix())
        yield _Pair(texts[stem], annotated.get(stem), name)


def _annotated(files: dict[str, Source], context: Context) -> dict[str, Source]:
    """The file of annotations of each document: its ``.ann`` file, else its ``.a1`` file."""
    annotated: dict[str, Source] = {}
    for suffix in _ANNOTATIONS:
        for name, file in files.items():
            if name.endswith(suffix) and annotated.setdefault(name[: -len(suffix)], file) != file:
                context.odd("two files of annotations", f"{file.path}: the .ann file is read")
    for name, file in files.items():
        if name.endswith(_EVENTS):
            context.at(path=file.path).lost("event", "triggers and events are not read")
    return annotated


def _plain_path(path: str) -> str:
    """The path without a compression suffix."""
    return (Path(path).parent / plain_name(path)).as_posix()


def _no_text(path: str) -> DataError:
    return DataError(
        "no .txt file for the .ann file",
        path=path,
        hint="annotations are offsets into the text: put both files in one folder",
    )


def _annotation_lines(document: AnnotatedText, types: TypeNames) -> Iterator[str]:
    """A line for each entity, and a note for its score."""
    notes: list[str] = []
    for number, span in enumerate(document.spans, start=1):
        shown = document.text[span.start : span.end].translate(LINE_PARTS)
        yield f"T{number}\t{types.of(span.label)} {span.start} {span.end}\t{shown}\n"
        if (score := document.scores.get(span)) is not None:
            notes.append(f"#{len(notes) + 1}\tAnnotatorNotes T{number}\tscore={score!r}\n")
    yield from notes


FORMAT = _Brat()
