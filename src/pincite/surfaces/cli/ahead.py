"""Start the process of the daemon before the command that needs it is imported."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from pincite.daemon.client.json_exchange import SOCKET
from pincite.daemon.client.standby import stand_by
from pincite.settings.index_folder import index_folder

#: Commands that always use the daemon, unless they fail before.
_ASKING: Final = frozenset(
    ("search", "evidence", "explain", "context", "ask", "chat", "get", "multi-get", "ls", "verify")
)
_OPTION: Final = "--index"


def start_ahead(arguments: Sequence[str], environ: Mapping[str, str]) -> None:
    """Start the process if a command with these arguments will need it: no daemon has the index
    open, and the index exists, or the command creates it. If the guess was wrong, the process ends
    when the command finds its daemon, or with the command."""
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
    """Return the last value of `--index`, or None."""
    found = None
    for position, each in enumerate(arguments):
        if each == "--":
            break
        if each == _OPTION and position + 1 < len(arguments):
            found = Path(arguments[position + 1])
        if each.startswith(f"{_OPTION}="):
            found = Path(each.removeprefix(f"{_OPTION}="))
    return found
