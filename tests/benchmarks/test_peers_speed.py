"""Interleaved rounds, scores and the table, with fake systems."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from benchmarks.peers.process import ask
from benchmarks.peers.report import Report, Row, markdown
from benchmarks.peers.speed import measure_speeds, predicted, score
from benchmarks.peers.systems import Original, chosen_peers, original

from innermost.corpus import Sentence
from innermost.errors import DataError, InnermostError, UsageError
from innermost.nest import Span

SENTENCES = [
    Sentence(["Ghent", "slept"], [Span(0, 1, "GPE")]),
    Sentence(["the", "mayor", "of", "Ghent"], [Span(0, 4, "PER"), Span(3, 4, "GPE")]),
]
TOKENS = [sentence.tokens for sentence in SENTENCES]
WORKER = """
import sys
import protocol

def load(model):
    print("noise of a library")
    return lambda sentences: [[(len(tokens) - 1, len(tokens), "GPE")] for tokens in sentences]

protocol.serve(load)
"""


def test_systems_take_turns_and_the_median_counts() -> None:
    asked: list[tuple[str, int]] = []
    seconds = iter([1.0, 9.0, 1.0, 9.0, 2.0, 9.0, 2.0, 9.0, 6.0, 9.0, 6.0, 9.0])

    def system(name: str) -> Any:
        def predict(request: dict[str, Any]) -> dict[str, Any]:
            asked.append((name, request["batch"]))
            return {"seconds": next(seconds), "entities": []}

        return predict

    speeds = measure_speeds({"ours": system("ours"), "other": system("other")}, [], TOKENS, 3)
    assert asked == [("ours", 32), ("other", 32), ("ours", 1), ("other", 1)] * 3
    assert speeds["ours"].median(32) == pytest.approx(6 / 2.0)
    assert speeds["other"].median(1) == pytest.approx(6 / 9.0)


def test_scores_are_strict_and_nested() -> None:
    found = [[[0, 1, "GPE"], [0, 2, "GPE"]], [[0, 4, "PER"]]]
    counts = score(SENTENCES, predicted("other", lambda request: {"entities": found}, SENTENCES))
    assert (counts.gold, counts.predicted, counts.correct) == (3, 3, 2)


def test_an_answer_for_fewer_sentences_is_refused() -> None:
    with pytest.raises(DataError, match="other answered for 1 sentences, and 2 were asked"):
        predicted("other", lambda request: {"entities": [[]]}, SENTENCES)


def worker(folder: Path, program: str) -> Original:
    workers = Path(__file__).resolve().parents[2] / "benchmarks" / "peers" / "workers"
    path = f"import sys; sys.path.append({str(workers)!r})\n"
    (folder / "answer.py").write_text(path + program, encoding="utf-8")
    return Original(folder, f"{sys.executable} answer.py")


def test_a_worker_answers_and_what_it_prints_is_kept_apart(tmp_path: Path) -> None:
    request = {"do": "predict", "model": "x", "warm_up": [], "sentences": TOKENS, "batch": 1}
    answer = ask(worker(tmp_path, WORKER), request, tmp_path, 1)
    assert answer["entities"] == [[[1, 2, "GPE"]], [[3, 4, "GPE"]]]
    assert answer["seconds"] > 0
    assert "noise of a library" in (tmp_path / "original" / "log").read_text()


def test_a_failing_worker_is_told_with_the_end_of_its_log(tmp_path: Path) -> None:
    with pytest.raises(InnermostError, match=r"original failed(.|\n)*no weights here"):
        ask(worker(tmp_path, "sys.exit('no weights here')"), {}, tmp_path, 1)


def test_an_answer_that_is_not_json_is_told(tmp_path: Path) -> None:
    with pytest.raises(InnermostError, match=r"did not answer with one JSON object(.|\n)*hello"):
        ask(worker(tmp_path, "print('hello')"), {}, tmp_path, 1)


def test_unknown_peers_and_half_an_original_are_refused(tmp_path: Path) -> None:
    assert [peer.name for peer in chosen_peers("edsnlp, spancat,edsnlp")] == ["edsnlp", "spancat"]
    with pytest.raises(UsageError, match="unknown peer 'flair'"):
        chosen_peers("flair")
    with pytest.raises(UsageError, match="go together"):
        original(tmp_path, None)
    with pytest.raises(UsageError, match="not a folder"):
        original(tmp_path / "nowhere", "python predict.py")


def row(title: str, fast: float, slow: float, megabytes: float | None) -> Row:
    return Row(
        title=title,
        version="1.0",
        tokens_per_second={32: fast, 1: slow},
        rounds={32: [fast], 1: [slow]},
        precision=0.75,
        recall=0.5,
        f1=0.6,
        megabytes=megabytes,
        training="trained somehow",
    )


def test_the_table_has_ratios_of_ours_to_theirs() -> None:
    report = Report(
        [row("innermost", 6000, 3000, 200), row("A", 4000, 200, 400), row("B", 1, 1, None)],
        ["a note"],
    )
    lines = markdown(report).splitlines()
    assert lines[2] == "| innermost | 6,000 | 3,000 | 75.00 | 50.00 | 60.00 | 200 |"
    assert lines[3] == "| A | 4,000 (1.50x) | 200 (15x) | 75.00 | 50.00 | 60.00 | 400 (0.50x) |"
    assert lines[4].endswith("| - |")
    assert "- A 1.0: trained somehow." in lines
    assert lines[-1] == "- a note"
    plain = json.loads(json.dumps(report.to_dict()))
    assert plain["rows"][1]["ratios"]["megabytes"] == pytest.approx(0.5)
    assert plain["rows"][1]["rounds"]["32"] == [4000]
