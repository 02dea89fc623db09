"""Drives a real headless Chromium over the pipe of its DevTools protocol; needs no package."""

from __future__ import annotations

import base64
import fcntl
import json
import os
import shutil
import subprocess
import tempfile
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from select import select
from typing import Any

EXECUTABLE = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)

_FLAGS = [
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    *("--disable-dev-shm-usage", "--hide-scrollbars", "--force-color-profile=srgb"),
    "--remote-debugging-pipe",
]
_PATIENCE = 120.0
"""Seconds after which something must be broken, even on a busy machine."""
_POLL = 0.03


class ScriptError(Exception):
    """JavaScript that threw."""


class Browser:
    """A browser with a temporary profile."""

    def __init__(self) -> None:
        if EXECUTABLE is None:
            raise FileNotFoundError("no Chromium is installed")
        self._profile = tempfile.TemporaryDirectory(prefix="chromium-", ignore_cleanup_errors=True)
        commands_out, self._commands = os.pipe()
        self._answers, answers_in = os.pipe()

        def connect() -> None:
            """Chromium reads commands from descriptor 3 and writes answers to descriptor 4."""
            ends = [fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in (commands_out, answers_in)]
            for number, end in zip((3, 4), ends, strict=True):
                os.dup2(end, number)

        self._process = subprocess.Popen(
            [EXECUTABLE, *_FLAGS, f"--user-data-dir={self._profile.name}", "about:blank"],
            preexec_fn=connect,
            pass_fds=(3, 4),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(commands_out)
        os.close(answers_in)
        self._buffer = b""
        self._number = 0
        self.events: deque[dict[str, Any]] = deque(maxlen=1000)

    def close(self) -> None:
        for descriptor in (self._commands, self._answers):
            os.close(descriptor)
        self._process.terminate()
        self._process.wait(timeout=_PATIENCE)
        self._profile.cleanup()

    def send(self, method: str, session: str | None = None, /, **parameters: Any) -> Any:
        """Call a method and return its result."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if session is not None:
            message["sessionId"] = session
        content = json.dumps(message).encode() + b"\0"
        while content:
            content = content[os.write(self._commands, content) :]
        while True:
            answer = self._receive()
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise ScriptError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def _receive(self) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            if not select([self._answers], [], [], _PATIENCE)[0]:
                raise TimeoutError("Chromium does not answer")
            content = os.read(self._answers, 1 << 20)
            if not content:
                raise ConnectionError("Chromium has ended")
            self._buffer += content
        line, _, self._buffer = self._buffer.partition(b"\0")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def tab(self, width: int = 1000, height: int = 800) -> Tab:
        return Tab(self, width, height)


class Tab:
    """One page in a separate browsing context."""

    def __init__(self, browser: Browser, width: int, height: int) -> None:
        self.browser = browser
        self.context = browser.send("Target.createBrowserContext")["browserContextId"]
        target = browser.send(
            "Target.createTarget", url="about:blank", browserContextId=self.context
        )["targetId"]
        attached = browser.send("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")
        self.resize(width, height)

    def reset(self) -> None:
        """An empty page and the default window, without any earlier state."""
        self.open("about:blank")
        self.send("Emulation.setTouchEmulationEnabled", enabled=False)
        self.resize(1000, 800)
        self.dark(False)
        self.browser.events.clear()

    def close(self) -> None:
        self.browser.send("Target.disposeBrowserContext", browserContextId=self.context)

    def send(self, method: str, /, **parameters: Any) -> Any:
        return self.browser.send(method, self._session, **parameters)

    def resize(self, width: int, height: int, *, scale: float = 1, phone: bool = False) -> None:
        self.send(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=scale,
            mobile=phone,
        )

    def dark(self, dark: bool = True) -> None:
        feature = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.send("Emulation.setEmulatedMedia", features=[feature])

    def open(self, address: str) -> None:
        self.run("window.left = true")
        self.send("Page.navigate", url=address)
        self.until("!window.left && document.readyState === 'complete'")

    def show(self, html: str, folder: Path) -> None:
        """Open a page given as its source."""
        path = folder / "page.html"
        path.write_text(html, encoding="utf-8")
        self.open(path.as_uri())

    def run(self, script: str) -> Any:
        """The value of an expression; promises are awaited."""
        answer = self.send(
            "Runtime.evaluate",
            expression=script,
            returnByValue=True,
            awaitPromise=True,
            userGesture=True,
        )
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise ScriptError(details.get("exception", {}).get("description", details["text"]))
        return answer["result"].get("value")

    def until(self, script: str) -> None:
        """Wait until an expression is true."""
        self.wait(lambda: self.run(f"Boolean({script})"), script)

    def wait(self, condition: Callable[[], Any], what: str) -> Any:
        end = time.monotonic() + _PATIENCE
        while time.monotonic() < end:
            try:
                if value := condition():
                    return value
            except ScriptError as error:
                # While a page is being replaced, it cannot be queried.
                if "context" not in str(error):
                    raise
            time.sleep(_POLL)
        raise TimeoutError(f"never true: {what}")

    def key(self, name: str, *, modifiers: int = 0) -> None:
        text = {"Enter": "\r", "Space": " "}.get(name)
        key = " " if name == "Space" else name
        code = {"ArrowUp": 38, "ArrowDown": 40, "ArrowLeft": 37, "ArrowRight": 39, "Tab": 9}
        code |= {"Enter": 13, "Escape": 27, "Home": 36, "End": 35, "Space": 32}
        values = {
            "key": key,
            "code": name,
            "windowsVirtualKeyCode": code[name],
            "modifiers": modifiers,
        }
        down = {"type": "keyDown", "text": text} if text else {"type": "rawKeyDown"}
        self.send("Input.dispatchKeyEvent", **down, **values)
        self.send("Input.dispatchKeyEvent", type="keyUp", **values)

    def insert(self, text: str) -> None:
        """Type text into the focused element."""
        self.send("Input.insertText", text=text)

    def mouse(self, x: float, y: float, *, click: bool = False) -> None:
        self.send("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        if click:
            for kind in ("mousePressed", "mouseReleased"):
                self.send(
                    "Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1
                )

    def tap(self, x: float, y: float) -> None:
        self.send("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": x, "y": y}])
        self.send("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])

    def accessible(self) -> list[dict[str, Any]]:
        """The accessibility tree: what a screen reader gets, as (role, name) and the rest."""
        self.send("Accessibility.enable")
        nodes = self.send("Accessibility.getFullAXTree")["nodes"]
        return [
            {
                "role": node.get("role", {}).get("value"),
                "name": node.get("name", {}).get("value"),
                "description": node.get("description", {}).get("value"),
                "properties": {
                    p["name"]: p["value"].get("value") for p in node.get("properties", [])
                },
            }
            for node in nodes
            if not node["ignored"]
        ]

    def complaints(self) -> list[str]:
        """Errors on the console: exceptions, refused loads, broken policies."""
        found = []
        for event in self.browser.events:
            if event.get("sessionId") != self._session:
                continue
            values = event["params"]
            if event["method"] == "Runtime.exceptionThrown":
                details = values["exceptionDetails"]
                found.append(details.get("exception", {}).get("description", details["text"]))
            elif event["method"] == "Log.entryAdded" and values["entry"]["level"] == "error":
                found.append(values["entry"]["text"])
        return found

    def requests(self) -> list[str]:
        """The URL of every request."""
        return [
            event["params"]["request"]["url"]
            for event in self.browser.events
            if event.get("sessionId") == self._session
            and event["method"] == "Network.requestWillBeSent"
        ]

    def screenshot(self, path: Path | str, *, whole: bool = False) -> None:
        answer = self.send("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        Path(path).write_bytes(base64.b64decode(answer["data"]))
