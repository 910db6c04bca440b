"""`[tracing]` and `[logging]`: spans and server logs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, get_args

import msgspec

from pincite.errors import ConfigError

FORMAT: Final = "PINCITE_LOG_FORMAT"
LogFormat = Literal["text", "json"]


class TracingSettings(msgspec.Struct, frozen=True):
    """`enabled` sends spans of commands and servers also where no variable names a collector: to
    the default address on this machine. `texts` lets them have questions and citations."""

    enabled: bool = False
    texts: bool = False


class LoggingSettings(msgspec.Struct, frozen=True):
    """What servers log: lines for people, or a JSON object a line. The daemon knows the variable
    alone."""

    format: LogFormat = "text"


def log_format(environ: Mapping[str, str]) -> LogFormat | None:
    """What `PINCITE_LOG_FORMAT` says, None for nothing. Raises ConfigError."""
    word = environ.get(FORMAT, "").strip().lower()
    if not word:
        return None
    if word not in get_args(LogFormat):
        raise ConfigError(f"{FORMAT} is {environ[FORMAT]!r}; use text or json")
    return "json" if word == "json" else "text"
