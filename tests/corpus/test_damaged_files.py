"""A damaged file is read, or raises an error that names it: never a stack trace."""

from __future__ import annotations

import random
from importlib.util import find_spec
from pathlib import Path

import pytest

from innermost.corpus import Options, Report, Sentence, Source, registry
from innermost.errors import DataError
from innermost.nest import Span

CORPUS = [
    Sentence(["The", "wife", "of", "Bób", "[x]"], [Span(0, 4, "PER"), Span(3, 4, "PER")], doc="a"),
    Sentence(["It", "👍", "rains"], [Span(1, 2, "X")], doc="a", id="7"),
    Sentence(["Bob", "left"], [Span(0, 1, "PER"), Span(0, 2, "Y")], doc="b"),
]
CASES = {
    "columns": "a.conll",
    "papers": "a.json",
    "prodigy": "a.jsonl",
    "labelstudio": "a.json",
    "xml": "a.xml",
    "brackets": "a.brackets",
    "brat": "folder",
    "webanno": "folder",
    "docbin": "a.spacy",
    "datasets": "a.parquet",
}
STYLES = {"papers": ["spert", "dygie", "w2ner"]}
PIECES = [b"\t", b"\n", b"\n\n", b"[", b"]", b"{", b"}", b'"', b"<", b">", b"\\", b"|", b"0", b"-1"]
PIECES += [
    b"null",
    b"[]",
    b"{}",
    b"1e999",
    b'"\\ud800"',
    b"\xff",
    b"\x00",
    b"O",
    b"B-",
    b"T1",
    b"#",
]


def damaged(data: bytes, generator: random.Random) -> bytes:
    for _ in range(generator.randint(1, 3)):
        start = generator.randrange(len(data) + 1)
        end = min(len(data), start + generator.choice([0, 0, 1, 1, 2, 5, 30]))
        data = data[:start] + generator.choice([b"", *PIECES]) + data[end:]
    return data


@pytest.mark.parametrize("name", CASES)
def test_damage_is_reported(tmp_path, name):
    package = {"docbin": "spacy", "datasets": "datasets"}.get(name)
    if package and find_spec(package) is None:
        pytest.skip(f"the extra for {name} is not installed")
    generator = random.Random(name)
    refused = 0
    for style in STYLES.get(name, [""]):
        path = tmp_path / (style or "x") / CASES[name]
        settings = {"style": style} if style else {}
        registry.get(name).write(CORPUS, path, Options(settings=settings), Report())
        files = sorted(p for p in path.iterdir()) if path.is_dir() else [path]
        for _ in range(40 if package else 250):
            file: Path = generator.choice(files)
            whole = file.read_bytes()
            file.write_bytes(damaged(whole, generator))
            try:
                for sentence in registry.get(name).read(Source(path), Options(), Report()):
                    assert all(sentence.tokens)
                    assert all(0 <= s < e <= len(sentence.tokens) for s, e, _ in sentence.entities)
            except DataError as error:
                refused += error.path is not None
            finally:
                file.write_bytes(whole)
    assert refused > 10
