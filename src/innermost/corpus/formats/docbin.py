"""spaCy's DocBin: entities are spans of a group (``sc`` when written) or ``doc.ents``.

A Doc is a document; its sentences are those it marks. Needs the extra ``spacy``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

from innermost.corpus.format import Options
from innermost.corpus.report import Report
from innermost.corpus.sentence import Sentence, documents
from innermost.corpus.shared.unsupported import layers, lose_sentence, report_unheld
from innermost.errors import DataError, MissingExtraError
from innermost.files.source import Source, open_output
from innermost.nest import Span

_GROUP = "sc"
_NAME = "innermost_doc"
_ATTRIBUTES = ["ORTH", "SPACY", "SENT_START", "ENT_IOB", "ENT_TYPE"]


class _DocBin:
    name = "docbin"
    description = "spaCy DocBin: span groups and entities"
    suffixes = (".spacy",)

    def sniff(self, source: Source) -> bool:
        return source.name.endswith(".spacy") and not source.is_folder

    def read(self, source: Source, options: Options, report: Report) -> Iterator[Sentence]:
        options.check_settings(self.name, ("group",))
        spacy = _spacy()
        with source.open() as file:
            data = file.read()
        try:
            docs = spacy.tokens.DocBin().from_bytes(data)
        except Exception as error:  # msgpack and zlib have no base class in common
            raise DataError(f"not a DocBin: {error}", path=source.path) from None
        vocab = spacy.blank("xx").vocab
        for number, doc in enumerate(docs.get_docs(vocab), start=1):
            yield from _sentences(doc, options.settings.get("group"), source.path, number, report)

    def write(
        self, sentences: Iterable[Sentence], path: Path | str, options: Options, report: Report
    ) -> None:
        options.check_settings(self.name, ("group",))
        spacy = _spacy()
        vocab = spacy.blank("xx").vocab
        docs = spacy.tokens.DocBin(attrs=_ATTRIBUTES, store_user_data=True)
        number = 0
        for name, run in documents(sentences):
            kept: list[Sentence] = []
            for sentence in run:
                number += 1
                report_unheld(sentence, number, path, report, holds=("doc", "gaps"))
                _report_white_space(sentence, number, path, report)
                if sentence.tokens:
                    kept.append(sentence)
                else:
                    lose_sentence(number, "it has no tokens", path, report)
            if kept:
                group = options.settings.get("group", _GROUP)
                if group == "ents":
                    kept = [_without_overlaps(s, path, report) for s in kept]
                docs.add(_doc(kept, name, group, spacy, vocab))
        with open_output(path) as sink:
            sink.write(docs.to_bytes())


def _spacy() -> Any:
    try:
        import spacy
        import spacy.tokens
    except ImportError:
        raise MissingExtraError("Reading and writing DocBin files", "spacy") from None
    return spacy


def _sentences(
    doc: Any, group: str | None, path: str, number: int, report: Report
) -> Iterator[Sentence]:
    spans = [Span(s.start, s.end, s.label_) for s in _chosen(doc, group, path, number)]
    if any(not span.label for span in spans):
        raise DataError(f"document {number} has a span without a label", path=path)
    has_sentences = doc.has_annotation("SENT_START")
    edges = [s.start for s in doc.sents] if has_sentences else [0]
    # A sentence ends inside no entity.
    edges = [e for e in edges if not any(span.start < e < span.end for span in spans)]
    if has_sentences and len(edges) < sum(1 for _ in doc.sents):
        report.changed("entity across sentences", f"in document {number}: joined", path=path)
    name = doc.user_data.get(_NAME) or (f"{Path(path).name}:{number}" if len(edges) > 1 else None)
    for start, end in zip(edges, [*edges[1:], len(doc)], strict=True):
        tokens = [token.text for token in doc[start:end]]
        if not tokens:
            continue
        yield Sentence(
            tokens,
            [Span(s - start, e - start, label) for s, e, label in spans if start <= s < end],
            gaps=["", *(token.whitespace_ for token in doc[start:end])],
            doc=name,
        )


def _chosen(doc: Any, group: str | None, path: str, number: int) -> list[Any]:
    """The spans of one group, or of all groups and those entities that are in none."""
    if group == "ents":
        return list(doc.ents)
    if group is not None:
        if group not in doc.spans:
            known = ", ".join(doc.spans) or "no groups"
            raise DataError(
                f"document {number} has no span group {group!r}",
                path=path,
                hint=f"it has: {known}; for doc.ents set group=ents",
            )
        return list(doc.spans[group])
    spans = list(chain.from_iterable(doc.spans.values()))
    grouped = {(s.start, s.end, s.label_) for s in spans}
    return spans + [s for s in doc.ents if (s.start, s.end, s.label_) not in grouped]


def _doc(run: list[Sentence], name: str | None, group: str, spacy: Any, vocab: Any) -> Any:
    doc = spacy.tokens.Doc(
        vocab,
        words=[token for s in run for token in s.tokens],
        spaces=[gap != "" for s in run for gap in s.filled_gaps()[1:]],
        sent_starts=[index == 0 for s in run for index in range(len(s.tokens))],
    )
    spans = []
    position = 0
    for sentence in run:
        for start, end, label in sentence.entities:
            spans.append(spacy.tokens.Span(doc, position + start, position + end, label=label))
        position += len(sentence.tokens)
    if group == "ents":
        doc.ents = spans
    else:
        doc.spans[group] = spans
    if name is not None:
        doc.user_data[_NAME] = name
    return doc


def _without_overlaps(sentence: Sentence, path: Path | str, report: Report) -> Sentence:
    """``doc.ents`` holds one layer: the outermost spans, and of those that cross the earlier."""
    outermost, *others = layers(sentence.entities) or [[]]
    for start, end, label in chain.from_iterable(others):
        words = " ".join(sentence.tokens[start:end])
        report.lost("overlapping span", f"{label} {words!r}", path=path)
    return replace(sentence, entities=outermost)


def _report_white_space(sentence: Sentence, number: int, path: Path | str, report: Report) -> None:
    """spaCy knows one kind of white space: a space after a token."""
    if sentence.gaps and (sentence.gaps[0] or any(g not in ("", " ") for g in sentence.gaps[1:])):
        report.changed("white space", f"of sentence {number}: each gap is one space", path=path)


FORMAT = _DocBin()
