"""Text files are UTF-8 with the same line ends on every system: no call leaves it open."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FILES = [
    path
    for folder in ("src", "tools", "examples")
    for path in sorted((ROOT / folder).rglob("*.py"))
]


def calls_that_depend_on_the_system(code: str) -> Iterator[str]:
    """Calls that open text files without their encoding, or write them without their line ends."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Call) and (missing := needed(node) - named(node)):
            yield f"line {node.lineno}: {ast.unparse(node)} without {', '.join(sorted(missing))}"


def needed(call: ast.Call) -> set[str]:
    function = ast.unparse(call.func)
    name = function.rpartition(".")[2]
    arguments = [*call.args, *(word.value for word in call.keywords)]
    modes = [
        argument.value
        for argument in arguments
        if isinstance(argument, ast.Constant)
        and isinstance(argument.value, str)
        and set(argument.value) <= set("rwxabt+")
    ]
    writes = any(set("wxa+") & set(mode) for mode in modes)
    # Any `write_text` and `read_text` of a path; functions of ours have these names as well.
    if name in ("read_text", "write_text") and "." in function:
        return {"encoding", "newline"} if name == "write_text" else {"encoding"}
    is_text = not any("b" in mode for mode in modes)
    if function in ("open", "io.open", "os.fdopen", "codecs.open") or (name == "open" and modes):
        is_text = is_text and not function.startswith(("tarfile.", "zipfile."))
        return {"encoding", "newline"} if is_text and writes else {"encoding"} if is_text else set()
    if name == "TextIOWrapper":
        return {"encoding"}
    if name in ("NamedTemporaryFile", "TemporaryFile") and modes and is_text:
        return {"encoding", "newline"}
    if function in ("subprocess.run", "subprocess.Popen", "subprocess.check_output"):
        return {"encoding"} if {"text", "universal_newlines"} & named(call) else set()
    return set()


def named(call: ast.Call) -> set[str]:
    return {word.arg for word in call.keywords if word.arg}


def test_encodings_and_line_ends_are_named() -> None:
    assert len(FILES) > 300
    found = [
        f"{path.relative_to(ROOT)}: {call}"
        for path in FILES
        for call in calls_that_depend_on_the_system(path.read_text(encoding="utf-8"))
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    "code",
    [
        "open(path)",
        "open(path, 'w', encoding='utf-8')",
        "path.open('r')",
        "path.read_text()",
        "(folder / name).write_text(text, encoding='utf-8')",
        "io.TextIOWrapper(file)",
        "subprocess.run(command, text=True)",
        "tempfile.NamedTemporaryFile('w')",
    ],
)
def test_such_calls_are_found(code: str) -> None:
    assert len(list(calls_that_depend_on_the_system(code))) == 1


@pytest.mark.parametrize(
    "code",
    [
        "open(path, 'rb')",
        "path.open('w', encoding='utf-8', newline='')",
        "path.read_text(encoding='utf-8')",
        "source.open()",
        "read_text(text, spans, context)",
        "tarfile.open(fileobj=file, mode='r|')",
        "tempfile.TemporaryFile()",
        "subprocess.run(command)",
    ],
)
def test_other_calls_are_not(code: str) -> None:
    assert not list(calls_that_depend_on_the_system(code))
