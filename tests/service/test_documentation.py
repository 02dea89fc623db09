"""docs/service.md matches the service."""

from __future__ import annotations

import re
from pathlib import Path

import typer

from helpers.running_server import RunningServer
from innermost.cli.app import app

PAGE = (Path(__file__).parent.parent.parent / "docs" / "service.md").read_text(encoding="utf-8")


def test_every_option_is_described() -> None:
    command = typer.main.get_command(app).get_command(None, "serve")  # type: ignore[attr-defined]
    options = {name for parameter in command.params for name in parameter.opts}
    long = {name for name in options if name.startswith("--")} - {"--quiet", "--verbose"}
    described = set(re.findall(r"--[a-z-]+", PAGE))
    assert {name.replace("--access-log", "--no-access-log") for name in long} <= described


def test_every_metric_is_described(server: RunningServer) -> None:
    server.extract(text="IL-2 gene")
    text = server.request("GET", "/metrics").body.decode()
    assert set(re.findall(r"# TYPE (\w+)", text)) == set(re.findall(r"innermost_\w+", PAGE))


def test_every_error_type_is_described() -> None:
    folder = Path(__file__).parent.parent.parent / "src" / "innermost" / "service"
    source = "".join(path.read_text(encoding="utf-8") for path in folder.rglob("*.py"))
    calls = re.findall(r'(?:ServiceError\(\s*\d+,|unavailable\(|_refuse\(\d+,)\s*"(\w+)"', source)
    assert len(calls) > 10
    assert [name for name in calls if f"`{name}`" not in PAGE] == []
