"""Write sentences as WebAnno TSV: one file per document."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import IO

from innermost.corpus.context import Context
from innermost.corpus.formats.webanno.cells import NOTHING, escaped, escaped_text
from innermost.corpus.formats.webanno.layer import NAMED_ENTITY
from innermost.corpus.sentence import Sentence
from innermost.corpus.shared.document_folders import FileNames, document_of, open_folder
from innermost.corpus.shared.text_documents import named_runs
from innermost.corpus.shared.unsupported import lose_sentence, report_unheld
from innermost.corpus.shared.utf16 import units_of
from innermost.errors import UsageError
from innermost.files.source import open_output, plain_name

_SUFFIX = ".tsv"
_HEADER = f"#FORMAT=WebAnno TSV 3.3\n#T_SP={NAMED_ENTITY}|value\n\n"


def write(sentences: Iterable[Sentence], path: Path | str, context: Context) -> None:
    """Write a folder, or a file of one document if the name is that of a file."""
    documents = named_runs(sentences)
    if plain_name(path).endswith(_SUFFIX):
        _save_file(documents, path, context)
        return
    first = 1
    with open_folder(path) as folder:
        names = FileNames(context)
        for doc, run in documents:
            with (folder / f"{names.of(doc)}{_SUFFIX}").open("wb") as sink:
                _write(run, sink, first, context)
            first += len(run)


def _save_file(
    documents: Iterable[tuple[str | None, list[Sentence]]], path: Path | str, context: Context
) -> None:
    """Write the only document to a file, which names it."""
    name = document_of_file(plain_name(path))
    with open_output(path) as sink:
        for number, (doc, run) in enumerate(documents):
            if number:
                raise UsageError(
                    f"{Path(path).name} is a file of one document, and the data has several",
                    hint="choose the name of a folder, and add: --to webanno",
                )
            if doc != name:
                was = "without a name" if doc is None else repr(doc)
                context.changed("document name", f"{was} is now {name!r}")
            _write(run, sink, 1, context)


def _write(sentences: Iterable[Sentence], sink: IO[bytes], first: int, context: Context) -> None:
    """Write a document; its sentences are numbered from ``first`` in messages."""
    writer = _Writer()
    sink.write(_HEADER.encode())
    for number, sentence in enumerate(sentences, start=first):
        if not sentence.tokens:
            lose_sentence(sentence, number, "it has no tokens", context)
            continue
        report_unheld(sentence, number, context)
        sink.write(writer.block(sentence).encode())


def document_of_file(name: str) -> str:
    """The name of the document in a file."""
    return document_of(name.removesuffix(_SUFFIX).removesuffix(".webanno"))


class _Writer:
    """Counts the sentences, the characters and the annotations of one document."""

    def __init__(self) -> None:
        self._sentences = 0
        self._position = 0
        self._annotations = 0

    def block(self, sentence: Sentence) -> str:
        self._sentences += 1
        labels: list[list[str]] = [[] for _ in sentence.tokens]
        for start, end, label in sorted(sentence.entities, key=lambda s: (s.start, -s.end)):
            self._annotations += 1
            for cell in labels[start:end]:
                cell.append(f"{escaped(label)}[{self._annotations}]")
        text = sentence.text if sentence.gaps is not None else sentence.text.removesuffix("\n")
        lines = [] if sentence.id is None else [f"#Sentence.id={escaped_text(sentence.id)}"]
        lines.append(f"#Text={escaped_text(text)}")
        position = self._position
        gaps = sentence.filled_gaps()
        for index, token in enumerate(sentence.tokens):
            start = position + units_of(gaps[index])
            position = start + units_of(token)
            lines.append(
                f"{self._sentences}-{index + 1}\t{start}-{position}\t{escaped_text(token)}\t"
                f"{'|'.join(labels[index]) or NOTHING}\t"
            )
        self._position += units_of(text) + (sentence.gaps is None)
        return "".join(f"{line}\n" for line in [*lines, ""])
