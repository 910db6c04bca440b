"""Which database workspaces are in, by what the settings name."""

from __future__ import annotations

from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from pincite.errors import ConfigError
from pincite.workspace.ports import Workspaces

FILE: Final = "workspaces.db"
_POSTGRES: Final = ("postgresql", "postgres")


def open_workspaces(place: str | Path, *, operator: str = "", owner: str = "") -> Workspaces:
    """Workspaces in the file `workspaces.db` of a folder, in a file that ends in `.db`, or in
    PostgreSQL. Connects with the first use. `operator` and `owner` are the addresses of the same
    database for `administration()` and `migrate()`; files need neither. Raises ConfigError."""
    name = str(place)
    if "://" in name:
        if urlsplit(name).scheme not in _POSTGRES:
            raise ConfigError(
                "[workspace] database is an address of something unknown",
                hint="postgresql://USER@HOST/DATABASE, or a folder",
            )
        from pincite.workspace.postgres import PostgresWorkspaces

        return PostgresWorkspaces(name, operator=operator, owner=owner)
    if not name or "\0" in name:
        raise ConfigError("[workspace] database names no file and no server")
    from pincite.workspace.sqlite import SqliteWorkspaces

    path = Path(name)
    return SqliteWorkspaces(path if path.suffix == ".db" else path / FILE)
