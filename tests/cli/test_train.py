import json
import re
import signal
import subprocess
import sys
import time

import pytest

from helpers.cli import innermost
from helpers.small_training import arguments
from innermost.model_folder.info import read_info

GOOD = '{"tokens": ["a", "b", "c"], "entities": [[0, 2, "X"], [1, 2, "X"]]}\n'


def files(data):
    return [str(part) for name in ("train", "dev", "test") for part in (f"--{name}", data)]


@pytest.fixture
def train():
    def call(data, out, *more, **settings):
        return innermost("train", *files(data), "--out", out, *arguments(**settings), *more)

    return call


def without_times(log):
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    return [
        {k: v for k, v in x.items() if k not in ("seconds", "tokens_per_second")} for x in lines
    ]


def test_seeds_ablations_and_what_is_written(train, toy_corpus_file, tmp_path):
    out = tmp_path / "out"
    several = ("--seeds", "1,2", "--ablations")
    done = train(toy_corpus_file, out, *several, "--json", training__epochs=4)
    assert done.code == 0, done.err
    results = json.loads(done.out)
    assert list(results) == ["full", "without-L", "without-L-and-D"]
    assert [[r["seed"] for r in rows] for rows in results.values()] == [[1, 2]] * 3
    for folder in ("full", "without-L", "without-L-and-D"):
        run = out / folder / "seed-2"
        assert len((run / "log.jsonl").read_text().splitlines()) == 4
        assert (run / "log.svg").read_text().startswith("<svg")
        result = json.loads((run / "result.json").read_text())
        assert set(result["fingerprints"]) == {"train", "dev", "test"}
        assert {"date", "hardware"} <= set(result["environment"])
        assert read_info(run / "model").name == "out"  # as the user named it, for every seed
    again = train(toy_corpus_file, out, *several, "--resume", training__epochs=4)
    assert again.code == 0
    assert "without-L-and-D" in again.out
    assert "±" in again.out
    assert re.search(r"^full, seed 1: best epoch", again.out, re.MULTILINE)
    assert re.search(r"^without-L, seed 2: best epoch", again.out, re.MULTILINE)
    assert "already finished: seed 1; seed 2; without-L, seed 1;" in again.err
    assert "0:00:00" not in again.err
    refused = train(toy_corpus_file, out, *several, training__epochs=4)
    assert refused.code == 2
    assert "--resume" in refused.err


@pytest.mark.parametrize("optimizer", ["adabound", "adamw"])
def test_killed_and_resumed_equals_never_stopped(train, toy_corpus_file, tmp_path, optimizer):
    settings = {"training__optimizer": optimizer, "training__average": 0.9, "training__epochs": 12}
    whole = tmp_path / "whole"
    assert train(toy_corpus_file, whole, **settings).code == 0
    broken = tmp_path / "broken"
    options = [*files(toy_corpus_file), "--out", str(broken), *arguments(**settings)]
    process = subprocess.Popen(
        [sys.executable, "-m", "innermost", "train", *options], stderr=subprocess.DEVNULL
    )
    deadline = time.monotonic() + 60
    log = broken / "log.jsonl"
    while not (log.exists() and log.read_text().count("\n") >= 3):
        assert time.monotonic() < deadline, "no epoch was finished"
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert not (broken / "result.json").exists()
    # Partial files of the killed process must not matter.
    with log.open("a") as file:
        file.write('{"epoch": 99, "lo')
    resumed = train(toy_corpus_file, broken, "--resume", **settings)
    assert resumed.code == 0, resumed.err
    for name in ("model/weights.safetensors", "checkpoint.safetensors"):
        assert (broken / name).read_bytes() == (whole / name).read_bytes()
    assert without_times(log) == without_times(whole / "log.jsonl")


