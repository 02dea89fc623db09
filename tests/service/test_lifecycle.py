"""Starting, stopping under load, workers that die, clients that disconnect, overload."""

from __future__ import annotations

import http.client
import io
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import msgspec
import onnxruntime
import pytest

import innermost
from helpers.running_server import LONG, RunningServer, exchange, running
from helpers.streaming import HEAD as STREAM
from helpers.streaming import ChunkedReader, chunk
from innermost.cli.commands.serve import _sources, serve
from innermost.errors import MissingExtraError, ModelError, UsageError
from innermost.service.jobs import Failed, Greeting, read_frame
from innermost.service.prediction import Predictor
from innermost.service.processes import worker
from innermost.service.settings import ModelSource

TEXT = "The human interleukin-2 receptor alpha chain gene promoter is bound by NF-kappa B."
ONE = ("--model", "genia", "--workers", "1")
JSON = {"Content-Type": "application/json"}


class Load(threading.Thread):
    """A client that sends one request after another over kept connections, until stopped.

    As clients do, it opens a new connection when the server has closed the old one; a request that
    was sent on a connection which the server then closed without an answer counts as lost.
    """

    def __init__(self, server: RunningServer, number: int) -> None:
        super().__init__()
        self._server = server
        self._text = f"{TEXT} Sample {number}."
        self._expected = innermost.load("genia")(self._text).to_dict()["entities"]
        self.answered = 0
        self.problems: list[str] = []
        self.stopping = threading.Event()

    def run(self) -> None:
        connection = self._server.connect()
        while not self.stopping.is_set():
            try:
                connection.connect()
            except OSError:
                return  # the port is closed
            self._use(connection)
            connection.close()

    def _use(self, connection: http.client.HTTPConnection) -> None:
        while not self.stopping.is_set():
            try:
                reply = exchange(connection, "POST", "/v1/extract", {"text": self._text}, JSON)
            except (OSError, http.client.HTTPException) as error:
                self.problems.append(repr(error))
                return
            if reply.status != 200:
                self.problems.append(f"{reply.status} {reply.body!r}")
                return
            spans = [(e["start"], e["end"]) for e in reply.json["documents"][0]["entities"]]
            if spans != [(e["start"], e["end"]) for e in self._expected]:
                self.problems.append("a wrong answer")
            self.answered += 1
            if reply.headers.get("connection") == "close":
                return


def start_load(server: RunningServer, clients: int) -> list[Load]:
    load = [Load(server, number) for number in range(clients)]
    for client in load:
        client.start()
    end = time.monotonic() + LONG
    while any(client.answered < 3 for client in load) and time.monotonic() < end:
        time.sleep(0.01)
    return load


def test_sigterm_under_load(tmp_path: Path) -> None:
    options = (*ONE, "--drain", "0.7")
    with running(tmp_path / "log", *options) as server:
        load = start_load(server, clients=8)
        server.process.send_signal(signal.SIGTERM)
        server.wait_for_event("draining")
        reply = server.request("GET", "/readyz")
        assert (reply.status, reply.json["error_type"]) == (503, "draining")
        assert server.request("GET", "/livez").status == 200
        before = sum(client.answered for client in load)
        assert server.process.wait(LONG) == 0
        for client in load:
            client.join(LONG)
        assert [client.problems for client in load] == [[]] * len(load)
        assert sum(client.answered for client in load) > before
        assert [line["event"] for line in server.events()][-1] == "stopped"


def test_sigterm_ends_an_open_stream_in_order(tmp_path: Path) -> None:
    with running(tmp_path / "log", *ONE, "--drain", "0") as server, server.socket() as connection:
        connection.sendall(STREAM + chunk(b'{"text": "IL-2 gene"}\n'))
        reader = ChunkedReader(connection)
        assert reader.line()["line"] == 1
        server.process.send_signal(signal.SIGTERM)
        last = reader.line()
        assert (last["line"], last["error_type"]) == (2, "draining")
        assert reader.line() is None  # the response is complete
        connection.close()
        assert server.process.wait(LONG) == 0
        events = server.events()
        (outcome,) = [e["outcome"] for e in events if e.get("route") == "/v1/extract/stream"]
        assert outcome == "draining"
        assert not [event for event in events if event["level"] == "error"]


def test_ctrl_c_ends_without_the_wait(tmp_path: Path) -> None:
    with running(tmp_path / "log", *ONE, "--drain", "600") as server:
        server.process.send_signal(signal.SIGINT)
        assert server.process.wait(LONG) == 0
        with pytest.raises(OSError), server.socket():
            pass


def test_a_worker_killed_under_load_is_replaced(tmp_path: Path) -> None:
    options = ("--model", "genia", "--workers", "2", "--threads", "1", "--drain", "0")
    with running(tmp_path / "log", *options) as server:
        server.wait_for_event("worker ready", count=2)
        load = start_load(server, clients=8)
        os.kill(server.worker_pids()[0], signal.SIGKILL)
        server.wait_for_event("worker lost")
        assert server.request("GET", "/readyz").status == 200
        server.wait_for_event("worker ready", count=3)
        for client in load:
            client.stopping.set()
        for client in load:
            client.join(LONG)
        assert [client.problems for client in load] == [[]] * len(load)
        assert (
            "innermost_worker_restarts_total 1" in server.request("GET", "/metrics").body.decode()
        )


