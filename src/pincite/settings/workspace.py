"""Where users, spaces and documents of workspaces are kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final
from urllib.parse import urlsplit

from pincite.errors import ConfigError
from pincite.settings.tables import take_table

#: The variables that win over the keys of the table, and may hold passwords.
ADDRESSES: Final = {
    "database": "PINCITE_DATABASE_URL",
    "operator": "PINCITE_DATABASE_OPERATOR_URL",
    "owner": "PINCITE_DATABASE_OWNER_URL",
}


@dataclass(frozen=True, slots=True)
class WorkspaceSettings:
    """The table `[workspace]` of pincite.toml. `database`: a file that ends in `.db`, a folder, or
    the address of a PostgreSQL database; one that is relative counts from the index folder, and
    empty is the file `workspaces.db` in it. `operator` and `owner` are the addresses of the same
    PostgreSQL database for the operator and for migrations. Secret: they are in no message."""

    database: str = field(default="", repr=False)
    operator: str = field(default="", repr=False)
    owner: str = field(default="", repr=False)

    def __post_init__(self) -> None:
        if "\0" in self.database:
            raise ConfigError("workspace.database has a NUL in it, which cannot be a path")


def take_workspace_settings(
    table: dict[str, object], origin: str, environ: Mapping[str, str]
) -> WorkspaceSettings:
    """Take `[workspace]` out of the table of `origin`, with the variables over it. Raises
    ConfigError for an unknown key, a wrong value, and a password in the file."""
    found = take_table(table, "workspace", WorkspaceSettings, origin)
    for key, variable in ADDRESSES.items():
        if _has_password(getattr(found, key)):
            raise ConfigError(
                f"{origin}: workspace.{key} has a password in it, and files are read by others",
                hint=f"{variable}, or the password file of PostgreSQL (PGPASSFILE)",
            )
    return replace(found, **{k: environ[v] for k, v in ADDRESSES.items() if environ.get(v)})


def _has_password(address: str) -> bool:
    try:
        parts = urlsplit(address)
        return bool(parts.password) or "password=" in parts.query.lower()
    except ValueError:  # it is no address; whoever connects says so
        return "password=" in address.lower()
