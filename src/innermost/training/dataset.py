"""A corpus made ready for training: prepared sentences, targets, and what was odd about them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from torch import nn

from innermost import crf, nest
from innermost.corpus import Sentence, read
from innermost.corpus.quality.fingerprint import fingerprint
from innermost.errors import DataError
from innermost.nest import Span
from innermost.network.tagger import Item, TaggerFeatures


@dataclass(frozen=True, slots=True)
class Split:
    """The sentences of one file, with the name that is printed beside every score."""

    path: str
    sentences: list[Sentence]
    fingerprint: str

    @property
    def tokens(self) -> int:
        return sum(len(s.tokens) for s in self.sentences)


@dataclass(frozen=True, slots=True)
class Prepared:
    """A split as an encoder's features; ``targets`` only where it is trained on."""

    items: list[Item]
    lengths: list[int]
    entities: list[list[Span]]
    targets: list[crf.FlatTarget]
    duplicates: int = 0
    crossings: int = 0


def read_split(path: str) -> Split:
    """Read a corpus file; sentences without tokens have nothing to learn from and are left out."""
    sentences = [s for s in read(path) if s.tokens]
    if not sentences:
        raise DataError("no sentences in it", path=path)
    return Split(path, sentences, fingerprint(sentences))


def types_of(split: Split) -> list[str]:
    types = sorted({span.label for s in split.sentences for span in s.entities})
    if not types:
        raise DataError("no entities in it: there is nothing to learn", path=split.path)
    return types


def prepare(split: Split, features: TaggerFeatures, types: Sequence[str] | None = None) -> Prepared:
    """With ``types``, the training targets too."""
    items = features.prepare(split.sentences)
    lengths = [len(s.tokens) for s in split.sentences]
    entities = [s.entities for s in split.sentences]
    if types is None:
        return Prepared(items, lengths, entities, [])
    targets = [
        nest.target(spans, length, types) for spans, length in zip(entities, lengths, strict=True)
    ]
    return Prepared(
        items,
        lengths,
        entities,
        [crf.flatten(t) for t in targets],
        duplicates=sum(t.duplicates for t in targets),
        crossings=sum(t.crossings for t in targets),
    )


def parameters(module: nn.Module) -> Iterator[nn.Parameter]:
    return (p for p in module.parameters() if p.requires_grad)
