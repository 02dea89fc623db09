"""Prepare a corpus for training: sentences, targets and warnings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from innermost import nest
from innermost.corpus import Report, Sentence
from innermost.corpus.quality.fingerprint import fingerprint
from innermost.corpus.reading import ReadingOptions, read_corpus
from innermost.corpus.renaming import renamed
from innermost.crf.targets import FlatTarget, flatten
from innermost.errors import ConfigError, DataError
from innermost.nest import Span
from innermost.network.tagger import Item, TaggerFeatures
from innermost.training.settings.config import DataFile

Labels = frozenset[str]


@dataclass(frozen=True, slots=True)
class Coverage:
    """The types that one file of a split annotates."""

    path: str
    sentences: int
    annotates: Labels | None = None
    """The types that were annotated in it, present or not; None: all."""
    ignored: int = 0
    """Entities of other types, which are not used."""
    others: Labels = frozenset()
    """The types of those."""
    predicted: Labels = frozenset()
    """Of ``annotates``, the types that a model annotated and not the file."""


@dataclass(frozen=True, slots=True)
class Split:
    """The sentences of one or several files, with the fingerprint printed with every score."""

    path: str
    sentences: list[Sentence]
    fingerprint: str
    files: tuple[Coverage, ...] = ()
    """The files in the order of their sentences; none: one file that annotates all types."""

    @property
    def tokens(self) -> int:
        return sum(len(s.tokens) for s in self.sentences)

    @property
    def coverage(self) -> tuple[Coverage, ...]:
        return self.files or (Coverage(self.path, len(self.sentences)),)

    def annotated(self) -> Iterator[Labels | None]:
        """The types that are annotated in each sentence; None: all."""
        return (file.annotates for file in self.coverage for _ in range(file.sentences))

    def by_file(self) -> Iterator[list[Sentence]]:
        """The sentences of each file."""
        sentences = iter(self.sentences)
        return (list(islice(sentences, file.sentences)) for file in self.coverage)

    def located(self) -> Iterator[tuple[str, Sentence]]:
        """Each sentence with its location, for messages."""
        paths = (file.path for file in self.coverage for _ in range(file.sentences))
        for path, sentence in zip(paths, self.sentences, strict=True):
            yield path if sentence.line is None else f"{path}:{sentence.line}", sentence


@dataclass(frozen=True, slots=True)
class Prepared:
    """A split as an encoder's features; ``targets`` only for training data."""

    items: list[Item]
    lengths: list[int]
    entities: list[list[Span]]
    annotated: list[Labels | None]
    targets: list[FlatTarget]
    duplicates: int = 0
    crossings: int = 0


def read_split(files: Sequence[DataFile], reading: ReadingOptions, report: Report) -> Split:
    """Read and join corpus files; what was changed or lost is counted in ``report``.

    Sentences without tokens are skipped.
    """
    sentences: list[Sentence] = []
    coverage: list[Coverage] = []
    for file in files:
        part = [s for s in read_corpus(file.path, reading, report) if s.tokens]
        if not part:
            raise DataError("no sentences in it", path=file.path)
        annotates = None if file.annotates is None else _checked(file)
        used = part if annotates is None else [_only(sentence, annotates) for sentence in part]
        ignored = sum(len(a.entities) - len(b.entities) for a, b in zip(part, used, strict=True))
        others = labels_of(part) - (annotates or frozenset()) if ignored else frozenset[str]()
        coverage.append(Coverage(file.path, len(part), annotates, ignored, others))
        sentences.extend(used)
    path = " + ".join(file.path for file in files)
    return Split(path, sentences, fingerprint(sentences), tuple(coverage))


def renamed_split(split: Split, names: Mapping[str, str], report: Report) -> Split:
    """The split with other names for types, as :func:`read_split` reads files with them."""
    if not names:
        return split
    sentences = list(renamed(split.sentences, names, report, split.path))
    return replace(split, sentences=sentences, fingerprint=fingerprint(sentences))


def _checked(file: DataFile) -> Labels:
    labels = frozenset(file.annotates or ())
    if not labels or "" in labels:
        raise ConfigError(
            f"{file.path}: `annotates` names no type",
            hint="name the types that were annotated in it, or omit it if all were",
        )
    return labels


def _only(sentence: Sentence, labels: Labels) -> Sentence:
    return replace(sentence, entities=[e for e in sentence.entities if e.label in labels])


def types_of(split: Split) -> list[str]:
    """All types that a split annotates, whether they occur or not."""
    types = types_in(split)
    if not any(sentence.entities for sentence in split.sentences):
        ignored = sum(file.ignored for file in split.files)
        raise DataError(
            "no entities in it: there is nothing to learn"
            if not ignored
            else f"no entities of the types that --annotates names, but {ignored:,} of others",
            path=split.path,
            hint="check the names of the types" if ignored else None,
        )
    return sorted(types)


def types_in(split: Split) -> Labels:
    """The types that occur, and those that files say they annotate."""
    return labels_of(split.sentences).union(*(file.annotates or () for file in split.files))


def labels_of(sentences: Sequence[Sentence]) -> Labels:
    """The types that occur."""
    return frozenset(span.label for s in sentences for span in s.entities)


def undeclared_labels(split: Split) -> Labels:
    """The types that occur in files without ``annotates``."""
    pairs = zip(split.sentences, split.annotated(), strict=True)
    return labels_of([sentence for sentence, labels in pairs if labels is None])


def resolved(split: Split, default: Labels, types: Sequence[str]) -> Split:
    """The split with ``annotates`` filled in for every file.

    A file without it annotates the ``default`` types and those that occur in it.
    """
    files: list[Coverage] = []
    first = 0
    for file in split.coverage:
        labels = file.annotates
        if labels is None:
            own = labels_of(split.sentences[first : first + file.sentences])
            labels = own | default
        files.append(replace(file, annotates=None if labels.issuperset(types) else labels))
        first += file.sentences
    return replace(split, files=tuple(files))


def prepare(split: Split, features: TaggerFeatures, types: Sequence[str] | None = None) -> Prepared:
    """Prepare a split; with ``types``, also the training targets."""
    items = features.prepare(split.sentences)
    lengths = [len(s.tokens) for s in split.sentences]
    entities = [s.entities for s in split.sentences]
    annotated = list(split.annotated())
    if types is None:
        return Prepared(items, lengths, entities, annotated, [])
    targets = [
        nest.target(spans, length, types, labels)
        for spans, length, labels in zip(entities, lengths, annotated, strict=True)
    ]
    return Prepared(
        items,
        lengths,
        entities,
        annotated,
        [flatten(t) for t in targets],
        duplicates=sum(t.duplicates for t in targets),
        crossings=sum(t.crossings for t in targets),
    )
