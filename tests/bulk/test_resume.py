"""Runs that are killed, and runs that must not be resumed."""

from __future__ import annotations

import multiprocessing
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import msgspec
import pytest

from helpers.bulk import SMALL_BLOCKS, contents, read_json_lines, run, write_json_lines
from innermost.bulk import state
from innermost.bulk.settings import Settings
from innermost.errors import DataError, UsageError
from innermost.model_folder.manifest import write_manifest

KILLS = int(os.environ.get("INNERMOST_KILLS", "6"))
"""INNERMOST_KILLS=20 pytest tests/bulk: that many random moments."""


@pytest.fixture
def inputs(tmp_path: Path) -> Path:
    folder = tmp_path / "in"
    for number, rows in enumerate((10, 0, 7)):
        path = write_json_lines(folder / f"{number}.jsonl", rows, seed=100 * number)
        with path.open("ab") as file:
            file.write(b'{"text": null}\n')
    return folder


def _run_until(moment: int, before: bool, inputs: Path, output: Path, model: Path) -> None:
    """Run, and end like a process that is killed when a file gets its name for the n-th time."""
    replace = Path.replace
    count = 0

    def killing(self: Path, target: Path) -> Path:
        nonlocal count
        count += 1
        if count == moment and before:
            os.kill(os.getpid(), signal.SIGKILL)
        result = replace(self, target)
        if count == moment:
            os.kill(os.getpid(), signal.SIGKILL)
        return result

    Path.replace = killing  # type: ignore[method-assign,assignment]
    run([inputs], output, model, resume=True)
    os._exit(0)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="kills a forked process")
@pytest.mark.parametrize("seed", range(KILLS))
def test_a_killed_run_resumes_to_the_same_bytes(
    seed: int, inputs: Path, tmp_path: Path, random_folder: Path
) -> None:
    undisturbed, output = tmp_path / "undisturbed", tmp_path / "out"
    run([inputs], undisturbed, random_folder)
    chance = random.Random(seed)
    for _ in range(3):
        arguments = (chance.randint(1, 12), chance.random() < 0.5, inputs, output, random_folder)
        process = multiprocessing.get_context("fork").Process(target=_run_until, args=arguments)
        process.start()
        process.join()
        assert process.exitcode in (0, -signal.SIGKILL)
    run([inputs], output, random_folder, resume=True)
    assert contents(output) == contents(undisturbed)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="kills a forked process")
def test_every_moment(inputs: Path, tmp_path: Path, random_folder: Path) -> None:
    """Killed at each renaming of a file in turn, until a run finishes."""
    undisturbed = tmp_path / "undisturbed"
    run([inputs], undisturbed, random_folder)
    moment, code = 0, -signal.SIGKILL
    while code:
        moment += 1
        output = tmp_path / str(moment)
        arguments = (moment, moment % 2 == 0, inputs, output, random_folder)
        process = multiprocessing.get_context("fork").Process(target=_run_until, args=arguments)
        process.start()
        process.join()
        code = process.exitcode or 0
        run([inputs], output, random_folder, resume=True)
        assert contents(output) == contents(undisturbed), moment
    assert moment > 20


def test_processes_end_with_the_one_that_is_killed(tmp_path: Path, random_folder: Path) -> None:
    """The whole command with two jobs, killed after some time."""
    inputs, output, undisturbed = tmp_path / "in", tmp_path / "out", tmp_path / "undisturbed"
    write_json_lines(inputs / "a.jsonl", 60)
    script = tmp_path / "script.py"
    script.write_text(
        "import sys\n"
        "from helpers.bulk import run\n"
        "from pathlib import Path\n"
        "if __name__ == '__main__':\n"
        "    inputs, output, model = map(Path, sys.argv[1:])\n"
        "    run([inputs], output, model, jobs=2, resume=True)\n"
    )
    path = os.pathsep.join([str(Path(__file__).parent.parent), *filter(None, sys.path)])
    process = subprocess.Popen(
        [sys.executable, str(script), str(inputs), str(output), str(random_folder)],
        env={**os.environ, "PYTHONPATH": path},
    )
    parts = output / ".bulk" / "parts"
    while process.poll() is None and not list(parts.glob("*/*.json")):
        time.sleep(0.01)
    children = _children(process.pid)
    process.kill()
    process.wait()
    for _ in range(1000):
        if not any(map(_is_alive, children)):
            break
        time.sleep(0.02)
    assert not any(map(_is_alive, children))
    run([inputs], undisturbed, random_folder)
    run([inputs], output, random_folder, resume=True)
    assert contents(output) == contents(undisturbed)


