"""A page of results, assembled from tables that ``innermost reproduce`` has written.

The page is described in TOML: it contains the text, the figures come from the runs.

    title = "Results"
    text = "..."

    [[section]]
    title = "GENIA"
    folder = "../runs/genia"              # relative to the description
    tables = ["table3", "table4"]
    text = "..."

    [[section.published]]                 # figures of others, and how comparable they are
    system = "..."
    f1 = "77.78"
    comparable = "..."
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from innermost import _toml
from innermost.errors import ConfigError
from innermost.reproduction.table import read_reproduced


class Published(msgspec.Struct, forbid_unknown_fields=True, kw_only=True, frozen=True):
    system: str
    f1: str
    comparable: str
    """What is the same as in our runs, and what is not."""


class Section(msgspec.Struct, forbid_unknown_fields=True, kw_only=True, frozen=True):
    title: str
    folder: str
    tables: list[str]
    text: str = ""
    published: list[Published] = []


class Page(msgspec.Struct, forbid_unknown_fields=True, kw_only=True, frozen=True):
    title: str
    section: list[Section]
    text: str = ""


def results_page(description: Path) -> str:
    """The page as Markdown."""
    try:
        settings = _toml.loads(description.read_text(encoding="utf-8"))
        page = msgspec.convert(settings, Page)
    except OSError as error:
        raise ConfigError(f"{description}: cannot be read: {error.strerror}") from None
    except (ValueError, msgspec.ValidationError) as error:
        raise ConfigError(
            f"{description}: not a valid page description: {error}",
            hint="it needs a title and [[section]] tables, each with title, folder and tables",
        ) from None
    parts = [f"# {page.title}", page.text.strip()]
    for section in page.section:
        parts += [f"## {section.title}", section.text.strip()]
        for name in section.tables:
            reproduced = read_reproduced(description.parent / section.folder / f"{name}.json")
            parts.append(reproduced.markdown().strip())
        if section.published:
            entries = [f"- {p.system}: **{p.f1}**. {p.comparable}" for p in section.published]
            parts.append("\n".join([f"**Published F1 on {section.title}**", "", *entries]))
    return "\n\n".join(part for part in parts if part) + "\n"
