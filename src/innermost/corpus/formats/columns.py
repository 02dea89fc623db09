"""Columns: one token a line with its tags, an empty line after each sentence.

CoNLL-2003 and its kin (the token first, the tags last), layers of tags for nested entities, and
the GermEval 2014 layout (index, token, outer tags, inner tags; recognised by its index column).
What is written with one layer is plain ``token TAB tag``; with more, a first line names the columns
as CoNLL-U Plus does::

    # global.columns = FORM NER NER
    # newdoc id = letter-7
    the	B-PER	O
    wife	I-PER	O
    of	I-PER	O
    Bob	I-PER	B-PER
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from innermost.corpus.context import Context
from innermost.corpus.format import Format, Options
from innermost.corpus.sentence import Sentence
from innermost.corpus.shared.tag_schemes import SCHEMES, spans_of, split_tag, tags_of
from innermost.corpus.shared.unsupported import layers, lose_sentence, report_unheld
from innermost.errors import DataError, UsageError
from innermost.files.source import Source, open_output
from innermost.nest import Span

_DOCUMENT = re.compile(r"# newdoc(?: id = (.*))?")
_SENTENCE_ID = re.compile(r"# sent_id = (.*)")
_COLUMNS = re.compile(r"# global\.columns = (.*)")
_UNHOLDABLE = re.compile(r"[\t\n]|^[ \r]*$")
_LINE_PARTS = re.compile(r"[\t\n\r]|^$")
_MARK = "\ufeff".encode()
_ROW = b"\t"


@dataclass(frozen=True, slots=True)
class _Layout:
    """Which columns hold the token and the layers of tags, counted from 0 (or from the end)."""

    token: int
    tags: tuple[int, ...]


@dataclass(slots=True)
class _Block:
    """The lines of one sentence: its comments and its token lines, split into columns."""

    comments: list[tuple[int, str]] = field(default_factory=list)
    rows: list[tuple[int, list[str]]] = field(default_factory=list)


class _Columns(Format):
    name = "columns"
    description = "one token a line: CoNLL-2003, BIO, IOB1, IOBES, BILOU, layers, GermEval 2014"
    suffixes = (".conll", ".iob", ".bio", ".iob2", ".tsv", ".txt")
    reading_settings = ("token", "tags", "scheme")
    writing_settings = ("scheme",)

    def sniff(self, source: Source) -> bool:
        *lines, _ = source.head().decode(errors="replace").split("\n")
        tokens = [c for line in lines[:200] if (c := _split(line)) and not _is_comment(line, c)]
        return bool(tokens) and all(len(c) > 1 and split_tag(c[-1]) is not None for c in tokens)

    def sentences(self, source: Source, context: Context) -> Iterator[Sentence]:
        layout = _layout_of_settings(context.options)
        oddities = _Oddities(context)
        document: str | None = None
        documents = 0
        for block in _blocks(source):
            extra_comments: list[str] = []
            sentence_id: str | None = None
            for number, comment in block.comments:
                if match := _COLUMNS.fullmatch(comment):
                    layout = layout or _layout_of_header(match[1].split(), context.at(number))
                elif match := _DOCUMENT.fullmatch(comment):
                    document = match[1]
                elif match := _SENTENCE_ID.fullmatch(comment):
                    sentence_id = match[1]
                else:
                    extra_comments.append(comment)
            if not block.rows:
                continue
            if len(block.rows) == 1 and block.rows[0][1][0] == "-DOCSTART-":
                documents += 1
                document = str(documents)
                continue
            layout = layout or _layout_of_rows([columns for _, columns in block.rows])
            try:
                tokens, entities = _content(block, layout, context, oddities)
            except DataError as error:
                context.bad(error)
                continue
            extra = {"comments": extra_comments} if extra_comments else {}
            first_line = block.rows[0][0]
            yield Sentence(
                tokens, entities, id=sentence_id, doc=document, extra=extra, line=first_line
            )

    def save(self, sentences: Iterable[Sentence], path: Path | str, context: Context) -> None:
        scheme = context.options.choice("scheme", SCHEMES)
        # How many layers the file needs is known at its end only: the rows wait in a file.
        with tempfile.TemporaryFile() as body:
            depth = _write_rows(sentences, body, scheme, context)
            body.seek(0)
            with open_output(path) as sink:
                if depth > 1:
                    sink.write(b"# global.columns = FORM" + b" NER" * depth + b"\n")
                for number, line in enumerate(body):
                    if number == 0 and depth == 1 and line.startswith(_ROW + _MARK):
                        sink.write(_MARK)  # a reader takes the first one for a byte order mark
                    if line.startswith(_ROW):
                        missing = depth + 1 - line.count(b"\t")
                        line = line.removeprefix(_ROW)[:-1] + b"\tO" * missing + b"\n"
                    sink.write(line)


def _blocks(source: Source) -> Iterator[_Block]:
    block = _Block()
    for number, line in source.text_lines():
        columns = _split(line)
        if not columns:
            if block.rows or block.comments:
                yield block
            block = _Block()
        elif not block.rows and _is_comment(line, columns):
            block.comments.append((number, line))
        else:
            block.rows.append((number, columns))
    if block.rows or block.comments:
        yield block


def _split(line: str) -> list[str]:
    """The columns: between TABs if there are any, else between spaces. None in an empty line."""
    line = line.rstrip(" \t\r")
    if "\t" in line:
        return line.split("\t")
    return [column for column in line.split(" ") if column]


def _is_comment(line: str, columns: list[str]) -> bool:
    """A token may begin with # too, but then a tag follows."""
    if not line.startswith("#"):
        return False
    if "\t" not in line and (_DOCUMENT.fullmatch(line) or _SENTENCE_ID.fullmatch(line)):
        return True
    return len(columns) == 1 or (line[1:2] in " \t" and split_tag(columns[-1]) is None)