def _children(pid: int) -> list[int]:
    path = Path(f"/proc/{pid}/task/{pid}/children")
    return [int(child) for child in path.read_text().split()] if path.exists() else []


def _is_alive(pid: int) -> bool:
    try:
        return " Z " not in Path(f"/proc/{pid}/stat").read_text()
    except FileNotFoundError:
        return False


def test_a_finished_run_is_not_predicted_again(
    inputs: Path, tmp_path: Path, random_folder: Path
) -> None:
    output = tmp_path / "out"
    run([inputs], output, random_folder)
    before = contents(output)
    progress = run([inputs], output, random_folder, resume=True)
    assert progress.rows_now == 0
    assert progress.counts.rows == 20
    assert contents(output) == before


def test_new_files_are_added_and_removed_output_is_written_again(
    inputs: Path, tmp_path: Path, random_folder: Path
) -> None:
    output = tmp_path / "out"
    run([inputs], output, random_folder)
    before = contents(output)
    write_json_lines(inputs / "new.jsonl", 3)
    (output / "2.jsonl").unlink()
    assert run([inputs], output, random_folder, resume=True).rows_now == 3 + 8
    assert contents(output)["2.jsonl"] == before["2.jsonl"]
    assert len(read_json_lines(output / "new.jsonl")) == 3


def test_a_file_that_is_gone_with_its_output_is_forgotten(
    inputs: Path, tmp_path: Path, random_folder: Path
) -> None:
    output = tmp_path / "out"
    before = run([inputs], output, random_folder).counts
    (inputs / "2.jsonl").unlink()
    (output / "2.jsonl").unlink()
    after = run([inputs], output, random_folder, resume=True).counts
    assert (after.shards, after.rows) == (before.shards - 1, before.rows - 8)
    manifest = msgspec.json.decode((output / "manifest.json").read_bytes())
    assert "2.jsonl" not in [shard["output"] for shard in manifest["shards"]]


def test_a_renamed_file_keeps_its_output(inputs: Path, tmp_path: Path, random_folder: Path) -> None:
    output = tmp_path / "out"
    run([inputs], output, random_folder)
    before = contents(output)
    (inputs / "deep").mkdir()
    (inputs / "2.jsonl").replace(inputs / "deep" / "renamed.jsonl")
    progress = run([inputs], output, random_folder, resume=True)
    assert progress.rows_now == 0
    after = contents(output)
    assert after["deep/renamed.jsonl"] == before["2.jsonl"]
    assert "2.jsonl" not in after
    assert str(inputs / "deep" / "renamed.jsonl") in after["rejects.jsonl"].decode()


def test_changed_input_is_refused(inputs: Path, tmp_path: Path, random_folder: Path) -> None:
    output = tmp_path / "out"
    run([inputs], output, random_folder)
    write_json_lines(inputs / "0.jsonl", 5, seed=9)
    with pytest.raises(DataError, match="has changed since it was predicted") as error:
        run([inputs], output, random_folder, resume=True)
    assert error.value.path == str(inputs / "0.jsonl")
    (output / "0.jsonl").unlink()  # as the hint says
    assert run([inputs], output, random_folder, resume=True).rows_now == 5


