"""The OpenAPI 3.1 description of the API: the framework's result, plus the errors of any
request."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

import msgspec
from litestar import Litestar

from pincite.surfaces.http.problems import MEDIA_TYPE, Problem

#: Errors of the guard, of the key and of unavailable services, possible on every route.
_ANYWHERE: Final = {
    400: "The request is invalid",
    403: "The key lacks a scope or its user a role, or the page has another origin",
    421: "The server does not accept this Host",
    429: "Too many requests",
    500: "Internal server error",
    502: "A model server failed",
    503: "Temporarily unavailable",
    504: "The request timed out",
    507: "The disk is full",
}
_WITH_KEY: Final = {
    401: "The key is missing or invalid",
    404: "The key has access to no such object",
}
_WITH_BODY: Final = {
    409: "The Idempotency-Key belongs to another request",
    413: "The body or file is too large",
}
_OPEN: Final = ("/healthz", "/readyz")


@lru_cache(maxsize=4)
def described(app: Litestar) -> dict[str, Any]:
    """Return the description of an application."""
    found = app.openapi_schema.to_schema()
    schema = msgspec.json.schema(Problem)
    found["components"]["schemas"]["Problem"] = schema["$defs"]["Problem"]
    reference = {"$ref": "#/components/schemas/Problem"}
    for path, operations in found["paths"].items():
        for method, operation in operations.items():
            told = dict(_ANYWHERE)
            if path in _OPEN:
                operation["security"] = []
            else:
                told |= _WITH_KEY
            if method in ("post", "put", "patch"):
                told |= _WITH_BODY
            for status, title in told.items():
                if path in _OPEN and str(status) in operation["responses"]:
                    continue
                operation["responses"][str(status)] = {
                    "description": title,
                    "content": {MEDIA_TYPE: {"schema": reference}},
                }
    _describe_uploads(found)
    answers = found["paths"]["/v1/answers"]["post"]["responses"]["200"]["content"]
    answers["text/event-stream"] = {}
    return found


def _describe_uploads(found: dict[str, Any]) -> None:
    """Describe the bodies of bytes, which routes read as a stream."""
    body = {
        "required": True,
        "description": "The bytes of the file.",
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
    }
    found["paths"]["/v1/documents"]["post"]["requestBody"] = body
    found["paths"]["/v1/documents/{document_id}/content"]["put"]["requestBody"] = body
