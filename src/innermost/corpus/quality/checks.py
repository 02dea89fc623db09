"""Find what is wrong or suspicious in a corpus, across its splits, before training on it.

An ``error`` would stop the work; a ``warning`` is kept but deserves a look.
"""

from __future__ import annotations

import hashlib
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from innermost.corpus import read
from innermost.corpus.options import Options
from innermost.corpus.quality.label_consistency import Slips
from innermost.corpus.quality.mojibake import Mojibake
from innermost.corpus.quality.offsets import doubtful_offsets
from innermost.corpus.quality.places import Place, Places
from innermost.corpus.quality.token_marks import TokenMarks
from innermost.corpus.quality.type_names import alike
from innermost.corpus.quality.unicode_forms import UnicodeForms
from innermost.corpus.report import ALL, OTHER_ANNOTATION, Kind, Report
from innermost.corpus.sentence import Sentence
from innermost.errors import DataError, UsageError
from innermost.nest import Span, merge_duplicates, separate

Watch = Callable[[Iterable[Sentence], str], Iterable[Sentence]]

LONG_SENTENCE = 200
LONG_ENTITY = 25
RARE_TYPE = 20


def check(
    paths: Sequence[str | Path],
    *,
    format: str | None = None,
    options: Options | None = None,
    all: bool = False,
    watch: Watch = lambda sentences, what: sentences,
) -> Report:
    """All findings in the files, taken as the splits of one corpus.

    All are counted; the examples are the first of each kind, or with ``all`` every one of them.
    ``watch`` passes the sentences through, e.g. to show progress.
    """
    if any(str(path) == "-" for path in paths):
        raise UsageError("standard input cannot be checked: it is read twice", hint="use a file")
    options = options or Options()
    findings = Report(ALL) if all else Report()
    splits = [_Split(path) for path in _distinct(paths, findings)]
    shared = _Shared(findings)
    forms = UnicodeForms(findings)
    mojibake = Mojibake(findings)
    slips = Slips(findings, most_places=ALL if all else 3)
    marks = TokenMarks(findings)
    for split in splits:
        reading = _read(split.path, format, options, findings)
        for sentence in watch(reading, f"reading {split.path}"):
            place = split.places.of(sentence)
            split.add(sentence, place, findings)
            shared.add(sentence, place)
            forms.add(sentence, split.path)
            mojibake.add(sentence, split.path)
            marks.add(sentence, split.path)
            slips.learn(sentence)
        split.finish(findings)
    for split in splits:
        reading = _read(split.path, format, options, Report(keep=0))
        for sentence in watch(reading, f"comparing {split.path}"):
            slips.compare(sentence, split.places.of(sentence))
    slips.finish()
    mojibake.finish()
    forms.finish()
    marks.finish()
    _check_types(splits, findings)
    return findings


def _distinct(paths: Sequence[str | Path], findings: Report) -> list[str]:
    """Each file once; a repeated one becomes a finding."""
    distinct: dict[Path, str] = {}
    for path in map(str, paths):
        place = Path(path).resolve()
        if place in distinct:
            what = f"given more than once, and checked once: {distinct[place]}"
            findings.add("warning", "repeated file", what, path=path)
        else:
            distinct[place] = path
    return list(distinct.values())


def _read(path: str, format: str | None, options: Options, findings: Report) -> Iterator[Sentence]:
    """The readable sentences; what cannot be read or was changed becomes a finding."""
    report = Report(findings.keep)
    entities = 0
    try:
        for sentence in read(path, format=format, options=options, report=report):
            entities += len(sentence.entities)
            yield sentence
    except DataError as error:
        for problem in error.problems:
            _add_error(problem, path, findings)
        findings.counts["error", "bad data"] += error.count - len(error.problems)
    _add_events(report, findings)
    if (doubt := doubtful_offsets(report, entities)) is not None:
        findings.add("warning", "doubtful offsets", doubt, path=path)


def _add_events(report: Report, findings: Report) -> None:
    """Each is a warning, but notes stay notes, and other annotation than entities gets one for each
    kind of it."""
    unseen = Counter(report.counts)
    for event in report.examples:
        if event.what in OTHER_ANNOTATION:
            if count := unseen.pop((event.kind, event.what), 0):
                what = "not read, because it marks no entities"
                detail = f"{event.what} ({count:,}{', the first here' if count > 1 else ''})"
                findings.add("note", what, detail, path=event.path, line=event.line)
            continue
        unseen[event.kind, event.what] -= 1
        kind, what = _finding(event.kind, event.what)
        findings.add(kind, what, event.detail, path=event.path, line=event.line)
    for case, count in unseen.items():
        findings.counts[_finding(*case)] += count


def _finding(kind: Kind, what: str) -> tuple[Kind, str]:
    return (kind, what) if kind == "note" else ("warning", f"{kind} while reading: {what}")