def test_a_resumed_run_says_where_it_continues(train, toy_corpus_file, tmp_path):
    out = tmp_path / "out"
    assert "continuing" not in train(toy_corpus_file, out, training__epochs=3).err
    (out / "result.json").unlink()
    resumed = train(toy_corpus_file, out, "--resume", training__epochs=3)
    assert resumed.code == 0, resumed.err
    assert "seed 1: continuing after epoch 3\n" in resumed.err


def test_a_damaged_or_foreign_checkpoint_is_a_clear_error(train, toy_corpus_file, tmp_path):
    out = tmp_path / "out"
    assert train(toy_corpus_file, out, training__epochs=3).code == 0
    (out / "result.json").unlink()
    other = train(toy_corpus_file, out, "--resume", training__epochs=3, encoder__hidden=9)
    assert other.code == 1
    assert "belongs to another run" in other.err
    checkpoint = out / "checkpoint.safetensors"
    data = checkpoint.read_bytes()
    for damage in (data[: len(data) // 2], b"not a checkpoint", b""):
        checkpoint.write_bytes(damage)
        damaged = train(toy_corpus_file, out, "--resume", training__epochs=3)
        assert damaged.code == 1
        assert "not a complete innermost checkpoint" in damaged.err
        assert "Traceback" not in damaged.err


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"tokens": ["a"', "not valid JSON"),
        ('["a"]', "expected a JSON object"),
        ('{"tokens": []}', "no tokens"),
        ('{"tokens": ["a", ""]}', "token 1 is empty"),
        ('{"tokens": ["a"], "entities": [[0, 2, "X"]]}', "outside the sentence of 1 token"),
        ('{"tokens": ["a"], "entities": [[0, 0, "X"]]}', "is empty"),
        ('{"tokens": ["a"], "entities": [[0, 1]]}', "entity 0 is neither"),
    ],
)
def test_bad_data_is_an_error_with_file_and_line(train, tmp_path, line, message):
    path = tmp_path / "bad.jsonl"
    path.write_text(GOOD + line + "\n")
    done = train(path, tmp_path / "out")
    assert done.code == 1
    assert "bad.jsonl:2:" in done.err
    assert message in done.err
    assert "Traceback" not in done.err


def test_crossing_spans_and_duplicates_are_counted(train, tmp_path):
    path = tmp_path / "crossing.jsonl"
    crossing = '{"tokens": ["a", "b", "c"], "entities": [[0, 2, "X"], [1, 3, "X"], [0, 2, "X"]]}\n'
    path.write_text(GOOD + crossing)
    done = train(path, tmp_path / "out", training__epochs=3)
    assert done.code == 0, done.err
    assert "1 crossing entity excluded" in done.err
    assert "1 duplicate" in done.err
    left_out = json.loads((tmp_path / "out" / "result.json").read_text())["left_out"]
    assert left_out == {"duplicates": 1, "crossings": 1}


def test_a_type_seen_only_in_development_data_is_a_warning(tmp_path):
    (tmp_path / "train.jsonl").write_text(GOOD)
    (tmp_path / "dev.jsonl").write_text(GOOD + '{"tokens": ["z"], "entities": [[0, 1, "NEW"]]}\n')
    done = innermost(
        *("train", "--train", tmp_path / "train.jsonl", "--dev", tmp_path / "dev.jsonl"),
        *("--test", tmp_path / "dev.jsonl"),
        *("--out", tmp_path / "out", *arguments(training__epochs=3)),
    )
    assert done.code == 0, done.err
    assert "\ntrain        1 sentence           3 tokens  " in done.err
    assert "\ndev          2 sentences          4 tokens  " in done.err
    warning = "dev.jsonl:2: the type 'NEW' is not in the training data"
    assert done.err.count(warning) == 1  # though it is in two splits


@pytest.mark.parametrize(
    ("arguments_", "code", "message"),
    [
        (["--train", "absent.jsonl", "--dev", "absent.jsonl"], 1, "absent.jsonl"),
        ([], 2, "no training data"),
        (["--set", "training.epoch=1"], 2, "epoch"),
    ],
)
def test_wrong_use_is_explained(tmp_path, arguments_, code, message):
    done = innermost("train", "--out", tmp_path / "out", *arguments_)
    assert done.code == code
    assert message in done.err
    assert "Traceback" not in done.err


def test_data_without_entities_is_refused(train, tmp_path):
    path = tmp_path / "empty.jsonl"
    path.write_text('{"tokens": ["a"], "entities": []}\n')
    done = train(path, tmp_path / "out")
    assert done.code == 1
    assert "nothing to learn" in done.err


def test_a_loss_that_is_not_a_number_stops_and_names_the_batch(
    train, toy_corpus_file, tmp_path, monkeypatch
):
    """The second epoch fails; the result of the first is kept."""
    from innermost.training import loop

    real, calls = loop.batch_loss, []

    def spoiled(state, *rest):
        calls.append(state.epoch)
        loss = real(state, *rest)
        return loss * float("nan") if state.epoch == 1 and calls.count(1) == 3 else loss

    monkeypatch.setattr(loop, "batch_loss", spoiled)
    out = tmp_path / "out"
    done = train(toy_corpus_file, out)
    assert done.code == 1
    assert "epoch 2: the loss is not a number, first in the batch of" in done.err
    assert "toy.jsonl:" in done.err
    assert "the state after epoch 1" in done.err
    monkeypatch.setattr(loop, "batch_loss", real)
    assert train(toy_corpus_file, out, "--resume").code == 0


def test_a_folder_that_is_not_empty_is_refused_before_the_data_is_read(train, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "notes.txt").touch()
    done = train(tmp_path / "missing.jsonl", tmp_path / "out")
    assert done.code == 2
    assert "out is not empty" in done.err


def test_a_run_is_not_resumed_with_another_corpus(train, toy_corpus_file, tmp_path):
    corpus = tmp_path / "corpus.jsonl"
    lines = toy_corpus_file.read_text().splitlines(keepends=True)
    corpus.write_text("".join(lines))
    out = tmp_path / "out"
    assert train(corpus, out).code == 0
    corpus.write_text("".join(lines[1:]))
    finished = train(corpus, out, "--resume")
    assert finished.code == 1
    assert "a run with other data: it has train " in finished.err
    (out / "result.json").unlink()
    interrupted = train(corpus, out, "--resume")
    assert interrupted.code == 1
    assert "belongs to another run" in interrupted.err


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"encoder__dropout": 0.4}, "encoder.dropout was 0.0, is 0.4"),
        ({"objective__inner": "false"}, "objective.inner was True, is False"),
        ({"training__epochs": 7}, "training.epochs was 3, is 7"),
        ({"training__seeds": "[2]"}, "the seed was 1, is 2"),
    ],
)
def test_a_finished_run_is_not_resumed_with_other_settings(
    train, toy_corpus_file, tmp_path, changed, message
):
    out = tmp_path / "out"
    settings = {"training__epochs": 3, "encoder__dropout": 0.0}
    assert train(toy_corpus_file, out, **settings).code == 0
    before = (out / "summary.json").read_bytes()
    refused = train(toy_corpus_file, out, "--resume", **settings | changed)
    assert refused.code == 1
    assert "contains a finished run with other settings" in refused.err
    assert message in refused.err
    assert (out / "summary.json").read_bytes() == before


