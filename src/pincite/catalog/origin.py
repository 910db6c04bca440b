"""Whether an index folder that was found, and not named, may do what its catalog says.

A checkout or an archive may bring an index. What its catalog says of files in the same project
harms nobody. Sources elsewhere are read into the index at the next refresh, descriptions stand
outside of the fences of quotations, and models are sent texts. An index with any of these is used
only if this user has made or accepted it.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Final

import msgspec

from pincite.errors import ConfigError, StoreError
from pincite.model import CollectionSpec, SourceRecord
from pincite.support.made_here import fresh_id, is_known, remember_index
from pincite.support.private_file import require_regular
from pincite.support.sqlite_schema import require_passive
from pincite.support.terminal import one_line

_NAME: Final = "catalog.db"
_TABLE: Final = "CREATE TABLE IF NOT EXISTS identity (id TEXT PRIMARY KEY)"
_OURS: Final = re.compile(r"(?:bundled(?::[a-z0-9-]+)?)?")  # models that come with Pincite
_MOST_NAMED: Final = 8  # claims in a message
_MOST_IDS: Final = 100  # of users and machines that share an index
_BUSY_S: Final = 10.0


def add_identity(database: sqlite3.Connection) -> str:
    """Give an open catalog another id, and return it."""
    identity = fresh_id()
    database.execute(_TABLE)
    database.execute("INSERT INTO identity VALUES (?)", (identity,))
    return identity


def require_origin(root: Path, *, writable: bool) -> None:
    """Raise ConfigError for an index that this user has neither made nor accepted and that reaches
    outside of the folder around it; StoreError for one that cannot be read. One that does not is
    accepted: those of earlier versions have no id."""
    if is_known(_identities(root)):
        return
    claims = claims_of_index(root)
    if not claims:
        if writable:
            accept_index(root)
        return
    named = [one_line(one) for one in claims[:_MOST_NAMED]]
    if len(claims) > _MOST_NAMED:
        named.append(f"and {len(claims) - _MOST_NAMED} more")
    raise ConfigError(
        f"the index {one_line(str(root))} was not made by you, and it has {'; '.join(named)}",
        hint=f"pincite trust {one_line(str(root))}, or remove the folder and index again",
    )


def accept_index(root: Path) -> bool:
    """Give an index an id of this user, and return whether that was noted. Raises StoreError."""
    try:
        require_regular(root / _NAME)
        with closing(sqlite3.connect(root / _NAME, timeout=_BUSY_S)) as database, database:
            require_passive(database, f"the catalog {root / _NAME}")
            identity = add_identity(database)
    except (OSError, sqlite3.Error) as error:
        raise _unreadable(root, error) from error
    return remember_index(root, identity)


def claims_of_index(root: Path) -> tuple[str, ...]:
    """Return what takes trust in an index, for people. Raises StoreError."""
    around = root.parent
    found: list[str] = []
    try:
        for record in _rows(root, "SELECT record FROM sources"):
            source = msgspec.json.decode(record, type=SourceRecord).source
            if source.kind != "records" and not _inside(source.location, around):
                found.append(f"the source {source.location}")
            if source.descriptions:
                found.append(f"descriptions of the source {source.name}")
        for text in _rows(root, "SELECT spec FROM collections"):
            spec = msgspec.json.decode(text, type=CollectionSpec)
            models = (spec.model, spec.sparse_model)
            found += [f"the model {one}" for one in models if not _OURS.fullmatch(one)]
    except (OSError, sqlite3.Error, msgspec.MsgspecError) as error:
        raise _unreadable(root, error) from error
    return tuple(dict.fromkeys(found))


def _identities(root: Path) -> tuple[str, ...]:
    try:
        return tuple(map(str, _rows(root, f"SELECT id FROM identity LIMIT {_MOST_IDS}")))
    except (OSError, sqlite3.Error):  # of an earlier version
        return ()


def _rows(root: Path, sql: str) -> Iterator[str]:
    """Yield the only column of a query. A folder without write access has no place for SQLite's
    extra files, so its catalog is read as one that does not change."""
    require_regular(root / _NAME)
    error: sqlite3.Error | None = None
    for mode in ("mode=ro", "mode=ro&immutable=1"):
        place = f"{(root / _NAME).absolute().as_uri()}?{mode}"
        with closing(sqlite3.connect(place, uri=True, timeout=_BUSY_S)) as database:
            try:
                require_passive(database, f"the catalog {root / _NAME}")
                rows = database.execute(sql).fetchall()
            except sqlite3.Error as failed:
                error = failed
                continue
        yield from (row[0] for row in rows)
        return
    raise error or sqlite3.OperationalError("it cannot be read")


def _inside(location: str, folder: Path) -> bool:
    """Is it in the folder, links followed? A relative path means another place in the daemon."""
    try:
        return Path(location).is_absolute() and Path(location).resolve().is_relative_to(
            folder.resolve()
        )
    except (OSError, RuntimeError, ValueError):
        return False


def _unreadable(root: Path, error: Exception) -> StoreError:
    return StoreError(
        f"the catalog {root / _NAME} cannot be read: {error}",
        hint="move the index folder away and index again",
    )
