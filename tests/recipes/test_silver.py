"""Models together annotate text."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import innermost
from innermost.corpus import read
from toy_corpus import toy_sentences

RECIPE = Path(__file__).parents[2] / "recipes" / "silver.py"


def test_models_that_agree_say_together_what_each_says(toy_model: Path, tmp_path: Path) -> None:
    known = [s for s in toy_sentences() if len(s.tokens) >= 4]
    text = tmp_path / "text.txt"
    text.write_text("\n".join(" ".join(s.tokens) for s in known), encoding="utf-8")
    out = tmp_path / "silver.jsonl"
    command = [sys.executable, str(RECIPE), str(toy_model), str(toy_model)]
    subprocess.run([*command, "--text", str(text), "--out", str(out)], check=True)
    annotated = list(read(out))
    found = {tuple(s.tokens): {span[:3] for span in s.entities} for s in annotated}
    assert set(found) == {tuple(s.tokens) for s in known}
    nlp = innermost.load(toy_model)
    for sentence, spans in zip(annotated, nlp.predict_sentences(annotated), strict=True):
        assert {span[:3] for span in spans} == found[tuple(sentence.tokens)]


def test_it_stops_at_the_number_of_tokens(toy_model: Path, tmp_path: Path) -> None:
    text = tmp_path / "text.txt"
    text.write_text("one two three four five\n" * 20, encoding="utf-8")
    out = tmp_path / "silver.jsonl"
    options = ["--text", str(text), "--tokens", "23", "--out", str(out)]
    subprocess.run([sys.executable, str(RECIPE), str(toy_model), *options], check=True)
    assert sum(len(s.tokens) for s in read(out)) == 25
