"""Kill commands at random moments, resume them, and compare their files with an undisturbed run's.

    python -m tools.kills [--times 100] [--seed 1] [train, pretrain, predict, convert, package]

Every command is killed (SIGKILL, with its child processes) that many times and started again with
``--resume`` where it has that option. No file may ever have its final name before it is complete,
and what the command has written when it ends must be the same as without any kill.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

TYPES = {"Ghent": "place", "Turin": "place", "Ada": "person", "aunt": "person"}
WORDS = [*TYPES, "the", "old", "mayor", "of", "met", "and", "her", "in", "a", "café", "near", "."]
SMALL = {
    "encoder.hidden": 16,
    "encoder.word_dimension": 8,
    "encoder.character_dimension": 4,
    "encoder.character_filters": 8,
    "training.epochs": 30,
    "training.patience": 30,
    "training.threads": 1,
}


@dataclass(frozen=True)
class Command:
    arguments: Callable[[Path, Path], Sequence[object]]
    """Of the folder with the inputs and the folder for the output."""
    final: Sequence[str]
    """Patterns of the files that must be the same."""
    resume: Sequence[str] = ("--resume",)
    rewrites: bool = False
    """The files change until the end: training keeps the best model so far."""


COMMANDS = {
    "train": Command(
        lambda inputs, out: [
            *("train", "--train", inputs / "corpus.jsonl", "--dev", inputs / "corpus.jsonl"),
            *("--out", out / "run", "--preset", "paper"),
            *(word for key, value in SMALL.items() for word in ("--set", f"{key}={value}")),
        ],
        ["run/model/weights.safetensors"],
        rewrites=True,
    ),
    "pretrain": Command(
        lambda inputs, out: [
            *("pretrain", "vectors", inputs / "text1.txt", "--out", out / "vectors.npz"),
            *("--dimension", 4, "--min-count", 1, "--epochs", 10, "--device", "cpu"),
            *("--save-every", 0),
        ],
        ["vectors.npz"],
    ),
    "predict": Command(
        lambda inputs, out: [
            *("predict", "--input", inputs / "text*.txt"),
            *("--output", out / "found", "--jobs", 2),
        ],
        ["found/*.jsonl"],
    ),
    "convert": Command(
        lambda inputs, out: ["convert", inputs / "corpus.jsonl", out / "brat", "--to", "brat"],
        ["brat/*"],
        resume=(),
    ),
    "package": Command(
        lambda inputs, out: [
            *("package", "genia", "--name", "example", "--version", "1.0", "--out", out / "wheels"),
        ],
        ["wheels/*.whl"],
        resume=(),
    ),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("commands", nargs="*", default=list(COMMANDS), metavar="COMMAND")
    parser.add_argument("--times", type=int, default=100, help="kills of each (%(default)s)")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _write_inputs(folder)
        for command in options.commands:
            chance = random.Random(options.seed)
            print(_killed(COMMANDS[command], command, folder, options.times, chance), flush=True)


def _write_inputs(folder: Path) -> None:
    chance = random.Random(0)
    sentences = [chance.choices(WORDS, k=12) for _ in range(400)]
    records = [
        {
            "doc": str(number // 20),
            "tokens": words,
            "entities": [[i, i + 1, TYPES[word]] for i, word in enumerate(words) if word in TYPES],
        }
        for number, words in enumerate(sentences)
    ]
    lines = [json.dumps(record) for record in records]
    (folder / "corpus.jsonl").write_text("\n".join(lines), encoding="utf-8", newline="\n")
    for number in range(1, 4):
        text = "\n".join(" ".join(words) for words in sentences * number)
        (folder / f"text{number}.txt").write_text(text, encoding="utf-8", newline="\n")


def _killed(command: Command, name: str, folder: Path, times: int, chance: random.Random) -> str:
    whole = folder / name / "whole"
    begun = time.monotonic()
    _run(command, folder, whole)
    duration = time.monotonic() - begun
    expected = _contents(whole, command)
    if not expected:
        sys.exit(f"{name}: no output to compare")
    kills = finished = 0
    out = folder / name / "0"
    while kills < times:
        if _run(command, folder, out, after=chance.uniform(0, duration)):
            finished += 1
            _compare(_contents(out, command), expected, name, complete=True)
            shutil.rmtree(out)
            out = folder / name / str(finished)
        else:
            kills += 1
            if not command.rewrites:
                _compare(_contents(out, command), expected, name, complete=False)
            if not command.resume:
                shutil.rmtree(out, ignore_errors=True)
    _run(command, folder, out)
    _compare(_contents(out, command), expected, name, complete=True)
    return f"{name}: {kills} kills, {finished + 1} finished with the same {len(expected)} files"


def _run(command: Command, inputs: Path, out: Path, after: float | None = None) -> bool:
    """Run it; whether it finished in the time that it had."""
    out.mkdir(parents=True, exist_ok=True)
    options = command.resume if any(out.iterdir()) else ()
    arguments = [str(word) for word in (*command.arguments(inputs, out), *options)]
    process = subprocess.Popen(
        [sys.executable, "-m", "innermost", *arguments],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        _, errors = process.communicate(timeout=after)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return False
    if process.returncode:
        sys.exit(f"{' '.join(arguments)} failed:\n{errors.decode()}")
    return True


def _contents(out: Path, command: Command) -> dict[str, bytes]:
    paths = sorted(path for pattern in command.final for path in out.glob(pattern))
    return {path.relative_to(out).as_posix(): path.read_bytes() for path in paths if path.is_file()}


def _compare(
    found: dict[str, bytes], expected: dict[str, bytes], name: str, *, complete: bool
) -> None:
    if complete and found.keys() != expected.keys():
        sys.exit(f"{name}: {sorted(found)} instead of {sorted(expected)}")
    for path, content in found.items():
        if content != expected.get(path):
            sys.exit(f"{name}: {path} is not what an undisturbed run writes")


if __name__ == "__main__":
    main()
