"""Errors for clients: `application/problem+json` (RFC 9457) with a stable `code`.

The response for an object that the caller may not read is the same as for one that does not exist.
Errors of the server have no `detail`, and hints for its operator are left out: the log has them,
with the id of the request.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable
from typing import Any, Final

import msgspec
from litestar import Request, Response
from litestar.exceptions import (
    HTTPException,
    InternalServerException,
    MethodNotAllowedException,
    ValidationException,
)
from litestar.exceptions.http_exceptions import RequestEntityTooLarge

from pincite.errors import (
    ConfigError,
    ConversationNotFound,
    DiskFull,
    FingerprintMismatch,
    Forbidden,
    IndexNotFound,
    IndexUnavailable,
    MemoryUnavailable,
    ModelUnavailable,
    NoDenseVectors,
    NotFound,
    PinciteError,
    ProviderError,
    RateLimited,
    StoreError,
    Unauthenticated,
    UsageError,
    WorkspaceUnavailable,
)
from pincite.surfaces.web.bodies import StalledBody
from pincite.workspace.checks import IdInUse, VersionChanged
from pincite.workspace.files.file_store import TooMuch
from pincite.workspace.files.uploads import UnreadableType

log = logging.getLogger("pincite.http")

MEDIA_TYPE: Final = "application/problem+json"
RETRY_S: Final = 2  # guess, unmeasured


class Problem(msgspec.Struct, frozen=True, omit_defaults=True):
    """An error. `code` is stable between versions, `detail` is for people, `fields` has a message
    for each invalid field of the request, and `request_id` identifies the request in the server's
    log."""

    type: str
    title: str
    status: int
    code: str
    detail: str = ""
    hint: str = ""
    request_id: str = ""
    fields: tuple[str, ...] = ()


class TooManyRequests(PinciteError):
    """A caller, or all together, send more requests than allowed. `retry_s`: when to retry, in
    seconds."""

    def __init__(self, message: str, retry_s: float, *, status: int = 429) -> None:
        super().__init__(message)
        self.retry_s, self.status = retry_s, status


class Ending(PinciteError):
    """The server ends before the response is complete."""

    def __init__(self) -> None:
        super().__init__("the server ended before the response was complete")


class WrongBody(UsageError):
    """The body of an upload is an encoding of the file instead of its bytes."""

    def __init__(self, what: str) -> None:
        super().__init__(
            f"{what}: the body of an upload is the bytes of the file alone",
            hint="send the unchanged file as the body, as curl does with `--data-binary @FILE`",
        )


class Conflict(UsageError):
    """The same idempotency key was used with another request."""

    def __init__(self, message: str) -> None:
        super().__init__(message, hint="use a new value for a new request")


_TITLES: Final = {
    "invalid_request": "Invalid request",
    "unauthenticated": "No valid key",
    "forbidden": "Not allowed",
    "not_found": "Not found",
    "method_not_allowed": "Method not allowed",
    "conflict": "Idempotency key of another request",
    "version_changed": "Changed meanwhile",
    "too_large": "Too large",
    "unsupported_body": "Body is not the bytes of a file",
    "unsupported_type": "File type that is not read",
    "rate_limited": "Too many requests",
    "timed_out": "Timed out",
    "unavailable": "Temporarily unavailable",
    "provider_failed": "Model server failed",
    "misconfigured": "Server is misconfigured",
    "disk_full": "Disk is full",
    "internal": "Internal server error",
}
#: The first entry that matches is used.
_CODES: Final[tuple[tuple[type[Exception], int, str], ...]] = (
    (Unauthenticated, 401, "unauthenticated"),
    (Forbidden, 403, "forbidden"),
    (NotFound, 404, "not_found"),
    (ConversationNotFound, 404, "not_found"),
    (Conflict, 409, "conflict"),
    (VersionChanged, 412, "version_changed"),
    (TooMuch, 413, "too_large"),
    (StalledBody, 408, "timed_out"),
    (WrongBody, 415, "unsupported_body"),
    (UnreadableType, 415, "unsupported_type"),
    (TooManyRequests, 429, "rate_limited"),
    (Ending, 503, "unavailable"),
    (DiskFull, 507, "disk_full"),
    (WorkspaceUnavailable, 503, "unavailable"),
    (IndexNotFound, 503, "unavailable"),
    (IndexUnavailable, 503, "unavailable"),
    (StoreError, 503, "unavailable"),
    (ModelUnavailable, 503, "unavailable"),
    (MemoryUnavailable, 503, "unavailable"),
    (FingerprintMismatch, 500, "misconfigured"),
    (ConfigError, 500, "misconfigured"),
    (RateLimited, 503, "unavailable"),
    (ProviderError, 502, "provider_failed"),
    (UsageError, 400, "invalid_request"),
    (UnicodeDecodeError, 400, "invalid_request"),  # of a body, as only bodies are decoded here
    (RecursionError, 400, "invalid_request"),  # a body is nested too deeply
    (TimeoutError, 504, "timed_out"),
)
#: Litestar's message for a client that disconnects before its body is complete, with status 500.
_LEFT: Final = "client disconnected prematurely"
#: By error of decoding a body: the detail of the problem.
_UNREADABLE: Final[dict[type[Exception], str]] = {
    UnicodeDecodeError: "the body is not valid UTF-8",
    RecursionError: "the body is nested too deeply",
}
_NO_BODY: Final = "data: 'data'"  # Litestar's words for an empty body
#: The detail by message of msgspec. Since 0.23, msgspec raises no UnicodeDecodeError for the first
#: one, and uses the second one also for an escape such as `\ud800`.
_OF_DECODER: Final = {
    "Invalid UTF-8 encoded string": _UNREADABLE[UnicodeDecodeError],
    "Input data was truncated": (
        "the JSON of the body ends early, or escapes half of a surrogate pair (\\ud800)"
    ),
}
_WORDS_ONLY: Final = "this server searches by words only"
#: Advice for the operator, who has a shell and the settings: commands, their options, environment
#: variables, tables and keys of settings, packages.
_FOR_OPERATORS: Final = re.compile(
    r"\bpincite\b|(?:^|\s)--?[a-z]|\bPINCITE_|\b(?:pip|export|unset) |\[[a-z_.]+\]|\b\w+\.\w+ = "
)


def problem_of(error: Exception, request_id: str = "") -> Problem:
    """Return the problem that describes an error to a client."""
    if isinstance(error, HTTPException):
        return _of_http(error, request_id)
    if isinstance(error, IdInUse):  # only this header determines the id of an object
        error = Conflict("the object of this Idempotency-Key is being deleted or out of reach")
    fitting = ((status, code) for kind, status, code in _CODES if isinstance(error, kind))
    status, code = next(fitting, (500, "internal"))
    if isinstance(error, TooManyRequests):
        status = error.status
    about_request = status < 500 or isinstance(error, TooManyRequests)
    told = error if isinstance(error, PinciteError) and about_request else None
    if isinstance(told, NoDenseVectors):  # it names a collection, which users do not know
        told = UsageError(_WORDS_ONLY, hint="leave out `by`, or use another profile")
    return Problem(
        *(f"urn:pincite:problem:{code}", _TITLES[code], status, code),
        detail=told.message if told else _UNREADABLE.get(type(error), ""),
        hint=told.hint if told and not _FOR_OPERATORS.search(told.hint) else "",
        request_id=request_id,
    )


def told_problem(error: Exception, request_id: str) -> Problem:
    """Return the problem that describes an error to a client, and log the details that it leaves
    out."""
    problem = problem_of(error, request_id)
    if problem.code == "internal":
        log.error("%s %s", request_id, type(error).__name__, exc_info=error)
    elif problem.status >= 500:
        log.error("%s %s: %s", request_id, type(error).__name__, error)
    elif isinstance(error, PinciteError) and error.hint != problem.hint:
        log.info("%s %s: %s", request_id, type(error).__name__, error.hint)
    return problem


def answer_error(request: Request[Any, Any, Any], error: Exception) -> Response[bytes]:
    """Return the response to a request that ended in an error."""
    if isinstance(error, RequestEntityTooLarge):
        most = request.route_handler.resolve_request_max_body_size()
        error = TooMuch(f"the body has more than {most:,} bytes")
    problem = told_problem(error, str(request.scope.get("request_id", "")))
    return response_of(problem, error)


def response_of(problem: Problem, error: Exception | None = None) -> Response[bytes]:
    """Return a problem as a response, with the headers that its status requires."""
    headers = {}
    if problem.status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    if isinstance(error, TooManyRequests):
        headers["Retry-After"] = str(max(1, round(error.retry_s + 0.5)))
    elif problem.status == 503:
        headers["Retry-After"] = str(RETRY_S)
    if isinstance(error, MethodNotAllowedException):
        given = (error.headers or {}).get("allow", "")
        headers["Allow"] = allow(given.split(", "))
    return Response(
        msgspec.json.encode(problem),
        status_code=problem.status,
        media_type=MEDIA_TYPE,
        headers=headers,
    )


def allow(methods: Iterable[str]) -> str:
    """Return the value of the header Allow for a path with these methods. A path with GET also has
    HEAD."""
    named = {one for one in methods if one}
    return ", ".join(sorted(named | ({"HEAD"} if "GET" in named else set())))


def _of_http(error: HTTPException, request_id: str) -> Problem:
    """Return the problem for an error of the framework: routes, methods, bodies, parameters."""
    codes = {
        401: "unauthenticated",
        403: "forbidden",
        404: "not_found",
        405: "method_not_allowed",
        413: "too_large",
        429: "rate_limited",
    }
    left = isinstance(error, InternalServerException) and error.detail == _LEFT
    status = 400 if left else error.status_code
    code = codes.get(status, "invalid_request" if status < 500 else "internal")
    detail, fields = "", list[str]()
    if isinstance(error, ValidationException):
        said = [one for one in error.extra or () if isinstance(one, dict) and "message" in one]
        told = (f"{one.get('key', '')}: {one['message']}" for one in said)
        fields = ["the body is empty" if one == _NO_BODY else one for one in told]
        detail = "; ".join(fields) or error.detail
    elif status < 500 and code == "invalid_request":
        detail = _OF_DECODER.get(error.detail, error.detail)
    return Problem(
        *(f"urn:pincite:problem:{code}", _TITLES[code], status, code),
        detail=detail,
        request_id=request_id,
        fields=tuple(fields),
    )
