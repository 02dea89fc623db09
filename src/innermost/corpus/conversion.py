"""One corpus into another format, whole or split by documents, leaving nothing out silently."""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from innermost.corpus import registry
from innermost.corpus.options import Options
from innermost.corpus.report import Report
from innermost.corpus.sentence import Sentence
from innermost.errors import DataError, UsageError
from innermost.files.source import Source

Watch = Callable[[Iterable[Sentence]], Iterable[Sentence]]
"""Passes sentences through, e.g. to show how many there were."""


@dataclass(slots=True)
class Output:
    path: str
    sentences: int = 0
    entities: int = 0


@dataclass(slots=True)
class Conversion:
    """What came out, and what happened on the way."""

    outputs: list[Output]
    report: Report
    is_kept: bool
    """False when something was lost and the outputs were therefore not left there."""


@dataclass(frozen=True, slots=True)
class Splits:
    """Which split each document belongs to: those named in lists, then shares of the rest.

    The share that gets a document depends on its name alone (on its words, if it has none), so a
    document stays in its split when others are added. Shares are met on average, not exactly.
    """

    lists: Mapping[str, frozenset[str]] = field(default_factory=dict)
    shares: Mapping[str, float] = field(default_factory=dict)
    seed: int = 0

    @classmethod
    def parse(cls, given: Iterable[str], seed: int = 0) -> Splits:
        """From ``name=0.8`` or ``name=FILE``, a file with one document's name a line."""
        lists: dict[str, frozenset[str]] = {}
        shares: dict[str, float] = {}
        for item in given:
            name, _, value = item.partition("=")
            if not name or not value or name in lists or name in shares:
                raise UsageError(
                    f"not a split: {item!r}", hint="NAME=SHARE or NAME=FILE, each name once"
                )
            try:
                shares[name] = float(value)
            except ValueError:
                lines = Source(value).text_lines()
                lists[name] = frozenset(text.strip() for _, text in lines if text.strip())
        if any(share <= 0 for share in shares.values()):
            raise UsageError("the shares of splits must be greater than 0")
        return cls(lists, shares, seed)

    @property
    def names(self) -> list[str]:
        return [*self.lists, *self.shares]

    def of(self, sentence: Sentence) -> str | None:
        """The split of the sentence's document; None when no list holds it and no share is left."""
        if sentence.doc is not None:
            for name, documents in self.lists.items():
                if sentence.doc in documents:
                    return name
        total = sum(self.shares.values())
        key = sentence.doc if sentence.doc is not None else "\0".join(sentence.tokens)
        digest = hashlib.sha256(f"{self.seed}\0{key}".encode()).digest()
        position = int.from_bytes(digest[:8], "big") / 2**64 * total
        for name, share in self.shares.items():
            if position < share:
                return name
            position -= share
        return None


def convert(
    source: str | Path,
    target: str | Path,
    *,
    source_format: str | None = None,
    target_format: str | None = None,
    reading: Options | None = None,
    writing: Options | None = None,
    splits: Splits | None = None,
    allow_loss: bool = False,
    watch: Watch = lambda sentences: sentences,
) -> Conversion:
    """Convert ``source`` to ``target``; with ``splits``, ``{split}`` in its name is the split's.

    When anything cannot be carried over, nothing is left at ``target`` unless ``allow_loss``.
    """
    origin = Source(source)
    chosen = registry.get(source_format) if source_format else registry.guess(origin)
    report = Report()
    made = Conversion([], report, is_kept=True)
    targets = _targets(str(target), splits, origin)
    reading, writing = reading or Options(), writing or Options()
    with tempfile.TemporaryDirectory(prefix=".innermost-", dir=_beside(str(target))) as folder:
        waiting: list[tuple[Path, str]] = []
        for number, (name, path) in enumerate(targets.items()):
            output = Output(path)
            # Each split reads the source anew, so that no more than a document is ever in memory.
            sentences = chosen.read(origin, reading, report if number == 0 else Report(keep=0))
            if splits is not None:
                unplaced = report if number == 0 else Report(keep=0)
                sentences = _in_split(sentences, splits, name, unplaced, origin.path)
            temporary = Path(folder) / str(number) / (Path(path).name if path != "-" else "output")
            temporary.parent.mkdir()
            written = Report(keep=report.keep)
            to = registry.get(target_format) if target_format else registry.for_output(path)
            to.write(_counted(watch(sentences), output), temporary, writing, written)
            _absorb(report, written, path)
            made.outputs.append(output)
            waiting.append((temporary, path))
        if splits is not None:
            _report_missing(chosen.read(origin, reading, Report(keep=0)), splits, origin, report)
        made.is_kept = allow_loss or report.total("lost") == 0
        if made.is_kept:
            for temporary, path in waiting:
                _move(temporary, path)
    return made


def _targets(target: str, splits: Splits | None, origin: Source) -> dict[str, str]:
    """The path of each output by the name of its split."""
    if splits is None:
        targets = {"": target}
    elif "{split}" not in target:
        raise UsageError(
            f"{target} is one name for several splits", hint="e.g. 'corpus-{split}.jsonl'"
        )
    elif origin.is_standard_input:
        raise UsageError("standard input cannot be split: it is read once for each split")
    else:
        targets = {name: target.replace("{split}", name) for name in splits.names}
    for path in targets.values():
        if Path(path).is_dir() and any(Path(path).iterdir()):
            raise UsageError(f"{path} exists and is not empty", hint="give the name of a new one")
    return targets


def _beside(target: str) -> Path | None:
    """The folder of the target, so that moving there is one step; None for the system's own."""
    parent = Path(target).parent
    return parent if target != "-" and parent.is_dir() and os.access(parent, os.W_OK) else None


def _counted(sentences: Iterable[Sentence], output: Output) -> Iterator[Sentence]:
    for sentence in sentences:
        output.sentences += 1
        output.entities += len(sentence.entities)
        yield sentence


def _in_split(
    sentences: Iterable[Sentence], splits: Splits, name: str, report: Report, path: str
) -> Iterator[Sentence]:
    for sentence in sentences:
        split = splits.of(sentence)
        if split == name:
            yield sentence
        elif split is None:
            shown = sentence.doc or " ".join(sentence.tokens[:6])
            report.lost("document in no list", repr(shown), path=path, line=sentence.line)


def _report_missing(
    sentences: Iterable[Sentence], splits: Splits, origin: Source, report: Report
) -> None:
    """Report the names in lists that the corpus does not have: most likely a typing error."""
    if not splits.lists:
        return
    found = {sentence.doc for sentence in sentences}
    for name, documents in splits.lists.items():
        for doc in sorted(documents - found):
            report.lost("document of a list not found", f"{doc!r} for {name}", path=origin.path)


def _absorb(report: Report, written: Report, path: str) -> None:
    """Add what a writer said; it knew only the temporary name of its output."""
    for event in written.examples:
        if sum((e.kind, e.what) == (event.kind, event.what) for e in report.examples) < report.keep:
            report.examples.append(replace(event, path=path, line=None))
    report.counts.update(written.counts)


def _move(temporary: Path, path: str) -> None:
    if path == "-":
        with temporary.open("rb") as file:
            shutil.copyfileobj(file, sys.stdout.buffer)
        sys.stdout.buffer.flush()
        return
    target = Path(path)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.is_dir():
            target.rmdir()
        shutil.move(temporary, target)
    except OSError as error:
        raise DataError(f"cannot be written: {error.strerror}", path=path) from None
