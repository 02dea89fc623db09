"""All commands read data the same way, with the same options, and report losses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import typer

from helpers.cli import innermost, ok
from helpers.toy_corpus import toy_sentences
from innermost import corpus, load
from innermost.cli.app import COMMANDS, app
from innermost.nest import Span
from reproduction.small_corpora import TINY

READING = ["--from", "--inside-token", "--read-set", "--skip-bad", "--tokenizer"]
READERS = {"bench", "check", "compare", "convert", "evaluate", "export", "predict", "reproduce"}
READERS |= {"annotate", "card", "stats", "train"}


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_that_reads_takes_the_same_options(name: str) -> None:
    group = typer.main.get_command(app)
    command = group.get_command(None, name)  # type: ignore[attr-defined]
    options = {option for parameter in command.params for option in parameter.opts}
    if name in READERS or "--from" in options:
        assert options.issuperset(READING)


def test_hints_of_readers_name_the_option_that_every_command_has() -> None:
    for path in Path(corpus.__file__).parent.rglob("*.py"):
        assert " --set " not in path.read_text(encoding="utf-8"), f"{path}: write --read-set"


@pytest.fixture(scope="module")
def brat(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Train, dev and test in brat; the first document of each has a discontinuous span."""
    folder = tmp_path_factory.mktemp("brat")
    sentences = toy_sentences()
    for number, sentence in enumerate(sentences):
        sentence.doc = f"d{number // 4}"
    for split, part in (("train", sentences), ("dev", sentences[:12]), ("test", sentences[12:24])):
        corpus.write(part, folder / split, format="brat")
        first = min((folder / split).glob("*.ann"))
        text = first.with_suffix(".txt").read_text()
        place = f"{text[0:3]} {text[8:11]}"
        first.write_text(first.read_text() + f"T99\tPERSON 0 3;8 11\t{place}\n")
    return folder


def test_commands_say_what_reading_lost(brat: Path, toy_model: Path, tmp_path: Path) -> None:
    test = brat / "test"
    commands = [
        ["stats", test],
        ["evaluate", toy_model, test],
        ["compare", toy_model, toy_model, test],
        ["bench", toy_model, test, "--rounds", 1, "--sentences", 3],
        ["convert", test, tmp_path / "out.jsonl", "--allow-loss"],
        ["export", toy_model, tmp_path / "small", "--top", 1, "--keep", test],
    ]
    for command in commands:
        assert "lost: discontinuous span (1)" in ok(*command).err, command
    assert "discontinuous span" in innermost("check", test).out


def test_raw_text_is_read_with_the_tokenizer_of_the_model(tmp_path: Path) -> None:
    text = "The mayor of Ghent can't speak; Mr. Hall's half-sister wouldn't."
    folder = tmp_path / "own"
    ok("predict", "-m", "litbank", "-f", "brat", "-o", folder, text)
    assert ok("evaluate", "litbank", folder, "--json").json["micro"]["f1"] == 1.0
    fingerprints = {
        name: ok("evaluate", "litbank", folder, "--json", "--tokenizer", name).json["fingerprint"]
        for name in ("ptb", "whitespace")
    }
    own = ok("evaluate", "litbank", folder, "--json").json["fingerprint"]
    assert own == fingerprints["ptb"] != fingerprints["whitespace"]
    noted = innermost("compare", "genia", "litbank", folder)
    assert "different tokenizers (genia genia, litbank ptb)" in noted.err
    tokenized = tmp_path / "own.jsonl"
    ok("convert", folder, tokenized)
    assert "different tokenizers" not in innermost("compare", "genia", "litbank", tokenized).err


def test_a_chosen_tokenizer_splits_the_text_that_is_predicted(tmp_path: Path) -> None:
    text = "The mayor of Ghent (in Flanders) can't speak."
    words = ["The", "mayor", "of", "Ghent", "(in", "Flanders)", "can't", "speak."]
    chosen = load("litbank", tokenizer="whitespace")(text)
    assert [token for sentence in chosen.to_sentences() for token in sentence.tokens] == words
    pool, out = tmp_path / "pool.txt", tmp_path / "out"
    pool.write_text(text, encoding="utf-8")
    reading = ["--input", pool, "--tokenizer", "whitespace"]
    table = ok("predict", "-m", "litbank", *reading, "-f", "iob").out
    assert [line.split("\t")[0] for line in table.splitlines() if "\t" in line] == words
    suggested = json.loads(ok("suggest", "litbank", *reading, "-f", "jsonl").out)
    assert suggested["tokens"] == words
    ok("predict", "-m", "litbank", *reading, "-o", out, "--jobs", 1)
    record = json.loads((out / "pool.jsonl").read_text(encoding="utf-8"))
    assert [e["text"] for e in record["entities"]] == [e.text for e in chosen.entities]
    assert [e.text for e in load("litbank")(text).entities] != [e.text for e in chosen.entities]


