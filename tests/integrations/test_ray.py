"""Ray gives what one process gives: row for row, byte for byte, also when a worker is killed."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from helpers.bulk import contents, random_text, run, write_json_lines
from helpers.cli import innermost, ok
from innermost import load
from innermost.bulk.settings import Settings
from innermost.errors import ModelError, ResourceError, UsageError

pytest.importorskip("ray.data", reason="needs the extra ray")

ROWS = 60


@pytest.fixture(scope="module")
def ray() -> Iterator[Any]:
    import ray

    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    ray.init(num_cpus=2, include_dashboard=False, logging_level="warning", log_to_driver=False)
    yield ray
    ray.shutdown()


@pytest.fixture
def inputs(tmp_path: Path) -> Path:
    folder = tmp_path / "in"
    for number in range(2):
        with write_json_lines(folder / f"{number}.jsonl", ROWS, seed=number).open("ab") as file:
            file.write(b'{"text": null}\n')
    return folder


def test_rows_of_a_dataset_are_those_of_the_model(ray: Any, random_folder: Path) -> None:
    from innermost.integrations.ray import extract

    texts = [None if n % 7 == 4 else random_text(n) for n in range(ROWS)]
    rows = [{"key": n, "body": text, "error": "old"} for n, text in enumerate(texts)]
    dataset = ray.data.from_items(rows, override_num_blocks=5)
    with pytest.raises(UsageError, match="no column 'text'"):
        extract(dataset, model=random_folder)
    result = extract(dataset, text="body", model=random_folder, actors=2).take_all()
    nlp = load(random_folder, threads=1)
    for number, (row, text) in enumerate(zip(result, texts, strict=True)):
        assert (row["key"], row["body"]) == (number, text)
        if text is None:
            assert (row["entities"], row["error"]) == (None, "the text is null")
        else:
            assert (row["entities"], row["error"]) == (nlp(text).to_dict()["entities"], None)


def test_columns_that_hold_no_texts_are_errors_of_rows(ray: Any, random_folder: Path) -> None:
    import pyarrow

    from innermost.integrations.ray import extract

    damaged = pyarrow.array([b"the gene", b"\xff", b"alpha"]).view(pyarrow.string())
    table = pyarrow.table({"number": [1, 2, 3], "text": damaged})

    def errors(column: str) -> list[str | None]:
        result = extract(ray.data.from_arrow(table), text=column, model=random_folder)
        return [row["error"] for row in result.select_columns(["number", "error"]).take_all()]

    assert errors("text") == [None, "not UTF-8", None]
    assert errors("number") == ["the text is a number, not a string"] * 3


def test_files_are_those_of_one_process(
    ray: Any, inputs: Path, tmp_path: Path, random_folder: Path
) -> None:
    from innermost.integrations.ray import engine

    run([inputs], tmp_path / "one", random_folder)
    progress = run([inputs], tmp_path / "ray", random_folder, engine=engine(jobs=2))
    assert progress.counts.rejected == 2
    assert contents(tmp_path / "ray") == contents(tmp_path / "one")
    again = run([inputs], tmp_path / "ray", random_folder, engine=engine(jobs=2), resume=True)
    assert again.rows_now == 0


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks for processes in /proc")
def test_a_killed_worker_is_replaced(
    ray: Any, inputs: Path, tmp_path: Path, random_folder: Path
) -> None:
    """Killed from outside while the run is under way, twice."""
    from innermost.integrations.ray import engine

    kills = 0
    done = threading.Event()

    def kill() -> None:
        nonlocal kills
        parts = tmp_path / "ray" / ".bulk" / "parts"
        while kills < 2 and not done.wait(0.01):
            actors = _actor_processes() if list(parts.glob("*/*.json")) else []
            if actors:
                os.kill(actors[0], signal.SIGKILL)
                kills += 1
                time.sleep(0.2)

    killer = threading.Thread(target=kill)
    killer.start()
    try:
        run([inputs], tmp_path / "ray", random_folder, engine=engine(jobs=2))
    finally:
        done.set()
        killer.join()
    assert kills
    run([inputs], tmp_path / "one", random_folder)
    assert contents(tmp_path / "ray") == contents(tmp_path / "one")


def _actor_processes() -> list[int]:
    """Of this process: Ray names them after what they run, and they are children of its child."""
    processes = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            if (path / "cmdline").read_bytes().startswith(b"ray::_BlockPredictor"):
                number = int(path.name)
                if _parent(_parent(number)) == os.getpid():
                    processes.append(number)
        except OSError:
            continue
    return processes


def _parent(process: int) -> int:
    return int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])


def test_a_cluster_without_a_gpu(
    ray: Any, inputs: Path, tmp_path: Path, random_folder: Path
) -> None:
    """Its actors would wait forever."""
    from innermost.integrations.ray import engine

    if ray.cluster_resources().get("GPU"):
        pytest.skip("this machine has a GPU")
    settings = Settings(device="cuda")
    with pytest.raises(ResourceError, match="has no GPU"):
        run([inputs], tmp_path / "x", random_folder, engine=engine(jobs=2), settings=settings)


def test_another_model_on_a_node_is_refused(ray: Any, random_folder: Path) -> None:
    import pickle

    from innermost.integrations.ray import _Predictor

    predictor = pickle.loads(pickle.dumps(_Predictor(random_folder, Settings(), 1)))
    predictor._model = predictor._model._replace(checksum="0" * 64)
    with pytest.raises(ModelError, match="another model on this node"):
        _ = predictor.worker


def test_the_command(inputs: Path, tmp_path: Path, random_folder: Path) -> None:
    arguments = ("predict", "--model", random_folder, "--input", inputs, "--output")
    ok(*arguments, tmp_path / "ray", "--engine", "ray", "--jobs", 2)
    ok(*arguments, tmp_path / "local", "--jobs", 1)
    assert contents(tmp_path / "ray") == contents(tmp_path / "local")
    other = innermost(*arguments, tmp_path / "x", "--engine", "dask")
    assert (other.code, "local or ray" in other.err) == (2, True)
    alone = innermost(*arguments, tmp_path / "x", "--address", "auto")
    assert (alone.code, "--engine ray" in alone.err) == (2, True)
