"""Assign ids to points, in calls of Qdrant Edge without an interruption between them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any
from uuid import UUID

import qdrant_edge as edge

from pincite.model import Point, Vector
from pincite.stores import payload
from pincite.stores.payload import ALIASED, DENSE, OWN_ID, REVISION
from pincite.stores.qdrant_edge import translate
from pincite.stores.qdrant_edge.shard import Shard
from pincite.stores.qdrant_edge.translate import among

ALL = 2**31  #: no limit


def counts(shard: Shard, field: str, values: Collection[str] | None = None) -> dict[str, int]:
    """Count the points with each value of an indexed field, or with each of these values."""
    if field == ALIASED and not shard.has_aliases:
        return {}
    only = None if values is None else among(field, values)
    if only is not None and not (values and shard.count(only)):
        return {}
    request = edge.FacetRequest(field, limit=ALL, exact=True, filter=only)
    hits = shard.ask(lambda s: s.facet(request)).hits
    return {hit.value: hit.count for hit in hits if hit.count}  # it also lists unused values


def owners(shard: Shard, ids: Sequence[UUID]) -> dict[UUID, str]:
    """Return the revision of each of these points; unknown ones are left out."""
    only = edge.PayloadSelector.Include([REVISION])
    records = shard.ask(lambda s: s.retrieve(list(ids), only, False))
    return {record.id: record.payload[REVISION] for record in records}


def exact_vectors(shard: Shard, ids: Iterable[UUID]) -> dict[UUID, Vector]:
    """Return the dense vectors of these points, for those that have one."""
    wanted, named = list(ids), [DENSE]
    held = shard.ask(lambda s: [(r.id, r.vector) for r in s.retrieve(wanted, False, named)])
    found = ((key, vectors.get(DENSE)) for key, vectors in held)
    return {key: translate.to_vector(values) for key, values in found if values is not None}


def write(shard: Shard, pairs: Sequence[tuple[str, Point]]) -> None:
    """Upsert points of revisions. A point gets an alias if another revision has its id: the same
    file, indexed with other encoders. A point that already has an alias keeps it. No id may occur
    under two revisions."""
    keys = [UUID(hex=point.chunk.id) for _, point in pairs]
    revisions = {key: revision for key, (revision, _) in zip(keys, pairs, strict=True)}
    held = owners(shard, keys)
    taken = {key.hex for key, owner in held.items() if owner != revisions[key]}
    again = len(held) - len(taken)
    if taken:
        shard.allow_aliases()
    if shard.has_aliases and shard.count(among(ALIASED, set(revisions.values()))):
        aliases = {payload.alias(p.chunk.id, revision): p.chunk.id for revision, p in pairs}
        taken |= {aliases[key] for key in owners(shard, list(aliases))}
    made = [
        translate.to_point(point, revision, key, aliased=point.chunk.id in taken)
        for key, (revision, point) in zip(keys, pairs, strict=True)
    ]
    shard.apply(edge.UpdateOperation.upsert_points(made), written=len(made), deleted=again)


def change_payloads(
    shard: Shard, revisions: Sequence[str], values: Mapping[str, Any], most: int
) -> list[str]:
    """Write these values into the payloads of the first revisions, as long as they have at most
    `most` points in total, but of at least one revision; return the remaining ones. None removes a
    value."""
    chosen, points = 0, 0
    for revision in revisions:
        count = shard.count(among(REVISION, [revision]))
        if chosen and points + count > most:
            break
        chosen, points = chosen + 1, points + count
    if points:
        where = among(REVISION, revisions[:chosen])
        update = edge.UpdateOperation.set_payload_by_filter(filter=where, payload=dict(values))
        shard.apply(update, written=points, deleted=points)
    return list(revisions[chosen:])


def take_ids(shard: Shard, revision: str) -> None:
    """Give the aliased points of a revision their own ids."""
    if records := _aliased(shard, revision):
        owned = [translate.without_alias(record) for record in records]
        waiting = among(ALIASED, [revision])
        count = len(owned)
        shard.apply(edge.UpdateOperation.upsert_points(owned), written=count, deleted=count)
        shard.apply(edge.UpdateOperation.delete_points_by_filter(waiting), deleted=count)


def finish_taking(shard: Shard) -> None:
    """Finish after a crash: `take_ids` has begun if a revision owns any of its own ids. Otherwise
    its aliases stay hidden until it is published or removed."""
    for revision in counts(shard, ALIASED):
        own = [UUID(hex=r.payload[OWN_ID]) for r in _aliased(shard, revision)]
        if revision in owners(shard, own).values():
            take_ids(shard, revision)
        else:
            shard.hidden.add(revision)


def _aliased(shard: Shard, revision: str) -> list[edge.Record]:
    waiting = among(ALIASED, [revision])
    request = edge.ScrollRequest(limit=ALL, filter=waiting, with_payload=True, with_vector=True)
    return list(shard.ask(lambda s: s.scroll(request))[0])
