"""``innermost export``."""

from __future__ import annotations

import shutil
from pathlib import Path

from helpers.cli import innermost, ok
from innermost.model_folder.manifest import verify


def test_int8_is_smaller(toy_model: Path, tmp_path: Path) -> None:
    exact = ok("export", toy_model, tmp_path / "exact", "--json").json
    small = ok("export", toy_model, tmp_path / "small", "--int8", "--json").json
    assert small["bytes"] < exact["bytes"]
    done = ok("predict", "-m", tmp_path / "small", "-f", "jsonl", "the rector of Oslo spoke .")
    assert done.jsonl[0]["entities"][0]["label"] == "PERSON"
    assert "encoder.onnx" in ok("export", toy_model, tmp_path / "again").out


def test_a_smaller_model_marks_older_scores_until_they_are_measured_again(
    toy_model: Path, toy_corpus_file: Path, tmp_path: Path
) -> None:
    small, same = tmp_path / "small", tmp_path / "same"
    ok("export", toy_model, small, "--int8", "--top", "3", "--keep", toy_corpus_file)
    shown = ok("models", small).out
    assert "\nscores: dev F1 100.00 (before export)\n" in shown
    changes = "int8 weights, the 3 most frequent words and those of `--keep`"
    assert f"\nexported with: {changes}\n" in shown
    (model,) = ok("models", small, "--json").json["models"]
    assert model["scores"]["dev"]["before_export"] is True
    card = small / "README.md"
    note = f"## Scores\n\nExported with {changes}; the figures here are those of the model before "
    assert note in card.read_text()
    verify(small)

    ok("card", small, "--test", toy_corpus_file, "--no-speed")
    scores = "\nscores: dev F1 100.00 (before export), test F1 100.00\n"
    assert scores in ok("models", small).out
    text = card.read_text()
    assert "the figures here" not in text
    assert f"MB; exported with {changes}): start" in text
    assert "Development F1 100.00, measured before export. Test" in text

    ok("card", small, "--test", toy_corpus_file, "--dev", toy_corpus_file, "--no-speed")
    assert "before export" not in ok("models", small).out + card.read_text()

    ok("export", toy_model, same)
    assert "export" not in ok("models", same).out
    assert (same / "README.md").read_text() == (toy_model / "README.md").read_text()


def test_every_section_with_figures_is_marked(
    toy_model: Path, toy_corpus_file: Path, tmp_path: Path
) -> None:
    measured, small = tmp_path / "measured", tmp_path / "small"
    shutil.copytree(toy_model, measured)
    ok("card", measured, "--test", toy_corpus_file)
    ok("export", measured, small, "--vectors", "int4")
    note = "Exported with int4 word vectors; the figures here are those of the model before export."
    assert (small / "README.md").read_text().count(note) == 3
    assert (small / "reliability.svg").exists()
    ok("card", small, "--test", toy_corpus_file, "--no-speed")
    assert f"## Speed\n\n{note}" in (small / "README.md").read_text()
    assert (small / "README.md").read_text().count(note) == 1


def test_an_exported_model_is_not_exported_again(tmp_path: Path) -> None:
    done = innermost("export", "english", tmp_path / "out", "--vectors", "int8")
    assert done.code == 1
    english = "models/english is already exported, without the weights.safetensors that an export"
    assert english in done.err
    assert "use or copy the folder as it is" in done.err
    assert not (tmp_path / "out").exists()


def test_words_to_keep_need_a_number_of_others(
    toy_model: Path, toy_corpus_file: Path, tmp_path: Path
) -> None:
    done = innermost("export", toy_model, tmp_path / "out", "--keep", toy_corpus_file)
    assert done.code == 2
    assert "--keep without --top has no effect" in done.err
    assert not (tmp_path / "out").exists()


def test_word_vectors_that_grow_are_a_warning(toy_model: Path, tmp_path: Path) -> None:
    small, large = tmp_path / "small", tmp_path / "large"
    assert "warning" not in ok("export", toy_model, small, "--vectors", "int4").err
    shutil.copy(toy_model / "weights.safetensors", small)
    assert "warning" not in ok("export", small, tmp_path / "same").err
    grown = ok("export", small, large, "--vectors", "float16")
    assert "warning: a word vector grew from 8 to 32 bytes" in grown.err


def test_a_card_of_other_sections_gets_the_note(toy_model: Path, tmp_path: Path) -> None:
    written, small = tmp_path / "written", tmp_path / "small"
    shutil.copytree(toy_model, written)
    (written / "README.md").write_text("# Toy\n\nPeople. F1 is 100.\n\n## Sources\n\nOurs.\n")
    ok("export", written, small, "--int8")
    text = (small / "README.md").read_text()
    assert text.startswith("# Toy\n\nPeople. F1 is 100.\n\n## Sources\n\nOurs.\n\n## Scores\n\nExp")
