"""Open the database of workspaces that the settings name."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final

from pincite.errors import ConfigError
from pincite.index.folder import make_folder, require_own
from pincite.settings.load import Settings
from pincite.settings.sections.workspace import ADDRESSES, WORKSPACES_FILE
from pincite.workspace.ports import Workspaces

FILE: Final = WORKSPACES_FILE
_POSTGRES: Final = ("postgresql", "postgres")


def workspaces_of(settings: Settings) -> Workspaces:
    """Return the workspaces of an index. Raise ConfigError."""
    given = settings.workspace
    if (given.operator or given.owner) and given.database.partition("://")[0] not in _POSTGRES:
        other = "operator" if given.operator else "owner"
        raise ConfigError(
            f"[workspace] {other} is an address of PostgreSQL, and [workspace] database is none",
            hint=f"set {ADDRESSES['database']} to the address of the same database for users",
        )
    if "://" in given.database:
        return open_workspaces(given.database, operator=given.operator, owner=given.owner)
    place = settings.index / Path(given.database).expanduser()
    return open_workspaces(place, make=partial(_make, settings, place))


def open_workspaces(
    place: str | Path,
    *,
    operator: str = "",
    owner: str = "",
    make: Callable[[], None] | None = None,
) -> Workspaces:
    """Return the workspaces in the file `workspaces.db` of a folder, in a file that ends in `.db`,
    or in PostgreSQL. Connects on first use. `operator` and `owner` are addresses of the same
    database for `administration()` and `migrate()`; files need neither. `make` is called to create
    the folder of a file. Raise ConfigError."""
    name = str(place)
    if "://" in name:
        if name.partition("://")[0] not in _POSTGRES:
            raise ConfigError(
                "[workspace] database is an unknown kind of address",
                hint="use postgresql://USER@HOST/DATABASE, or a folder",
            )
        _require_libraries()
        from pincite.workspace.database.postgres import PostgresWorkspaces

        return PostgresWorkspaces(name, operator=operator, owner=owner)
    if not name or "\0" in name:
        raise ConfigError("[workspace] database is neither a file nor a server")
    from pincite.workspace.database.sqlite import SqliteWorkspaces

    path = Path(name)
    return SqliteWorkspaces(path if path.suffix == ".db" else path / FILE, place=make)


def _make(settings: Settings, place: Path) -> None:
    """Create the folder of the file; a new folder is private. Raise IndexUnavailable for an index
    folder of another user."""
    if place.is_relative_to(settings.index):
        require_own(settings.index)
        if not settings.index.exists():
            make_folder(settings.index)
    folder = place.parent if place.suffix == ".db" else place
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)


def _require_libraries() -> None:
    from importlib.util import find_spec

    if find_spec("psycopg") is None or find_spec("psycopg_pool") is None:
        raise ConfigError(
            "psycopg is not installed; workspaces in PostgreSQL need it",
            hint="pip install 'pincite[postgres]'",
        )
