"""XML as a stream of events, and text as XML.

Nothing outside the file is ever read, and a document that declares entities is refused: entities
can expand a small file into a huge text or read local files. A DOCTYPE that only names a DTD
passes; the DTD is not fetched.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import IO, NamedTuple, NoReturn
from xml.parsers import expat
from xml.sax.saxutils import escape

from innermost.errors import DataError

_CHUNK = 1 << 16
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class Start(NamedTuple):
    name: str
    attributes: dict[str, str]
    line: int


class End(NamedTuple):
    name: str
    line: int


class Text(NamedTuple):
    text: str
    """May be only part of the text between two tags."""
    line: int
    """Where it ends."""


Event = Start | End | Text


def events(file: IO[bytes], path: str) -> Iterator[Event]:
    """The tags and the text of an XML file, in order."""
    found: list[Event] = []
    parser = expat.ParserCreate()
    parser.buffer_text = True

    def refuse(message: str) -> NoReturn:
        raise DataError(message, path=path, line=parser.CurrentLineNumber)

    def refuse_declaration(name: str, *_: object) -> NoReturn:
        refuse(f"the entity &{name}; is declared in the file, which is not allowed")

    def refuse_external(*_: object) -> NoReturn:
        refuse("the file refers to an external entity, which is not allowed")

    def refuse_unknown(name: str, *_: object) -> NoReturn:
        refuse(f"the entity &{name}; is unknown")

    parser.StartElementHandler = lambda name, attributes: found.append(
        Start(name, attributes, parser.CurrentLineNumber)
    )
    parser.EndElementHandler = lambda name: found.append(End(name, parser.CurrentLineNumber))
    parser.CharacterDataHandler = lambda text: found.append(Text(text, parser.CurrentLineNumber))
    parser.EntityDeclHandler = refuse_declaration
    parser.UnparsedEntityDeclHandler = refuse_declaration
    parser.ExternalEntityRefHandler = refuse_external
    # Expat skips entities that an unread DTD might declare: their text would be lost.
    parser.SkippedEntityHandler = refuse_unknown
    finished = False
    while not finished:
        data = file.read(_CHUNK)
        finished = not data
        try:
            parser.Parse(data, finished)
        except expat.ExpatError as error:
            reason = expat.ErrorString(error.code)
            raise DataError(
                f"not well-formed XML: {reason}", path=path, line=error.lineno
            ) from None
        except (LookupError, ValueError) as error:  # the encoding that the file declares
            raise DataError(f"not readable as XML: {error}", path=path, line=1) from None
        yield from found
        found.clear()


def escaped(text: str, path: str) -> str:
    """``text`` as it is written between tags."""
    _check(text, path)
    return escape(text, {"\r": "&#13;"})


def quoted(text: str, path: str) -> str:
    """``text`` as an attribute's value, with its quotes."""
    _check(text, path)
    special = {'"': "&quot;", "\r": "&#13;", "\n": "&#10;", "\t": "&#9;"}
    return f'"{escape(text, special)}"'


def unwritable(text: str) -> str | None:
    """Why XML cannot represent ``text``; None if it can."""
    bad = _NOT_XML.search(text)
    return f"the character U+{ord(bad[0]):04X} cannot be written in XML" if bad else None


def _check(text: str, path: str) -> None:
    if why := unwritable(text):
        raise DataError(why, path=path, hint="remove it, or choose another format")
