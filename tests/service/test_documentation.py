"""docs/service.md matches the service."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer

from helpers.running_server import RunningServer
from innermost.cli.app import app
from innermost.service.errors import ServiceError
from innermost.service.label_studio.config import LabelingConfigError
from innermost.service.web.errors import status_of

PAGE = (Path(__file__).parent.parent.parent / "docs" / "service.md").read_text(encoding="utf-8")


def test_every_option_is_described() -> None:
    command = typer.main.get_command(app).get_command(None, "serve")  # type: ignore[attr-defined]
    options = {name for parameter in command.params for name in parameter.opts}
    long = {name for name in options if name.startswith("--")} - {"--quiet", "--verbose"}
    described = set(re.findall(r"--[a-z-]+", PAGE))
    assert {name.replace("--access-log", "--no-access-log") for name in long} <= described


def test_the_answers_are_those_of_the_shipped_model(server: RunningServer) -> None:
    (shown,) = re.findall(r"```json\n(\{\"model\".*?)```", PAGE, re.DOTALL)
    (request,) = re.findall(r"-d '(\{\"text\".*?\})'", PAGE)
    reply = server.post("/v1/extract", json.loads(request)).json
    expected = json.loads(shown)
    for entity in expected["documents"][0]["entities"]:
        entity["score"] = pytest.approx(entity["score"], abs=1e-3)
    assert reply == expected
    assert set(re.findall(r"genia@(\w+)", PAGE)) == {reply["version"]}


def test_every_metric_is_described(server: RunningServer) -> None:
    server.extract(text="IL-2 gene")
    text = server.request("GET", "/metrics").body.decode()
    assert set(re.findall(r"# TYPE (\w+)", text)) == set(re.findall(r"innermost_\w+", PAGE))


def test_every_error_is_described_with_its_status() -> None:
    folder = Path(__file__).parent.parent.parent / "src" / "innermost" / "service"
    source = "".join(path.read_text(encoding="utf-8") for path in folder.rglob("*.py"))
    errors = {
        (status_of(kind.__new__(kind)), kind.error_type)
        for kind in subclasses(ServiceError)
        if hasattr(kind, "error_type")
    }
    assert (422, LabelingConfigError.error_type) in errors
    calls = re.findall(r'(?:HttpError|_refuse)\(\s*(\d+),\s*"(\w+)"', source)
    errors |= {(int(status), error_type) for status, error_type in calls}
    rows = re.findall(r"^\| (\d{3}) \| ([^|]+) \|", PAGE, flags=re.MULTILINE)
    assert errors == {(int(status), t) for status, types in rows for t in re.findall(r"\w+", types)}


def subclasses(kind: type[ServiceError]) -> Iterator[type[ServiceError]]:
    for inner in kind.__subclasses__():
        yield inner
        yield from subclasses(inner)