def test_parts_of_older_content_are_dropped(
    inputs: Path, tmp_path: Path, random_folder: Path
) -> None:
    output, undisturbed = tmp_path / "out", tmp_path / "undisturbed"
    with pytest.raises(DataError, match="more than the 0"):
        run([inputs], output, random_folder, max_errors=0)
    (inputs / "0.jsonl").write_text('{"text": null}\n')
    run([inputs], output, random_folder, resume=True)
    run([inputs], undisturbed, random_folder)
    assert contents(output) == contents(undisturbed)


def test_changed_output_is_refused(inputs: Path, tmp_path: Path, random_folder: Path) -> None:
    output = tmp_path / "out"
    run([inputs], output, random_folder)
    (output / "0.jsonl").write_text("{}")
    with pytest.raises(DataError, match="not as it was written"):
        run([inputs], output, random_folder, resume=True)


def test_another_model_and_other_settings_are_refused(
    inputs: Path, tmp_path: Path, random_folder: Path
) -> None:
    output = tmp_path / "out"
    run([inputs], output, random_folder)
    with pytest.raises(UsageError, match="already contains the output of a run"):
        run([inputs], output, random_folder)
    other = shutil.copytree(random_folder, tmp_path / "other")
    text = (other / "model.toml").read_text()
    (other / "model.toml").write_text(text + "\n")
    write_manifest(other)
    with pytest.raises(UsageError, match="started with another model"):
        run([inputs], output, other, resume=True)
    settings = Settings(block_rows=SMALL_BLOCKS.block_rows, max_depth=1)
    with pytest.raises(UsageError, match="max_depth = None, not 1"):
        run([inputs], output, random_folder, resume=True, settings=settings)


def test_another_version_is_refused(
    inputs: Path, tmp_path: Path, random_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    output = tmp_path / "out"
    run([inputs], output, random_folder)
    monkeypatch.setattr(state, "version", lambda package: "99.0")
    with pytest.raises(UsageError, match=r"started with innermost .*, not 99\.0"):
        run([inputs], output, random_folder, resume=True)


def test_files_of_somebody_else_are_not_overwritten(
    inputs: Path, tmp_path: Path, random_folder: Path
) -> None:
    output = tmp_path / "out"
    output.mkdir()
    (output / "0.jsonl").write_text("mine")
    for resume in (False, True):
        with pytest.raises(UsageError, match="exists already"):
            run([inputs], output, random_folder, resume=resume)
    assert (output / "0.jsonl").read_text() == "mine"


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="interrupts a process group")
@pytest.mark.parametrize("delay", [0.0, 0.6])
def test_a_run_that_is_interrupted_twice_ends_and_resumes(
    delay: float, tmp_path: Path, random_folder: Path
) -> None:
    """As by `timeout`, and by people: the second interrupt comes while the first is handled."""
    inputs = [write_json_lines(tmp_path / "in" / f"{n}.jsonl", 300, seed=n) for n in range(2)]
    command = [sys.executable, "-m", "innermost", "predict", "--model", str(random_folder)]
    command += ["--input", str(tmp_path / "in"), "--jobs", "2", "--output"]
    process = subprocess.Popen(
        [*command, str(tmp_path / "out")],
        stderr=subprocess.PIPE,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    while not (tmp_path / "out").exists():
        time.sleep(0.01)
    time.sleep(delay)
    for _ in range(3):
        os.killpg(process.pid, signal.SIGINT)
        time.sleep(0.005)
    _, said = process.communicate(timeout=60)
    assert process.returncode in (130, -signal.SIGINT, 0)
    if process.returncode == 130:  # otherwise it may have been ending by itself already
        assert b"Traceback" not in said
    subprocess.run([*command, str(tmp_path / "out"), "--resume", "-q"], check=True)
    run(inputs, tmp_path / "undisturbed", random_folder)
    for path in inputs:
        undisturbed = tmp_path / "undisturbed" / path.name
        assert (tmp_path / "out" / path.name).read_bytes() == undisturbed.read_bytes()
