"""uvicorn with limits for slow clients and an orderly shutdown."""

from __future__ import annotations

import asyncio
import gc
import importlib.util
import signal
import socket
from contextlib import suppress
from types import FrameType
from typing import Any

import uvicorn

from innermost.errors import UsageError
from innermost.service import logs
from innermost.service.application import application
from innermost.service.service import Service
from innermost.service.settings import Settings
from innermost.service.web.connections import connection_class

_BACKLOG = 2048
_LOCAL = ("127.0.0.1", "::1", "localhost")


def serve(settings: Settings) -> None:
    """Run until a signal. Raises if the port cannot be opened or a model cannot be loaded."""
    port = _listen(settings.host, settings.port)
    server = Server(settings)
    server.run(sockets=[port])
    if server.failure is not None:
        raise server.failure


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=_BACKLOG)
    except OSError as error:
        raise UsageError(
            f"cannot listen on {host}, port {port}: {error.strerror}",
            hint="choose another one: --port N (0 takes a free one), --host ADDRESS",
        ) from None


class Server(uvicorn.Server):
    """Serves, and drains when asked to stop.

    SIGTERM: readiness turns to 503 immediately, requests are still answered while load balancers
    notice, then the port is closed, streams are ended, other accepted requests are finished, and
    the process exits with 0.
    SIGINT, or a second SIGTERM: the same without the wait. A further one: exits immediately.
    """

    def __init__(self, settings: Settings) -> None:
        self.service = Service(settings)
        self.failure: BaseException | None = None
        uvloop = importlib.util.find_spec("uvloop") is not None
        super().__init__(
            uvicorn.Config(
                application(self.service),
                host=settings.host,
                port=settings.port,
                loop="uvloop" if uvloop else "asyncio",
                http=connection_class(self.service),
                ws="none",
                lifespan="off",
                log_config=None,
                access_log=False,
                server_header=False,
                timeout_keep_alive=settings.keep_alive,  # type: ignore[arg-type]
                timeout_graceful_shutdown=int(settings.timeout) + 1,
            )
        )

    async def startup(self, sockets: Any = None) -> None:
        self._loop = asyncio.get_running_loop()
        self.service.pool.start()
        self._watcher = self._loop.create_task(self._watch_pool())
        await super().startup(sockets=sockets)
        gc.freeze()  # long-lived objects: the collector can skip them from now on
        settings = self.service.settings
        if not settings.api_keys and settings.host not in _LOCAL:
            note = "anyone who can reach this machine may use the service: see INNERMOST_API_KEYS"
            logs.warning("no API keys", host=settings.host, note=note)
        port = sockets[0].getsockname()[1]
        name = f"[{settings.host}]" if ":" in settings.host else settings.host
        logs.info(
            "listening",
            url=f"http://{name}:{port}/",
            port=port,
            models=[model.name for model in settings.models],
        )

    async def shutdown(self, sockets: Any = None) -> None:
        self.service.draining = True
        self.service.closing.set()
        for port in sockets:
            await self._close(port)
        await super().shutdown(sockets=sockets)
        self._watcher.cancel()
        await self.service.pool.stop()
        logs.info("stopped")

    async def _close(self, port: socket.socket) -> None:
        """Close the port, but accept the connections waiting in the kernel's queue."""
        port.setblocking(False)
        connections: list[socket.socket] = []
        with suppress(OSError):  # BlockingIOError when there are no more
            while True:
                connections.append(port.accept()[0])
        with suppress(OSError):
            port.shutdown(socket.SHUT_RDWR)
        for connection in connections:
            connection.setblocking(False)
            await self._loop.connect_accepted_socket(self._protocol, connection)

    def _protocol(self) -> asyncio.Protocol:
        factory: Any = self.config.http_protocol_class
        return factory(config=self.config, server_state=self.server_state, app_state={})  # type: ignore[no-any-return]

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        # Keep uvicorn from raising the signal again at the end: this shutdown is a success.
        if self.should_exit:
            self.force_exit = True
        elif self.service.draining or sig == signal.SIGINT:
            self.should_exit = True
        else:
            self.service.draining = True
            self._loop.call_soon_threadsafe(self._drain)

    def _drain(self) -> None:
        logs.info("draining", seconds=self.service.settings.drain)
        self._loop.call_later(self.service.settings.drain, setattr, self, "should_exit", True)

    async def _watch_pool(self) -> None:
        self.failure = await self.service.pool.failure()
        self.should_exit = True
