"""The command line in environments that it did not choose: the same bytes come out."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from helpers.cli import COMMAND, innermost, ok
from innermost.corpus import Sentence, write
from innermost.nest import Span

TEXT = "Zoë Žižek → University of Łódź, Poland 😀"
NO_UTF8 = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
ENVIRONMENTS: dict[str, dict[str, str]] = {
    "no variables": {},
    "C locale": {**NO_UTF8, "PYTHONIOENCODING": "ascii"},
    "no home folder": {"HOME": "/nonexistent/home", "XDG_CACHE_HOME": "/proc/nonexistent"},
    "odd time zone": {"TZ": "<-1245>+12:45", "TERM": "dumb", "COLUMNS": "0", "LANG": "xx_YY.what"},
}


def run(
    *arguments: object, env: Mapping[str, str], shell: str = "", one_core: bool = False
) -> subprocess.CompletedProcess[bytes]:
    """A command with only these variables; ``shell`` redirects streams as the shell does."""
    inherited = {name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ}
    command = [*COMMAND, *map(str, arguments)]
    if shell:
        command = ["sh", "-c", f'"$@" {shell}', "sh", *command]
    return subprocess.run(
        command,
        env={**inherited, **env},
        capture_output=True,
        stdin=subprocess.DEVNULL,
        check=False,
        preexec_fn=(lambda: os.sched_setaffinity(0, {min(os.sched_getaffinity(0))}))
        if one_core
        else None,
    )


@pytest.fixture(scope="module")
def labeled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus whose labels and words need more than ASCII."""
    path = tmp_path_factory.mktemp("labeled") / "čísla.jsonl"
    write([Sentence(["Zoë", "→", "Łódź"], [Span(0, 1, "osoba→"), Span(2, 3, "město")])], path)
    return path


@pytest.mark.parametrize("env", ENVIRONMENTS.values(), ids=ENVIRONMENTS)
def test_predictions_are_the_same_bytes(env: dict[str, str]) -> None:
    expected = ok("predict", "-f", "jsonl", TEXT).out.encode()
    done = run("predict", "-f", "jsonl", TEXT, env=env)
    assert (done.returncode, done.stdout) == (0, expected), done.stderr.decode()


def test_tables_and_json_are_utf8_in_any_locale(labeled: Path) -> None:
    env = {**NO_UTF8, "PYTHONIOENCODING": "ascii"}
    table = run("stats", labeled, env=env)
    assert "osoba→" in table.stdout.decode(), table.stderr.decode()
    values = run("stats", labeled, "--json", env=env)
    assert "osoba→" in json.dumps(json.loads(values.stdout), ensure_ascii=False)


def test_one_core_is_enough() -> None:
    done = run("predict", "-f", "jsonl", TEXT, env={}, one_core=True)
    assert done.stdout == ok("predict", "-f", "jsonl", TEXT).out.encode()


def test_a_closed_standard_output_is_an_error(labeled: Path) -> None:
    for arguments in (["predict", "-f", "jsonl", TEXT], ["stats", labeled]):
        done = run(*arguments, env={}, shell=">&-")
        assert done.returncode == 1
        assert done.stderr.decode().startswith("error: standard output is closed\n")


def test_a_file_is_written_with_all_streams_closed(tmp_path: Path) -> None:
    source, target = tmp_path / "in.txt", tmp_path / "out.jsonl"
    source.write_bytes(TEXT.encode())
    done = run("predict", "-i", source, "-o", target, env={}, shell="<&- >&- 2>&-")
    assert done.returncode == 0
    assert json.loads(target.read_bytes())["text"] == TEXT


def test_a_closed_standard_input_is_named() -> None:
    done = run("predict", env={}, shell="<&-")
    assert done.returncode == 1
    assert done.stderr.decode() == "error: standard input is closed\n"


@pytest.mark.parametrize(
    "name", ["a b.txt", "naïve 名前.txt", "line\nbreak.txt", "-dash.txt", "a:b.txt"]
)
def test_odd_names_of_files(name: str, tmp_path: Path) -> None:
    folder = tmp_path / "a folder\nof many lines"
    folder.mkdir()
    (folder / name).write_bytes(TEXT.encode())
    ok("predict", "-i", folder / name, "-o", folder / f"{name}.jsonl")
    ok("convert", folder / f"{name}.jsonl", folder / f"{name} brat", "--to", "brat")
    back = ok("convert", folder / f"{name} brat", "-", "--from", "brat", "--to", "jsonl")
    assert TEXT.split()[0] in back.jsonl[0]["tokens"]
    missing = innermost("stats", folder / f"no {name}")
    assert missing.code != 0
    assert "no such file or folder" in missing.err
