"""Logs as JSON, one object per line."""

from __future__ import annotations

import json
import logging
import math
import sys
from datetime import UTC, datetime
from typing import IO, Any, Final

from pincite.support.secrets import mask

#: The key in `extra` for a mapping of names to numbers, words and the like.
EVENT: Final = "event"
_MOST_CHARS = 20_000  # of a message; a traceback of a deep recursion has more
_SECRET_CHARS: Final = 4_000  # so that no secret is cut before it is masked


class JsonLines(logging.Formatter):
    """Formats a record as one line: time, level, logger, message, values of its event, error, and
    ids of the current trace. Secrets are masked. All characters beyond ASCII are escaped, including
    control characters and those that change the direction of text."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line, without its end."""
        when = datetime.fromtimestamp(record.created, UTC)
        line: dict[str, Any] = {
            "time": when.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": _masked(_message(record)),
            "pid": record.process,
        }
        event = getattr(record, EVENT, None)
        if isinstance(event, dict):
            for name, value in event.items():
                line.setdefault(str(name), _plain(value))
        if record.exc_info and record.exc_info[0] is not None:
            line["error"] = record.exc_info[0].__name__
            line["traceback"] = _masked(self.formatException(record.exc_info))
        return json.dumps(line | _trace())


def log_as_json(stream: IO[str] | None = None) -> None:
    """Log everything of this process from level INFO on to stderr, or `stream`, as JSON."""
    handler = logging.StreamHandler(sys.stderr if stream is None else stream)
    handler.setFormatter(JsonLines())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.INFO)
    for name in ("httpx", "httpcore"):  # they log every address of a request
        logging.getLogger(name).setLevel(logging.WARNING)


def _message(record: logging.LogRecord) -> str:
    try:
        return record.getMessage()
    except Exception as error:  # noqa: BLE001 - a wrong call of a logger ends no server
        return f"{record.msg!r} ({type(error).__name__} in its arguments)"


def _masked(text: str) -> str:
    if len(text) <= _MOST_CHARS:
        return mask(text)
    return f"{mask(text[: _MOST_CHARS + _SECRET_CHARS])[:_MOST_CHARS]}..."


def _plain(value: object) -> object:
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)  # JSON has no such number
    if value is None or isinstance(value, bool | int | float):
        return value
    return _masked(str(value))


def _trace() -> dict[str, str]:
    """Return the ids of the current span, empty without one."""
    api: Any = sys.modules.get("opentelemetry.trace")  # without it there is no span
    if api is None:
        return {}
    context = api.get_current_span().get_span_context()
    if not context.is_valid:
        return {}
    return {
        "trace_id": format(context.trace_id, "032x"),
        "span_id": format(context.span_id, "016x"),
    }
