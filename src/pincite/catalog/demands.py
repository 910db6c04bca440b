"""What an index asks for that takes trust, as its catalog has it.

Sources are read at the next refresh, descriptions stand outside of the fences of quotations, and
models are sent texts. Each of these has a sign that can be noted in the state folder of the user
(`trusted_indexes`).
"""

from __future__ import annotations

import hashlib
import re
import sqlite3
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

import msgspec

from pincite.catalog.schema import IDENTITY
from pincite.catalog.trusted_indexes import fresh_id, note_signs, noted_signs
from pincite.errors import StoreError
from pincite.model import CollectionSpec, Source, SourceRecord
from pincite.support.decodable import ready

_HINT: Final = "move the index folder away and index again"
_MOST_ROWS: Final = 100_000  # guess, unmeasured: collections, or sources of all collections
_MOST_CHARS: Final = 64_000_000  # guess, unmeasured
_OURS: Final = re.compile(r"(?:bundled(?::[a-z0-9-]+)?)?")  # models that come with Pincite


def add_identity(database: sqlite3.Connection, identity: str = "") -> str:
    """Give an open catalog another id, by default a new one, and return it."""
    identity = identity or fresh_id()
    database.execute(IDENTITY)
    database.execute("INSERT INTO identity VALUES (?)", (identity,))
    return identity


class Demand(NamedTuple):
    """Something that an index asks for: its text for people, its sign in the state folder, and
    what a source reads."""

    text: str
    sign: str
    location: str | None = None


def demands_of_source(source: Source) -> Iterator[Demand]:
    """Yield what a source asks for."""
    if source.kind != "records":
        text = f"the source {source.location}"
        yield Demand(text, _sign("source", source.location), source.location)
    if source.descriptions:
        texts = msgspec.json.encode(source.descriptions, order="sorted").decode()
        text = f"descriptions of the source {source.name}"
        yield Demand(text, _sign("descriptions", source.name, texts))


def demands_of_collection(spec: CollectionSpec) -> Iterator[Demand]:
    """Yield what a collection asks for."""
    for model in (spec.model, spec.sparse_model):
        if not _OURS.fullmatch(model):
            yield Demand(f"the model {model}", _sign("model", model))


class Noting:
    """Notes what this user's own runs put into an open catalog, if it has an id of this user."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database
        self._seen: set[str] = set()

    def note(self, demands: Iterable[Demand]) -> None:
        """Note these, unless they are."""
        if not (new := {one.sign for one in demands} - self._seen):
            return
        missing = new - (noted_signs(ids_of_catalog(self._database)) or set())
        if not missing or note_signs(ids_of_catalog(self._database), missing):
            self._seen |= new


def demands_of_catalog(database: sqlite3.Connection) -> Iterator[Demand]:
    """Yield what all sources and collections of a catalog ask for."""
    for record in _column(database, "sources", "record"):
        yield from demands_of_source(msgspec.json.decode(record, type=ready(SourceRecord)).source)
    for text in _column(database, "collections", "spec"):
        yield from demands_of_collection(msgspec.json.decode(text, type=ready(CollectionSpec)))


def ids_of_catalog(database: sqlite3.Connection) -> Iterator[str]:
    """Yield its ids: many users and machines may share an index."""
    return _column(database, "identity", "id")


def _sign(*parts: str) -> str:
    return hashlib.sha256(msgspec.json.encode(parts)).hexdigest()[:32]


def _column(database: sqlite3.Connection, table: str, column: str) -> Iterator[str]:
    """Yield a column of a table, which may be missing: in a catalog of an earlier version, or one
    that is being made. Raises StoreError where it has more than an index has, or other
    values than texts."""
    named = "SELECT 1 FROM sqlite_master WHERE name = ? COLLATE NOCASE"
    if database.execute(named, (table,)).fetchone() is None:
        return
    chars = 0
    for row, (value,) in enumerate(database.execute(f"SELECT {column} FROM {table}")):
        if not isinstance(value, str):
            raise StoreError(f"the catalog has a {table}.{column} that is not a text", hint=_HINT)
        chars += len(value)
        if row >= _MOST_ROWS or chars > _MOST_CHARS:
            raise StoreError(
                f"the catalog has more than {_MOST_ROWS:,} rows or {_MOST_CHARS:,} characters in"
                f" {table}.{column}",
                hint=_HINT,
            )
        yield value
