"""Whether an index folder that was found, and not named, may do what its catalog says.

A checkout or an archive may bring an index. What its catalog says of files in the same project
harms nobody. Sources elsewhere are read into the index at the next refresh, descriptions stand
outside of the fences of quotations, and models are sent texts. An index with any of these is used
only if this user has made or accepted it.

A catalog is always read in one transaction, in the state in which it is opened later.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Collection, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

import msgspec

from pincite.errors import ConfigError, StoreError
from pincite.model import CollectionSpec, SourceRecord
from pincite.support.made_here import can_remember, fresh_id, is_known, remember_index
from pincite.support.private_file import require_regular
from pincite.support.sqlite_schema import addresses_to_read, require_no_journal, require_passive
from pincite.support.terminal import one_line

_NAME: Final = "catalog.db"
_TABLE: Final = "CREATE TABLE IF NOT EXISTS identity (id TEXT PRIMARY KEY)"
_OURS: Final = re.compile(r"(?:bundled(?::[a-z0-9-]+)?)?")  # models that come with Pincite
_MOST_NAMED: Final = 8  # claims in a message
_BUSY_S: Final = 10.0
_IN_USE: Final = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def add_identity(database: sqlite3.Connection, identity: str = "") -> str:
    """Give an open catalog another id, by default a new one, and return it."""
    identity = identity or fresh_id()
    database.execute(_TABLE)
    database.execute("INSERT INTO identity VALUES (?)", (identity,))
    return identity


def require_origin(root: Path, *, writable: bool) -> None:
    """Raise ConfigError for an index that this user has neither made nor accepted and that reaches
    outside of the folder around it; StoreError for one that cannot be read. One that does not is
    accepted: those of earlier versions have no id."""
    with _reading(root) as database:
        if _is_known(database):
            return
        _require_accepted(root, _claims(database, root.parent), ())
        (version,) = database.execute("PRAGMA user_version").fetchone()
    if writable and version and can_remember():  # 0: it is being made, and gets its id then
        accept_index(root, ())


def accept_index(root: Path, claims: Collection[str]) -> bool:
    """Give an index with no other claims than these an id of this user, and return whether that
    was noted. Raises ConfigError, StoreError."""
    with _writing(root) as database:
        if _is_known(database):
            return True
        _require_accepted(root, _claims(database, root.parent), claims)
        identity = fresh_id()
        noted = remember_index(root, identity)
        if noted:
            add_identity(database, identity)
        return noted


def claims_of_index(root: Path) -> tuple[str, ...]:
    """Return what takes trust in an index, for people. Raises StoreError."""
    with _reading(root) as database:
        return _claims(database, root.parent)


def _require_accepted(root: Path, claims: Sequence[str], accepted: Collection[str]) -> None:
    """Raise ConfigError for claims that were not accepted."""
    if not (others := [one for one in claims if one not in accepted]):
        return
    shown, name = [one_line(one) for one in others[:_MOST_NAMED]], one_line(str(root))
    if len(others) > _MOST_NAMED:
        shown.append(f"and {len(others) - _MOST_NAMED} more")
    has = f"it has {'; '.join(shown)}"
    if can_remember():
        raise ConfigError(
            f"the index {name} was not made by you, and {has}",
            hint=f"pincite trust {name}, or remove the folder and index again",
        )
    raise ConfigError(
        f"your state folder cannot be written, so nothing says that you made the index {name}, and"
        f" {has}",
        hint=f"--index {name} or PINCITE_TRUST=1 if it is yours, or make the state folder writable:"
        " see XDG_STATE_HOME",
    )


def _claims(database: sqlite3.Connection, around: Path) -> tuple[str, ...]:
    found: list[str] = []
    for record in _column(database, "sources", "record"):
        source = msgspec.json.decode(record, type=SourceRecord).source
        if source.kind != "records" and not _inside(source.location, around):
            found.append(f"the source {source.location}")
        if source.descriptions:
            found.append(f"descriptions of the source {source.name}")
    for text in _column(database, "collections", "spec"):
        spec = msgspec.json.decode(text, type=CollectionSpec)
        models = (spec.model, spec.sparse_model)
        found += [f"the model {one}" for one in models if not _OURS.fullmatch(one)]
    return tuple(dict.fromkeys(found))


def _is_known(database: sqlite3.Connection) -> bool:
    """Has it an id of this user? Many users and machines may share an index."""
    return is_known(map(str, _column(database, "identity", "id")))


def _column(database: sqlite3.Connection, table: str, column: str) -> Iterator[str]:
    """Yield a column of a table, which may be missing: in a catalog of an earlier version, or one
    that is being made."""
    named = "SELECT 1 FROM sqlite_master WHERE name = ? COLLATE NOCASE"
    if database.execute(named, (table,)).fetchone() is not None:
        yield from (value for (value,) in database.execute(f"SELECT {column} FROM {table}"))


@contextmanager
def _reading(root: Path) -> Iterator[sqlite3.Connection]:
    """Open the catalog in a transaction that only reads. Raises StoreError."""
    with _translated(root):
        require_regular(root / _NAME)
        with closing(_open_to_read(root)) as database:
            yield database


def _open_to_read(root: Path) -> sqlite3.Connection:
    error: sqlite3.Error | None = None
    for place in addresses_to_read(root / _NAME):
        database = _connect(place)
        try:
            database.execute("BEGIN")
            require_passive(database, f"the catalog {root / _NAME}")
        except sqlite3.Error as failed:
            error = failed
            database.close()
        except BaseException:
            database.close()
            raise
        else:
            return database
    raise error or sqlite3.OperationalError("it cannot be read")


@contextmanager
def _writing(root: Path) -> Iterator[sqlite3.Connection]:
    """Open the catalog in a transaction that no other process writes in. Raises StoreError."""
    path = root / _NAME
    with _translated(root):
        require_regular(path)
        require_no_journal(path)
        with closing(_connect(f"{path.absolute().as_uri()}?mode=rw")) as database, database:
            require_passive(database, f"the catalog {path}")
            database.execute("PRAGMA journal_mode = WAL")
            database.execute("BEGIN IMMEDIATE")
            require_passive(database, f"the catalog {path}")
            yield database


def _connect(place: str) -> sqlite3.Connection:
    return sqlite3.connect(place, uri=True, timeout=_BUSY_S, isolation_level=None)


@contextmanager
def _translated(root: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, sqlite3.Error, msgspec.MsgspecError) as error:
        if getattr(error, "sqlite_errorcode", 0) & 0xFF in _IN_USE:
            raise StoreError(
                f"another process uses the catalog {root / _NAME}",
                hint="try again when it has ended",
            ) from error
        said = getattr(error, "strerror", None) or str(error)
        raise StoreError(
            f"the catalog {root / _NAME} cannot be read: {said}",
            hint="move the index folder away and index again",
        ) from error


def _inside(location: str, folder: Path) -> bool:
    """Is it in the folder, links followed? A relative path means another place in the daemon."""
    try:
        return Path(location).is_absolute() and Path(location).resolve().is_relative_to(
            folder.resolve()
        )
    except (OSError, RuntimeError, ValueError):
        return False
