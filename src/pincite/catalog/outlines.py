"""Outlines of documents in a SQLite catalog. They have their own table, so that listing documents
does not read them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any, Final

import msgspec

from pincite.catalog.chunk_ids import PACKED_BYTES
from pincite.model.outline import OUTLINE_VERSION, Outline, OutlinedDocument
from pincite.support.decodable import ready

_OBJECTS_BYTES: Final = 1_000  # of an outline in memory, besides its packed parts
#: A row with an empty body is for a document that can have no outline. `WITHOUT ROWID` would keep
#: up to a quarter of a page of each row in the tree: a third more disk and a quarter more time.
TABLE: Final = """
    CREATE TABLE outlines (
        collection TEXT NOT NULL REFERENCES collections ON DELETE CASCADE,
        revision TEXT NOT NULL, version INTEGER NOT NULL, body BLOB NOT NULL,
        PRIMARY KEY (collection, revision));
"""
#: Removes the outline of (collection, revision).
REMOVE: Final = "DELETE FROM outlines WHERE collection = ? AND revision = ?"
#: Adds an outline if its revision exists. Parameters: version, body, collection, revision.
ADD: Final = (
    "INSERT OR REPLACE INTO outlines SELECT collection, revision, ?, ? FROM documents"
    " INDEXED BY documents_by_revision WHERE collection = ? AND revision = ? LIMIT 1"
)
#: Finds documents after a (source, path) that have no outline of this version.
MISSING: Final = (
    "SELECT source, path, documents.revision FROM documents LEFT JOIN outlines"
    " ON outlines.collection = documents.collection AND outlines.revision = documents.revision"
    " WHERE documents.collection = ? AND (source, path) > (?, ?)"
    " AND (outlines.version IS NULL OR outlines.version != ?) ORDER BY source, path LIMIT ?"
)
#: The columns of a document joined with its outline, for `by_place`.
COLUMNS: Final = "content_hash, chunk_ids, chunks, version, body"
JOIN: Final = "CROSS JOIN outlines USING (collection, revision)"


def body_of(outline: Outline | None) -> bytes:
    """Return the column `body` of an outline."""
    return b"" if outline is None else msgspec.msgpack.encode(outline)


def by_place(rows: Iterable[Sequence[Any]]) -> dict[tuple[str, str], OutlinedDocument]:
    """Return the outlines by (source, path). Each row is a source, a path and `COLUMNS`. Documents
    without a current outline, or without the ids of their chunks, are left out. Raises
    msgspec.DecodeError."""
    decode = _decoder().decode
    return {
        (source, path): OutlinedDocument(content_hash, ids, decode(body))
        for source, path, content_hash, ids, chunks, version, body in rows
        if version == OUTLINE_VERSION and body and len(ids) == PACKED_BYTES * chunks
    }


def size_of(document: OutlinedDocument) -> int:
    """Return the estimated bytes of an outline in memory."""
    outline = document.outline
    return _OBJECTS_BYTES + len(document.ids) + len(outline.rows) + len(outline.paths)


@cache
def _decoder() -> msgspec.msgpack.Decoder[Outline]:
    return msgspec.msgpack.Decoder(ready(Outline))
