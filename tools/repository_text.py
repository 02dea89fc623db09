"""Plain text from the files of a Git repository; shared by elife_text.py and gutenberg_text.py."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from innermost.files.compression import compressing


def blobs(repo: str, path: str) -> list[tuple[str, ...]]:
    """The object name of every file whose path matches, with the groups of the match."""
    listing = subprocess.run(
        ["git", "-C", repo, "ls-tree", "-r", "-z", "HEAD"], stdout=subprocess.PIPE
    ).stdout.decode()
    found = re.findall(rf"blob (\w+)\t{path}\0", listing)
    return found or sys.exit(f"{repo} has no files like {path}: pass a clone of the repository")


def contents(repo: str, names: Iterable[str]) -> Iterator[tuple[str, bytes]]:
    """Names and objects of a repository; those missing in a partial clone are skipped."""
    command = ["git", "-C", repo, "cat-file", "--batch"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin
        assert process.stdout
        for name in names:
            process.stdin.write(name.encode() + b"\n")
            process.stdin.flush()
            *_, size = process.stdout.readline().split()
            if size == b"missing":
                sys.stderr.write(f"skipped: {repo} lacks the object {name}\n")
            else:
                yield name, process.stdout.read(int(size) + 1)[:-1]


def write_text(path: str, texts: Iterable[list[str]], limit_mb: float) -> None:
    """Write the lines of every text until there are ``limit_mb`` million bytes."""
    left = limit_mb * 1e6
    with Path(path).open("wb") as file, compressing(file, path) as out:
        for lines in texts:
            left -= out.write("".join(line + "\n" for line in lines).encode())
            if left <= 0:
                break
