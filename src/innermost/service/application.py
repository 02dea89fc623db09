"""The routes, put together."""

from __future__ import annotations

import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from innermost import __version__
from innermost.service import metrics
from innermost.service.assets import page_routes
from innermost.service.bodies import check_content_type, decode, read_body
from innermost.service.boundary import Boundary
from innermost.service.errors import ServiceError, unavailable
from innermost.service.label_studio import LabelStudio
from innermost.service.openapi import openapi
from innermost.service.schemas import ExtractRequest, Health, Limits, ModelList
from innermost.service.service import Service
from innermost.service.streaming import Stream

JSON = "application/json"
_EXTRACT = msgspec.json.Decoder(ExtractRequest)


def application(service: Service) -> Starlette:
    endpoints = Endpoints(service)
    routes = [
        Route("/v1/extract", endpoints.extract, methods=["POST"]),
        Route("/v1/extract/stream", StreamEndpoint(service), methods=["POST"]),
        Route("/v1/models", endpoints.models),
        Route("/livez", endpoints.livez),
        Route("/readyz", endpoints.readyz),
        Route("/metrics", endpoints.metrics),
        Route("/openapi.json", endpoints.openapi),
        *page_routes(),
    ]
    if service.settings.label_studio:
        routes += LabelStudio(service).routes()
    paths = frozenset(route.path for route in routes)
    layers = [Middleware(Boundary, service=service, paths=paths)]
    if service.settings.cors_origins:
        layers.insert(0, _cors(service.settings.cors_origins))
    return Starlette(
        routes=routes, middleware=layers, exception_handlers={HTTPException: _http_error}
    )


class Endpoints:
    def __init__(self, service: Service) -> None:
        self._service = service
        self._openapi = openapi()

    async def extract(self, request: Request) -> Response:
        service, settings = self._service, self._service.settings
        with service.admission():
            check_content_type(request)
            body = await read_body(request, limit=settings.max_body, timeout=settings.timeout)
            model, jobs = service.jobs(decode(body, _EXTRACT))
            request.scope["log"] = {"model": model.name, "texts": len(jobs)}
            documents = await service.documents(jobs, request)
        # The documents are JSON already.
        head = msgspec.json.encode({"model": model.name, "version": model.version})
        content = b"".join((head[:-1], b',"documents":[', b",".join(documents), b"]}"))
        return Response(content, media_type=JSON)

    async def models(self, request: Request) -> Response:
        service = self._service
        if not service.pool.models:
            raise unavailable("starting", "the models are being loaded", 1)
        limits = Limits(max_body=service.settings.max_body, max_texts=service.settings.max_texts)
        models = list(service.pool.models.values())
        return _json(ModelList(models=models, limits=limits, innermost=__version__))

    async def livez(self, request: Request) -> Response:
        return _json(Health(status="alive"))

    async def readyz(self, request: Request) -> Response:
        if self._service.draining:
            raise unavailable("draining", "the service is shutting down", 1)
        if not self._service.ready:
            raise unavailable("starting", "no worker is ready", 1)
        return _json(Health(status="ready"))

    async def metrics(self, request: Request) -> Response:
        return Response(
            self._service.metrics.text(), headers={"content-type": metrics.CONTENT_TYPE}
        )

    async def openapi(self, request: Request) -> Response:
        return Response(self._openapi, media_type=JSON)


class StreamEndpoint:
    """A plain ASGI application: it answers while the body still arrives."""

    def __init__(self, service: Service) -> None:
        self._service = service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        with self._service.admission():
            check_content_type(request)
            await Stream(self._service, request, send).run()


def _json(message: msgspec.Struct) -> Response:
    return Response(msgspec.json.encode(message), media_type=JSON)


def _cors(origins: tuple[str, ...]) -> Middleware:
    return Middleware(
        CORSMiddleware,
        allow_origins=list(origins),
        allow_methods=["GET", "POST"],
        allow_headers=["Authorization", "Content-Type", "X-Request-ID"],
        expose_headers=["X-Request-ID", "Retry-After"],
    )


async def _http_error(request: Request, error: Exception) -> Response:
    """What Starlette itself refuses, in our shape."""
    status = error.status_code if isinstance(error, HTTPException) else 500
    headers = dict(error.headers or {}) if isinstance(error, HTTPException) else {}
    error_type, message = {
        404: ("not_found", "there is nothing at this path; see /openapi.json"),
        405: ("method_not_allowed", f"the method {request.method} is not allowed here"),
    }.get(status, ("invalid_request", "the request is not valid"))
    raise ServiceError(status, error_type, message, headers=headers)
