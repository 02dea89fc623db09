"""The contract as an OpenAPI document, generated from the schemas.

``python -m innermost.service.web.openapi > docs/openapi.json`` writes the committed copy.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import msgspec

from innermost import __version__
from innermost.service import schemas

Json = dict[str, Any]

_SCHEMAS = [
    schemas.ExtractRequest,
    schemas.ExtractResponse,
    schemas.StreamRequest,
    schemas.StreamResponse,
    schemas.StreamError,
    schemas.ModelList,
    schemas.Health,
    schemas.ErrorBody,
]
_ERRORS = {
    "401": "No valid API key, if the service has keys.",
    "404": "No model with this name.",
    "408": "The body did not arrive in time.",
    "413": "The body or the number of texts is over a limit, which `detail` names.",
    "415": "The body is not declared as JSON, or it has a `Content-Encoding`.",
    "422": "The body is not valid; `error` says what and `detail` where.",
    "429": "Too much is in flight: try again after the seconds in the header Retry-After.",
    "500": "An internal error.",
    "503": "Starting, shutting down, or no response in time.",
}
_ONE_OF = {"ExtractRequest": ("text", "texts", "tokens"), "StreamRequest": ("text", "tokens")}
_EXAMPLE = {
    "texts": ["The IL-2 gene promoter is active."],
    "offsets": "utf16",
    "min_score": 0.5,
}


def openapi() -> bytes:
    _, components = msgspec.json.schema_components(
        _SCHEMAS, ref_template="#/components/schemas/{name}"
    )
    for name, inputs in _ONE_OF.items():
        components[name]["oneOf"] = [
            {"required": [key], "properties": {key: {"not": {"type": "null"}}}} for key in inputs
        ]
        depth = components[name]["properties"]["max_depth"]["anyOf"][0]
        depth["type"] = "integer"  # the same, said plainly
        del depth["multipleOf"]
    document = {
        "openapi": "3.1.0",
        "info": {
            "title": "innermost",
            "version": __version__,
            "description": "Nested named entity recognition: names inside names, at every depth.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "paths": _paths(),
        "components": {
            "schemas": {name: components[name] for name in sorted(components)},
            "securitySchemes": {
                "key": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "Only if the service was started with API keys.",
                }
            },
        },
        "security": [{}, {"key": []}],
    }
    return (json.dumps(document, indent=2, ensure_ascii=False) + "\n").encode()


def _paths() -> Json:
    return {
        "/v1/extract": {
            "post": _operation(
                "extract",
                "Extract the entities of one or several texts.",
                body=_body("ExtractRequest", "application/json", example=_EXAMPLE),
                answer=_content("ExtractResponse", "application/json"),
                errors=("401", "404", "408", "413", "415", "422", "429", "500", "503"),
            )
        },
        "/v1/extract/stream": {
            "post": _operation(
                "extractStream",
                "Extract from JSON lines: one StreamRequest per line in, one StreamResponse or "
                "StreamError per line out, in order, while the body is still being sent.",
                body=_body("StreamRequest", "application/x-ndjson"),
                answer={
                    "application/x-ndjson": {
                        "schema": {"anyOf": [_ref("StreamResponse"), _ref("StreamError")]}
                    }
                },
                errors=("401", "415", "429", "500", "503"),
            )
        },
        "/v1/models": {
            "get": _operation(
                "listModels",
                "The models of this service, their types and versions.",
                answer=_content("ModelList", "application/json"),
                errors=("401", "503"),
            )
        },
        "/livez": {
            "get": _operation(
                "live", "Whether the process runs.", answer=_content("Health", "application/json")
            )
        },
        "/readyz": {
            "get": _operation(
                "ready",
                "Whether to send requests here: 503 until models are warm, and after SIGTERM.",
                answer=_content("Health", "application/json"),
                errors=("503",),
            )
        },
        "/metrics": {
            "get": _operation(
                "metrics",
                "Counters and histograms in Prometheus' text format.",
                answer={"text/plain": {"schema": {"type": "string"}}},
                errors=("401",),
            )
        },
        "/openapi.json": {
            "get": _operation(
                "openapi",
                "This document.",
                answer={"application/json": {"schema": {"type": "object"}}},
            )
        },
    }


def _operation(
    name: str, summary: str, *, answer: Json, body: Json | None = None, errors: tuple[str, ...] = ()
) -> Json:
    responses: Json = {"200": {"description": "Success.", "content": answer}}
    for status in errors:
        responses[status] = {
            "description": _ERRORS[status],
            "content": _content("ErrorBody", "application/json"),
        }
        if status in ("429", "503"):
            responses[status]["headers"] = {
                "Retry-After": {"schema": {"type": "integer"}, "description": "Seconds."}
            }
    operation: Json = {"operationId": name, "summary": summary}
    if body is not None:
        operation["requestBody"] = body
    return operation | {"responses": responses}


def _body(schema: str, media_type: str, *, example: Json | None = None) -> Json:
    content = _content(schema, media_type)
    if example is not None:
        content[media_type]["example"] = example
    return {"required": True, "content": content}


def _content(schema: str, media_type: str) -> Json:
    return {media_type: {"schema": _ref(schema)}}


def _ref(schema: str) -> Json:
    return {"$ref": f"#/components/schemas/{schema}"}


if __name__ == "__main__":
    sys.stdout.buffer.write(openapi())
