"""Points of both forms: with fields of their own, as earlier versions wrote them, and packed."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import get_args
from uuid import UUID

import numpy as np
import pytest
import qdrant_edge as edge
from hypothesis import given
from hypothesis import strategies as st

from pincite.errors import InvalidPoint
from pincite.model import AttributeType, Chunk, CitedIn, OnPage, Point, SourceType
from pincite.ports import Filter, Prefix, SearchRequest, Stored
from pincite.stores import payload
from pincite.stores.payload import COARSE, DENSE, PACKED, SPARSE
from pincite.stores.qdrant_edge import translate
from pincite.stores.qdrant_edge.coarse import to_coarse
from pincite.stores.qdrant_edge.packed import pack, unpack
from pincite.stores.qdrant_edge.store import EdgeStore
from pincite.support.fields import replace
from pincite.testing.points import DENSE_SPEC, assert_close
from pincite.testing.points import SPARSE as WORDS
from pincite.testing.visibility import COW, FOX, show
from tests.quick_folder import quick_folder

TYPES: dict[str, AttributeType] = {"course": "keyword", "labels": "keywords", "year": "integer"}
SPEC = replace(DENSE_SPEC, attributes=TYPES)
TEXTS = st.text(st.characters(codec="utf-8"), max_size=20)
SAID = st.text(st.characters(codec="utf-8"), min_size=1, max_size=20)
MAYBE = st.none() | st.integers(1, 9)
PLACES = st.none() | st.builds(
    OnPage,
    st.integers(1, 9),
    st.booleans(),
    st.none() | st.tuples(*[st.floats(0, 1)] * 4),
    TEXTS,
    st.booleans(),
    st.none() | st.tuples(st.integers(1, 9), st.integers(1, 9)),
)
ATTRIBUTES = st.fixed_dictionaries(
    {},
    optional={
        "course": SAID,
        "labels": st.lists(SAID, min_size=1, max_size=3).map(tuple),
        "year": st.integers(-(2**63), 2**63 - 1),
        "isVisual": st.booleans(),
    },
)
CHUNKS = st.builds(
    Chunk,
    st.just("0" * 31 + "a"),
    *(SAID, SAID, SAID, st.sampled_from(get_args(SourceType)), SAID),
    *(st.integers(0, 9), st.integers(0, 9), st.integers(0, 9), st.integers(0, 9), TEXTS, SAID),
    *(TEXTS, st.lists(TEXTS).map(tuple), st.lists(TEXTS).map(tuple)),
    *(st.none() | SAID, MAYBE, MAYBE, st.none() | SAID),
    *(ATTRIBUTES, st.sampled_from(get_args(CitedIn)), TEXTS, PLACES),
)


def as_before(point: Point, revision: str) -> edge.Point:
    """A point as versions before the packed form wrote it."""
    held = payload.to_payload(point, revision, aliased=False)
    assert point.dense is not None
    vectors = {SPARSE: translate.to_sparse(point.sparse), DENSE: point.dense.tolist()}
    return edge.Point(UUID(hex=point.chunk.id), vectors, held | {COARSE: to_coarse(point.dense)})


def write_as_before(store: EdgeStore, revision: str, points: Sequence[Point]) -> None:
    made = [as_before(point, revision) for point in points]
    store._shards["main"].apply(edge.UpdateOperation.upsert_points(made), written=len(made))


def dressed(point: Point, **fields: object) -> Point:
    return replace(point, chunk=replace(point.chunk, **fields))


@given(CHUNKS)
def test_a_chunk_comes_back_as_it_was(chunk: Chunk) -> None:
    point = Point(chunk, WORDS.encode_document("fox", 1.0)[0], 7)
    held = pack(point, "r1", coarse="AAAA")
    found = unpack(chunk.id, held)
    assert found == ("r1", chunk, 7, "AAAA")
    before = payload.to_payload(point, "r1", aliased=False)
    assert unpack(chunk.id, before).chunk == chunk
    kept = {name: value for name, value in held.items() if name != PACKED}
    assert {name: before[name] for name in kept} == kept  # what filters read is the same


def test_points_of_both_forms_are_read_alike() -> None:
    on_page = OnPage(3, visual=True, box=(0.0, 0.1, 0.5, 1.0), note="a drawing")
    fox = dressed(FOX, headings=("Animals", "Foxes"), plain="a fox", on_page=on_page)
    cow = dressed(COW, symbols=("moo",), attributes={"course": "ml", "labels": ("a", "b")})

    async def session(*, before: bool) -> tuple[tuple[Stored, ...], object]:
        with quick_folder() as folder:
            store = EdgeStore(folder)
            await store.create(SPEC)
            if before:
                write_as_before(store, "r1", [fox, cow])
            else:
                await show(store, "r1", fox, cow)
            await store.set_attributes("main", {"r1": {"year": 2026}})
            loaded = await store.load("main", [fox.chunk.id, cow.chunk.id], vectors=True)
            where = Filter(must=(Prefix("path", fox.chunk.path[:6]),))
            request = SearchRequest(sparse=WORDS.encode_query("fox cow"), filter=where)
            exported = await store.export("main", None, 9)
            rest = (
                await store.page("main", None, 9),
                await store.of_revision("main", "r1"),
                await store.search("main", request),
                [(revision, one.chunk, one.sparse, one.length) for revision, one in exported],
            )
            await store.close()
            return loaded, rest

    earlier, rest_before = asyncio.run(session(before=True))
    now, rest = asyncio.run(session(before=False))
    assert rest_before == rest
    assert [one.chunk for one in earlier] == [one.chunk for one in now]
    assert now[0].chunk == replace(fox.chunk, attributes={"year": 2026})
    for old, new in zip(earlier, now, strict=True):
        assert old.vector is not None
        assert new.vector is not None
        assert np.array_equal(old.vector, new.vector)


def off(loaded: Stored, staged: Point) -> float:
    """The largest difference of two components."""
    assert loaded.vector is not None
    assert staged.dense is not None
    return float(np.abs(loaded.vector - staged.dense).max())


def test_points_without_a_copy_are_loaded_with_their_vectors() -> None:
    """Indexes that were made before there were copies."""

    async def session() -> None:
        with quick_folder() as folder:
            store = EdgeStore(folder)
            await store.create(DENSE_SPEC)
            await show(store, "r2", COW)
            write_as_before(store, "r1", [FOX])
            without = edge.UpdateOperation.delete_payload([FOX.chunk.id], [COARSE])
            store._shards["main"].apply(without)
            fox, cow = await store.load("main", [FOX.chunk.id, COW.chunk.id], vectors=True)
            assert_close(fox.vector, FOX.dense)
            assert_close(cow.vector, COW.dense)
            assert off(fox, FOX) < 1e-6 < off(cow, COW)
            await store.close()

    asyncio.run(session())


def test_a_point_of_the_earlier_form_is_replaced_and_removed_as_any_other() -> None:
    async def session() -> None:
        with quick_folder() as folder:
            store = EdgeStore(folder)
            await store.create(DENSE_SPEC)
            write_as_before(store, "r1", [FOX, COW])
            await store.stage("main", {"r2": [FOX]})  # waits under an alias
            assert [one.path for one in await store.page("main", None, 9)]
            await store.publish("main", {"r2": "r1"})
            (fox,) = await store.page("main", None, 9)
            assert fox == FOX.chunk
            await store.remove("main", ["r2"])
            assert await store.revisions("main") == {}
            await store.close()

    asyncio.run(session())


def test_a_box_that_is_not_finite_is_refused() -> None:
    async def session() -> None:
        with quick_folder() as folder:
            store = EdgeStore(folder)
            await store.create(DENSE_SPEC)
            lost = dressed(FOX, on_page=OnPage(1, box=(0.0, float("nan"), 1.0, 1.0)))
            with pytest.raises(InvalidPoint, match="has a box that is not finite"):
                await store.stage("main", {"r1": [lost]})
            assert await store.page("main", None, 9) == ()
            await store.close()

    asyncio.run(session())
