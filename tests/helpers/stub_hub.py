"""A small stand-in for the HTTP API of the Hugging Face Hub: what up- and downloads need."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import unquote, urlsplit

COMMIT = "0123456789abcdef0123456789abcdef01234567"


class StubHub(ThreadingHTTPServer):
    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.files: dict[str, dict[str, bytes]] = {}
        """By repository and name."""
        self.requests: list[str] = []

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    server: StubHub

    def log_message(self, *arguments: object) -> None:
        pass

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        parts = self._parts()
        if parts[:2] == ["api", "models"] and len(parts) >= 4:
            self._repository("/".join(parts[2:4]), parts[4:])
        elif len(parts) >= 5 and parts[2] == "resolve":
            self._file("/".join(parts[:2]), "/".join(parts[4:]))
        else:
            self._json({"error": "not found"}, 404)

    def do_POST(self) -> None:
        parts = self._parts()
        body = self._body()
        if parts == ["api", "repos", "create"]:
            wanted = json.loads(body)
            name = "/".join(filter(None, [wanted.get("organization"), wanted["name"]]))
            self.server.files.setdefault(name, {})
            self._json({"url": f"{self.server.endpoint}/{name}", "name": name})
        elif parts == ["api", "validate-yaml"]:
            self._json({"errors": [], "warnings": []})
        elif parts[4:5] == ["preupload"]:
            paths = [file["path"] for file in json.loads(body)["files"]]
            modes = [{"path": p, "uploadMode": "regular", "shouldIgnore": False} for p in paths]
            self._json({"files": modes, "commitOid": COMMIT})
        elif parts[4:5] == ["commit"]:
            self._commit("/".join(parts[2:4]), body)
        else:
            self._json({"error": "not found"}, 404)

    def _commit(self, repository: str, body: bytes) -> None:
        for line in body.splitlines():
            item = json.loads(line)
            if item["key"] == "file":
                content = base64.b64decode(item["value"]["content"])
                self.server.files[repository][item["value"]["path"]] = content
        self._json(
            {
                "commitUrl": f"{self.server.endpoint}/{repository}/commit/{COMMIT}",
                "commitOid": COMMIT,
            }
        )

    def _repository(self, name: str, rest: list[str]) -> None:
        files = self.server.files.get(name)
        if files is None:
            self._json({"error": "Repository not found"}, 404, {"X-Error-Code": "RepoNotFound"})
        elif rest[:1] == ["tree"]:
            self._json(
                [
                    {"type": "file", "path": n, "size": len(d), "oid": _etag(d)}
                    for n, d in files.items()
                ]
            )
        else:
            self._json(
                {
                    "id": name,
                    "modelId": name,
                    "sha": COMMIT,
                    "private": False,
                    "tags": [],
                    "downloads": 0,
                    "likes": 0,
                    "siblings": [{"rfilename": n} for n in files],
                }
            )

    def _file(self, repository: str, name: str) -> None:
        data = self.server.files[repository][name]
        headers = {"ETag": f'"{_etag(data)}"', "X-Repo-Commit": COMMIT}
        self._answer(data, 200, headers | {"Content-Type": "application/octet-stream"})

    def _parts(self) -> list[str]:
        self.server.requests.append(f"{self.command} {self.path}")
        return [unquote(part) for part in urlsplit(self.path).path.strip("/").split("/")]

    def _body(self) -> bytes:
        if "chunked" not in self.headers.get("Transfer-Encoding", ""):
            return self.rfile.read(int(self.headers.get("Content-Length", 0)))
        chunks = b""
        while size := int(self.rfile.readline(), 16):
            chunks += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return chunks

    def _json(self, value: Any, status: int = 200, headers: dict[str, str] | None = None) -> None:
        content = {"Content-Type": "application/json"}
        self._answer(json.dumps(value).encode(), status, content | (headers or {}))

    def _answer(self, data: bytes, status: int, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)


@contextmanager
def stub_hub() -> Iterator[StubHub]:
    with StubHub() as server:
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def _etag(data: bytes) -> str:
    return hashlib.sha1(data).hexdigest()