@pytest.mark.parametrize(
    ("command", "refused"),
    [
        ("predict --input a.txt -o out --jobs 1 --whole", "--whole has no effect with --jobs"),
        ("predict --input a.txt -o out --resume --lines", "--whole has no effect with --jobs"),
        ("predict --input a.txt -o out --jobs 1 --from brat", "--from has no effect with --jobs"),
        ("predict --input a.txt --max-row-bytes 5", "--max-row-bytes needs --jobs"),
        ("compare a.jsonl b.jsonl --rename A=B", "--rename needs gold data"),
        ("compare a.jsonl b.jsonl --samples 200", "--samples needs gold data"),
        ("compare a.jsonl b.jsonl --report out", "--report needs gold data"),
        ("annotate genia --text a.txt --out b.jsonl --skip-bad", "--skip-bad needs --like"),
    ],
)
def test_an_option_without_effect_is_refused(command: str, refused: str) -> None:
    done = innermost(*command.split())
    assert done.code == 2
    assert refused in done.err


def test_evaluation_of_raw_text_uses_the_chosen_tokenizer(tmp_path: Path) -> None:
    gold = tmp_path / "gold.jsonl"
    tokens = ["the", "(", "mayor", ")", "spoke"]
    sentence = corpus.Sentence(tokens, [Span(2, 3, "PER")], gaps=["", " ", "", "", " ", ""])
    corpus.write([sentence], gold, format="native")
    arguments = ["evaluate", "litbank", gold, "--raw-text", "--json"]
    assert ok(*arguments).json["reachable"] == {"litbank": 1.0}
    assert ok(*arguments, "--tokenizer", "whitespace").json["reachable"] == {"litbank": 0.0}


def test_convert_names_the_tokenizer_and_takes_that_of_a_model(tmp_path: Path) -> None:
    text = "Mr. Hall's half-sister can't leave Ghent (Belgium)."
    tasks, tokens = tmp_path / "a.labelstudio.json", tmp_path / "a.jsonl"
    ok("predict", "-m", "litbank", "-o", tasks, text)
    note = "raw text was split with the tokenizer unicode"
    assert note in ok("convert", tasks, tokens).err
    assert ok("convert", tasks, tokens, "--json").json["tokenizers"] == ["unicode"]
    assert note not in ok("convert", tokens, tmp_path / "b.jsonl").err  # it has tokens
    assert note not in ok("convert", tasks, tmp_path / "brat", "--to", "brat").err
    assert note not in ok("convert", tasks, tokens, "--tokenizer", "litbank").err
    assert ok("evaluate", "litbank", tokens, "--json").json["micro"]["f1"] == 1.0
    refused = innermost("convert", tasks, tokens, "--tokenizer", "nothing")
    assert refused.code == 2
    assert "unknown tokenizer 'nothing'" in refused.err
    assert "unicode, ptb" in refused.err


def test_train_reads_with_the_tokenizer_and_format_of_the_configuration(
    brat: Path, tmp_path: Path
) -> None:
    pytest.importorskip("torch", reason="training needs torch")

    def fingerprint(*options: object) -> str:
        out = tmp_path / str(len(list(tmp_path.iterdir())))
        data = [f"--{name}={brat / name}" for name in ("train", "dev")]
        # One epoch may be too little to find anything, which ends with an error after the results.
        done = innermost("train", *data, "--out", out, *TINY, "--set=training.epochs=1", *options)
        assert "lost: discontinuous span (2)" in done.err
        result = json.loads((out / "result.json").read_text())
        return str(result["fingerprints"]["train"])

    by_words, by_lines = fingerprint(), fingerprint("--read-set", "sentences=lines")
    assert by_words != by_lines
    renamed = fingerprint("--rename", "PERSON=person")
    assert renamed == fingerprint("--set=data.rename.PERSON=person")
    assert renamed != by_words
    assert fingerprint("--set", "data.settings.sentences=lines") == by_lines
    refused = innermost("train", "--train", brat / "train", "--dev", brat / "dev", "--from=ace")
    assert refused.code == 2


