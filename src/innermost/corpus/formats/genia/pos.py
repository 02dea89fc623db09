"""The tokens of GENIA's part-of-speech files, ``GENIAtrain.pos`` and ``GENIAtest.pos``.

One sentence per line, ``word/TAG`` pieces separated by spaces. ``UI/LS -/: ID/CD`` opens a
document; its title and abstract begin with ``TI/LS -/:`` and ``AB/LS -/:``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from innermost.errors import DataError
from innermost.files.source import Source

NO_BREAK_SPACE = "\u00a0"
# Errors in the published files: three joined sentences, a joined comma, two missing tags.
_GLUED_SENTENCES = re.compile(r"\s\.={10,}\s")
_SLIPS = {
    " diverse,/JJ ": " diverse/JJ ,/, ",
    " IFN-gamma/ ": " IFN-gamma/NN ",
    " )/ ": " )/) ",
}
_BEGINS_A_TOKEN = re.compile(r"-[^\W_]")


@dataclass(slots=True)
class TaggedDocument:
    id: str
    path: str
    line: int
    sentences: list[list[str]] = field(default_factory=list)
    """Tokens; a space inside a token is stored as a no-break space."""


def tagged_documents(sources: Iterable[Source]) -> Iterator[TaggedDocument]:
    """The documents of the part-of-speech files, in file order."""
    for source in sources:
        document: TaggedDocument | None = None
        for number, line in source.text_lines():
            pieces = line.split()
            if pieces[:2] == ["UI/LS", "-/:"] and len(pieces) == 3:
                if document:
                    yield document
                document = TaggedDocument(pieces[2].rpartition("/")[0], source.path, number)
            elif document:
                document.sentences += _sentences(line)
            elif pieces:
                raise DataError(
                    "a sentence before the first document",
                    path=source.path,
                    line=number,
                    hint="a document begins with a line UI/LS -/: ID/CD",
                )
        if document:
            yield document


def _sentences(line: str) -> list[list[str]]:
    for slip, meant in _SLIPS.items():
        line = line.replace(slip, meant)
    parts = _GLUED_SENTENCES.split(line)
    whole = [f"{part} ./." for part in parts[:-1]] + parts[-1:]
    return [tokens for part in whole if (tokens := _tokens(part.split()))]


def _tokens(pieces: list[str]) -> list[str]:
    if pieces[1:2] == ["-/:"] and pieces[0] in ("TI/LS", "AB/LS"):
        pieces = pieces[2:]
    tokens: list[str] = []
    begun = ""
    for index, piece in enumerate(pieces):
        word, _, tag = piece.rpartition("/")
        if word and tag:
            tokens.append(begun + word)
            begun = ""
            continue
        # No tag: the token continues after the space, unless what follows looks like a token.
        following = pieces[index + 1] if index + 1 < len(pieces) else "-x"
        if _BEGINS_A_TOKEN.match(following):
            tokens.append(begun + piece)
            begun = ""
        else:
            begun += piece + NO_BREAK_SPACE
    return tokens