def test_a_new_seed_is_trained_after_those_that_were_finished(train, toy_corpus_file, tmp_path):
    out = tmp_path / "out"
    assert train(toy_corpus_file, out, "--seeds", "1,2", training__epochs=3).code == 0
    more = train(toy_corpus_file, out, "--seeds", "1,2,3", "--resume", training__epochs=3)
    assert more.code == 0, more.err
    assert "already finished: seed 1; seed 2\n[3/3] seed 3:" in more.err
    assert "full" not in more.out


def test_a_finished_run_is_not_resumed_with_other_word_vectors(train, toy_corpus_file, tmp_path):
    out, vectors = tmp_path / "out", tmp_path / "vectors.txt"
    settings = {"training__epochs": 3, "encoder__vectors": vectors}
    vectors.write_text("the 0.1 0.2\nBob 0.3 0.4\n")
    assert train(toy_corpus_file, out, **settings).code == 0
    assert "already finished" in train(toy_corpus_file, out, "--resume", **settings).err
    vectors.write_text("the 0.1 0.2\nBob 0.3 0.5\n")
    refused = train(toy_corpus_file, out, "--resume", **settings)
    assert "contains a finished run with other settings: pretrained.wordchar was" in refused.err


def test_resume_without_a_run_says_that_it_starts_one(train, toy_corpus_file, tmp_path):
    out = tmp_path / "out"
    done = train(toy_corpus_file, out, "--resume", training__epochs=3)
    assert f"nothing to resume: {out} does not exist; starting a new run" in done.err
    again = train(toy_corpus_file, out, "--resume", training__epochs=3)
    assert "nothing to resume" not in again.err


