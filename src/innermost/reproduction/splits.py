"""Find the training, development and test data in a folder.

Each split is one of

- a file in any corpus format: ``train.jsonl``, ``dev.conll``, ``eng.testa`` (CoNLL's names);
- a folder: ``train/`` with ACE's or brat's pairs of files;
- a list of document ids next to an unsplit corpus: ``train.txt``, ``dev.txt`` and
  ``test.txt`` next to the LDC's folder, as ACE's splits are published.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from innermost.corpus import Source, registry
from innermost.corpus.reading import ReadingOptions
from innermost.errors import DataError, UsageError
from innermost.files.source import plain_name
from innermost.reproduction.published import SPLITS

_NAMES = {
    "train": ("train", "training"),
    "dev": ("dev", "development", "valid", "validation", "testa"),
    "test": ("test", "testb"),
}
_LISTS = (".txt", ".lst", ".list", ".files")


@dataclass(frozen=True, slots=True)
class SplitSource:
    """Where the sentences of one split are."""

    path: Path
    documents: Path | None = None
    """The list of its documents, if ``path`` contains those of all splits."""

    def reading(self, reading: ReadingOptions) -> ReadingOptions:
        """The reading options; with a list of documents, only those are read."""
        if self.documents is None:
            return reading
        settings = {**reading.settings, "documents": str(self.documents)}
        return replace(reading, format="ace", settings=settings)

    @property
    def name(self) -> str:
        return str(self.path if self.documents is None else self.documents)


def find_splits(folder: Path) -> dict[str, SplitSource]:
    """The three splits of a folder."""
    if not folder.is_dir():
        raise UsageError(
            f"{folder} is not a folder",
            hint="--data takes a folder with train, dev and test in any corpus format",
        )
    candidates = {split: _candidates(folder, split) for split in SPLITS}
    for split, paths in candidates.items():
        if len(paths) != 1:
            what = ", ".join(p.name for p in paths) or "nothing"
            raise DataError(
                f"found {what} for the {split} data, but exactly one file or folder is needed",
                path=folder,
                hint=f"name it {split}.jsonl, {split}.conll, {split}/ ...; "
                "for ACE: train.txt, dev.txt and test.txt with the ids of the documents",
            )
    chosen = {split: paths[0] for split, paths in candidates.items()}
    if all(_is_list(path) for path in chosen.values()) and registry.get("ace").sniff(
        Source(folder)
    ):
        return {split: SplitSource(folder, path) for split, path in chosen.items()}
    return {split: SplitSource(path) for split, path in chosen.items()}


def _candidates(folder: Path, split: str) -> list[Path]:
    paths = [p for p in sorted(folder.iterdir()) if _names_split(p, split)]
    # A compressed or converted copy in a folder with the same name must not hide the file.
    return [p for p in paths if p.is_file()] or paths


def _names_split(path: Path, split: str) -> bool:
    parts = plain_name(path).lower().split(".")
    # `train.jsonl` and a folder `train` by the first part, `eng.train` by the last.
    return parts[0] in _NAMES[split] or parts[-1] in _NAMES[split]


def _is_list(path: Path) -> bool:
    return path.is_file() and (path.suffix in _LISTS or not path.suffix)
