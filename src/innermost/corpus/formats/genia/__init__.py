"""GENIA 3.02: the official distribution, or the XML that merges terms and tokens.

A folder with ``GENIAcorpus3.02.tgz`` (or the XML from it) and the part-of-speech files
``GENIAtrain.pos`` and ``GENIAtest.pos``, compressed or not; or ``GENIAcorpus3.02.merged.xml``. Both
give the same sentences: the tokens of the part-of-speech files, split at the boundaries of terms,
with the spacing of the XML.

Settings: ``split`` is ``train``, ``dev`` or ``test`` (the published split of 15,022, 1,669 and
1,855 sentences; without it, all); ``types`` is ``five`` (the default: DNA, RNA, protein, cell_line,
cell_type) or ``all`` (the ontology's name of each term).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from innermost.corpus.context import Context
from innermost.corpus.format import Format
from innermost.corpus.formats.genia.labels import Labels, labels
from innermost.corpus.formats.genia.pos import NO_BREAK_SPACE, TaggedDocument, tagged_documents
from innermost.corpus.formats.genia.write import write_merged
from innermost.corpus.formats.genia.xml import Annotated, Article, articles
from innermost.corpus.sentence import Sentence
from innermost.errors import DataError, UsageError
from innermost.files.archives import is_archive, open_member
from innermost.files.source import Source, open_output
from innermost.nest import Span
from innermost.text.align import Offsets, align

SPLITS = {"train": (0, 15_022), "dev": (15_022, 16_691), "test": (16_691, 18_546)}
_ALL_SENTENCES = 18_546


class GeniaFormat(Format):
    name = "genia"
    description = "GENIA 3.02: the official XML with its part-of-speech files, or the merged XML"
    suffixes = (".genia.xml", ".merged.xml")
    holds = frozenset({"duplicates", "tokens", "gaps", "doc"})
    folder_suffixes = (".xml", ".pos.txt")
    reading_settings = ("split", "types")

    def sniff(self, source: Source) -> bool:
        if source.is_folder:
            return bool(source.files("GENIAtrain.pos") or source.files(".merged.xml"))
        head = source.head()
        if source.name.startswith("GENIAcorpus"):
            return True
        return b"<sentence>" in head and (b"<cons" in head or b"<w c=" in head)

    def sentences(self, source: Source, context: Context) -> Iterator[Sentence]:
        types = context.options.choice("types", ("five", "all"))
        split = context.options.settings.get("split")
        if split is not None and split not in SPLITS:
            raise UsageError(f"unknown split {split!r}", hint="one of: train, dev, test")
        sentences = _sentences(source, types, context)
        return sentences if split is None else _part(sentences, split, context)

    def save(self, sentences: Iterable[Sentence], path: Path | str, context: Context) -> None:
        with open_output(path) as sink:
            write_merged(sentences, sink, context)


FORMAT = GeniaFormat()


def _sentences(source: Source, types: str, context: Context) -> Iterator[Sentence]:
    xml, tagged = _files(source)
    context = context.at(path=xml.path)
    label = labels(types, context)
    documents = tagged_documents(tagged)
    with _opened(xml) as content:

        def read(article: Article) -> Iterator[Sentence]:
            if any(sentence.text.strip() and not sentence.words for sentence in article.sentences):
                _take_tokens(article, next(documents, None), xml.path)
            last = len(article.sentences) - 1
            for index, annotated in enumerate(article.sentences):
                title_ends = annotated.in_title and not (
                    index < last and article.sentences[index + 1].in_title
                )
                gap = "" if index == last else "\n" if title_ends else " "
                yield _sentence(annotated, article.id, gap, label, context)

        yield from context.each(articles(content, xml.path), read)


def _files(source: Source) -> tuple[Source, list[Source]]:
    """The XML, or the archive that contains it, and the part-of-speech files."""
    folder = source if source.is_folder else Source(Path(source.path).parent)
    if source.is_folder:
        candidates = [
            *source.files(".merged.xml"),
            *source.files("GENIAcorpus3.02.xml"),
            *source.files("GENIAcorpus3.02.tgz"),
        ]
        if not candidates:
            raise DataError(
                "no GENIA corpus in the folder",
                path=source.path,
                hint="it needs GENIAcorpus3.02.tgz, the XML from it, or a .merged.xml",
            )
        source = candidates[0]
    if source.is_standard_input:
        return source, []
    return source, [
        file for name in ("GENIAtrain.pos", "GENIAtest.pos") for file in folder.files(name)[:1]
    ]


@contextmanager
def _opened(xml: Source) -> Iterator[IO[bytes]]:
    """The XML itself, or the one inside an archive."""
    if not is_archive(xml):
        with xml.open() as file:
            yield file
        return
    with open_member(xml, lambda name: name.endswith(".xml")) as member:
        if member is None:
            raise DataError("no XML in the archive", path=xml.path)
        yield member


def _take_tokens(article: Article, tagged: TaggedDocument | None, path: str) -> None:
    """Give the sentences of the official XML the tokens of the part-of-speech files."""
    if tagged is None:
        raise DataError(
            f"no tokens for document {article.id}",
            path=path,
            line=article.line,
            hint="put GENIAtrain.pos and GENIAtest.pos in the same folder",
        )
    if tagged.id != article.id or len(tagged.sentences) != len(article.sentences):
        raise DataError(
            f"document {tagged.id} of {len(tagged.sentences)} sentences does not belong to "
            f"document {article.id} of {len(article.sentences)} sentences in {path}",
            path=tagged.path,
            line=tagged.line,
        )
    for sentence, tokens in zip(article.sentences, tagged.sentences, strict=True):
        sentence.words = _located(tokens, sentence, path)


def _located(tokens: list[str], sentence: Annotated, path: str) -> list[Offsets]:
    """Locate the tokens in the text; a token that contains a space there becomes two."""
    text = sentence.text
    words: list[Offsets] = []
    position = 0
    for token in tokens:
        while position < len(text) and text[position].isspace():
            position += 1
        start = position
        for character in token:
            if text[position : position + 1].isspace() and character != NO_BREAK_SPACE:
                words.append((start, position))
                while text[position].isspace():
                    position += 1
                start = position
            expected = " " if character == NO_BREAK_SPACE else character
            if text[position : position + 1] != expected:
                raise DataError(
                    f"expected the token {token!r} in the text, found "
                    f"{text[position : position + 20]!r}",
                    path=path,
                    line=sentence.line,
                )
            position += 1
        words.append((start, position))
    return words


def _sentence(
    annotated: Annotated,
    doc: str,
    last_gap: str,
    label: Labels,
    context: Context,
) -> Sentence:
    text = annotated.text
    spans = [Span(term.start, term.end, term.sem) for term in annotated.terms]
    cut = align(text, [annotated.words], spans, split=True).tokens[0]
    words = [word for word in (_stripped(text, *word) for word in cut) if word[0] < word[1]]
    aligned = align(text, [words], spans, split=True).spans
    entities = [
        Span(span.start, span.end, name)
        for term, span in zip(annotated.terms, aligned, strict=True)
        if span and (name := label(term, annotated.line))
    ]
    edges = [0, *(edge for word in words for edge in word), len(text)]
    gaps = [text[edges[i] : edges[i + 1]] for i in range(0, len(edges), 2)]
    gaps[-1] += last_gap
    if loose := "".join(gaps).strip():
        context.odd("text outside the tokens", repr(loose), line=annotated.line)
    return Sentence(
        tokens=[re.sub(r"\s", NO_BREAK_SPACE, text[start:end]) for start, end in words],
        entities=entities,
        gaps=gaps,
        doc=doc or None,
        line=annotated.line,
    )


def _stripped(text: str, start: int, end: int) -> Offsets:
    """Part of a token that contained a space, without the space if it is now at the edge."""
    part = text[start:end]
    return start + len(part) - len(part.lstrip()), end - len(part) + len(part.rstrip())


def _part(sentences: Iterator[Sentence], split: str, context: Context) -> Iterator[Sentence]:
    start, end = SPLITS[split]
    count = 0
    for sentence in sentences:
        if start <= count < end:
            yield sentence
        count += 1
    if count != _ALL_SENTENCES:
        raise context.wrong(
            f"the split is defined for all {_ALL_SENTENCES:,} sentences, found {count:,}",
            hint="read the file without a split",
        )
