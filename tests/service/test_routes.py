"""Models, health, metrics, the page and the contract."""

from __future__ import annotations

from http.client import HTTPResponse
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from helpers.running_server import RunningServer
from innermost.model_folder.installed import installed
from innermost.model_folder.manifest import folder_checksum
from innermost.service.web.assets import PAGE
from innermost.service.web.openapi import openapi

ROOT = Path(__file__).parent.parent.parent


def test_models(server: RunningServer) -> None:
    answer = server.request("GET", "/v1/models").json
    genia, litbank = answer["models"]
    assert (genia["name"], genia["default"]) == ("genia", True)
    assert (litbank["name"], litbank["default"]) == ("litbank", False)
    assert genia["types"] == ["DNA", "RNA", "cell_line", "cell_type", "protein"]
    assert genia["version"] == folder_checksum(installed()["genia"])[:12]
    assert answer["limits"] == {"max_body": 300_000, "max_texts": 50}


def test_health(server: RunningServer) -> None:
    assert server.request("GET", "/livez").json == {"status": "alive"}
    assert server.request("GET", "/readyz").json == {"status": "ready"}


def test_probes_are_logged_only_if_they_fail(server: RunningServer) -> None:
    server.request("GET", "/livez", headers={"X-Request-ID": "a-probe"})
    server.request("POST", "/livez", headers={"X-Request-ID": "not-a-probe"})
    server.wait_for(lambda: "not-a-probe" in server.log_text())
    assert "a-probe" not in [event.get("request_id") for event in server.events()]


def test_metrics(server: RunningServer) -> None:
    server.extract(texts=["The IL-2 gene is active."] * 3)
    server.post("/v1/extract", {})
    text = server.request("GET", "/metrics").body.decode()
    families = {family.name: family for family in text_string_to_metric_families(text)}
    outcomes = {
        sample.labels["outcome"]
        for sample in families["innermost_requests"].samples
        if sample.labels["route"] == "/v1/extract"
    }
    assert {"ok", "invalid_request"} <= outcomes
    stages = {sample.labels.get("stage") for sample in families["innermost_stage_seconds"].samples}
    assert stages == {"tokenize", "encode", "decode"}
    for name in ("request_seconds", "queue_seconds", "batch_sentences", "batch_tokens"):
        assert families[f"innermost_{name}"].type == "histogram"
    for name in ("queue_length", "queue_tokens", "requests_in_flight"):
        assert families[f"innermost_{name}"].samples[0].value == 0
    assert families["innermost_workers_ready"].samples[0].value == 1


@pytest.mark.parametrize(
    ("sent", "status", "outcome"),
    [
        (b"GARBAGE\r\n\r\n", 400, "bad_request"),
        (b"GET / HTTP/1.1\r\nX: " + b"x" * 70_000, 431, "head_too_large"),
    ],
)
def test_requests_without_a_complete_head_leave_a_trace(
    server: RunningServer, sent: bytes, status: int, outcome: str
) -> None:
    with server.socket() as connection:
        connection.sendall(sent)
        response = HTTPResponse(connection)
        response.begin()
        response.read()
    assert response.status == status
    requests = [event for event in server.events() if event["event"] == "request"]
    (event,) = [e for e in requests if e["request_id"] == response.headers["X-Request-ID"]]
    assert (event["method"], event["route"]) == (None, "other")
    assert (event["status"], event["outcome"]) == (status, outcome)
    counter = f'innermost_requests_total{{route="other",outcome="{outcome}"}}'
    assert counter in server.request("GET", "/metrics").body.decode()


def test_the_contract_is_the_committed_one(server: RunningServer) -> None:
    """After a change: ``python -m innermost.service.web.openapi > docs/openapi.json``."""
    committed = (ROOT / "docs" / "openapi.json").read_bytes()
    assert openapi() == committed
    assert server.request("GET", "/openapi.json").body == committed


def test_the_page_comes_from_memory(server: RunningServer) -> None:
    folder = ROOT / "src" / "innermost"
    for path, (name, kind) in PAGE.items():
        reply = server.request("GET", path)
        assert (reply.status, reply.headers["content-type"]) == (200, kind)
        assert reply.body == (folder / name).read_bytes()
        policy = reply.headers["content-security-policy"]
        assert "default-src 'none'; script-src 'self'; style-src 'self'" in policy
        assert "unsafe" not in policy
        assert reply.headers["x-content-type-options"] == "nosniff"
        etag = reply.headers["etag"]
        again = server.request("GET", path, headers={"If-None-Match": etag})
        assert (again.status, again.body, again.headers["etag"]) == (304, b"", etag)


def test_nothing_else_is_served(server: RunningServer) -> None:
    for path in (
        *("/page", "/page/", "/page/page.js", "/page/../page.js", "/index.html", "/list_views"),
        *("/../server.py", "/%2e%2e/server.py", "//etc"),
    ):
        assert server.request("GET", path).status == 404
