"""Write the card of a shipped model: a header by hand, then figures measured now.

python recipes/model_card.py src/innermost/models/genia recipes/cards/genia.md \
    --dev dev.jsonl --test test.jsonl --raw "what benchmarks/raw_text.py printed"

The card is README.md in the model's folder, with the plot reliability.svg beside it; the scores go
into its model.toml too.
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

from innermost.corpus import read
from innermost.evaluation.report.plots import reliability_file
from innermost.evaluation.results import Results, assess
from innermost.model_folder.contents import CARD
from innermost.model_folder.info import read_info, write_info
from innermost.model_folder.manifest import update_file

PLOT = "reliability.svg"


def evaluate(model: Path, data: Path) -> Results:
    """What ``innermost evaluate`` measures."""
    results = assess([model], read(data), data=data.name, detailed=False)
    if not results.assessments[0].calibration:
        sys.exit(f"{model} finds nothing in {data}: is it the data the model was made for?")
    return results


def bench(model: Path, data: Path) -> dict[str, Any]:
    """In a process of its own, as its speed is measured from a fresh start."""
    done = subprocess.run(
        [sys.executable, "-m", "innermost", "bench", str(model), str(data), "--json"],
        check=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    return dict(json.loads(done.stdout))


def table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] + ["---:"] * (len(head) - 1), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def percent(value: float) -> str:
    return f"{100 * value:.2f}"


def scores(name: str, counts: dict[str, float]) -> list[str]:
    parts = [percent(counts[k]) for k in ("precision", "recall", "f1")]
    return [name, *parts, f"{counts['gold']:,}"]


def by_level(levels: dict[str, Any]) -> str:
    gold, predicted = levels["gold"], levels["predicted"]
    rows = [
        [
            level,
            percent(gold[level]["recall"]) if level in gold else "",
            percent(predicted[level]["precision"]) if level in predicted else "",
        ]
        for level in sorted(set(gold) | set(predicted), key=int)
    ]
    return table(["level", "recall of gold", "precision of predicted"], rows)


def calibration(dev: dict[str, Any], test: dict[str, Any], temperature: float) -> list[str]:
    errors = [
        [name, percent(result["calibration"]["ece"]), f"{result['calibration']['brier']:.4f}"]
        + [f"{result['micro']['predicted']:,}"]
        for name, result in (("development", dev), ("test", test))
    ]
    bins = [
        [f"{b['low']:.1f} to {b['high']:.1f}", *(percent(b[k]) for k in ("confidence", "accuracy"))]
        + [f"{b['count']:,}"]
        for b in test["calibration"]["reliability"]
        if b["count"]
    ]
    rise = precision_rises(dev["calibration"]["precision_recall"])
    return [
        f"## Calibration\n\nThe temperature of the scores, {temperature:g}, was fitted on the "
        "development data. ECE is the expected calibration error in per cent.",
        table(["", "ECE", "Brier score", "entities"], errors),
        "On the development data, rank correlation of threshold and precision over 20 "
        f"thresholds: {rise:.3f}. On the test data:",
        f"![Reliability on the test data: precision against score, as in the table]({PLOT})",
        table(["score", "mean score", "precision", "entities"], bins),
    ]


def precision_rises(curve: list[dict[str, float]], steps: int = 20) -> float:
    """Spearman's rank correlation of threshold and precision over evenly spread thresholds.

    The curve goes from the highest score down; above that nothing more can be kept.
    """
    lowest = [(k + 0.5) / steps for k in range(steps)]
    kept = [next((p for p in reversed(curve) if p["score"] >= t), curve[0]) for t in lowest]
    precisions = [p["precision"] for p in kept]
    ranks = [sorted(precisions).index(p) for p in precisions]
    squares = sum((r - i) ** 2 for i, r in enumerate(ranks))
    return 1 - 6 * squares / (steps * (steps * steps - 1))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path)
    parser.add_argument("header", type=Path)
    parser.add_argument("--dev", type=Path, required=True)
    parser.add_argument("--test", type=Path, required=True)
    parser.add_argument("--raw", required=True)
    options = parser.parse_args()
    info = read_info(options.model)
    on_test = evaluate(options.model, options.test)
    dev, test = evaluate(options.model, options.dev).to_dict(), on_test.to_dict()
    speed = bench(options.model, options.test)
    today = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
    machine = f"{platform.machine()}, {os.cpu_count()} cores"
    files = [path for path in options.model.iterdir() if path.name not in (CARD, PLOT)]
    size = sum(path.stat().st_size for path in files)
    by_type = [scores("all", test["micro"]), *(scores(k, v) for k, v in test["types"].items())]
    speeds = {f"at batch {k}": v for k, v in speed["batch_sizes"].items()}
    speeds["from raw text"] = speed["raw_text"]
    speeds["from raw text a sentence at a time"] = speed["raw_text_singly"]
    sections = [
        options.header.read_text(encoding="utf-8").strip(),
        f"## Scores\n\nMeasured on {today} by `recipes/model_card.py` with the files of this "
        f"folder ({size / 1e6:.1f} MB), strict spans and types, duplicates merged. Development "
        f"F1 {percent(dev['micro']['f1'])} (data {dev['fingerprint']}). Test, on the corpus's own "
        f"tokens (data {test['fingerprint']}):",
        table(["", "precision", "recall", "F1", "gold"], by_type),
        by_level(test["levels"]),
        f"As raw text, sentences and tokens found by the model itself:\n\n    {options.raw}",
        *calibration(dev, test, info.temperature),
        f"## Speed\n\n`innermost bench` on {today}, {machine}, tokens/s: "
        + ", ".join(f"{v['tokens_per_second']:,.0f} {name}" for name, v in speeds.items())
        + ".",
    ]
    plot = reliability_file(on_test.assessments[0])
    update_file(options.model, PLOT, plot.encode("utf-8"))
    info = msgspec.structs.replace(info, scores={"dev": dev["micro"], "test": test["micro"]})
    write_info(options.model, info)
    update_file(options.model, CARD, ("\n\n".join(sections) + "\n").encode("utf-8"))


if __name__ == "__main__":
    main()
