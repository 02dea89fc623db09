"""All routes of the service."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial

import msgspec
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from innermost import __version__
from innermost.service.errors import DrainingError, StartingError
from innermost.service.label_studio.protocol import LabelStudio
from innermost.service.metrics import CONTENT_TYPE
from innermost.service.schemas import ExtractRequest, Health, Limits, ModelList
from innermost.service.service import Service
from innermost.service.web.assets import page
from innermost.service.web.bodies import check_headers, decode, disconnect, read_body
from innermost.service.web.boundary import Boundary
from innermost.service.web.errors import HttpError
from innermost.service.web.openapi import openapi
from innermost.service.web.streaming import Stream

JSON = "application/json"
Endpoint = Callable[[Request], Awaitable[Response]]
_EXTRACT = msgspec.json.Decoder(ExtractRequest)


def application(service: Service) -> ASGIApp:
    api = Api(service)
    routes = Routes()
    routes.add("POST", "/v1/extract", api.extract)
    routes.add_app("POST", "/v1/extract/stream", api.stream)
    routes.add("GET", "/v1/models", api.models)
    routes.add("GET", "/livez", api.livez)
    routes.add("GET", "/readyz", api.readyz)
    routes.add("GET", "/metrics", api.metrics)
    routes.add("GET", "/openapi.json", api.openapi)
    for path, asset in page().items():
        routes.add("GET", path, asset)
    if service.settings.label_studio:
        backend = LabelStudio(service)
        routes.add("GET", "/health", backend.health)
        routes.add("GET", "/versions", backend.versions)
        routes.add("POST", "/setup", backend.setup)
        routes.add("POST", "/predict", backend.predict)
        routes.add("POST", "/webhook", backend.webhook)
    app: ASGIApp = Boundary(routes, service, frozenset(routes.paths))
    if service.settings.cors_origins:
        app = CORSMiddleware(
            app,
            allow_origins=service.settings.cors_origins,
            allow_methods=("GET", "POST"),
            allow_headers=("Authorization", "Content-Type", "X-Request-ID"),
            expose_headers=("X-Request-ID", "Retry-After"),
        )
    return app


class Routes:
    """All paths are fixed, so routing is a dictionary lookup."""

    def __init__(self) -> None:
        self.paths: dict[str, dict[str, ASGIApp]] = {}

    def add(self, method: str, path: str, endpoint: Endpoint) -> None:
        async def app(scope: Scope, receive: Receive, send: Send) -> None:
            response = await endpoint(Request(scope, receive))
            await response(scope, receive, send)

        self.add_app(method, path, app)

    def add_app(self, method: str, path: str, app: ASGIApp) -> None:
        self.paths.setdefault(path, {})[method] = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        methods = self.paths.get(scope["path"])
        if methods is None:
            message = "there is nothing at this path; see /openapi.json"
            raise HttpError(404, "not_found", message)
        method = "GET" if scope["method"] == "HEAD" else scope["method"]
        if method not in methods:
            allowed = ", ".join(methods)
            message = f"the method {scope['method']} is not allowed here, only {allowed}"
            raise HttpError(405, "method_not_allowed", message, headers={"Allow": allowed})
        await methods[method](scope, receive, send)


class Api:
    def __init__(self, service: Service) -> None:
        self._service = service
        self._openapi = openapi()

    async def extract(self, request: Request) -> Response:
        service, settings = self._service, self._service.settings
        with service.admission():
            check_headers(request)
            body = await read_body(request, limit=settings.max_body, timeout=settings.timeout)
            model, jobs = service.jobs(decode(body, _EXTRACT))
            request.scope["log"] = {"model": model.name, "texts": len(jobs)}
            documents = await service.documents(jobs, partial(disconnect, request))
        # The documents are already JSON.
        head = msgspec.json.encode({"model": model.name, "version": model.version})
        content = b"".join((head[:-1], b',"documents":[', b",".join(documents), b"]}"))
        return Response(content, media_type=JSON)

    async def stream(self, scope: Scope, receive: Receive, send: Send) -> None:
        """A plain ASGI application: it responds while the body is still arriving."""
        request = Request(scope, receive)
        with self._service.admission():
            check_headers(request)
            await Stream(self._service, request, send).run()

    async def models(self, request: Request) -> Response:
        service = self._service
        if not service.pool.models:
            raise StartingError
        limits = Limits(max_body=service.settings.max_body, max_texts=service.settings.max_texts)
        models = list(service.pool.models.values())
        return _json(ModelList(models=models, limits=limits, innermost=__version__))

    async def livez(self, request: Request) -> Response:
        return _json(Health(status="alive"))

    async def readyz(self, request: Request) -> Response:
        if self._service.draining:
            raise DrainingError
        if not self._service.ready:
            raise StartingError("no worker is ready")
        return _json(Health(status="ready"))

    async def metrics(self, request: Request) -> Response:
        text = self._service.metrics.text()
        return Response(text, headers={"Content-Type": CONTENT_TYPE})

    async def openapi(self, request: Request) -> Response:
        return Response(self._openapi, media_type=JSON)


def _json(message: msgspec.Struct) -> Response:
    return Response(msgspec.json.encode(message), media_type=JSON)
