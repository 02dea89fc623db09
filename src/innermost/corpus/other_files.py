"""The files of a folder that its format does not read."""

from __future__ import annotations

import re
from pathlib import Path

from innermost.corpus import registry
from innermost.corpus.format import Format
from innermost.corpus.report import Report
from innermost.files.source import Source

_ABOUT_THE_DATA = re.compile(r"(readme|licen[cs]e|copying|notice|changelog|citation)\b.*", re.I)


def note_other_files(source: Source, format: Format, report: Report) -> None:
    """Note the files that look like data of other formats: they may have been meant, too."""
    if not source.is_folder or not format.folder_suffixes:
        return
    for file in source.files(""):
        if not file.name.endswith(format.folder_suffixes) and _looks_like_data(file.name):
            what = f"files not read, because the folder is read as {format.name}"
            name = Path(file.path).relative_to(source.path).as_posix()
            report.add("note", what, name, path=source.path)


def _looks_like_data(name: str) -> bool:
    """Whether its name is one of a corpus."""
    return registry.for_name(name) is not None and not _ABOUT_THE_DATA.fullmatch(name)
