"""Write sentences as columns, with as many layers of tags as the deepest sentence needs."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import IO

from innermost.corpus.context import Context
from innermost.corpus.formats.columns.lines import headed, is_comment, split
from innermost.corpus.sentence import Sentence
from innermost.corpus.shared.tag_schemes import SCHEMES, tags_of
from innermost.corpus.shared.unsupported import layers
from innermost.files.source import BOM, open_output

_UNHOLDABLE = re.compile(r"[\t\n]|^[ \r]*$")
_LINE_PARTS = re.compile(r"[\t\n\r]|^$")
_ROW = b"\t"


def write(sentences: Iterable[Sentence], path: Path | str, context: Context) -> None:
    scheme = context.options.choice("scheme", SCHEMES)
    # The number of layers is known only at the end: the rows wait in a temporary file.
    with tempfile.TemporaryFile() as body:
        depth = _write_rows(sentences, body, scheme, context)
        body.seek(0)
        with open_output(path) as sink:
            if depth > 1:
                sink.write(b"# global.columns = FORM" + b" NER" * depth + b"\n")
            for number, line in enumerate(body):
                if number == 0 and depth == 1 and line.startswith(_ROW + BOM):
                    sink.write(BOM)  # readers drop the first one as a byte order mark
                if line.startswith(_ROW):
                    missing = depth + 1 - line.count(b"\t")
                    line = line.removeprefix(_ROW)[:-1] + b"\tO" * missing + b"\n"
                sink.write(line)


def _write_rows(
    sentences: Iterable[Sentence], sink: IO[bytes], scheme: str, context: Context
) -> int:
    """Write each sentence with the layers it needs; return the layers of the deepest one.

    Token lines start with a TAB, which distinguishes them from comments.
    """
    depth = 1
    for sentence, lines in headed(sentences, context, _unholdable, _is_comment):
        dealt = layers(sentence.entities) or [[]]
        depth = max(depth, len(dealt))
        tags = [tags_of(layer, len(sentence.tokens), scheme) for layer in dealt]
        lines += ["\t".join(("", *row)) for row in zip(sentence.tokens, *tags, strict=True)]
        sink.write("".join(f"{line}\n" for line in lines).encode() + b"\n")
    return depth


def _is_comment(line: object) -> bool:
    return isinstance(line, str) and "\n" not in line and is_comment(line, split(line))


def _unholdable(sentence: Sentence) -> str | None:
    for token in sentence.tokens:
        if _UNHOLDABLE.search(token):
            return f"the token {token!r} is blank or holds a TAB or a line break"
    if not sentence.tokens:
        return "it has no tokens"
    if sentence.tokens == ["-DOCSTART-"]:
        return "-DOCSTART- alone would be read as a document marker"
    for name in (sentence.doc, sentence.id, *(span.label for span in sentence.entities)):
        if name is not None and _LINE_PARTS.search(name):
            return f"the name {name!r} holds a TAB or a line break"
    return None
