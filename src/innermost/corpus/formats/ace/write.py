"""Documents as ACE's pairs of files, with their tokens in a third."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import count
from pathlib import Path

from innermost.corpus.context import Context
from innermost.corpus.formats.ace.text import encoded
from innermost.corpus.sentence import Sentence
from innermost.corpus.shared.character_spans import text_of
from innermost.corpus.shared.text_documents import named_runs
from innermost.corpus.shared.unsupported import report_unheld
from innermost.corpus.shared.xml_events import escaped, quoted
from innermost.errors import DataError
from innermost.files.source import open_output


def write_documents(sentences: Iterable[Sentence], folder: Path, context: Context) -> None:
    """Write three files for each document into ``folder``."""
    if folder.exists() and not folder.is_dir():
        raise DataError("is a file; ACE is written to a folder", path=folder)
    written: set[str] = set()
    numbers = count(1)
    for doc, run in named_runs(sentences):
        for sentence in run:
            report_unheld(sentence, next(numbers), context, holds=("doc", "gaps"))
        name = _free_name(doc, written, context)
        written.add(name)
        _write_document(name, run, folder)
    folder.mkdir(parents=True, exist_ok=True)


def _free_name(doc: str | None, written: set[str], context: Context) -> str:
    wanted = (doc or "document").replace("/", "_").replace("\0", "_")
    if wanted not in written and wanted == (doc or "document"):
        return wanted
    name = next(n for i in count(1) if (n := wanted if i == 1 else f"{wanted}-{i}") not in written)
    if doc is not None:
        context.changed("document name", f"{doc!r} written as {name!r}")
    return name


def _write_document(name: str, run: Sequence[Sentence], folder: Path) -> None:
    path = str(folder / name)
    text, spans = text_of(run)
    begin = f"<DOC>\n<DOCID> {encoded(name)} </DOCID>\n<BODY>\n<TEXT>"
    sgm = f"{begin}{encoded(text)}</TEXT>\n</BODY>\n</DOC>\n"
    first = len(f"\n {encoded(name)} \n\n")
    place = _encoded_offsets(text, first)
    mentions = [
        f"""<entity ID={quoted(f"{name}-E{number}", path)} TYPE={quoted(span.label, path)}>
<entity_mention ID={quoted(f"{name}-E{number}-1", path)}>
<extent>
<charseq START="{place[span.start]}" END="{place[span.end] - 1}">\
{escaped(text[span.start : span.end], path)}</charseq>
</extent>
</entity_mention>
</entity>
"""
        for number, span in enumerate(spans, start=1)
    ]
    apf = (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f"<source_file URI={quoted(f'{name}.sgm', path)}>\n<document DOCID={quoted(name, path)}>\n"
        f"{''.join(mentions)}</document>\n</source_file>\n"
    )
    lines: list[str] = []
    position = 0
    for sentence in run:
        pairs = [(position + a, position + b) for a, b in sentence.token_offsets()]
        lines.append(" ".join(f"{place[a]}:{place[b]}" for a, b in pairs) + "\n")
        position += len(sentence.text)
    for suffix, content in ((".sgm", sgm), (".apf.xml", apf), (".tok", "".join(lines))):
        with open_output(path + suffix) as sink:
            sink.write(_utf8(content, path + suffix))


def _encoded_offsets(text: str, start: int) -> list[int]:
    """Where each character of ``text``, and its end, lies in the file as the LDC counts."""
    places = [start]
    widths = {"&": 5, "<": 4, ">": 4}
    for character in text:
        places.append(places[-1] + widths.get(character, 1))
    return places


def _utf8(content: str, path: str) -> bytes:
    try:
        return content.encode()
    except UnicodeEncodeError as error:
        code = ord(content[error.start])
        raise DataError(
            f"the character U+{code:04X} cannot be written as UTF-8", path=path
        ) from None
