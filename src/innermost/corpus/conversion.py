"""Convert a corpus to another format, whole or split by document, without silent losses."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from innermost.corpus import registry
from innermost.corpus.options import Options
from innermost.corpus.other_files import note_other_files
from innermost.corpus.report import Report
from innermost.corpus.sentence import Sentence
from innermost.corpus.splits import Assignment, Splits
from innermost.errors import UsageError
from innermost.files.atomic import (
    errors_of_writing,
    refuse_input_as_output,
    temporary_folder,
)
from innermost.files.source import Source

Watch = Callable[[Iterable[Sentence]], Iterable[Sentence]]
"""Passes sentences through, e.g. to show progress."""


@dataclass(slots=True)
class Output:
    path: str
    format: str
    """The name of its format."""
    sentences: int = 0
    entities: int = 0
    lost_sentences: int = 0
    """Given to the writer and not written."""
    lost_entities: int = 0


@dataclass(slots=True)
class Conversion:
    """The result of a conversion."""

    outputs: list[Output]
    report: Report
    is_kept: bool
    """False if something was lost and the outputs were therefore removed."""

    @property
    def stores_tokens(self) -> bool:
        """Whether the outputs were written with tokens."""
        return self.is_kept and any(
            "tokens" in registry.get(output.format).holds for output in self.outputs
        )


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
    """Convert ``source`` to ``target``; ``{split}`` in its name is replaced by each of ``splits``.

    If anything cannot be carried over, nothing is left at ``target`` unless ``allow_loss``.
    """
    origin = Source(source)
    chosen = registry.for_input(origin, source_format)
    report = Report()
    note_other_files(origin, chosen, report)
    result = Conversion([], report, is_kept=True)
    targets = _targets(str(target), splits, origin)
    reading, writing = reading or Options(), writing or Options()
    for path in targets.values():
        registry.for_output(path, target_format).check_writing(writing, path)
    assignment = splits.assign(chosen.read(origin, reading, report)) if splits else None
    with temporary_folder(_place(str(target))) as folder:
        waiting: list[tuple[Path, str]] = []
        for number, (name, path) in enumerate(targets.items()):
            to = registry.for_output(path, target_format)
            output = Output(path, to.name)
            # Each split rereads the source, so that only one document is in memory at a time.
            heard = report if assignment is None else Report(keep=0)
            sentences = chosen.read(origin, reading, heard)
            if assignment is not None:
                sentences = (s for s in sentences if assignment.of(s) == name)
            temporary = folder / str(number) / (Path(path).name if path != "-" else "output")
            temporary.parent.mkdir()
            written = Report(keep=report.keep)
            to.write(count_output(watch(sentences), output), temporary, writing, written)
            output.lost_sentences = written.unwritten_sentences
            output.lost_entities = written.unwritten_entities
            output.sentences -= output.lost_sentences
            output.entities -= output.lost_entities
            _absorb(report, written, path)
            if output.sentences == 0:
                report.odd("no sentences", "the output is empty", path=path)
            result.outputs.append(output)
            waiting.append((temporary, path))
        if splits is not None and assignment is not None:
            again = chosen.read(origin, reading, Report(keep=0))
            _report_unlisted(again, assignment, report, origin)
            _report_missing(splits, assignment, report, origin)
        result.is_kept = allow_loss or report.total("lost") == 0
        if result.is_kept:
            for temporary, path in waiting:
                _move(temporary, path)
    return result


def _targets(target: str, splits: Splits | None, origin: Source) -> dict[str, str]:
    """The path of each output by the name of its split."""
    if splits is None:
        targets = {"": target}
    elif "{split}" not in target:
        raise UsageError(
            f"{target} is a single name for several splits", hint="e.g. 'corpus-{split}.jsonl'"
        )
    elif origin.is_standard_input:
        raise UsageError("standard input cannot be split: the source is read once per split")
    else:
        targets = {name: target.replace("{split}", name) for name in splits.names}
    for path in targets.values():
        if Path(path).is_dir() and any(Path(path).iterdir()):
            raise UsageError(f"{path} exists and is not empty", hint="choose a new name")
        refuse_input_as_output(path, origin.path)
    return targets


def _place(target: str) -> Path:
    """The target's folder, so that moving is one step; otherwise the temporary folder."""
    parent = Path(target).resolve().parent
    is_usable = target != "-" and parent.is_dir() and os.access(parent, os.W_OK)
    return parent if is_usable else Path(tempfile.gettempdir())


def count_output(sentences: Iterable[Sentence], output: Output) -> Iterator[Sentence]:
    """The same sentences, counted as they go by."""
    for sentence in sentences:
        output.sentences += 1
        output.entities += len(sentence.entities)
        yield sentence


def _report_unlisted(
    sentences: Iterable[Sentence], assignment: Assignment, report: Report, origin: Source
) -> None:
    """Report each document that is in no list, if no split takes the rest."""
    reported: set[str] = set()
    for sentence in sentences:
        if assignment.of(sentence) is None and sentence.doc not in reported:
            shown = sentence.doc or " ".join(sentence.tokens[:6])
            report.lost("document in no list", repr(shown), path=origin.path, line=sentence.line)
            if sentence.doc is not None:
                reported.add(sentence.doc)


def _report_missing(splits: Splits, assignment: Assignment, report: Report, origin: Source) -> None:
    """Report listed names that are not in the corpus: most likely typos."""
    for name, documents in splits.lists.items():
        for doc in sorted(documents - assignment.documents):
            report.lost("document of a list not found", f"{doc!r} for {name}", path=origin.path)


def _absorb(report: Report, written: Report, path: str) -> None:
    """Add a writer's report; the writer knew only the temporary name of its output."""
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
    # Links are followed; their target may not exist yet.
    target = Path(path).resolve()
    with errors_of_writing(path):
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.is_dir() and temporary.is_dir():
            target.rmdir()
        elif target.is_dir():
            raise UsageError(f"{path} is a folder", hint="choose the name of a file")
        shutil.move(temporary, target)