@pytest.mark.parametrize("tokenizer", ["unicode", "ptb", "whitespace"])
def test_train_reads_raw_text_as_stats_does_with_that_tokenizer(
    tokenizer: str, tmp_path: Path
) -> None:
    pytest.importorskip("torch", reason="training needs torch")
    data = tmp_path / "texts.jsonl"
    text = "Mr. Hall's half-sister can't leave Ghent (Belgium)."
    data.write_text(json.dumps({"text": text, "entities": [[35, 40, "GPE"]]}) + "\n")
    counted = ok("stats", data, "--tokenizer", tokenizer, "--json").json[str(data)]
    for options in (["--tokenizer", tokenizer], ["--set", f"data.tokenizer={tokenizer}"]):
        settings = ["--train", data, "--dev", data, *TINY, "--set=training.epochs=1"]
        out = tmp_path / options[0].strip("-")
        done = innermost("train", *settings, *options, "--out", out)
        assert f"{counted['tokens']} tokens  {counted['fingerprint']}" in done.err
        assert f'tokenizer = "{tokenizer}"' in (out / "model" / "model.toml").read_text()


def test_train_and_reproduce_make_the_same_model_from_one_brat_folder(
    brat: Path, tmp_path: Path
) -> None:
    pytest.importorskip("torch", reason="training needs torch")
    settings = [*TINY, "--tokenizer=whitespace", "--inside-token=widen"]
    settings += ["--set=training.epochs=25"]
    data = [f"--{name}={brat / name}" for name in ("train", "dev", "test")]
    ok("train", *data, "--out", tmp_path / "trained", "--preset=paper", *settings)
    again = tmp_path / "again"
    ok("reproduce", "table3", "--data", brat, "--out", again, "--seeds=1", *settings)
    (reproduced,) = again.rglob("model")
    for name in ("weights.safetensors", "encoder.onnx", "vocabulary.json"):
        mine, other = tmp_path / "trained" / "model" / name, reproduced / name
        assert mine.read_bytes() == other.read_bytes(), name


def test_a_setting_applies_to_the_files_whose_format_has_it(tmp_path: Path) -> None:
    table, lines = tmp_path / "a.csv", tmp_path / "b.jsonl"
    table.write_text('body,entities\nBob left.,"[{""start"": 0, ""end"": 3, ""label"": ""P""}]"\n')
    lines.write_text('{"tokens": ["Ann", "left"], "entities": [[0, 1, "P"]]}\n')
    refused = innermost("stats", table)
    assert "choose one with --read-set text=COLUMN" in refused.err  # every command has it
    for option in ("--set", "--read-set"):
        figures = ok("stats", table, lines, option, "text=body", "--json").json
        assert [figures[str(path)]["tokens"] for path in (table, lines)] == [3, 2]
    done = innermost("check", table, lines, "--set", "text=body")
    assert "0 errors" in done.out
    alone = innermost("stats", lines, "--set", "text=body")
    assert alone.code == 2
    assert f"{lines}: the format native has no setting text" in alone.err
    misspelled = innermost("stats", table, lines, "--set", "texts=body")
    assert misspelled.code == 2
    assert "no format of these files has a setting texts" in misspelled.err
    assert f"{table} (table), {lines} (native)" in misspelled.err


def test_train_applies_a_setting_to_the_files_whose_format_has_it(tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="training needs torch")
    table, lines = tmp_path / "a.csv", tmp_path / "b.jsonl"
    table.write_text('body,entities\nBob left.,"[{""start"": 0, ""end"": 3, ""label"": ""P""}]"\n')
    lines.write_text('{"tokens": ["Ann", "left"], "entities": [[0, 1, "P"]]}\n')
    data = ["--train", table, "--dev", lines]
    refused = innermost("train", *data, "--out", tmp_path / "a")
    assert "choose one with --read-set text=COLUMN" in refused.err
    settings = [*TINY, "--set=training.epochs=1", "--read-set=text=body"]
    done = innermost("train", *data, "--out", tmp_path / "b", *settings)
    assert "no setting" not in done.err
    assert (tmp_path / "b" / "result.json").exists()
    wrong = innermost("train", *data, "--out", tmp_path / "c", "--read-set=texts=body")
    assert wrong.code == 2
    assert f"has a setting texts: {table} (table), {lines} (native)" in wrong.err
