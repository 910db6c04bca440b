"""Qdrant Edge returns records in the order of the ids."""

from __future__ import annotations

import random

import pytest

from pincite.stores.qdrant_edge.shard import Shard
from pincite.stores.qdrant_edge.store import EdgeStore
from pincite.testing.points import DENSE_SPEC, document_of
from tests.quick_folder import quick_folder

pytestmark = pytest.mark.anyio

DOCUMENTS = tuple(document_of(f"{n}.md", f"r{n}", [f"fox {n}", f"owl {n}"]) for n in range(150))


async def _write(store: EdgeStore, first: int, end: int) -> None:
    for record, points in DOCUMENTS[first:end]:
        await store.stage("main", {record.revision: points})
        await store.publish("main", {record.revision: None})


def _retrieved(shard: Shard, keys: list[str]) -> list[str]:
    return shard.ask(lambda s: [one.id.hex for one in s.retrieve(keys, False, False)])


async def test_points_are_loaded_in_the_order_of_their_ids() -> None:
    with quick_folder() as folder:
        store = EdgeStore(folder)
        await store.create(DENSE_SPEC)
        await _write(store, 0, 100)
        shard = store._shards["main"]
        assert await shard.optimise()
        await _write(store, 100, 150)
        chunks = {p.chunk.id: p.chunk for _, points in DOCUMENTS for p in points}
        dice = random.Random(7)
        for left_out in (0, 0, 3, 50):
            ids = [*chunks, *(f"{n:032x}" for n in range(left_out)), "no id"]
            dice.shuffle(ids)
            store.forget()
            found = await store.load("main", ids)
            assert [one.chunk for one in found] == [chunks[one] for one in ids if one in chunks]
            keys = [one for one in ids if one != "no id"]
            assert _retrieved(shard, keys) == [one for one in keys if one in chunks]
        await store.close()
