"""The entity mentions of an ACE annotation file (``.apf.xml``)."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NamedTuple

from innermost.corpus.shared.xml_events import End, Start, Text, events
from innermost.errors import DataError
from innermost.files.source import Source

_NUMBER = re.compile(r"[0-9]{1,15}")


class Mention(NamedTuple):
    start: int
    end: int
    """Exclusive, though the file's is inclusive."""
    label: str
    text: str
    line: int


@dataclass(slots=True)
class Annotation:
    document: str = ""
    mentions: list[Mention] = field(default_factory=list)


def read_annotation(source: Source) -> Annotation:
    """The mentions by their extents, in file order."""
    annotation = Annotation()
    label = ""
    within: list[str] = []
    charseq: Start | None = None
    text = ""
    with source.open() as file:
        for event in events(file, source.path):
            if isinstance(event, Start):
                within.append(event.name)
                if event.name == "document":
                    annotation.document = event.attributes.get("DOCID", "")
                elif event.name == "entity":
                    label = _attribute(event, "TYPE", source.path)
                elif within[-3:] == ["entity_mention", "extent", "charseq"]:
                    charseq, text = event, ""
            elif isinstance(event, Text):
                text += event.text
            elif isinstance(event, End):
                within.pop()
                if charseq and event.name == "charseq":
                    annotation.mentions.append(_mention(charseq, label, text, source.path))
                    charseq = None
    if not annotation.document:
        raise DataError("no <document DOCID=...> in the file", path=source.path)
    return annotation


def _mention(charseq: Start, label: str, text: str, path: str) -> Mention:
    start, end = (_attribute(charseq, name, path) for name in ("START", "END"))
    are_numbers = _NUMBER.fullmatch(start) and _NUMBER.fullmatch(end)
    if not are_numbers or int(start) > int(end):
        raise DataError(
            f"a mention spans {start[:20]!r} to {end[:20]!r}",
            path=path,
            line=charseq.line,
            hint="START and END are character offsets, both inclusive",
        )
    return Mention(int(start), int(end) + 1, label, text, charseq.line)


def _attribute(event: Start, name: str, path: str) -> str:
    if name not in event.attributes:
        raise DataError(f"<{event.name}> has no {name}", path=path, line=event.line)
    return event.attributes[name]
