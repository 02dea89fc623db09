"""Bulk prediction: throughput of two jobs compared with one, and the memory of each process.

    python -m benchmarks.bulk [--sentences 1000000] [--jobs 2] [--model genia]

Sentences are random words of the model's domain in eight files. Every job has one thread. Memory is
the proportional set size (PSS) of the processes at its highest: shared pages are divided among
those that share them. Run it on an idle machine: it also prints the load before.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

_FILES = 8
_WORDS = (
    "the IL-2 receptor alpha chain gene promoter is active in human T cells and NF-kappa B binds "
    "to it after stimulation with TNF of mice that express protein kinase C ; this effect was "
    "inhibited by dexamethasone , but not by cyclosporin A ."
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sentences", type=int, default=1_000_000)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--model", default="genia")
    options = parser.parse_args()
    print(f"load before: {os.getloadavg()[0]:.1f}, CPUs: {os.cpu_count()}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        tokens = write_sentences(folder / "in", options.sentences)
        seconds = {}
        for jobs in (1, options.jobs):
            seconds[jobs], memory = measure(folder, jobs, options.model)
            print(
                f"{jobs} jobs: {seconds[jobs]:.1f} s, {options.sentences / seconds[jobs]:,.0f} "
                f"sentences/s, {tokens / seconds[jobs]:,.0f} tokens/s, "
                f"memory of each process, MB: {', '.join(f'{m:.0f}' for m in memory)}"
            )
        print(f"{options.jobs} jobs / 1 job: {seconds[1] / seconds[options.jobs]:.2f}x")
        equal = all(
            (folder / f"out1/{n}.jsonl").read_bytes()
            == (folder / f"out{options.jobs}/{n}.jsonl").read_bytes()
            for n in range(_FILES)
        )
        print(f"outputs equal: {equal}")


def write_sentences(folder: Path, sentences: int) -> int:
    folder.mkdir()
    chance = random.Random(0)
    words = _WORDS.split()
    tokens = 0
    for number in range(_FILES):
        with (folder / f"{number}.jsonl").open("w", encoding="utf-8") as file:
            for index in range(number, sentences, _FILES):
                text = chance.choices(words, k=chance.randint(10, 40))
                tokens += len(text)
                file.write(json.dumps({"id": index, "text": " ".join(text)}) + "\n")
    return tokens


def measure(folder: Path, jobs: int, model: str) -> tuple[float, list[float]]:
    """Seconds of a run as a user starts it, and the largest memory of each process in MB."""
    command = [sys.executable, "-m", "innermost", "predict", "--input", str(folder / "in")]
    command += ["--output", str(folder / f"out{jobs}"), "--jobs", str(jobs), "--threads", "1"]
    began = time.perf_counter()
    process = subprocess.Popen([*command, "--model", model, "-q"])
    highest: dict[int, float] = {}
    watching = threading.Thread(target=watch, args=(process, highest))
    watching.start()
    code = process.wait()
    seconds = time.perf_counter() - began
    watching.join()
    if code:
        raise SystemExit(f"the run ended with {code}")
    return seconds, list(highest.values())


def watch(process: subprocess.Popen[bytes], highest: dict[int, float]) -> None:
    while process.poll() is None:
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        pids = [process.pid, *map(int, children.read_text().split())] if children.exists() else []
        for pid in pids:
            try:
                lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
            except OSError:
                continue
            pss = next((int(line.split()[1]) for line in lines if line.startswith("Pss:")), 0)
            highest[pid] = max(highest.get(pid, 0.0), pss / 1024)
        time.sleep(0.5)


if __name__ == "__main__":
    main()
