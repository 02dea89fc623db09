"""Write the results as HTML to browse, Markdown to read and JSON to process."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from innermost.evaluation.comparison import SystemComparison
from innermost.evaluation.report import diff
from innermost.evaluation.report.html import page
from innermost.evaluation.report.markdown import document
from innermost.evaluation.results import Results
from innermost.files.atomic import errors_of_writing, write_atomically
from innermost.plurals import count

__all__ = ["SHOWN_SENTENCES", "write_comparison", "write_report"]

SHOWN_SENTENCES = 2000
"""The most sentences with errors drawn on the page, to keep it within a few megabytes."""


def write_report(results: Results, folder: str | Path) -> list[Path]:
    """Write ``report.html``, ``report.md`` and ``report.json``; the folder is created if needed."""
    return _write(
        folder,
        {
            "report.html": page(results),
            "report.md": document(results),
            "report.json": _json(results.to_dict()),
        },
    )


def write_comparison(result: SystemComparison, folder: str | Path) -> list[Path]:
    """Write ``report.html``, with the sentences on which two systems differ, and the JSON."""
    title = f"{result.names[0]} and {result.names[1]} on {result.data}"
    about = [*result.summary(), _shown(result)]
    return _write(
        folder,
        {
            "report.html": diff.page(result.differences, result.names, title, about),
            "report.json": _json(result.to_dict()),
        },
    )


def _shown(result: SystemComparison) -> str:
    number = len(result.differences)
    if number == SHOWN_SENTENCES:
        return f"The first {number:,} sentences on which they differ:"
    return f"They differ on {count(number, 'sentence')}:"


def _json(value: Any) -> str:
    return msgspec.json.format(msgspec.json.encode(value)).decode() + "\n"


def _write(folder: str | Path, contents: Mapping[str, str]) -> list[Path]:
    written = []
    with errors_of_writing(folder):
        Path(folder).mkdir(parents=True, exist_ok=True)
    for name, text in contents.items():
        path = Path(folder) / name
        write_atomically(path, text.encode())
        written.append(path)
    return written
