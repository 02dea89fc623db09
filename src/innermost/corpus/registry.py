"""The formats, by name. A format's module is imported on first use."""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import cast

from innermost.corpus.format import Format
from innermost.corpus.shared.plain_text import is_plain_text
from innermost.errors import DataError, UsageError
from innermost.files.archives import is_archive
from innermost.files.source import Source, plain_name

# In the order in which they are tried for detection: specific formats before general ones.
_MODULES = {
    "bioc": "innermost.corpus.formats.bioc",
    "labelstudio": "innermost.corpus.formats.labelstudio",
    "spacy-json": "innermost.corpus.formats.spacy_json",
    "doccano": "innermost.corpus.formats.doccano",
    "prodigy": "innermost.corpus.formats.prodigy",
    "papers": "innermost.corpus.formats.papers",
    "native": "innermost.corpus.formats.native",
    "table": "innermost.corpus.formats.table",
    "docbin": "innermost.corpus.formats.docbin",
    "datasets": "innermost.corpus.formats.hf_datasets",
    "genia": "innermost.corpus.formats.genia",
    "ace": "innermost.corpus.formats.ace",
    "pubtator": "innermost.corpus.formats.pubtator",
    "blocks": "innermost.corpus.formats.blocks",
    "brat": "innermost.corpus.formats.brat",
    "webanno": "innermost.corpus.formats.webanno",
    "xml": "innermost.corpus.formats.inline_xml",
    "conllu": "innermost.corpus.formats.conllu",
    "brackets": "innermost.corpus.formats.brackets",
    "columns": "innermost.corpus.formats.columns",
}

ALIASES = {
    "jsonl": "native",
    "csv": "table",
    "tsv": "table",
    "parquet": "table",
    "iob": "columns",
}
"""Names for reading and writing that say more than ours, as in ``predict --format csv``."""


_SPREADSHEETS = (".xlsx", ".xls", ".ods")
_TEXTS_TRIED = 20
"""Files of a folder that are looked at, to call it a folder of plain texts."""


def names() -> list[str]:
    return list(_MODULES)


def all_names() -> list[str]:
    """All names that :func:`get` accepts."""
    return [*_MODULES, *ALIASES]


def get(name: str) -> Format:
    """The format with this name."""
    own_name = ALIASES.get(name, name)
    if own_name not in _MODULES:
        raise UsageError(f"unknown format {name!r}", hint=f"one of: {', '.join(all_names())}")
    return cast(Format, import_module(_MODULES[own_name]).FORMAT).variant(name)


def guess(source: Source) -> Format:
    """The first format that recognizes ``source``, else the one for its suffix."""
    for format in _all():
        if format.sniff(source):
            return format
    if is_archive(source) or source.path.endswith(".zip"):
        raise DataError(
            "an archive, but not one of brat files",
            path=source.path,
            hint="unpack it, and name a file or a folder in it",
        )
    # Tables are recognized by their header.
    by_suffix = get("columns") if source.name.endswith(".tsv") else for_name(source.name)
    if source.is_folder and _is_model(Path(source.path)):
        raise DataError(
            "a model, not a corpus", path=source.path, hint="name the model first, then the data"
        )
    if (by_suffix is None or source.name.endswith(".txt")) and _is_plain_text(source):
        what = "a folder of plain texts" if source.is_folder else "looks like plain text"
        raise DataError(
            f"{what} without annotation",
            path=source.path,
            hint=f"annotate it, e.g. with: innermost predict -i {source.path} -o annotated.jsonl; "
            "or name its format with --from",
        )
    return by_suffix or _unknown(source.path, "--from")


def for_input(source: Source, name: str | None = None) -> Format:
    """The format called ``name``; without a name, the one that is detected."""
    return get(name) if name else guess(source)


def _is_model(folder: Path) -> bool:
    """Whether it is a model, or a training run that contains one."""
    return (folder / "model.toml").exists() or (folder / "model" / "model.toml").exists()


def _is_plain_text(source: Source) -> bool:
    """Whether it is plain text, or a folder with a file of plain text."""
    if not source.is_folder:
        return is_plain_text(source)
    return any(is_plain_text(file) for file in source.files(".txt")[:_TEXTS_TRIED])


def is_folder(path: str | Path) -> bool:
    """Whether an output is a folder: one that exists, or a name that ends so."""
    return ends_as_folder(path) or Path(path).is_dir()


def ends_as_folder(path: str | Path) -> bool:
    return str(path).endswith(("/", os.sep))


def for_output(path: str | Path, name: str | None = None) -> Format:
    """The format called ``name``; without a name, the one for ``path``.

    That of a folder is brat, unless the name has the suffix of a file.
    """
    if name:
        return get(name)
    by_suffix = None if ends_as_folder(path) else for_name(plain_name(str(path)))
    if by_suffix is None and is_folder(path):
        return get("brat")
    return by_suffix or _unknown(str(path), "--to")


def _all() -> Iterator[Format]:
    return (get(name) for name in _MODULES)


def for_name(name: str) -> Format | None:
    """The format whose files have such names."""
    fitting = [(len(s), f) for f in _all() for s in f.suffixes if name.endswith(s)]
    return max(fitting, key=lambda pair: pair[0])[1] if fitting else None


def _unknown(path: str, option: str) -> Format:
    hint = f"name it with {option}: {', '.join(all_names())}"
    if option == "--from" and path.lower().endswith(_SPREADSHEETS):
        hint = "save the spreadsheet as CSV"
    raise DataError("its format cannot be detected", path=path, hint=hint)
