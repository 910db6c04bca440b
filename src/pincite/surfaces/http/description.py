"""The OpenAPI 3.1 description of the API. The framework derives it from the routes; here it is
corrected where it would reject valid messages, and the errors of all requests are added."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec
from litestar import Litestar, Router
from litestar.openapi.config import OpenAPIConfig
from litestar.openapi.spec import Components, Reference, SecurityScheme

from pincite.surfaces.http.problems import MEDIA_TYPE, Problem
from pincite.version import VERSION

_ABOUT: Final = """Search with citations for many users. Requests to `/v1` and `/metrics` need a
key: `Authorization: Bearer pin_...`. The response for an object that the key's user may not read is
the same as for an object that does not exist. Errors are `application/problem+json` with a stable
`code`."""
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
    409: "The Idempotency-Key belongs to another request, or its object is being deleted",
    408: "The body did not arrive in time",
    413: "The body or file is too large",
}
_OPEN: Final = ("/healthz", "/readyz")


def described(
    routers: Sequence[Router], schemes: Mapping[str, SecurityScheme | Reference]
) -> dict[str, Any]:
    """Return the description of these routes. Each of `schemes` can authorize a request."""
    config = OpenAPIConfig(
        title="Pincite",
        version=VERSION,
        description=_ABOUT,
        operation_id_creator=lambda handler, *_: handler.handler_name,
        use_handler_docstrings=True,
        components=Components(security_schemes=dict(schemes)),
        security=[{name: []} for name in schemes],
    )
    # This application is not served: with this setting it would also serve the description below
    # /schema, with pages that load scripts of other sites.
    app = Litestar(routers, openapi_config=config, logging_config=None)
    found: dict[str, Any] = _accepting(app.openapi_schema.to_schema())
    schema = msgspec.json.schema(Problem)
    found["components"]["schemas"]["Problem"] = schema["$defs"]["Problem"]
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
                operation["responses"][str(status)] = _problem(title)
    _describe_uploads(found)
    answers = found["paths"]["/v1/answers"]["post"]["responses"]["200"]["content"]
    answers["text/event-stream"] = {}
    return found


def _problem(title: str) -> dict[str, Any]:
    reference = {"$ref": "#/components/schemas/Problem"}
    return {"description": title, "content": {MEDIA_TYPE: {"schema": reference}}}


def _accepting(schema: Any) -> Any:
    """Return a description in which alternatives may overlap. The framework writes `oneOf`, of
    which exactly one must match, but 1 is both an integer and a number. For a tuple with bounds on
    its length, it also describes the `...` of the type as an item of any type, which is removed."""
    if isinstance(schema, list):
        return [_accepting(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    found = {name: _accepting(value) for name, value in schema.items()}
    if isinstance(alternatives := found.pop("oneOf", None), list):
        found["anyOf"] = alternatives
    match found.get("items"):
        case {"anyOf": [item, {**rest}]} if not rest:
            found["items"] = item
    return found


def _describe_uploads(found: dict[str, Any]) -> None:
    """Add the bodies of uploads, which routes read as a stream of bytes. Every media type except
    forms is accepted."""
    body = {
        "required": True,
        "description": "The bytes of the file.",
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
    }
    paths = found["paths"]
    for upload in (
        paths["/v1/documents"]["post"],
        paths["/v1/documents/{document_id}/content"]["put"],
    ):
        upload["requestBody"] = body
        upload["responses"]["415"] = _problem(
            "The body is a form or has a Content-Encoding, or no reader reads this type of file"
        )
