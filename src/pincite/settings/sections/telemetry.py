"""`[tracing]` and `[logging]`: spans and server logs."""

from __future__ import annotations

from typing import Literal

import msgspec

LogFormat = Literal["text", "json"]


class TracingSettings(msgspec.Struct, frozen=True):
    """The table `[tracing]` of pincite.toml. `enabled`: if no variable names a collector, send
    spans of commands and servers to the default address on this machine. `texts`: spans have
    questions and citations."""

    enabled: bool = False
    texts: bool = False


class LoggingSettings(msgspec.Struct, frozen=True):
    """The table `[logging]` of pincite.toml. `format`: server logs have lines for people, or one
    JSON object per line. The daemon only reads the variable."""

    format: LogFormat = "text"