@pytest.mark.parametrize("pause", [0.0, 0.5])
def test_an_idle_worker_that_is_killed_is_replaced(tmp_path: Path, pause: float) -> None:
    """Whether the next request comes before or after its end was noticed."""
    pytest.importorskip("uvloop", reason="its pipes behave differently from asyncio's")
    with running(tmp_path / "log", *ONE) as server:
        assert server.post("/v1/extract", {"text": "IL-2 gene"}).status == 200
        os.kill(server.worker_pids()[0], signal.SIGKILL)
        time.sleep(pause)
        assert server.post("/v1/extract", {"text": "IL-2 gene"}).status == 200
        assert [event["event"] for event in server.events()].count("worker lost") == 1


def test_no_worker_outlives_its_server(tmp_path: Path) -> None:
    with running(tmp_path / "log", *ONE) as server:
        (pid,) = server.worker_pids()
        server.process.kill()
        server.process.wait()
        server.wait_for(lambda: not _alive(pid))


def test_overload_departures_and_timeouts(tmp_path: Path) -> None:
    """A stopped worker blocks the queue."""
    options = (*ONE, "--max-requests", "3", "--timeout", "2", "--drain", "0")
    with running(tmp_path / "log", *options) as server:
        (worker,) = server.worker_pids()
        os.kill(worker, signal.SIGSTOP)
        stuck = [server.connect() for _ in range(3)]
        for client in stuck:
            client.request("POST", "/v1/extract", b'{"text": "IL-2 gene"}', JSON)
        server.wait_for_metric("innermost_requests_in_flight 3")

        refused = server.post("/v1/extract", {"text": "one more"})
        assert (refused.status, refused.json["error_type"]) == (429, "overloaded")
        assert refused.json["detail"] == {"max_requests": 3}
        assert int(refused.headers["retry-after"]) >= 1

        stuck[0].close()  # the first is with the worker, the others wait
        stuck[1].close()
        server.wait_for_metric("innermost_abandoned_total 2")
        server.wait_for_metric("innermost_requests_in_flight 1")
        late = stuck[2].getresponse()
        assert (late.status, json.loads(late.read())["error_type"]) == (503, "timeout")

        os.kill(worker, signal.SIGCONT)
        assert server.post("/v1/extract", {"text": "IL-2 gene"}).status == 200


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"model": ["no-such-model"]}, ModelError, "no model and no folder 'no-such-model'"),
        ({"model": ["genia", "genia"]}, UsageError, "two models are named 'genia'"),
        ({"model": ["genia:mentions"]}, UsageError, "no layer 'mentions'"),
        ({"device": "tpu"}, UsageError, "unknown device 'tpu'"),
        ({"host": "256.1.1.1"}, UsageError, "cannot listen on 256.1.1.1"),
    ],
)
def test_what_keeps_it_from_starting(
    options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        serve(**options)


def test_models_have_the_names_that_they_have_everywhere(tmp_path: Path) -> None:
    """A copy in another folder keeps its name; a snapshot of the Hub is not named by its commit."""
    copy = tmp_path / "copy"
    snapshot = tmp_path / "models--org--mine" / "snapshots" / "0123456789abcdef"
    for folder in (copy, snapshot):
        shutil.copytree(innermost.load("genia").folder, folder)
    text = (snapshot / "model.toml").read_text(encoding="utf-8")
    (snapshot / "model.toml").write_text(text.replace('name = "genia"\n', ""), encoding="utf-8")
    (snapshot / "SHA256SUMS").unlink()
    folders = [copy, snapshot]
    names = [source.name for source in _sources([str(folder) for folder in folders])]
    assert names == [innermost.load(folder).name for folder in folders] == ["genia", "mine"]
    with pytest.raises(UsageError, match="two models are named 'genia'"):
        list(_sources(["genia", str(copy)]))


def test_a_gpu_that_is_missing_is_an_error_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(onnxruntime, "get_available_providers", lambda: ["CPUExecutionProvider"])
    with pytest.raises(UsageError, match="built without CUDA"):
        serve(device="cuda")


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "innermost.service.server", raising=False)
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    with pytest.raises(MissingExtraError, match=r"innermost\[serve\]"):
        serve()


def test_a_port_in_use() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(UsageError, match="--port"):
        serve(port=taken.getsockname()[1])


def test_a_damaged_model_ends_the_start(tmp_path: Path) -> None:
    source = Path(innermost.load("genia").folder)
    for path in source.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / "encoder.onnx").write_bytes(b"damaged")
    command = [sys.executable, "-m", "innermost", "serve", "--model", str(tmp_path), "--port", "0"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=LONG, check=False)
    assert result.returncode == 1
    assert "encoder.onnx" in result.stderr
    assert "Traceback" not in result.stderr


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    # A process whose parent is gone may become a zombie.
    status = Path(f"/proc/{pid}/stat")
    return not status.exists() or status.read_text().rpartition(")")[2].split()[0] != "Z"


def test_a_model_that_cannot_predict_is_a_failed_start(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(self: Predictor) -> None:
        raise RuntimeError("no such kernel")

    monkeypatch.setattr(Predictor, "warm_up", fail)
    answers = io.BytesIO()
    source = ModelSource("genia", str(innermost.load("genia").folder))
    worker.serve(worker.Assignment([source], 1, "cpu"), io.BytesIO(), answers)
    answers.seek(0)
    greeting = msgspec.msgpack.decode(read_frame(answers) or b"", type=Greeting)
    assert greeting == Failed("the models cannot predict: RuntimeError: no such kernel")
