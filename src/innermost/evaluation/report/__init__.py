"""The results as a page to look at (HTML), to read anywhere (Markdown), to compute with (JSON)."""

from __future__ import annotations

from pathlib import Path

import msgspec

from innermost.errors import UsageError
from innermost.evaluation.report.html import page
from innermost.evaluation.report.markdown import document
from innermost.evaluation.results import Results

__all__ = ["SHOWN_SENTENCES", "write_report"]

SHOWN_SENTENCES = 2000
"""So many sentences with errors are drawn on the page, which keeps it within a few megabytes."""


def write_report(results: Results, folder: str | Path) -> list[Path]:
    """Write ``report.html``, ``report.md`` and ``report.json``; the folder is made if needed."""
    contents = {
        "report.html": page(results),
        "report.md": document(results),
        "report.json": msgspec.json.format(msgspec.json.encode(results.as_dict())).decode() + "\n",
    }
    written = []
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
        for name, text in contents.items():
            path = Path(folder) / name
            path.write_text(text, encoding="utf-8")
            written.append(path)
    except OSError as error:
        raise UsageError(
            f"cannot write the report to {folder}: {error.strerror}",
            hint="--report takes a folder that can be written to",
        ) from None
    return written
