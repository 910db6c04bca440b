"""How points get their ids: as calls of Qdrant Edge that nothing else may come between."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

import qdrant_edge as edge

from pincite.model import Point
from pincite.stores import payload
from pincite.stores.payload import ALIASED, OWN_ID, REVISION
from pincite.stores.qdrant_edge import translate
from pincite.stores.qdrant_edge.shard import Shard
from pincite.stores.qdrant_edge.translate import among

ALL = 2**31  #: no limit


def counts(shard: Shard, field: str) -> dict[str, int]:
    """How many points have each value of an indexed field."""
    request = edge.FacetRequest(field, limit=ALL, exact=True)
    hits = shard.ask(lambda s: s.facet(request)).hits
    return {hit.value: hit.count for hit in hits if hit.count}  # it remembers what was there


def owners(shard: Shard, ids: Sequence[UUID]) -> dict[UUID, str]:
    """The revision to which each of these points belongs; unknown ones are left out."""
    only = edge.PayloadSelector.Include([REVISION])
    records = shard.ask(lambda s: s.retrieve(list(ids), only, False))
    return {record.id: record.payload[REVISION] for record in records}


def write(shard: Shard, revision: str, points: Sequence[Point]) -> None:
    """Upsert, under aliases where another revision has the ids: the same file, indexed with other
    encoders. A point that has an alias already keeps it."""
    held = owners(shard, [UUID(hex=point.chunk.id) for point in points])
    taken = {key.hex for key, owner in held.items() if owner != revision}
    again = len(held) - len(taken)
    if shard.count(among(ALIASED, [revision])):
        aliases = {payload.alias(p.chunk.id, revision): p.chunk.id for p in points}
        taken |= {aliases[key] for key in owners(shard, list(aliases))}
    made = [translate.to_point(p, revision, p.chunk.id in taken) for p in points]
    shard.apply(edge.UpdateOperation.upsert_points(made), written=len(made), deleted=again)


def take_ids(shard: Shard, revision: str) -> None:
    """Give the aliased points of a revision their own ids."""
    if records := _aliased(shard, revision):
        owned = [translate.without_alias(record) for record in records]
        waiting = among(ALIASED, [revision])
        count = len(owned)
        shard.apply(edge.UpdateOperation.upsert_points(owned), written=count, deleted=count)
        shard.apply(edge.UpdateOperation.delete_points_by_filter(waiting), deleted=count)


def finish_taking(shard: Shard) -> None:
    """After a crash: `take_ids` has begun if a revision's own ids are its own. Otherwise its
    aliases stay out of sight until it is published or removed."""
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