def _layout_of_settings(options: Options) -> _Layout | None:
    given = options.settings
    if (scheme := given.get("scheme")) is not None and scheme not in SCHEMES:
        raise UsageError(f"no tag scheme {scheme!r}", hint=f"one of: {', '.join(SCHEMES)}")
    if "token" not in given and "tags" not in given:
        return None
    try:
        token = int(given.get("token", "1")) - 1
        tags = tuple(int(part) - 1 for part in given["tags"].split(",")) if "tags" in given else ()
    except ValueError:
        token = -1
        tags = ()
    if token < 0 or any(tag < 0 for tag in tags):
        raise UsageError(
            "the settings token and tags are numbers of columns, counted from 1",
            hint="e.g. --set token=2 --set tags=3,4",
        )
    return _Layout(token, tags or (-1,))


def _layout_of_header(names: list[str], context: Context) -> _Layout:
    tags = tuple(i for i, name in enumerate(names) if name == "NER")
    if "FORM" not in names or not tags:
        raise context.wrong(
            "the columns named are not FORM and NER",
            hint="say which columns to read: --set token=2 --set tags=3,4",
        )
    return _Layout(names.index("FORM"), tags)


def _layout_of_rows(rows: list[list[str]]) -> _Layout:
    """Token first and tags last, unless a first column counts the tokens, as in GermEval."""
    indexed = all(len(c) > 2 and c[0] == str(n) for n, c in enumerate(rows, start=1))
    if not indexed:
        return _Layout(0, (-1,))
    last = len(rows[0])
    while last > 3 and any(len(c) < last or split_tag(c[last - 1]) is None for c in rows):
        last -= 1
    return _Layout(1, tuple(range(2, last)))


def _content(
    block: _Block, layout: _Layout, context: Context, oddities: _Oddities
) -> tuple[list[str], list[Span]]:
    needed = max(layout.token, *layout.tags, 1) + 1
    tokens: list[str] = []
    tags: list[list[tuple[str, str]]] = [[] for _ in layout.tags]
    for number, columns in block.rows:
        if len(columns) < needed:
            raise context.wrong(
                f"expected at least {needed} columns, found {len(columns)}: {columns!r}",
                line=number,
                hint="columns are separated by TABs or single spaces; each line needs a tag",
            )
        if not columns[layout.token]:
            raise context.wrong("the token is empty", line=number)
        tokens.append(columns[layout.token])
        for layer, column in zip(tags, layout.tags, strict=True):
            split = split_tag(columns[column])
            if split is None:
                raise context.wrong(
                    f"{columns[column]!r} is not a tag",
                    line=number,
                    hint="a tag is O or a letter of BIESLU, a hyphen and a label, as in B-PER",
                )
            layer.append(split)
    entities: list[Span] = []
    for layer in tags:
        spans, begun_inside = spans_of(layer)
        entities += spans
        oddities.note(block, layer, begun_inside)
    return tokens, sorted(entities, key=lambda s: (s.start, -s.end))


