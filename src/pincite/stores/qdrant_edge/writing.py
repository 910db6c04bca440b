"""How points get their ids: as calls of Qdrant Edge that nothing else may come between."""

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
    """How many points have each value of an indexed field, or each of these."""
    only = None if values is None else among(field, values)
    if only is not None and not (values and shard.count(only)):
        return {}
    request = edge.FacetRequest(field, limit=ALL, exact=True, filter=only)
    hits = shard.ask(lambda s: s.facet(request)).hits
    return {hit.value: hit.count for hit in hits if hit.count}  # it remembers what was there


def owners(shard: Shard, ids: Sequence[UUID]) -> dict[UUID, str]:
    """The revision to which each of these points belongs; unknown ones are left out."""
    only = edge.PayloadSelector.Include([REVISION])
    records = shard.ask(lambda s: s.retrieve(list(ids), only, False))
    return {record.id: record.payload[REVISION] for record in records}


def exact_vectors(shard: Shard, ids: Iterable[UUID]) -> dict[UUID, Vector]:
    """The dense vectors of these points, as far as they have one."""
    wanted, named = list(ids), [DENSE]
    held = shard.ask(lambda s: [(r.id, r.vector) for r in s.retrieve(wanted, False, named)])
    found = ((key, vectors.get(DENSE)) for key, vectors in held)
    return {key: translate.to_vector(values) for key, values in found if values is not None}


def write(shard: Shard, pairs: Sequence[tuple[str, Point]]) -> None:
    """Upsert points of revisions, under aliases where another revision has the ids: the same file,
    indexed with other encoders. A point that has an alias already keeps it. The pairs have no id
    under two revisions."""
    revisions = {UUID(hex=point.chunk.id): revision for revision, point in pairs}
    held = owners(shard, list(revisions))
    taken = {key.hex for key, owner in held.items() if owner != revisions[key]}
    again = len(held) - len(taken)
    if shard.count(among(ALIASED, set(revisions.values()))):
        aliases = {payload.alias(p.chunk.id, revision): p.chunk.id for revision, p in pairs}
        taken |= {aliases[key] for key in owners(shard, list(aliases))}
    made = [translate.to_point(p, revision, p.chunk.id in taken) for revision, p in pairs]
    shard.apply(edge.UpdateOperation.upsert_points(made), written=len(made), deleted=again)


def change_payloads(
    shard: Shard, revisions: Sequence[str], values: Mapping[str, Any], most: int
) -> list[str]:
    """Put these values into the payloads of the first revisions, as far as they have no more points
    than `most`, but of one at least; those that are left. None removes a value."""
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
