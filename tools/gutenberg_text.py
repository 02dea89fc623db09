"""Make plain text for pretraining from books of Project Gutenberg, one paragraph per line.

git clone --bare https://github.com/rcdm-uga/Gutenberg_Text
python tools/gutenberg_text.py Gutenberg_Text.git gutenberg.txt.xz --limit-mb 500

English prose without licenses, contents, headings and verse, the books in a random but
deterministic order. Quotes and dashes are those of LitBank: straight or curly, -- or —.
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from repository_text import blobs, contents, write_text

NO_STORIES = re.compile(  # folders of verse, plays, philosophy, history and science
    r"(Buckley|Dante|Darwin|Franklin|Gibbon|Homer|Ibsen|Jowett|Milton|Morley|Nietzsche|Plato|Pope|"
    r"Russell|Shakespeare|Shaw|Smith|Thoreau|Voltaire)\b"
)
NUMBER = re.compile(r"\[E(?:Book|text) ?# ?(\d+)\]", re.I)
TITLE = re.compile(r"^Title: *(.*)", re.M)
START = re.compile(r"\*\*\* ?START OF TH[^*]*\*\*\*|\*END\*?.?THE SMALL PRINT[^\n]*", re.I)
END = re.compile(r"\*\*\* ?END OF TH|End of (?:the |this )?Project Gutenberg", re.I)
NOTICE = re.compile(
    r"Produced by|\bE-?text\b|Transcriber|Transcribed from|Gutenberg|pgdp|pglaf|archive\.org|http:"
    r"|www\.|\bISBN|\b8vo|Price \d+s|Copyright|All rights reserved|^Footnote|underscores|in italics"
    r"|changed to [\"“']|typograph|misprint|punctuation errors|hyphenation|scanned by|proofreading"
    r"|(?:Updated|Illustrated|Edited|Translated) by|[│─═|=<>{}]",
    re.I,
)
HEADING = re.compile(
    r"(?:chapter|book|part|volume|act|scene|letter|stave|canto|author of|contents)\b.{0,80}$", re.I
)
SQUARE_BRACKETS = re.compile(r"\[[^\[\]]*\]|\{\d+\w?\}")
PLAIN = str.maketrans(
    {"–": "-", "‐": "-", "‑": "-", "―": "—", "…": "...", "«": '"', "»": '"', "„": "“", "‟": "“"}
    | {"`": "'", "´": "'", "′": "'", "_": "", "*": "", "\ufeff": "", "\u00ad": ""}
)


def is_prose(lines: list[str]) -> bool:
    """Whether a paragraph's lines are wrapped prose: full width, and not all capitals."""
    text = " ".join(lines)
    letters, capitals = (sum(map(kind, text)) for kind in (str.isalpha, str.isupper))
    if letters < max(2, 0.4 * len(text.replace(" ", ""))) or capitals > 1 + 0.3 * letters:
        return False
    if text.startswith("*") or HEADING.match(text) or NOTICE.search(text):
        return False
    if len(lines) == 1:
        return text.rstrip("\"'”’)_ ").endswith(tuple(".!?,;:—-"))
    return sum(len(line.strip()) > 50 for line in lines[:-1]) > 0.7 * (len(lines) - 1)


def book_text(named: tuple[str, bytes]) -> tuple[str, str, list[str]]:
    """A book's number and title, "" if unknown, and its paragraphs, none if it is verse."""
    try:
        text = named[1].decode()
    except UnicodeDecodeError:
        text = named[1].decode("cp1252", "replace")
    text = "\n".join(text.splitlines())
    number, title = (
        found[1] if found else "" for found in (NUMBER.search(text), TITLE.search(text))
    )
    start = START.search(text)
    text = text[start.end() if start else 0 :]
    end = END.search(text)
    text = SQUARE_BRACKETS.sub("", text[: end.start() if end else None])
    paragraphs = [
        [line for line in paragraph.split("\n") if line.strip()]
        for paragraph in re.split(r"\n\s*\n", text)
    ]
    prose = [
        " ".join(" ".join(p).translate(PLAIN).split()) for p in paragraphs if p and is_prose(p)
    ]
    mostly_prose = sum(map(len, prose)) > 0.6 * len(text)
    english = text.count(" the ") > len(text) / 500
    return number, letters_of(title), prose if mostly_prose and english else []


def letters_of(title: str) -> str:
    return re.sub(r"[\W\d_]", "", title.lower())


def chosen(books: Iterable[tuple[str, str, list[str]]], excluded: str) -> Iterator[list[str]]:
    """The books not excluded, each once, without paragraphs that an earlier one had."""
    numbers = set(re.findall(r"^\d+", excluded, re.M))
    titles = tuple(filter(None, map(letters_of, excluded.splitlines())))
    seen: set[int] = set()
    for number, title, lines in books:
        if number not in numbers and not (titles and title.startswith(titles)):
            numbers |= {number} - {""}
            new = [line for line in lines if len(line) < 80 or hash(line) not in seen]
            seen.update(map(hash, new))
            yield new


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("repo", help="a clone of Gutenberg_Text, bare or not")
    parser.add_argument("out", help="a .txt file, or .txt.xz, .txt.gz, .txt.zst")
    parser.add_argument("--limit-mb", type=float, default=float("inf"))
    parser.add_argument(
        "--exclude", help="a file of books to exclude, one per line: number, title or both"
    )
    options = parser.parse_args()
    excluded = Path(options.exclude).read_text(encoding="utf-8") if options.exclude else ""
    found = blobs(options.repo, r"([^/\0]+)/[^\0]*\.txt")
    names = sorted({name for name, author in found if not NO_STORIES.match(author)})
    random.Random(1).shuffle(names)
    with multiprocessing.Pool(2) as pool:
        books = pool.imap(book_text, contents(options.repo, names), 4)
        write_text(options.out, chosen(books, excluded), options.limit_mb)


if __name__ == "__main__":
    main()
