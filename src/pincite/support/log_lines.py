"""Escape control characters in the log lines of libraries, and limit their length.

A library may log a header of a request without changes. A terminal would obey the control
characters, immediately or when the file is read.
"""

from __future__ import annotations

import logging
import traceback
from typing import Final

from pincite.support.terminal import one_line, visible

_MOST_CHARS: Final = 500  # of a message; a usual one has 100
_MOST_TRACEBACK: Final = 20_000  # characters
_NAMES: Final = (
    *("name", "threadName", "taskName", "processName"),
    *("pathname", "filename", "module", "funcName"),
)


class PlainMessages(logging.Filter):
    """A filter for handlers that makes the message and the names of each record one line without
    control characters, and cuts the message. The end of a traceback is kept. If the arguments of a
    call do not fit its message, both are logged as they are."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Change the record. Return True."""
        for name in _NAMES:
            if isinstance(value := getattr(record, name, None), str):
                setattr(record, name, one_line(value))
        try:
            said = record.getMessage()
        except Exception as error:  # noqa: BLE001 - the handler would print all of it unescaped
            call = f"{_shown(record.msg)} with {_shown(record.args)}"
            place = f"{record.filename}:{record.lineno}"
            said = f"wrong call of a logger in {place}, {type(error).__name__}: {call}"
        if len(said) > _MOST_CHARS:
            said = f"{said[:_MOST_CHARS]}…"
        record.msg, record.args = one_line(said), None
        if record.exc_text:  # by a handler that came before, without this filter
            record.exc_text = visible(record.exc_text[-_MOST_TRACEBACK:])
        elif record.exc_info:
            whole = "".join(traceback.format_exception(*record.exc_info)).rstrip("\n")
            record.exc_text = visible(whole[-_MOST_TRACEBACK:])
        if record.stack_info:
            record.stack_info = visible(record.stack_info[-_MOST_TRACEBACK:])
        if hasattr(record, "color_message"):  # of uvicorn, for terminals
            record.color_message = record.msg
        return True


def _shown(value: object) -> str:
    try:
        return repr(value)
    except Exception:  # noqa: BLE001 - an object of a library
        return f"<{type(value).__name__}>"


def escape_log_lines() -> None:
    """Add the filter to all handlers that exist now, and to Python's handler for loggers without
    any. Do not use it for logs as JSON, which are escaped and have their own limit."""
    loggers = (logging.getLogger(), *map(logging.getLogger, tuple(logging.root.manager.loggerDict)))
    handlers = [handler for logger in loggers for handler in logger.handlers]
    for handler in (*handlers, logging.lastResort):
        if handler is not None and not any(
            isinstance(one, PlainMessages) for one in handler.filters
        ):
            handler.addFilter(PlainMessages())