def test_a_finished_run_keeps_its_summary(train, toy_corpus_file, tmp_path):
    out = tmp_path / "out"
    assert train(toy_corpus_file, out, training__epochs=3).code == 0
    before = (out / "summary.json").read_bytes()
    again = train(toy_corpus_file, out, "--resume", training__epochs=3, model__license="MIT")
    assert again.code == 0, again.err
    assert (out / "summary.json").read_bytes() == before


def test_the_end_of_a_run_reads_well(train, toy_corpus_file, tmp_path):
    done = train(toy_corpus_file, tmp_path / "out", training__epochs=12, training__patience=2)
    assert done.code == 0, done.err
    for expected in ("PERSON", "PLACE", "ORG", "all", "best epoch", "recall by level"):
        assert expected in done.out
    assert "±" not in done.out
    assert "This work" not in done.out + done.err


def test_more_epochs_are_recommended_only_if_there_was_one_to_compare_with(
    train, toy_corpus_file, tmp_path
):
    advice = "more epochs may help"
    several = train(toy_corpus_file, tmp_path / "a", training__epochs=6)
    assert f"best epoch 6 of 6 (the last one: {advice})" in several.out
    one = train(toy_corpus_file, tmp_path / "b", training__epochs=6, training__evaluate_every=7)
    assert "best epoch 6 of 6" in one.out
    assert advice not in one.out


def test_a_share_of_the_training_data_is_held_out(toy_corpus_file, tmp_path):
    out = tmp_path / "out"
    done = innermost(
        *("train", "--train", toy_corpus_file, "--dev", "0.25", "--out", out),
        *arguments(training__epochs=8),
    )
    assert done.code == 0, done.err
    assert "toy.jsonl (held out)" in done.err
    assert "12 sentences" in done.err


def test_a_held_out_share_without_entities_is_to_be_larger(tmp_path):
    file = tmp_path / "train.jsonl"
    file.write_text(GOOD + "".join(f'{{"tokens": ["{word}"]}}\n' for word in "defghijkl"))
    done = innermost("train", "--train", file, "--dev", "0.2", "--out", tmp_path / "out")
    assert done.code == 1
    assert "train.jsonl (held out): no entities of the types that are trained" in done.err
    assert "hold out a larger share with --dev, or use --folds 5" in done.err


def test_development_data_that_is_the_training_data_is_a_warning(train, toy_corpus_file, tmp_path):
    done = train(toy_corpus_file, tmp_path / "out", training__epochs=8)
    warning = "the train and dev data are the same sentences: scores are meaningless"
    assert warning in done.err
    assert f"warning: {warning}" in done.out.partition("written to")[2]  # below the scores


def test_several_training_files_are_joined(toy_corpus_file, tmp_path):
    other = tmp_path / "other.jsonl"
    other.write_text(GOOD)
    done = innermost(
        *("train", "--train", toy_corpus_file, "--train", other, "--dev", toy_corpus_file),
        *("--out", tmp_path / "out", *arguments(training__epochs=1)),
    )
    assert "49 sentences        467 tokens" in done.err
    assert "types: ORG, PERSON, PLACE, X" in done.err


