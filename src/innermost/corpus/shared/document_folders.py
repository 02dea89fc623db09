"""Corpora stored as a folder with one or a few files per document."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote, unquote

from innermost.corpus.context import Context
from innermost.errors import UsageError
from innermost.files.atomic import atomic_folder

_SAFE = re.compile(r"[^\x00-\x1f\x7f/\\:*?\"<>|.][^\x00-\x1f\x7f/\\:*?\"<>|]*")
_RESERVED = re.compile(r"(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?![^. ])", re.IGNORECASE)
"""Devices on Windows, with any suffix."""


@contextmanager
def open_folder(path: str | Path) -> Iterator[Path]:
    """A new folder to write to, which gets its name only when it is complete."""
    target = Path(path)
    is_stream = str(path) == "-"
    if is_stream or target.suffix in (".txt", ".ann", ".tsv"):
        problem = "standard output is not a folder" if is_stream else f"{target.name} names a file"
        raise UsageError(
            f"{problem}, but the format writes a folder of documents",
            hint="choose the name of a folder",
        )
    with atomic_folder(target) as folder:
        yield folder


class FileNames:
    """A file name for each document: the document's name where it is valid and not taken.

    Where it is not valid it is escaped, and :func:`document_of` restores it.
    """

    def __init__(self, context: Context) -> None:
        self._context = context
        self._taken: set[str] = set()
        self._unnamed = 0

    def of(self, doc: str | None) -> str:
        if doc is None:
            self._unnamed += 1
            name = wanted = f"document-{self._unnamed:04}"
        else:
            name = wanted = _file_name(doc)
        count = 1
        # Some file systems ignore case.
        while name.casefold() in self._taken:
            count += 1
            name = f"{wanted}-{count}"
        self._taken.add(name.casefold())
        if document_of(name) != doc:
            was = "without a name" if doc is None else repr(doc)
            self._context.changed("document name", f"{was} is now {name!r}")
        return name


def document_of(name: str) -> str:
    """The document that :class:`FileNames` gave this name, or else the name itself."""
    doc = unquote(name)
    return doc if doc != name and _file_name(doc) == name else name


def _file_name(doc: str) -> str:
    is_unambiguous = unquote(doc) == doc
    return doc if is_unambiguous and _is_portable(doc) else _escaped(doc)


def _is_portable(doc: str) -> bool:
    """Whether every system can have a file of this name."""
    is_plain = _SAFE.fullmatch(doc) and not _RESERVED.match(doc)
    return bool(is_plain) and len(doc.encode()) < 200


def _escaped(doc: str) -> str:
    name = quote(doc, safe=" ").replace(".", "%2E")
    if _RESERVED.match(name):
        name = f"%{ord(name[0]):02X}{name[1:]}"
    return name[:150] or "empty"
