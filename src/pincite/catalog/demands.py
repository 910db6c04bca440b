"""Demands of an index that need the user's trust, from its catalog.

Sources are read at the next refresh, descriptions are outside the fences of quotations, and models
receive texts. Each demand has a sign that can be stored in the state folder of the user
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
    """Add an id to an open catalog, by default a new random one, and return it."""
    identity = identity or fresh_id()
    database.execute(IDENTITY)
    database.execute("INSERT INTO identity VALUES (?)", (identity,))
    return identity


class Demand(NamedTuple):
    """A demand of an index: its text for people, its sign in the state folder, and the location
    that a source reads."""

    text: str
    sign: str
    location: str | None = None


def demands_of_source(source: Source) -> Iterator[Demand]:
    """Yield the demands of a source."""
    if source.kind != "records":
        text = f"the source {source.location}"
        yield Demand(text, _sign("source", source.location), source.location)
    if source.descriptions:
        texts = msgspec.json.encode(source.descriptions, order="sorted").decode()
        text = f"descriptions of the source {source.name}"
        yield Demand(text, _sign("descriptions", source.name, texts))


def demands_of_collection(spec: CollectionSpec) -> Iterator[Demand]:
    """Yield the demands of a collection."""
    for model in (spec.model, spec.sparse_model):
        if not _OURS.fullmatch(model):
            yield Demand(f"the model {model}", _sign("model", model))


class Noting:
    """Notes the demands that this user's own runs add to an open catalog, if it has an id of this
    user."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database
        self._seen: set[str] = set()

    def note(self, demands: Iterable[Demand]) -> None:
        """Note the signs of these demands that are not noted yet."""
        if not (new := {one.sign for one in demands} - self._seen):
            return
        missing = new - (noted_signs(ids_of_catalog(self._database)) or set())
        if not missing or note_signs(ids_of_catalog(self._database), missing):
            self._seen |= new


def demands_of_catalog(database: sqlite3.Connection) -> Iterator[Demand]:
    """Yield the demands of all sources and collections of a catalog."""
    for record in _column(database, "sources", "record"):
        yield from demands_of_source(msgspec.json.decode(record, type=ready(SourceRecord)).source)
    for text in _column(database, "collections", "spec"):
        yield from demands_of_collection(msgspec.json.decode(text, type=ready(CollectionSpec)))


def ids_of_catalog(database: sqlite3.Connection) -> Iterator[str]:
    """Yield the ids of a catalog: many users and machines may share an index."""
    return _column(database, "identity", "id")


def _sign(*parts: str) -> str:
    return hashlib.sha256(msgspec.json.encode(parts)).hexdigest()[:32]


def _column(database: sqlite3.Connection, table: str, column: str) -> Iterator[str]:
    """Yield a column of a table. The table may be missing in a catalog of an earlier version, or in
    one that is being created. Raises StoreError for more rows or characters than an index has, or
    for values that are not texts."""
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