def _add_error(error: DataError, path: str, findings: Report) -> None:
    hint = f" ({error.hint})" if error.hint else ""
    findings.add(
        "error", "bad data", f"{error.message}{hint}", path=error.path or path, line=error.line
    )


class _Split:
    """One file: its types, and the checks that need a single sentence."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.places = Places(path)
        self.sentences = 0
        self.types: Counter[str] = Counter()
        self.scored = 0

    def add(self, sentence: Sentence, place: Place, findings: Report) -> None:
        self.sentences += 1
        self.types.update(span.label for span in sentence.entities)
        self.scored += len(sentence.scores)

        def warn(what: str, detail: str) -> None:
            place.warn(findings, what, detail)

        if not sentence.tokens:
            warn("empty sentence", f"sentence {self.sentences} has no tokens")
        elif len(sentence.tokens) > LONG_SENTENCE:
            words = " ".join(sentence.tokens[:6])
            size = f"{len(sentence.tokens)} tokens"
            warn("long sentence", f"{size}: {words} ...; if it is several sentences, divide it")
        for token in sentence.tokens:
            if not token.strip() or any(unicodedata.category(c) == "Cc" for c in token):
                warn("blank or control characters in a token", repr(token))
        distinct, duplicates = merge_duplicates(sentence.entities)
        if duplicates:
            counts = Counter(sentence.entities)
            for span in distinct:
                if counts[span] > 1:
                    warn("duplicate entity", f"{shown(sentence, span)}, {counts[span]} times")
        by_label: dict[str, list[Span]] = defaultdict(list)
        for span in distinct:
            by_label[span.label].append(span)
        for spans in by_label.values():
            for lost, kept in separate(spans)[1]:
                warn(
                    "crossing entities of one type",
                    f"{shown(sentence, lost)} crosses {shown(sentence, kept)}: "
                    "it is excluded from training",
                )
        for span in distinct:
            if span.end - span.start > LONG_ENTITY:
                warn("long entity", f"{span.end - span.start} tokens: {shown(sentence, span)}")

    def finish(self, findings: Report) -> None:
        if self.sentences == 0:
            findings.add("error", "no sentences", "nothing could be read", path=self.path)
        if 0 < self.types.total() <= self.scored:
            findings.add(
                "warning",
                "uncorrected predictions",
                "every entity has a score, so a model predicted it: correct them before training",
                path=self.path,
            )


class _Shared:
    """Sentences and documents that occur in several files, or with different entities."""

    def __init__(self, findings: Report) -> None:
        self._findings = findings
        self._sentences: dict[bytes, tuple[Place, frozenset[Span]]] = {}
        self._documents: dict[str, str] = {}

    def add(self, sentence: Sentence, place: Place) -> None:
        key = hashlib.blake2b("\0".join(sentence.tokens).encode(), digest_size=16).digest()
        entities = frozenset(sentence.entities)
        first, first_entities = self._sentences.setdefault(key, (place, entities))
        words = " ".join(sentence.tokens[:8])
        if first.path != place.path:
            place.warn(self._findings, "sentence in two files", f"also in {first}: {words}")
        if entities != first_entities:
            difference = sorted(entities ^ first_entities)[0]
            is_here = difference in entities
            where = f"here, but not in {first}" if is_here else f"in {first}, but not here"
            place.warn(
                self._findings,
                "same sentence, different entities",
                f"{shown(sentence, difference)} is {where}",
            )
        if sentence.doc is not None and not sentence.unnamed:
            first_path = self._documents.setdefault(sentence.doc, place.path)
            if first_path != place.path:
                self._documents[sentence.doc] = place.path
                detail = f"{sentence.doc!r} is also in {first_path}"
                unnamed = Place(place.path, place.line)
                unnamed.warn(self._findings, "document in two files", detail)


def _check_types(splits: Sequence[_Split], findings: Report) -> None:
    total: Counter[str] = sum((split.types for split in splits), Counter())
    readable = [split for split in splits if split.sentences]
    if readable and not total:
        findings.add("warning", "no entities", "no sentence has any", path=readable[0].path)
    for label, count in sorted(total.items()):
        if count < RARE_TYPE:
            findings.add(
                "warning", "rare type", f"{label}: {count} mention{'s' * (count > 1)} in total"
            )
        for split in readable:
            if split.types[label] == 0:
                others = ", ".join(s.path for s in readable if s.types[label])
                detail = f"{label} occurs only in {others}"
                findings.add("warning", "type missing in a file", detail, path=split.path)
    for labels in alike(total):
        findings.add("warning", "types with similar names", ", ".join(labels))


def shown(sentence: Sentence, span: Span) -> str:
    """An entity with its words, for a message."""
    words = sentence.tokens[span.start : min(span.end, span.start + 60)]
    return f"{span.label} {' '.join(words)[:60]!r}"
