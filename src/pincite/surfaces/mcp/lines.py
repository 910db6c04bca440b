"""Handle a client's lines on stdin that the protocol library would drop without an answer.

A client waits for an answer, often without a time limit. Some lines are repaired, and the others
are refused with an answer. Programs in JavaScript write half of a character pair as an escape such
as `\\ud83d`, for example if they cut a text within an emoji. The library cannot read such a line.
"""

from __future__ import annotations

import re
from typing import Any, Final

import msgspec

_PARSE_ERROR: Final = -32700  # of JSON-RPC
_INVALID_REQUEST: Final = -32600
#: Nested levels of a message. The library drops a message with 250; arguments of our tools have
#: two.
_MOST_DEPTH: Final = 100
#: An escaped backslash, a complete pair, or half of a pair.
_ESCAPES: Final = re.compile(
    r"\\\\|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    r"|(?P<half>\\u[dD][89a-fA-F][0-9a-fA-F]{2})"
)
_REPLACED: Final = r"\ufffd"


def mended(line: str) -> str:
    """Return the line with U+FFFD for each half of a character pair."""
    if r"\ud" not in line and r"\uD" not in line:
        return line
    return _ESCAPES.sub(lambda found: _REPLACED if found["half"] else found[0], line)


def refusal(line: str) -> bytes | None:
    """Return the answer to a line that is not a valid message of JSON-RPC, or None for a valid
    message or an empty line."""
    if not line.strip():
        return None
    try:
        found: Any = msgspec.json.decode(line)
    except (msgspec.DecodeError, RecursionError) as error:
        return _error(None, _PARSE_ERROR, f"Parse error: {error}")
    if not isinstance(found, dict):
        return _error(None, _INVALID_REQUEST, "Invalid request: it is not one object")
    id_ = found.get("id")
    known = id_ if isinstance(id_, int | str) and not isinstance(id_, bool) else None
    if found.get("jsonrpc") != "2.0":
        return _error(known, _INVALID_REQUEST, 'Invalid request: its jsonrpc is not "2.0"')
    if _is_deep(found):
        return _error(known, _PARSE_ERROR, f"Parse error: more than {_MOST_DEPTH} levels")
    if "method" not in found and ("result" in found or "error" in found):
        return None  # the client's answer to a request of ours, which gets no answer
    if not isinstance(found.get("method"), str) or not isinstance(found.get("params"), dict | None):
        return _error(known, _INVALID_REQUEST, "Invalid request: its method or params")
    if known is None and "id" in found:
        return _error(
            None, _INVALID_REQUEST, "Invalid request: its id is neither a number nor a text"
        )
    return None


def _is_deep(message: dict[str, Any]) -> bool:
    level: list[Any] = [message]
    for _ in range(_MOST_DEPTH):
        inside = (one.values() if isinstance(one, dict) else one for one in level)
        level = [one for held in inside for one in held if isinstance(one, dict | list)]
    return bool(level)


def _error(id_: int | str | None, code: int, message: str) -> bytes:
    said = {"jsonrpc": "2.0", "id": id_, "error": {"code": code, "message": message}}
    return msgspec.json.encode(said) + b"\n"