def test_without_development_data_the_ways_to_get_some_are_named(toy_corpus_file, tmp_path):
    done = innermost("train", "--train", toy_corpus_file, "--out", tmp_path / "out")
    assert done.code == 2
    assert "no development data" in done.err
    assert "--dev 0.1" in done.err


def test_a_run_that_has_not_ended_says_how_to_use_its_model(train, toy_corpus_file, tmp_path):
    assert train(toy_corpus_file, tmp_path / "out", training__epochs=1).code in (0, 1)
    model = tmp_path / "out" / "model"
    for name in ("encoder.onnx", "SHA256SUMS", "trained.npy"):  # Written at the end.
        (model / name).unlink()
    done = innermost("predict", "-m", tmp_path / "out", "nobody in Oslo")
    assert done.code == 1
    assert done.err.startswith(f"error: the training in {tmp_path / 'out'} was interrupted: resume")
    assert "innermost export" in done.err
    assert innermost("export", tmp_path / "out", tmp_path / "model").code == 0
    assert innermost("predict", "-m", tmp_path / "model", "nobody in Oslo").code == 0


def test_show_config_prints_what_would_be_used(toy_corpus_file, tmp_path):
    shown = innermost(
        *("train", "--train", toy_corpus_file, "--show-config", "--set", "encoder.hidden=17")
    )
    assert shown.code == 0
    assert shown.out.startswith("# chosen for 48 sentences, 464 tokens")
    assert "hidden = 17" in shown.out
    file = tmp_path / "config.toml"
    file.write_text(shown.out)
    again = innermost("train", "--config", file, "--show-config", "--train", toy_corpus_file)
    assert again.out.splitlines()[1:] == shown.out.splitlines()[1:]


def test_without_settings_a_small_corpus_is_learned(toy_corpus_file, tmp_path):
    out = tmp_path / "out"
    files = ("--train", toy_corpus_file, "--dev", toy_corpus_file)
    small = ("--set", "encoder.hidden=16", "--set", "training.threads=1")
    done = innermost("train", *files, "--out", out, *small)
    assert done.code == 0, done.err
    assert "auto: 48 sentences, 464 tokens" in done.err
    result = json.loads((out / "result.json").read_text())
    assert result["dev"]["micro"]["f1"] > 0.8


def test_a_finished_run_is_not_continued_with_other_settings(train, toy_corpus_file, tmp_path):
    out = tmp_path / "out"
    assert train(toy_corpus_file, out, training__epochs=3).code == 0
    assert train(toy_corpus_file, out, "--resume", training__epochs=3).code == 0
    longer = train(toy_corpus_file, out, "--resume", training__epochs=5)
    assert longer.code == 1
    assert "training.epochs was 3, is 5" in longer.err
    assert "choose another --out" in longer.err


@pytest.mark.parametrize("share", ["10", "1.5", "0", "-1", "10%", "0.1%"])
def test_a_share_is_between_0_and_1(toy_corpus_file, tmp_path, share):
    done = innermost("train", "--train", toy_corpus_file, "--dev", share, "--out", tmp_path / "out")
    assert done.code == 2
    assert f"--dev {share} is neither a file nor a share" in done.err


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_ctrl_c_says_how_to_continue(toy_corpus_file, tmp_path):
    out = tmp_path / "out"
    settings = arguments(training__epochs=10_000, training__patience=10_000)
    options = [*files(toy_corpus_file), "--out", str(out), *settings]
    process = subprocess.Popen(
        [sys.executable, "-m", "innermost", "train", *options],
        stderr=subprocess.PIPE,
        text=True,
        # Programs in the background ignore the signal, and what they start does, too.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    deadline = time.monotonic() + 60
    while not (out / "log.jsonl").exists():
        assert time.monotonic() < deadline, "no epoch was finished"
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "stopped; continue with the same command and --resume" in errors
    assert "Traceback" not in errors
