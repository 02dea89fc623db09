"""The data for training and prediction, and the gold entities that a peer cannot find."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from innermost.corpus import Sentence, read, write
from innermost.corpus.quality.fingerprint import fingerprint
from innermost.errors import DataError
from innermost.nest import Span

SPLITS = ("train", "dev", "test")


@dataclass(frozen=True)
class Material:
    folder: Path
    """Contains the three files that peers read: one sentence per line, only tokens and entities."""
    dev: list[Sentence]
    test: list[Sentence]
    fingerprints: dict[str, str]


def gather(data: Path, folder: Path) -> Material:
    """Read ``train.jsonl``, ``dev.jsonl`` and ``test.jsonl`` in ``data``; write plain copies."""
    folder.mkdir(parents=True, exist_ok=True)
    splits = {}
    for name in SPLITS:
        source = data / f"{name}.jsonl"
        if not source.exists():
            wanted = ", ".join(f"{split}.jsonl" for split in SPLITS)
            raise DataError("there is no such file", path=source, hint=f"a folder with {wanted}")
        splits[name] = [plain(sentence) for sentence in read(source) if sentence.tokens]
        if not splits[name]:
            raise DataError("has no sentences", path=source)
        write(splits[name], folder / f"{name}.jsonl")
    marks = {name: fingerprint(sentences) for name, sentences in splits.items()}
    return Material(folder, splits["dev"], splits["test"], marks)


def plain(sentence: Sentence) -> Sentence:
    """Tokens and distinct entities, nothing else."""
    return Sentence(sentence.tokens, sorted(set(sentence.entities)))


def by_length(sentences: Sequence[Sentence], count: int | None) -> list[list[str]]:
    """The tokens of the first ``count`` sentences, longest first, as in ``bench``."""
    return sorted((sentence.tokens for sentence in sentences[:count]), key=len, reverse=True)


def too_long(sentences: Sequence[Sentence], longest: int) -> int:
    """Entities of more than ``longest`` tokens."""
    return sum(e.end - e.start > longest for s in sentences for e in s.entities)


def inside_own_type(sentences: Sequence[Sentence]) -> int:
    """Entities inside a longer one of the same type, or crossing one."""
    return sum(len(_crowded(sentence.entities)) for sentence in sentences)


def _crowded(entities: Sequence[Span]) -> set[Span]:
    return {
        max(pair, key=lambda span: (span.start - span.end, span.start))
        for pair in combinations(set(entities), 2)
        if pair[0].label == pair[1].label
        and max(span.start for span in pair) < min(span.end for span in pair)
    }