class _Oddities:
    """Tags that continue nothing: an oddity, unless the file is in IOB1, where it is the rule.

    In IOB1 a ``B`` only ever follows a span of its label; the first one that does not shows that
    the file is not in IOB1.
    """

    def __init__(self, context: Context) -> None:
        scheme = context.options.settings.get("scheme")
        self._context = context
        self._waiting: list[tuple[int, str]] = []
        self._is_iob1 = scheme == "iob1"
        self._is_other = scheme is not None and not self._is_iob1

    def note(self, block: _Block, tags: list[tuple[str, str]], begun_inside: list[int]) -> None:
        if self._is_iob1:
            return
        if not self._is_other:
            outside = ("O", "")
            before = [outside, *tags[:-1]]
            self._is_other = any(
                prefix in "BESLU" and (prefix != "B" or last[1] != label)
                for last, (prefix, label) in zip(before, tags, strict=True)
                if prefix != "O"
            )
        for position in begun_inside:
            prefix, label = tags[position]
            self._waiting.append((block.rows[position][0], f"{prefix}-{label}"))
        if self._is_other:
            for line, tag in self._waiting:
                self._context.odd(
                    "tag without a beginning",
                    f"{tag} continues nothing; read as the beginning of an entity",
                    line=line,
                )
            self._waiting.clear()
        else:
            del self._waiting[self._context.report.keep :]


def _write_rows(
    sentences: Iterable[Sentence], sink: IO[bytes], scheme: str, context: Context
) -> int:
    """Write each sentence with the layers it needs; the number of layers of the deepest one.

    Lines of tokens are marked with a TAB in front, so that they can be told from comments.
    """
    depth = 1
    document: str | None = None
    for number, sentence in enumerate(sentences, start=1):
        if why := _unholdable(sentence):
            lose_sentence(number, why, context)
            continue
        comments, other = _comments_of(sentence)
        report_unheld(other, number, context, holds=("id", "doc"))
        lines: list[str] = []
        if sentence.doc != document:
            document = sentence.doc
            lines.append("# newdoc" if document is None else f"# newdoc id = {document}")
        if sentence.id is not None:
            lines.append(f"# sent_id = {sentence.id}")
        lines += comments
        dealt = layers(sentence.entities) or [[]]
        depth = max(depth, len(dealt))
        tags = [tags_of(layer, len(sentence.tokens), scheme) for layer in dealt]
        lines += ["\t".join(("", *row)) for row in zip(sentence.tokens, *tags, strict=True)]
        sink.write("".join(f"{line}\n" for line in lines).encode() + b"\n")
    return depth


def _comments_of(sentence: Sentence) -> tuple[list[str], Sentence]:
    """The comments that can stand before the sentence, and the sentence without them."""
    comments = sentence.extra.get("comments")
    if not isinstance(comments, list) or not all(
        isinstance(c, str) and "\n" not in c and _is_comment(c, _split(c)) for c in comments
    ):
        return [], sentence
    rest = {key: value for key, value in sentence.extra.items() if key != "comments"}
    other = Sentence(sentence.tokens, gaps=sentence.gaps, id=sentence.id, extra=rest)
    return comments, other


def _unholdable(sentence: Sentence) -> str | None:
    for token in sentence.tokens:
        if _UNHOLDABLE.search(token):
            return f"the token {token!r} is blank or holds a TAB or a line end"
    if not sentence.tokens:
        return "it has no tokens"
    if sentence.tokens == ["-DOCSTART-"]:
        return "-DOCSTART- alone marks a document"
    for name in (sentence.doc, sentence.id, *(span.label for span in sentence.entities)):
        if name is not None and _LINE_PARTS.search(name):
            return f"the name {name!r} holds a TAB or a line end"
    return None


FORMAT = _Columns()
