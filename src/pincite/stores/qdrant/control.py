"""Control points: they hide revisions of documents that are staged or replaced.

They are stored in the collection itself, as points without vectors:

    staged       hides-r2 says "r2"                 r2 is written and hidden
    published    hides-r2 says "r1"                 one write: r2 is visible and r1 is hidden
    cleaned up   r1 is deleted; hides-r2 is deleted some publications later

A search excludes the revisions that it knows to be hidden, and reads the control points again after
it. It is repeated if an excluded revision is no longer hidden, because that revision may have been
visible before the search began. It is also repeated if it has hits of a revision that is hidden
now, because they may be only a part of a document. After the last try, such hits are dropped. So a
document is found whole or not at all.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from hashlib import blake2b
from typing import Any
from uuid import UUID

from qdrant_client import models

from pincite.stores.payload import CONTROL, HIDDEN_REVISION, REVISION
from pincite.stores.qdrant.connection import Connection
from pincite.stores.qdrant.scrolling import scroll
from pincite.stores.qdrant.translate import among

_HIDES = "hides"  # the value of CONTROL in control points
_NOBODY = ""  # no revision has this name
_AT_ONCE = 10_000  # control points of one answer


async def read_hidden(connection: Connection, name: str, options: dict[str, Any]) -> frozenset[str]:
    """Return the hidden revisions. They are read page by page, which is safe: each control point is
    about one document, and a revision is hidden before its points are written."""
    found = await scroll(connection, name, among(CONTROL, [_HIDES]), page=_AT_ONCE, options=options)
    return frozenset(record.payload[HIDDEN_REVISION] for record in found if record.payload)


class Removed:
    """Revisions that this process has removed and that stay marked as hidden, for searches that
    began before."""

    def __init__(self) -> None:
        self._names: list[str] = []

    def add(self, revisions: Iterable[str]) -> None:
        """Add revisions that were removed."""
        self._names += revisions

    def discard(self, revisions: Collection[str]) -> None:
        """Forget these revisions."""
        self._names = [name for name in self._names if name not in revisions]

    def take(self, keep: int) -> list[str]:
        """Remove and return all but the last `keep` revisions; their marks can be deleted now."""
        count = max(0, len(self._names) - keep)
        taken, self._names = self._names[:count], self._names[count:]
        return taken


def hide(revisions: Iterable[str]) -> models.UpsertOperation:
    """Hide these revisions."""
    return _upsert({_key(revision): revision for revision in revisions})


def switch(replaced: Mapping[str, str | None]) -> models.UpsertOperation:
    """Show hidden revisions and hide those that they replace, if any, each pair in one write."""
    return _upsert({_key(revision): old or _NOBODY for revision, old in replaced.items()})


def forget(revisions: Iterable[str]) -> models.DeleteOperation:
    """Delete the marks that hide these revisions, and those that hide none."""
    hiding = among(HIDDEN_REVISION, [*revisions, _NOBODY])
    return models.DeleteOperation(delete=models.FilterSelector(filter=hiding))


def delete(revisions: Iterable[str]) -> models.DeleteOperation:
    """Delete the points of these revisions."""
    chosen = models.FilterSelector(filter=among(REVISION, revisions))
    return models.DeleteOperation(delete=chosen)


def _upsert(hides: dict[str, str]) -> models.UpsertOperation:
    points = [
        models.PointStruct(id=key, vector={}, payload={CONTROL: _HIDES, HIDDEN_REVISION: revision})
        for key, revision in hides.items()
    ]
    return models.UpsertOperation(upsert=models.PointsList(points=points))


def _key(revision: str) -> str:
    digest = blake2b(f"{CONTROL}\0{revision}".encode(), digest_size=16).digest()
    return str(UUID(bytes=digest))
