"""Write documents as ACE's pairs of files, with their tokens in a third."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import count
from pathlib import Path

from innermost.corpus.context import Context
from innermost.corpus.formats.ace.text import encoded
from innermost.corpus.sentence import Sentence
from innermost.corpus.shared.character_spans import text_of
from innermost.corpus.shared.document_folders import FileNames, open_folder
from innermost.corpus.shared.text_documents import named_runs
from innermost.corpus.shared.unsupported import lose_sentence, report_unheld
from innermost.corpus.shared.xml_events import escaped, quoted, unwritable


def write_documents(sentences: Iterable[Sentence], path: Path, context: Context) -> None:
    """Write three files for each document into a new folder."""
    numbers = count(1)
    with open_folder(path) as folder:
        names = FileNames(context)
        for doc, run in named_runs(sentences):
            kept = [sentence for sentence in run if _is_holdable(sentence, next(numbers), context)]
            if kept:
                _write_document(names.of(doc), kept, folder)


def _is_holdable(sentence: Sentence, number: int, context: Context) -> bool:
    if why := unwritable(sentence.text):
        lose_sentence(sentence, number, why, context)
        return False
    report_unheld(sentence, number, context)
    return True


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
        (folder / f"{name}{suffix}").write_bytes(content.encode())


def _encoded_offsets(text: str, start: int) -> list[int]:
    """The offset in the file, as the LDC counts, of each character of ``text`` and of its end."""
    places = [start]
    widths = {"&": 5, "<": 4, ">": 4}
    for character in text:
        places.append(places[-1] + widths.get(character, 1))
    return places
