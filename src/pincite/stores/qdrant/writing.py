"""Operations on the points of a server's collection."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any
from uuid import UUID

from qdrant_client import models

from pincite.model import Point
from pincite.stores import payload
from pincite.stores.payload import ALIASED, OWN_ID, REVISION
from pincite.stores.qdrant import control, translate
from pincite.stores.qdrant.connection import Connection
from pincite.stores.qdrant.scrolling import scroll
from pincite.stores.qdrant.translate import among

_BATCH = 256  # points per request: 1 MB with vectors of 1,024 numbers
_ALL = 2**31 - 1


async def stage(
    connection: Connection, name: str, revisions: Mapping[str, Sequence[Point]]
) -> None:
    """Upsert points, under aliases where another revision has the ids. A point that already has an
    alias keeps it. New revisions are hidden first, in the same request."""
    before: list[models.UpdateOperation] = []
    if fresh := revisions.keys() - await counts(connection, name, REVISION, revisions):
        before.append(control.hide(sorted(fresh)))
    pairs = [(revision, point) for revision, points in revisions.items() for point in points]
    for start in range(0, len(pairs), _BATCH):
        some = pairs[start : start + _BATCH]
        keys = {UUID(hex=point.chunk.id): revision for revision, point in some}
        waiting = {payload.alias(point.chunk.id, r): point.chunk.id for r, point in some}
        held = await owners(connection, name, [str(key) for key in (*keys, *waiting)])
        taken = {key.hex for key, revision in keys.items() if held.get(key, revision) != revision}
        taken |= {key for alias, key in waiting.items() if alias in held}
        made = {
            point.chunk.id: translate.to_point(point, r, aliased=point.chunk.id in taken)
            for r, point in some
        }
        upsert = models.UpsertOperation(upsert=models.PointsList(points=list(made.values())))
        await apply(connection, name, [*before, upsert])
        before = []
    if before:
        await apply(connection, name, before)


async def change_payloads(
    connection: Connection, name: str, revisions: Sequence[str], values: Mapping[str, Any]
) -> None:
    """Put these values into the payloads of revisions, in one write; None removes a value."""
    change = models.SetPayload(payload=dict(values), filter=among(REVISION, revisions))
    await apply(connection, name, [models.SetPayloadOperation(set_payload=change)])


async def take_ids(connection: Connection, name: str, revisions: Collection[str]) -> None:
    """Give the aliased points of revisions their own ids."""
    waiting = among(ALIASED, revisions)
    records = await scroll(connection, name, waiting, vectors=True)
    for start in range(0, len(records), _BATCH):
        own = [translate.without_alias(record) for record in records[start : start + _BATCH]]
        upsert = models.UpsertOperation(upsert=models.PointsList(points=own))
        await apply(connection, name, [upsert])
    if records:
        gone = models.DeleteOperation(delete=models.FilterSelector(filter=waiting))
        await apply(connection, name, [gone])


async def finish_taking(connection: Connection, name: str) -> None:
    """Recover after a crash: `take_ids` has begun if a point of a revision has its own id."""
    for revision in await counts(connection, name, ALIASED):
        records = await scroll(connection, name, among(ALIASED, [revision]))
        own = [str(UUID(hex=(record.payload or {})[OWN_ID])) for record in records]
        if revision in (await owners(connection, name, own)).values():
            await take_ids(connection, name, [revision])


def publication(replaced: Mapping[str, str | None]) -> list[models.UpdateOperation]:
    """Show each revision and hide the one that it replaces in one write, then delete the latter."""
    operations: list[models.UpdateOperation] = [control.switch(replaced)]
    if gone := [old for old in replaced.values() if old is not None]:
        operations.append(control.delete(gone))
    return [*operations, control.forget(replaced)]


def removal(revisions: Sequence[str]) -> list[models.UpdateOperation]:
    """Hide revisions, then delete them."""
    return [control.hide(revisions), control.delete(revisions)]


async def apply(
    connection: Connection, name: str, operations: Sequence[models.UpdateOperation]
) -> None:
    """Run operations in order in one request. They are complete when this returns."""
    await connection.ask(
        f"write to {name}",
        lambda client: client.batch_update_points(
            name, list(operations), wait=True, ordering=models.WriteOrdering.STRONG
        ),
    )


async def owners(connection: Connection, name: str, ids: Sequence[str]) -> dict[UUID, str]:
    """Return the revision of each point; unknown points are left out."""
    if not ids:
        return {}
    records = await connection.ask(
        f"read {name}",
        lambda client: client.retrieve(
            name, list(ids), with_payload=[REVISION], with_vectors=False
        ),
    )
    return {UUID(str(r.id)): r.payload[REVISION] for r in records if r.payload}


async def counts(
    connection: Connection, name: str, field: str, values: Collection[str] | None = None
) -> dict[str, int]:
    """Count the points for each value of a field, or for each of the given values."""
    if values is not None and not values:
        return {}
    only = None if values is None else among(field, values)
    answer = await connection.ask(
        f"count {name}",
        lambda client: client.facet(name, field, facet_filter=only, limit=_ALL, exact=True),
    )
    return {_plain(str(hit.value)): hit.count for hit in answer.hits if hit.count}


def _plain(value: str) -> str:
    """Return a value of a facet. Servers may return 32 hex digits with the hyphens of a UUID, which
    no revision has."""
    try:
        return UUID(value).hex
    except ValueError:
        return value
