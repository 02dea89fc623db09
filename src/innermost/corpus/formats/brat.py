"""brat standoff: a text in ``.txt`` and its annotations, by character, in ``.ann``::

    T1	DNA 4 13	IL-2 gene
    T2	protein 4 8	IL-2

A folder of such pairs (or a tar archive of one), or one pair. Written as a folder.
"""

from __future__ import annotations

import re
import shutil
import tarfile
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from os.path import commonpath
from pathlib import Path

from innermost.corpus.context import Context
from innermost.corpus.format import Format
from innermost.corpus.sentence import Sentence
from innermost.corpus.shared.character_spans import text_of
from innermost.corpus.shared.document_folders import FileNames, open_folder
from innermost.corpus.shared.text_documents import named_runs, read_text, report_tokens
from innermost.corpus.shared.unsupported import report_unheld
from innermost.errors import DataError
from innermost.files.source import Source, plain_name
from innermost.nest import Span

_KINDS = {
    "R": "relation",
    "E": "event",
    "A": "attribute",
    "M": "attribute",
    "N": "normalisation",
    "*": "equivalence",
    "#": "note",
}
_FRAGMENTS = re.compile(r"\d+ \d+(;\d+ \d+)*")
_LINE_PARTS = str.maketrans("\t\n\r", "   ")
_DISCONTINUOUS = ("lose", "hull")


class _Brat(Format):
    name = "brat"
    description = "brat standoff: .txt and .ann, a folder or a tar archive of them"
    suffixes = (".ann",)
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
        context.options.choice("discontinuous", _DISCONTINUOUS)
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
            for doc, run in named_runs(sentences):
                for sentence in run:
                    number += 1
                    report_unheld(sentence, number, context, holds=("doc", "gaps"))
                report_tokens(run, context)
                name = names.of(doc)
                text, spans = text_of(run)
                mark = "\ufeff" if text.startswith("\ufeff") else ""
                (folder / f"{name}.txt").write_bytes((mark + text).encode())
                lines = _annotation_lines(text, spans, context)
                (folder / f"{name}.ann").write_bytes("".join(lines).encode())


@dataclass(frozen=True, slots=True)
class _Pair:
    text: Source
    annotations: Source | None
    name: str


def _read_pairs(source: Source, context: Context) -> Iterator[Sentence]:
    def place(file: Source) -> Context:
        """The file, named as the user knows it and not where an archive was unpacked."""
        return context.at(path=file.path.replace(source.path, context.path, 1))

    def read(pair: _Pair) -> list[Sentence]:
        text = pair.text.text()
        spans: list[Span] = []
        if pair.annotations is None:
            context.odd("text without annotations", pair.name)
        else:
            spans = list(_spans(pair.annotations, text, place(pair.annotations)))
        name = pair.name.removesuffix(context.options.settings.get("name_suffix", ""))
        sentences = read_text(text, spans, place(pair.text), doc=name)
        for sentence in sentences:
            # The order of the lines of a .ann file says when they were annotated, no more.
            sentence.entities.sort(key=lambda span: (span.start, -span.end, span.label))
        return sentences

    return context.each(_pairs(source), read)


def _pairs(source: Source) -> Iterator[_Pair]:
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
        raise _no_text(annotated[stem].path)
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
        "there is no .txt file beside the .ann file",
        path=path,
        hint="annotations count the characters of the text: put the text beside them",
    )


def _spans(annotations: Source, text: str, context: Context) -> Iterator[Span]:
    """The spans of a document. A bad line is a bad record of its own: the others stay."""
    for number, line in annotations.text_lines():
        if not line.strip():
            continue
        place = context.at(number)
        if line[0] in _KINDS:
            place.lost(_KINDS[line[0]], line[:80])
            continue
        try:
            span = _span(line, text, place)
        except DataError as error:
            place.bad(error)
        else:
            if span is not None:
                yield span


def _span(line: str, text: str, context: Context) -> Span | None:
    fields = line.split("\t")
    label, _, places = fields[1].partition(" ") if len(fields) > 1 else ("", "", "")
    if line[0] != "T" or not label or not _FRAGMENTS.fullmatch(places):
        raise context.wrong(
            f"not an annotation of brat: {line[:60]!r}",
            hint="an entity is T1 TAB label start end TAB text",
        )
    fragments = [(int(a), int(b)) for a, b in (part.split() for part in places.split(";"))]
    _check_text(fragments, "\t".join(fields[2:]), text, context)
    span = Span(fragments[0][0], fragments[-1][1], label)
    if _in_one_piece(fragments, text):
        return span
    if context.options.choice("discontinuous", _DISCONTINUOUS) == "hull":
        context.changed("discontinuous span", f"{line}: its gaps filled")
        return span
    context.lost("discontinuous span", line)
    return None


def _in_one_piece(fragments: list[tuple[int, int]], text: str) -> bool:
    """brat breaks a span at each line end: pieces with only white space between are one."""
    return all(not text[left[1] : right[0]].strip() for left, right in pairwise(fragments))


def _check_text(fragments: list[tuple[int, int]], given: str, text: str, context: Context) -> None:
    start, end = fragments[0][0], fragments[-1][1]
    before = 0
    for fragment_start, fragment_end in fragments:
        if not before <= fragment_start < fragment_end <= len(text):
            raise context.wrong(
                f"the span {start} {end} is empty or outside the text of {len(text)} characters"
            )
        before = fragment_end
    found = " ".join(text[a:b] for a, b in fragments).translate(_LINE_PARTS)
    if found == given.translate(_LINE_PARTS):
        return
    hint = "the .txt file is not the one that was annotated, or its line ends were changed"
    if len(fragments) == 1:
        for shift in (-1, 1, -2, 2):
            if start + shift >= 0 and text[start + shift : end + shift] == given:
                hint = f"it stands at {start + shift} {end + shift}: the offsets are off by {shift}"
                break
    raise context.wrong(
        f"the annotation says {given[:60]!r}, the text has {found[:60]!r} at {start} {end}",
        hint=hint,
    )


def _annotation_lines(text: str, spans: list[Span], context: Context) -> Iterator[str]:
    number = 0
    for start, end, label in spans:
        if not label or label != "".join(label.split()):
            context.lost("label with white space", repr(label))
            continue
        number += 1
        shown = text[start:end].translate(_LINE_PARTS)
        yield f"T{number}\t{label} {start} {end}\t{shown}\n"


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
