"""ACE 2004 (LDC2005T09) and ACE 2005 (LDC2006T06): ``.sgm`` texts with ``.apf.xml`` annotation.

Reads the LDC's folder, any folder of such pairs, or one ``.apf.xml`` next to its ``.sgm``. From the
LDC's folder the English part is read, and for ACE 2005 the final annotation (``timex2norm``).
Entities are the extents of the entity mentions, labeled with the entity's type. Only the content of
``<TEXT>`` is read, because only that is annotated; its inner tags (``<SPEAKER>``, ``<POST>``) end
sentences.

Settings:
``documents``: a file with the ids of the documents to read, one per line, in reading order;
``tokens``: a folder with a file ``ID.tok`` per document: one sentence per line, its tokens as
``start:end`` separated by spaces, counted as the LDC counts (``end`` exclusive). Without it an
``ID.tok`` next to the ``.sgm`` is used, if there is one; otherwise the text is tokenized.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from innermost.corpus.context import Context
from innermost.corpus.format import Format
from innermost.corpus.formats.ace.mentions import Annotation, Mention, read_annotation
from innermost.corpus.formats.ace.text import AceText, Decoded, parse
from innermost.corpus.formats.ace.write import write_documents
from innermost.corpus.sentence import Sentence
from innermost.corpus.shared.character_spans import sentences_from_text
from innermost.corpus.shared.document_folders import document_of
from innermost.errors import DataError
from innermost.files.source import Source
from innermost.nest import Span, merge_duplicates
from innermost.text import Offsets

_ANNOTATION = ".apf.xml"
_TOKEN = re.compile(r"([0-9]{1,15}):([0-9]{1,15})")


class AceFormat(Format):
    name = "ace"
    description = "ACE 2004 and 2005: .sgm texts with .apf.xml annotation"
    suffixes = (".ace",)
    holds = frozenset({"crossings", "tokens", "gaps", "doc"})
    is_folder = True
    folder_suffixes = (".xml", ".sgm", ".tok", ".tab")
    reading_settings = ("documents", "tokens")

    def sniff(self, source: Source) -> bool:
        if source.is_folder:
            return bool(source.files(_ANNOTATION))
        return source.name.endswith(_ANNOTATION)

    def sentences(self, source: Source, context: Context) -> Iterator[Sentence]:
        return context.each(_chosen_files(source, context), lambda file: _read(file, context))

    def save(self, sentences: Iterable[Sentence], path: Path | str, context: Context) -> None:
        """Write a folder with ``ID.sgm``, ``ID.apf.xml`` and ``ID.tok`` for each document."""
        write_documents(sentences, Path(path), context)


FORMAT = AceFormat()


def _chosen_files(source: Source, context: Context) -> list[Source]:
    files = _annotation_files(source)
    if wanted := context.options.settings.get("documents"):
        by_id = {file.name.removesuffix(_ANNOTATION): file for file in files}
        files = [_chosen(by_id, *line) for line in _ids(Source(wanted))]
    return files


def _read(file: Source, context: Context) -> list[Sentence]:
    annotation = read_annotation(file)
    sgm = Source(Path(file.path).with_name(file.name.removesuffix(_ANNOTATION) + ".sgm"))
    return _sentences(annotation, parse(sgm.text()), sgm, context.at(path=file.path))


def _annotation_files(source: Source) -> list[Source]:
    if not source.is_folder:
        return [source]
    files = source.files(_ANNOTATION)
    for folder in ("English", "timex2norm"):
        inside = [file for file in files if folder in Path(file.path).parts]
        files = inside or files
    if not files:
        raise DataError("no .apf.xml file in the folder", path=source.path)
    return files


def _ids(source: Source) -> Iterator[tuple[str, str, int]]:
    for number, line in source.text_lines():
        if line.strip():
            yield line.strip(), source.path, number


def _chosen(by_id: dict[str, Source], wanted: str, path: str, line: int) -> Source:
    # Published lists name documents with or without their folder.
    name = wanted.rpartition("/")[2]
    if name not in by_id:
        raise DataError(f"no document {wanted!r} in the corpus", path=path, line=line)
    return by_id[name]


def _sentences(
    annotation: Annotation,
    ace: AceText,
    sgm: Source,
    context: Context,
) -> list[Sentence]:
    for mention in annotation.mentions:
        _check(mention, ace, sgm, context)
    start, end = ace.region([mention[:2] for mention in annotation.mentions])
    if (start, end) != ace.regions[0]:
        context.odd("mention outside <TEXT>", annotation.document)
    content = Decoded(ace.text[start:end])

    def moved(first: int, last: int) -> Offsets:
        return content.offset(first - start), content.offset(last - start)

    spans = [Span(*moved(m.start, m.end), m.label) for m in annotation.mentions]
    distinct, duplicates = merge_duplicates(spans)
    for _ in range(duplicates):
        context.changed("duplicate mention merged", annotation.document)
    tokens = _given_tokens(sgm, annotation.document, context)
    if tokens is None:
        tokens = []
        for first, last in ace.segments(start, end):
            begin, stop = moved(first, last)
            tokens += [
                [(begin + a, begin + b) for a, b in sentence]
                for sentence in context.split(content.text[begin:stop])
            ]
    else:
        tokens = [[moved(a, b) for a, b in s if start <= a and b <= end] for s in tokens]
    place = context.at(path=sgm.path)
    return sentences_from_text(
        content.text, distinct, place, tokens=tokens, doc=document_of(annotation.document)
    )


def _check(mention: Mention, ace: AceText, sgm: Source, context: Context) -> None:
    if mention.end > len(ace.text):
        raise context.wrong(
            f"a mention ends at {mention.end - 1}, but {sgm.path} has {len(ace.text)} characters",
            line=mention.line,
        )
    actual = ace.text[mention.start : mention.end]
    if _comparable(actual) != _comparable(mention.text):
        context.odd(
            "mention text differs from the document",
            f"{mention.text!r}, in the document {actual!r}",
            line=mention.line,
        )


def _comparable(text: str) -> str:
    """The text to compare: the two files may differ in whitespace and escaping."""
    return "".join(Decoded(text).text.split())


def _given_tokens(sgm: Source, document: str, context: Context) -> list[list[Offsets]] | None:
    folder = context.options.settings.get("tokens")
    name = f"{document}.tok"
    # The file names the document, so its name may be anything: another folder, or too long.
    is_name = name == Path(name).name and len(name.encode()) < 250 and name.isprintable()
    path = Path(folder or Path(sgm.path).parent) / (name if is_name else ".tok")
    if not path.exists() and folder is None:
        return None
    source = Source(path)
    sentences: list[list[Offsets]] = []
    for number, line in source.text_lines():
        matches = [_TOKEN.fullmatch(piece) for piece in line.split()]
        if not all(matches):
            raise DataError("expected start:end pairs separated by spaces", path=path, line=number)
        sentences.append([(int(match[1]), int(match[2])) for match in matches if match])
    return sentences
