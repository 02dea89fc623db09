"""brat standoff: a text in ``.txt`` and its annotations, by character, in ``.ann``::

    T1	DNA 4 13	IL-2 gene
    T2	protein 4 8	IL-2

A folder of such pairs (or a tar archive of one), or one pair. Written as a folder with the
``annotation.conf`` that brat needs to offer the types. Scores are notes, ``score=0.93``.
"""

from __future__ import annotations

import shutil
import tarfile
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from os.path import commonpath
from pathlib import Path

from innermost.corpus.context import Context
from innermost.corpus.format import Format
from innermost.corpus.formats.brat.annotations import (
    DISCONTINUOUS,
    LINE_PARTS,
    Annotations,
    read_annotations,
)
from innermost.corpus.formats.brat.types import TypeNames, read_labels
from innermost.corpus.sentence import Sentence
from innermost.corpus.shared.character_spans import AnnotatedText, annotated_text_of
from innermost.corpus.shared.document_folders import FileNames, open_folder
from innermost.corpus.shared.text_documents import named_runs, read_text, report_tokens
from innermost.corpus.shared.unsupported import report_unheld
from innermost.errors import DataError
from innermost.files.source import Source, plain_name
from innermost.nest import Span


class _Brat(Format):
    name = "brat"
    description = "brat standoff: .txt and .ann, a folder or a tar archive of them"
    suffixes = (".ann",)
    holds = frozenset({"crossings", "duplicates", "gaps", "doc", "scores"})
    is_folder = True
    reading_settings = ("sentences", "discontinuous", "name_suffix")
    writing_settings = ("sentences",)

    def sniff(self, source: Source) -> bool:
        if source.is_folder:
            return any(source.files(".ann"))
        if _is_archive(source):
            return _archive_holds_annotations(source)
        return source.name.endswith(".ann") or (
            source.name.endswith(".txt") and Path(source.path).with_suffix(".ann").exists()
        )

    def sentences(self, source: Source, context: Context) -> Iterator[Sentence]:
        context.options.choice("discontinuous", DISCONTINUOUS)
        if _is_archive(source):
            with tempfile.TemporaryDirectory() as folder:
                _unpack(source, Path(folder))
                yield from _read_pairs(Source(folder), context)
        else:
            yield from _read_pairs(source, context)

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
                mark = "\ufeff" if document.text.startswith("\ufeff") else ""
                (folder / f"{name}.txt").write_bytes((mark + document.text).encode())
                lines = _annotation_lines(document, types)
                (folder / f"{name}.ann").write_bytes("".join(lines).encode())
            types.write(folder)


@dataclass(frozen=True, slots=True)
class _Pair:
    text: Source
    annotations: Source | None
    name: str


def _read_pairs(source: Source, context: Context) -> Iterator[Sentence]:
    def place(file: Source) -> Context:
        """The file, named as the user knows it and not where an archive was unpacked."""
        return context.at(path=file.path.replace(source.path, context.path, 1))

    root = Path(source.path)
    labels = read_labels(root if source.is_folder else root.parent)

    def read(pair: _Pair) -> list[Sentence]:
        text = pair.text.text()
        found = Annotations()
        if pair.annotations is None:
            context.odd("text without annotations", pair.name)
        else:
            found = read_annotations(pair.annotations, text, place(pair.annotations))
        named = [Span(s.start, s.end, labels.get(s.label, s.label)) for s in found.spans]
        scores = {
            new: found.scores[old]
            for new, old in zip(named, found.spans, strict=True)
            if old in found.scores
        }
        name = pair.name.removesuffix(context.options.settings.get("name_suffix", ""))
        sentences = read_text(text, named, place(pair.text), doc=name, scores=scores)
        for sentence in sentences:
            # The order of the lines of a .ann file says when they were annotated, no more.
            sentence.entities.sort(key=lambda span: (span.start, -span.end, span.label))
        return sentences

    return context.each(_pairs(source, context), read)


def _pairs(source: Source, context: Context) -> Iterator[_Pair]:
    if not source.is_folder:
        path = Path(source.path)
        found = {suffix: path.with_suffix(suffix) for suffix in (".txt", ".ann")}
        if not found[".txt"].exists():
            raise _no_text(source.path)
        annotations = Source(found[".ann"]) if found[".ann"].exists() else None
        yield _Pair(Source(found[".txt"]), annotations, path.stem)
        return
    texts = {_stem(file, ".txt"): file for file in source.files(".txt")}
    annotated = {_stem(file, ".ann"): file for file in source.files(".ann")}
    for stem in sorted(annotated.keys() - texts.keys()):
        context.bad(_no_text(annotated[stem].path))
    if not texts:
        raise DataError("the folder holds no .txt files", path=source.path)
    root = commonpath([str(Path(stem).parent) for stem in texts])
    for stem, file in texts.items():
        yield _Pair(file, annotated.get(stem), Path(stem).relative_to(root).as_posix())


def _stem(file: Source, suffix: str) -> str:
    """The path without its suffix and that of its compression."""
    return str(Path(file.path).parent / plain_name(file.path).removesuffix(suffix))


def _no_text(path: str) -> DataError:
    return DataError(
        "there is no .txt file for the .ann file",
        path=path,
        hint="annotations count the characters of the text: put both in one folder",
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


def _is_archive(source: Source) -> bool:
    return not source.is_folder and source.name.endswith((".tar", ".tgz"))


def _archive_holds_annotations(source: Source) -> bool:
    try:
        with source.open() as file, tarfile.open(fileobj=file, mode="r|") as archive:
            return any(member.name.endswith(".ann") for member in archive)
    except tarfile.TarError:
        return False


def _unpack(source: Source, folder: Path) -> None:
    """Only plain files of texts and annotations, and none outside ``folder``."""
    try:
        with source.open() as file, tarfile.open(fileobj=file, mode="r|") as archive:
            for member in archive:
                target = folder / member.name
                if not member.isfile() or target.suffix not in (".txt", ".ann"):
                    continue
                if not target.resolve().is_relative_to(folder.resolve()):
                    raise DataError(f"{member.name} leaves the archive", path=source.path)
                target.parent.mkdir(parents=True, exist_ok=True)
                content = archive.extractfile(member)
                if content is not None:
                    with target.open("wb") as sink:
                        shutil.copyfileobj(content, sink)
    except tarfile.TarError as error:
        raise DataError(f"not a tar archive: {error}", path=source.path) from None


FORMAT = _Brat()
