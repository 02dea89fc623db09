"""Write the card of a shipped model: a header by hand, then figures measured now.

python recipes/model_card.py src/innermost/models/genia recipes/cards/genia.md \
    --dev dev.jsonl --test test.jsonl --raw "what benchmarks/raw_text.py printed"
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec

from innermost.runtime.model_info import FILE, info_bytes, read_info


def command(*arguments: str) -> Any:
    done = subprocess.run(
        [sys.executable, "-m", "innermost", *arguments, "--json"],
        check=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    return json.loads(done.stdout)


def table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] + ["---:"] * (len(head) - 1), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def percent(value: float) -> str:
    return f"{100 * value:.2f}"


def scores(name: str, counts: dict[str, float]) -> list[str]:
    parts = [percent(counts[k]) for k in ("precision", "recall", "f1")]
    return [name, *parts, f"{counts['gold']:,}"]


def calibration(result: dict[str, Any]) -> str:
    rows = [
        [f"{b['low']:.1f} to {b['high']:.1f}", *(percent(b[k]) for k in ("confidence", "accuracy"))]
        + [f"{b['count']:,}"]
        for b in result["reliability"]
        if b["count"]
    ]
    return table(["score", "mean score", "precision", "entities"], rows)


def precision_rises(curve: list[dict[str, float]], steps: int = 20) -> float:
    """Spearman's rank correlation of threshold and precision over evenly spread thresholds."""
    lowest = [(k + 0.5) / steps for k in range(steps)]
    kept = [min((p for p in curve if p["score"] >= t), key=lambda p: p["score"]) for t in lowest]
    precisions = [p["precision"] for p in kept]
    ranks = [sorted(precisions).index(p) for p in precisions]
    squares = sum((r - i) ** 2 for i, r in enumerate(ranks))
    return 1 - 6 * squares / (steps * (steps * steps - 1))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model")
    parser.add_argument("header")
    parser.add_argument("--dev", required=True)
    parser.add_argument("--test", required=True)
    parser.add_argument("--raw", required=True)
    options = parser.parse_args()
    dev = command("evaluate", options.model, options.dev)
    test = command("evaluate", options.model, options.test)
    speed = command("bench", options.model, options.test)
    today = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
    machine = f"{platform.machine()}, {os.cpu_count()} cores"
    size = sum(p.stat().st_size for p in Path(options.model).iterdir() if p.name != "README.md")
    head = ["", "precision", "recall", "F1", "gold"]
    by_type = [scores("all", test["micro"]), *(scores(k, v) for k, v in test["types"].items())]
    gold = test["levels"]["gold"]
    predicted = test["levels"]["predicted"]
    levels = [
        [
            level,
            percent(gold[level]["recall"]) if level in gold else "",
            percent(predicted[level]["precision"]) if level in predicted else "",
        ]
        for level in sorted(set(gold) | set(predicted), key=int)
    ]
    rise = precision_rises(dev["calibration"]["precision_recall"])
    ece, brier = percent(dev["calibration"]["ece"]), dev["calibration"]["brier"]
    speeds = {f"at batch {k}": v for k, v in speed["batch_sizes"].items()}
    speeds["from raw text"] = speed["raw_text"]
    sections = [
        Path(options.header).read_text(encoding="utf-8").strip(),
        f"## Scores\n\nMeasured on {today} by `recipes/model_card.py` with the files of this "
        f"folder ({size / 1e6:.1f} MB), strict spans and types, duplicates merged. Development "
        f"F1 {percent(dev['micro']['f1'])} (data {dev['fingerprint']}). Test, on the corpus's own "
        f"tokens (data {test['fingerprint']}):",
        table(head, by_type),
        table(["level", "recall of gold", "precision of predicted"], levels),
        f"As raw text, sentences and tokens found by the model itself:\n\n    {options.raw}",
        f"## Calibration\n\nOn the development data: expected calibration error {ece}, Brier "
        f"score {brier:.4f}. Rank correlation of threshold and precision over 20 thresholds: "
        f"{rise:.3f}.",
        calibration(dev["calibration"]),
        f"## Speed\n\n`innermost bench` on {today}, {machine}, tokens/s: "
        + ", ".join(f"{v['tokens_per_second']:,.0f} {name}" for name, v in speeds.items())
        + ".",
    ]
    info = read_info(Path(options.model))
    info = msgspec.structs.replace(info, scores={"dev": dev["micro"], "test": test["micro"]})
    (Path(options.model) / FILE).write_bytes(info_bytes(info))
    (Path(options.model) / "README.md").write_text("\n\n".join(sections) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
