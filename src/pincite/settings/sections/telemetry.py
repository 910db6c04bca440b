"""`[tracing]` and `[logging]`: spans and server logs."""

from __future__ import annotations

from typing import Literal

import msgspec

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
