"""Start the daemon's process before a command is imported that needs it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from pincite.daemon.client.json_exchange import SOCKET
from pincite.daemon.client.standby import stand_by
from pincite.settings.index_folder import index_folder

#: Commands that ask the daemon in any case, unless they fail before.
_ASKING: Final = frozenset(
    ("search", "evidence", "explain", "context", "ask", "chat", "get", "multi-get", "ls", "verify")
)
_OPTION: Final = "--index"


def start_ahead(arguments: Sequence[str], environ: Mapping[str, str]) -> None:
    """Start the process if a command with these arguments is going to need it: no daemon has the
    index open, and there is an index or the command makes one. After a wrong guess, it ends when
    the command has found its daemon, or with the command."""
    command, *others = arguments or [""]
    if command not in _ASKING and command != "index":
        return
    if not {"-h", "--help"}.isdisjoint(others):
        return
    root = index_folder(_given(others), environ, make=command == "index")
    if root is None or os.path.lexists(root / SOCKET):
        return
    if not os.path.lexists(root) or os.access(root, os.W_OK):  # else its daemon is elsewhere
        stand_by(root)


def _given(arguments: Sequence[str]) -> Path | None:
    """The value of `--index`, the last one if there are several."""
    found = None
    for position, each in enumerate(arguments):
        if each == "--":
            break
        if each == _OPTION and position + 1 < len(arguments):
            found = Path(arguments[position + 1])
        if each.startswith(f"{_OPTION}="):
            found = Path(each.removeprefix(f"{_OPTION}="))
    return found
