"""Which database workspaces are in, by what the settings name."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final

from pincite.errors import ConfigError
from pincite.index.folder import make_folder, require_own
from pincite.settings.load import Settings
from pincite.workspace.ports import Workspaces

FILE: Final = "workspaces.db"
_POSTGRES: Final = ("postgresql", "postgres")


def workspaces_of(settings: Settings) -> Workspaces:
    """The workspaces of an index. Raises ConfigError."""
    given = settings.workspace
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
    """Workspaces in the file `workspaces.db` of a folder, in a file that ends in `.db`, or in
    PostgreSQL. Connects with the first use. `operator` and `owner` are the addresses of the same
    database for `administration()` and `migrate()`; files need neither. `make` makes the folder of
    a file. Raises ConfigError."""
    name = str(place)
    if "://" in name:
        if name.partition("://")[0] not in _POSTGRES:
            raise ConfigError(
                "[workspace] database is an address of something unknown",
                hint="postgresql://USER@HOST/DATABASE, or a folder",
            )
        _require_libraries()
        from pincite.workspace.postgres import PostgresWorkspaces

        return PostgresWorkspaces(name, operator=operator, owner=owner)
    if not name or "\0" in name:
        raise ConfigError("[workspace] database names no file and no server")
    from pincite.workspace.sqlite import SqliteWorkspaces

    path = Path(name)
    return SqliteWorkspaces(path if path.suffix == ".db" else path / FILE, place=make)


def _make(settings: Settings, place: Path) -> None:
    """The folder of the file, private where it is new. Raises IndexUnavailable for an index folder
    of another user."""
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
            "workspaces in PostgreSQL need psycopg, which is not installed",
            hint="pip install 'pincite[postgres]'",
        )
