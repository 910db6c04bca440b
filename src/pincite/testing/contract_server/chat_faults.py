"""Faults of a chat model: no answer, a cut or broken stream, a tool call, an empty text."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from typing import Any, Final

from pincite.testing.contract_server.wire import Response

#: The faults in order: withheld; cut off at a length; a tool call; an empty text; after half of the
#: words an error, the end of the connection, or silence; all words without a reason to finish.
CHAT_FAULTS: Final = (
    *("filter", "length", "tools", "empty"),
    *("midway-error", "midway-cut", "stall", "no-finish"),
)
_FINISH: Final = {"filter": "content_filter", "length": "length", "tools": "tool_calls"}
_HALF: Final = ("length", "midway-error", "midway-cut")
_NONE: Final = ("filter", "tools", "empty")
_ERROR: Final = b'data: {"error":{"message":"the runner has died","type":"api_error"}}\n\n'


def spoil_chat(name: str, response: Response, wait_s: float) -> Response:
    """Return the answer with the fault in it; other responses stay unchanged."""
    if response.stream is not None:
        return Response(stream=_streamed(name, list(response.stream), wait_s))
    if not isinstance(response.body, dict) or "choices" not in response.body:
        return response
    if name == "stall":
        time.sleep(wait_s)
    if name == "midway-error":
        return Response(200, {"error": "the runner has died"})
    if name == "midway-cut":
        return Response(200, response.raw()[: len(response.raw()) // 2])
    return Response(200, {**response.body, "choices": [_choice(name, response.body["choices"][0])]})


def _choice(name: str, choice: dict[str, Any]) -> dict[str, Any]:
    if name == "no-finish":
        return {key: value for key, value in choice.items() if key != "finish_reason"}
    words = choice["message"]["content"].split(" ")
    kept = [] if name in _NONE else words[: len(words) // 2] if name in _HALF else words
    text = None if name == "tools" else " ".join(kept)
    reason = _FINISH.get(name, choice["finish_reason"])
    return {**choice, "message": {**choice["message"], "content": text}, "finish_reason": reason}


def _streamed(name: str, events: list[bytes], wait_s: float) -> Iterator[bytes]:
    """Yield the remaining events of the stream, and the fault."""
    words = [n for n, one in enumerate(events) if b'"delta":{"content"' in one]
    middle = words[len(words) // 2] if words else len(events)
    match name:
        case "midway-error":
            yield from events[:middle]
            yield _ERROR
        case "midway-cut":
            yield from events[:middle]
            yield events[middle][: len(events[middle]) // 2] if words else b""
        case "stall":
            yield from events[:middle]
            time.sleep(wait_s)
            yield from events[middle:]
        case "no-finish":
            yield from events[: words[-1] + 1 if words else 1]
        case _:
            lost = set(words if name in _NONE else words[len(words) // 2 :])
            yield from _finished(name, (one for n, one in enumerate(events) if n not in lost))


def _finished(name: str, events: Iterable[bytes]) -> Iterator[bytes]:
    reason = _FINISH.get(name, "stop").encode()
    for one in events:
        yield one.replace(b'"finish_reason":"stop"', b'"finish_reason":"%b"' % reason)
