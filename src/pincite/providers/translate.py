"""Translate HTTP answers other than 200 into the errors of Pincite.

401 402 403 498      AuthError
404 410              Gone
413                  TooLarge; also 400, 422 and 500 if the message is about size
424                  Unavailable: the backend failed; Invalid if its model is of another kind
429                  RateLimited
501, other 4xx       Invalid
408 409 425 499 5xx  Unavailable
3xx                  BadResponse: a key is not sent to another address
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from urllib.parse import urlsplit

import msgspec

from pincite.errors import (
    AuthError,
    BadResponse,
    Gone,
    Invalid,
    ProviderError,
    RateLimited,
    TooLarge,
    Unavailable,
)

_MESSAGE_CHARS = 500
_AUTH, _GONE, _PASSING = {401, 402, 403, 498}, {404, 410}, {408, 409, 425, 499}
# Phrases of the servers named in docs/providers.md. llama.cpp refuses with 500.
_SIZE = re.compile(
    r"too (?:large|long|big|many)|exceed|at most|maximum|max_|batch size|context length"
    r"|longer than|max \d+ tokens|limit of \d|must have less than",
    re.IGNORECASE,
)
_SIZE_500 = re.compile(r"too large to process|larger than the max context", re.IGNORECASE)
_OTHER_KIND = re.compile(r"not a re-?ranker|not an? embedding|not a classifier", re.IGNORECASE)


def translate(
    status: int, headers: Mapping[str, str], raw: bytes, where: str, key_variable: str = ""
) -> ProviderError:
    """Return the error for an answer of `where`. Names in `headers` must be in lower case."""
    answered = said(raw)
    message = f"{where} answered {status}: {answered or 'nothing'}"
    if status in _AUTH:
        hint = f"check the key in {key_variable}, its account and its permissions"
        return AuthError(message, hint=hint if key_variable else "check the key and its account")
    if status in _GONE:
        return Gone(message, hint="check the address and the name of the model; `pincite doctor`")
    after_s = retry_after_s(headers.get("retry-after"))
    later = f"{message} (it asks to wait {after_s:,.0f} s)" if after_s else message
    if status == 429:
        return RateLimited(
            later,
            hint="wait, or lower `concurrency` of this provider in pincite.toml",
            retry_after_s=after_s,
        )
    if status == 413 or (status in (400, 422) and _SIZE.search(answered)):
        return TooLarge(message)
    if status == 500 and _SIZE_500.search(answered):
        return TooLarge(message, hint="start the server with a larger batch (`-ub`)")
    if status == 424 and _OTHER_KIND.search(answered):
        return Invalid(message, hint="this server has a model of another kind")
    if status == 501:
        return Invalid(message, hint="start the server for this kind of model")
    if status in _PASSING or status == 424 or status >= 500:
        return Unavailable(later, hint="try again later", retry_after_s=after_s)
    if status >= 400:
        return Invalid(message)
    if target := _target(headers.get("location", "")):
        hint = f"check the address: Pincite follows no redirects, and {target} is another one"
        return BadResponse(f"{where} answered {status}: a redirect to {target}", hint=hint)
    return BadResponse(message, hint="check the address: Pincite expects status 200")


def _target(location: str) -> str:
    """Return scheme and host of a redirect, or its path at the same host; empty if there is none.
    User names and queries, which may be secrets, are left out."""
    try:
        parts = urlsplit(location)
        host, port = parts.hostname, parts.port
    except ValueError:
        return ""
    at = f":{port}" if port else ""
    shown = f"{parts.scheme or 'http'}://{host}{at}" if host else parts.path
    return shown[:_MESSAGE_CHARS] if shown.isprintable() else ""


def said(raw: bytes) -> str:
    """Return the message in the body of an error as one line: `detail` (Voyage, FastAPI),
    `error.message` (OpenAI, llama.cpp), `error` (Ollama, TEI), `message` (Cohere), otherwise its
    beginning."""
    try:
        found: object = msgspec.json.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        found = raw.decode("utf-8", "replace")
    for _ in range(3):
        if isinstance(found, dict):
            found = next(
                (found[k] for k in ("detail", "error", "message", "msg") if k in found), ""
            )
        elif isinstance(found, list):
            found = found[0] if found else ""
    return " ".join(str(found).split())[:_MESSAGE_CHARS]


def retry_after_s(value: str | None) -> float | None:
    """Return the header Retry-After in seconds: a number, or a date (RFC 9110, 10.2.3). None if it
    is missing or invalid."""
    if not value:
        return None
    try:
        seconds = float(value)
    except ValueError:
        try:
            seconds = (parsedate_to_datetime(value) - datetime.now(UTC)).total_seconds()
        except (ValueError, TypeError, OverflowError):
            return None
    return max(0.0, seconds) if seconds < float("inf") else None
