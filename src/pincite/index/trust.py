"""Check whether an index folder that was found, not named, may be used: it must be an index of this
user, or a harmless one.

A checkout or an archive may contain an index. Entries of its catalog about files in the same
project are harmless. Other entries are not: sources elsewhere are read into the index at the next
refresh, descriptions are shown outside of the fences of quotations, and texts are sent to models.
An index with any of these is used only if this user has made it or has accepted it, including
everything that was added later.

A catalog is always read in one transaction, in the state in which it is opened later.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Final

import msgspec

from pincite.catalog.demands import Demand, add_identity, demands_of_catalog, ids_of_catalog
from pincite.catalog.place import catalog_of
from pincite.catalog.schema import require_catalog
from pincite.catalog.trusted_indexes import (
    can_remember,
    fresh_id,
    note_signs,
    noted_signs,
    remember_index,
)
from pincite.errors import ConfigError, StoreError
from pincite.support.databases.bounded import bounded
from pincite.support.databases.private_file import require_regular
from pincite.support.databases.sqlite_schema import (
    connect_to_read,
    require_no_journal,
    use_log,
)
from pincite.support.terminal import one_line

_MOST_NAMED: Final = 8  # claims in a message
_BUSY_S: Final = 10.0
_READ_S: Final = 30.0  # guess, unmeasured: for all that is read before an index is trusted
_CHECK_S: Final = 600.0  # guess, unmeasured: once for an index that this user did not make
_MOST_BYTES: Final = 16 * 1024 * 1024  # of a row: a source with its descriptions, for example
_IN_USE: Final = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def require_trusted(root: Path, *, writable: bool) -> None:
    """Raise ConfigError for an index that this user has neither made nor accepted and that reaches
    outside of the folder around it; StoreError for an index that cannot be read. An index that does
    not reach outside is accepted, because indexes of earlier versions have no id."""
    with _reading(root) as database:
        with bounded(database, _READ_S, _MOST_BYTES):
            noted = noted_signs(ids_of_catalog(database))
        if noted is None:
            _require_sound(database)
        with bounded(database, _READ_S, _MOST_BYTES):
            is_noted = noted is not None
            _require_accepted(root, database, lambda one: one.sign in (noted or ()), is_noted)
        (version,) = database.execute("PRAGMA user_version").fetchone()
    if noted is not None or not version:  # 0: it is being made, and gets its id then
        return
    if writable and can_remember():
        accept_index(root, ())


def accept_index(root: Path, claims: Collection[str]) -> bool:
    """Record an index as one of this user, if it has no other claims than these, and return whether
    that was possible. An index without an id of this user gets one. Raises ConfigError,
    StoreError."""
    with _writing(root) as database:
        _require_accepted(root, database, lambda one: one.text in claims)
        signs = {one.sign for one in demands_of_catalog(database)}
        if noted_signs(ids_of_catalog(database)) is not None:
            return note_signs(ids_of_catalog(database), signs)
        identity = fresh_id()
        noted = remember_index(root, identity, signs)
        if noted:
            add_identity(database, identity)
        return noted


def claims_of_index(root: Path) -> tuple[str, ...]:
    """Return the claims of an index that require trust, as texts for people. Raises StoreError."""
    with _reading(root) as database:
        _require_sound(database)
        with bounded(database, _READ_S, _MOST_BYTES):
            return tuple(dict.fromkeys(one.text for one in _claims(database, root.parent)))


def _require_sound(database: sqlite3.Connection) -> None:
    """Raise sqlite3.DatabaseError for a damaged file: a page that is a child of itself has rows
    without end. It takes a look at each page, so it is for indexes that this user did not make."""
    with bounded(database, _CHECK_S):
        (said,) = database.execute("PRAGMA quick_check(1)").fetchone()
    if said != "ok":
        raise sqlite3.DatabaseError(one_line(said))


def _require_accepted(
    root: Path,
    database: sqlite3.Connection,
    accepted: Callable[[Demand], bool],
    known: bool = False,
) -> None:
    """Raise ConfigError for claims that were not accepted. `known` says whether the index has an id
    of this user."""
    claims = _claims(database, root.parent)
    if not (others := [*dict.fromkeys(one.text for one in claims if not accepted(one))]):
        return
    shown, name = [one_line(one) for one in others[:_MOST_NAMED]], one_line(str(root))
    if len(others) > _MOST_NAMED:
        shown.append(f"and {len(others) - _MOST_NAMED} more")
    has = f"it has {'; '.join(shown)}"
    if can_remember():
        made = "has your id, but others changed it" if known else "was not made by you"
        raise ConfigError(
            f"the index {name} {made}, and {has}",
            hint=f"pincite trust {name}, or remove the folder and index again",
        )
    raise ConfigError(
        f"your state folder cannot be written, so nothing says that you made the index {name}, and"
        f" {has}",
        hint=f"--index {name} or PINCITE_TRUST=1 if it is yours, or make the state folder writable:"
        " see XDG_STATE_HOME",
    )


def _claims(database: sqlite3.Connection, around: Path) -> list[Demand]:
    """Return the claims that require trust: all but sources in the folder around the index."""
    return [
        one
        for one in demands_of_catalog(database)
        if one.location is None or not _inside(one.location, around)
    ]


@contextmanager
def _reading(root: Path) -> Iterator[sqlite3.Connection]:
    """Open the catalog in a transaction that only reads. Raises StoreError."""
    with _translated(root):
        require_regular(catalog_of(root))
        begin = partial(_begin, root)
        with closing(connect_to_read(catalog_of(root), begin, timeout_s=_BUSY_S)) as database:
            yield database


def _begin(root: Path, database: sqlite3.Connection) -> None:
    database.execute("BEGIN")
    require_catalog(database, catalog_of(root))


@contextmanager
def _writing(root: Path) -> Iterator[sqlite3.Connection]:
    """Open the catalog in a transaction that excludes other writers. Raises StoreError."""
    path = catalog_of(root)
    with _translated(root):
        require_regular(path)
        require_no_journal(path)
        place = f"{path.absolute().as_uri()}?mode=rw"
        opened = sqlite3.connect(place, uri=True, timeout=_BUSY_S, isolation_level=None)
        with closing(opened) as database, database:
            require_catalog(database, path)
            use_log(database, _BUSY_S)
            database.execute("BEGIN IMMEDIATE")
            require_catalog(database, path)
            with bounded(database, _READ_S, _MOST_BYTES):
                yield database


@contextmanager
def _translated(root: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, sqlite3.Error, msgspec.MsgspecError, RecursionError) as error:
        if getattr(error, "sqlite_errorcode", 0) & 0xFF in _IN_USE:
            raise StoreError(
                f"another process uses the catalog {catalog_of(root)}",
                hint="try again when it has ended",
            ) from error
        said = getattr(error, "strerror", None) or str(error)
        raise StoreError(
            f"the catalog {catalog_of(root)} cannot be read: {said}",
            hint=""  # that of the system, or ours, says what to do
            if isinstance(error, OSError)
            else "move the index folder away and index again",
        ) from error


def _inside(location: str, folder: Path) -> bool:
    """Return whether a location is in the folder, after following links. A relative path is not,
    because it means another place in the daemon."""
    try:
        return Path(location).is_absolute() and Path(location).resolve().is_relative_to(
            folder.resolve()
        )
    except (OSError, RuntimeError, ValueError):
        return False
