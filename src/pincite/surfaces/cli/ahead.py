"""Start the daemon's process before a command is imported that needs it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from pincite.daemon.short import SOCKET
from pincite.daemon.standby import stand_by
from pincite.settings.nearest import index_folder

#: Commands that ask the daemon in any case, unless they fail before.
_ASKING: Final = frozenset(
    ("search", "evidence", "explain", "context", "ask", "chat", "get", "multi-get", "ls", "verify")
)
_OPTION: Final = "--index"


def start_ahead(arguments: Sequence[str], environ: Mapping[str, str]) -> None:
    """Start the process if a command with these arguments is going to need it: no daemon has the
    index open, and there is an index or the command makes one. A wrong guess costs a process that
    ends at once."""
    command, *others = arguments or [""]
    if command not in _ASKING and command != "index":
        return
    if not {"-h", "--help"}.isdisjoint(others):
        return
    root = index_folder(_given(others), environ, make=command == "index")
    if root is None or os.path.lexists(root / SOCKET):
        return
    if not root.exists() or os.access(root, os.W_OK):  # else its daemon is elsewhere
        stand_by(root)


def _given(arguments: Sequence[str]) -> Path | None:
    """The value of `--index`."""
    for position, each in enumerate(arguments):
        if each == _OPTION and position + 1 < len(arguments):
            return Path(arguments[position + 1])
        if each.startswith(f"{_OPTION}="):
            return Path(each.removeprefix(f"{_OPTION}="))
    return None
