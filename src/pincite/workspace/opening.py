"""Which database workspaces are in, by what the settings name."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from pincite.errors import ConfigError
from pincite.workspace.ports import Workspaces

FILE: Final = "workspaces.db"


def open_workspaces(place: str | Path) -> Workspaces:
    """Workspaces in the file `workspaces.db` of a folder, or in a file that ends in `.db`. Opened
    with the first use. Raises ConfigError."""
    name = str(place)
    if "://" in name or not name or "\0" in name:
        raise ConfigError("[workspace] database names no file", hint="a folder")
    from pincite.workspace.sqlite import SqliteWorkspaces

    path = Path(name)
    return SqliteWorkspaces(path if path.suffix == ".db" else path / FILE)
