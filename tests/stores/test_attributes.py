"""Names of payloads, and indexes of attributes in Qdrant Edge."""

from __future__ import annotations

import asyncio

import pytest
import qdrant_edge as edge

from pincite.model import Chunk
from pincite.model.attributes import check_attribute_name
from pincite.ports import DateRange, Filter, Is, Range
from pincite.ports.predicate import within
from pincite.stores import payload
from pincite.stores.chroma.records import HAS_DENSE, to_record
from pincite.stores.qdrant.control import hide
from pincite.stores.qdrant_edge.store import EdgeStore
from pincite.support.fields import replace
from pincite.testing.points import DENSE_SPEC, point_of
from pincite.testing.random_attributes import SPEC, TYPES, found
from pincite.testing.scores import random_points
from tests.quick_folder import quick_folder

_KINDS = {
    "course": edge.PayloadSchemaType.Keyword,
    "student": edge.PayloadSchemaType.Keyword,
    "labels": edge.PayloadSchemaType.Keyword,
    "year": edge.PayloadSchemaType.Float,
    "weight": edge.PayloadSchemaType.Float,
    "visible": edge.PayloadSchemaType.Bool,
    "due": edge.PayloadSchemaType.Datetime,
}


def _full_chunk() -> Chunk:
    chunk = point_of("fox").chunk
    return replace(
        chunk, headings=("h",), symbols=("s",), url="u", title="t", plain="p",
        start_column=1, end_column=2,
    )  # fmt: skip


def test_no_attribute_can_have_the_name_of_anything_that_a_payload_has() -> None:
    async def kept() -> set[str]:
        point = replace(point_of("fox"), chunk=_full_chunk())
        with quick_folder() as folder:
            store = EdgeStore(folder)
            await store.create(DENSE_SPEC)
            for revision in ("r1", "r2"):  # the second waits under an alias
                await store.stage("main", {revision: [point]})
                await store.publish("main", {"r1": None})
            shard = store._shards["main"]
            request = edge.ScrollRequest(limit=9, with_payload=True)
            records = shard.ask(lambda s: [one.payload for one in s.scroll(request)[0]])
            await store.close()
        assert len(records) == 2
        return {name for held in records for name in held}

    names = asyncio.run(kept())
    (control,) = hide(["r1"]).upsert.points  # type: ignore[union-attr]
    names |= set(control.payload or {})
    names |= set(to_record(point_of("fox"), "r1"))
    assert {payload.ALIASED, payload.CONTROL, HAS_DENSE} <= names
    assert payload.PACKED in names
    with pytest.raises(ValueError, match="is not a valid attribute name"):
        check_attribute_name(payload.PACKED)
    for name in {*names, *payload.KEPT} - {payload.PACKED}:
        for written in (name, name.upper()):
            with pytest.raises(ValueError, match="reserved by Pincite"):
                check_attribute_name(written)


def _indexes(store: EdgeStore) -> dict[str, object]:
    schema = store._shards["main"].ask(
        lambda s: {name: one.data_type for name, one in s.info().payload_schema.items()}
    )
    return {name: kind for name, kind in schema.items() if name in TYPES}


def test_indexes_of_attributes_are_there_from_the_first_point_to_the_last_copy() -> None:
    async def check() -> None:
        with quick_folder() as folder:
            store = EdgeStore(folder)
            await store.create(replace(SPEC, attributes={"year": "integer"}))
            assert _indexes(store) == {"year": edge.PayloadSchemaType.Float}
            await store.create(SPEC)
            await store.create(SPEC)
            assert _indexes(store) == _KINDS
            held = {"year": 7, "visible": True, "due": "2026-11-22"}
            points = random_points(300, seed=3)
            first = replace(points[0], chunk=replace(points[0].chunk, attributes=held))
            await store.stage("main", {"r1": [first, *points[1:]]})
            await store.publish("main", {"r1": None})
            shard = store._shards["main"]
            optimising = asyncio.create_task(shard.optimise())
            for _ in range(20_000):
                if shard._journal is not None or optimising.done():
                    break
                await asyncio.sleep(0.001)
            await store.set_attributes("main", {"r1": {"year": 8}})
            assert await optimising
            assert _indexes(store) == _KINDS
            asked = Filter(must=(Range("year", gte=8, lte=8), Is("visible", True)))
            assert await found(store, asked) == {first.chunk.id}
            assert len(await found(store, Filter(must=(Range("year", gte=8),)), limit=400)) == 300
            idf = replace(SPEC, counted=not SPEC.counted)
            await store.create(idf)  # copied, point by point
            assert _indexes(store) == _KINDS
            await store.close()
            store = EdgeStore(folder)
            await store.create(idf)
            assert _indexes(store) == _KINDS
            due = Filter(must=(DateRange("due", gte="2026-11-22", lt="2026-11-23"),))
            assert await found(store, due) == {first.chunk.id}
            await store.close()

    asyncio.run(check())


def test_numbers_are_compared_as_floats_but_for_equality() -> None:
    assert within(Range("n", gte=2**53 + 1, lte=2**53 + 1), 2**53 + 1)
    assert not within(Range("n", gte=2**53 + 1, lte=2**53 + 1), 2**53)
    assert within(Range("n", lte=2**53), 2**53 + 1)
    assert not within(Range("n", gt=2**53), 2**53 + 1)
    assert within(Range("n", gte=2**63 - 1, lte=2**63 - 1), 2**63 - 1)
