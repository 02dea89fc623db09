"""API keys and CORS, through a server with both."""

from __future__ import annotations

import base64
from collections.abc import Iterator

import pytest

from helpers.running_server import RunningServer
from innermost.cli.commands.serve import serve
from innermost.errors import UsageError
from innermost.service.permissions import api_keys, origins
from innermost.service.web.assets import PAGE

PROTECTED = ("/v1/models", "/metrics", "/anything")
OPEN = (*PAGE, "/livez", "/openapi.json")
ORIGIN = "https://tool.example"


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """A server that may still be starting: nothing here needs a model."""
    log = tmp_path_factory.mktemp("guarded") / "log"
    keys = {"INNERMOST_API_KEYS": "first-key, second-key,"}
    server = RunningServer(log, "--cors-origin", ORIGIN, env=keys)
    yield server
    server.process.kill()
    server.process.wait()


def basic(password: str) -> str:
    return "Basic " + base64.b64encode(f"label-studio:{password}".encode()).decode()


@pytest.mark.parametrize(
    "authorization",
    ["", "Bearer", "Bearer wrong", "Bearer first-key,", "first-key", "Basic !", basic("wrong")],
)
@pytest.mark.parametrize("path", PROTECTED)
def test_without_a_key(guarded: RunningServer, path: str, authorization: str) -> None:
    reply = guarded.request("GET", path, headers={"Authorization": authorization})
    assert (reply.status, reply.json["error_type"]) == (401, "unauthorized")
    assert reply.headers["www-authenticate"].startswith("Bearer")


@pytest.mark.parametrize(
    "authorization", ["Bearer first-key", "bearer second-key", basic("first-key")]
)
def test_with_a_key(guarded: RunningServer, authorization: str) -> None:
    headers = {"Authorization": authorization}
    assert guarded.request("GET", "/metrics", headers=headers).status == 200
    assert guarded.request("GET", "/anything", headers=headers).status == 404


def test_a_wrong_key_is_called_wrong(guarded: RunningServer) -> None:
    missing = guarded.request("GET", "/metrics").json["error"]
    wrong = guarded.request("GET", "/metrics", headers={"Authorization": "Bearer x"}).json["error"]
    assert "needs an API key: send the header" in missing
    assert wrong == "the API key is not valid"


@pytest.mark.parametrize("value", ["", ",", " , "])
def test_keys_that_are_set_but_empty(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("INNERMOST_API_KEYS", value)
    with pytest.raises(UsageError, match="INNERMOST_API_KEYS is set, but has no key"):
        serve()


@pytest.mark.parametrize("key", ["clé", "a\tb"])
def test_keys_that_clients_encode_in_different_ways(key: str) -> None:
    with pytest.raises(UsageError, match="key 2 in INNERMOST_API_KEYS has characters") as error:
        api_keys(f"good,{key}")
    assert key not in str(error.value)


@pytest.mark.parametrize(
    "origin", ["example.com", "https://example.com/", "https://Example.com", "https://a b", ""]
)
def test_origins_that_match_nothing(origin: str) -> None:
    with pytest.raises(UsageError, match="is not an origin") as error:
        serve(cors_origin=[origin])
    assert "https://example.com" in str(error.value.hint)


def test_origins_that_browsers_send() -> None:
    sent = ("https://example.com", "http://localhost:3000", "chrome-extension://abc", "*")
    assert origins(sent) == sent


@pytest.mark.parametrize("path", OPEN)
def test_what_needs_no_key(guarded: RunningServer, path: str) -> None:
    assert guarded.request("GET", path).status == 200


def test_cors_for_the_named_origin_only(guarded: RunningServer) -> None:
    preflight = {"Access-Control-Request-Method": "POST", "Origin": ORIGIN}
    reply = guarded.request("OPTIONS", "/v1/extract", headers=preflight)
    assert (reply.status, reply.headers["access-control-allow-origin"]) == (200, ORIGIN)
    error = guarded.request("GET", "/v1/models", headers={"Origin": ORIGIN})
    assert (error.status, error.headers["access-control-allow-origin"]) == (401, ORIGIN)
    other = guarded.request("GET", "/livez", headers={"Origin": "https://other.example"})
    assert "access-control-allow-origin" not in other.headers


def test_cors_is_off_by_default(server: RunningServer) -> None:
    preflight = {"Access-Control-Request-Method": "POST", "Origin": ORIGIN}
    assert server.request("OPTIONS", "/v1/extract", headers=preflight).status == 405
    reply = server.request("GET", "/v1/models", headers={"Origin": ORIGIN})
    assert not [name for name in reply.headers if name.startswith("access-control")]
