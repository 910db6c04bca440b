"""Operations on the points of a server's collection."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from qdrant_client import models

from pincite.model import Point
from pincite.stores import payload
from pincite.stores.payload import ALIASED, OWN_ID, REVISION
from pincite.stores.qdrant import control, translate
from pincite.stores.qdrant.connection import Connection
from pincite.stores.qdrant.translate import among

_BATCH = 256  # points per request: 1 MB with vectors of 1,024 numbers
_ALL = 2**31 - 1
_PAGE = 1_000


async def stage(connection: Connection, name: str, revision: str, points: Sequence[Point]) -> None:
    """Upsert, under aliases where another revision has the ids. A point that has an alias already
    keeps it. A revision without points is put out of sight first, in the same request."""
    before: list[models.UpdateOperation] = []
    if not await count(connection, name, among(REVISION, [revision])):
        before.append(control.hide([revision]))
    aliases = {payload.alias(p.chunk.id, revision): p.chunk.id for p in points}
    for start in range(0, len(points), _BATCH):
        some = points[start : start + _BATCH]
        keys = [UUID(hex=point.chunk.id) for point in some]
        waiting = [payload.alias(point.chunk.id, revision) for point in some]
        held = await owners(connection, name, [str(key) for key in (*keys, *waiting)])
        taken = {key.hex for key in keys if held.get(key, revision) != revision}
        taken |= {aliases[key] for key in waiting if key in held}
        made = {
            point.chunk.id: translate.to_point(point, revision, aliased=point.chunk.id in taken)
            for point in some
        }
        upsert = models.UpsertOperation(upsert=models.PointsList(points=list(made.values())))
        await apply(connection, name, [*before, upsert])
        before = []
    if before:
        await apply(connection, name, before)


async def take_ids(connection: Connection, name: str, revision: str) -> None:
    """Give the aliased points of a revision their own ids."""
    waiting = among(ALIASED, [revision])
    records = await scroll(connection, name, waiting, vectors=True)
    for start in range(0, len(records), _BATCH):
        own = [translate.without_alias(record) for record in records[start : start + _BATCH]]
        upsert = models.UpsertOperation(upsert=models.PointsList(points=own))
        await apply(connection, name, [upsert])
    if records:
        gone = models.DeleteOperation(delete=models.FilterSelector(filter=waiting))
        await apply(connection, name, [gone])


async def finish_taking(connection: Connection, name: str) -> None:
    """After a crash: `take_ids` has begun if one of a revision's own ids is its own."""
    for revision in await counts(connection, name, ALIASED):
        records = await scroll(connection, name, among(ALIASED, [revision]))
        own = [str(UUID(hex=(record.payload or {})[OWN_ID])) for record in records]
        if revision in (await owners(connection, name, own)).values():
            await take_ids(connection, name, revision)


def publication(revision: str, gone: Sequence[str]) -> list[models.UpdateOperation]:
    """Seen, and what it replaces out of sight, in one write; then that is deleted."""
    operations: list[models.UpdateOperation] = [control.switch(revision, gone)]
    if gone:
        operations.append(control.delete(gone))
    return [*operations, control.forget([revision])]


def removal(revisions: Sequence[str]) -> list[models.UpdateOperation]:
    """Out of sight, then deleted."""
    return [control.hide(revisions), control.delete(revisions)]


async def apply(
    connection: Connection, name: str, operations: Sequence[models.UpdateOperation]
) -> None:
    """Operations one after the other, in one request; they are done when this returns."""
    await connection.ask(
        f"write to {name}",
        lambda client: client.batch_update_points(
            name, list(operations), wait=True, ordering=models.WriteOrdering.STRONG
        ),
    )


async def owners(connection: Connection, name: str, ids: Sequence[str]) -> dict[UUID, str]:
    """The revision to which each of these points belongs; unknown ones are left out."""
    if not ids:
        return {}
    records = await connection.ask(
        f"read {name}",
        lambda client: client.retrieve(
            name, list(ids), with_payload=[REVISION], with_vectors=False
        ),
    )
    return {UUID(str(r.id)): r.payload[REVISION] for r in records if r.payload}


async def count(connection: Connection, name: str, filter_: models.Filter) -> int:
    """How many points there are, exactly."""
    answer = await connection.ask(
        f"count {name}", lambda client: client.count(name, count_filter=filter_, exact=True)
    )
    return answer.count


async def counts(connection: Connection, name: str, field: str) -> dict[str, int]:
    """How many points have each value of a field."""
    answer = await connection.ask(
        f"count {name}", lambda client: client.facet(name, field, limit=_ALL, exact=True)
    )
    return {_plain(str(hit.value)): hit.count for hit in answer.hits if hit.count}


def _plain(value: str) -> str:
    """Facets may write 32 hex digits as a UUID, which no revision is."""
    try:
        return UUID(value).hex
    except ValueError:
        return value


async def scroll(
    connection: Connection, name: str, filter_: models.Filter, *, vectors: bool = False
) -> list[models.Record]:
    """All points that the filter lets pass, hidden or not."""
    found: list[models.Record] = []
    offset: Any = None
    while True:
        records, offset = await connection.ask(
            f"read {name}",
            lambda client, o=offset: client.scroll(  # type: ignore[misc]
                name,
                scroll_filter=filter_,
                limit=_PAGE,
                offset=o,
                with_payload=True,
                with_vectors=vectors,
            ),
        )
        found += records
        if offset is None:
            return found
