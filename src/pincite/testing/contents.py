"""Tests of what `Store` promises for its contents. Part of `StoreContract`."""

from __future__ import annotations

import numpy as np
import pytest

from pincite.errors import InvalidPoint, UsageError
from pincite.model import Point, SparseVector
from pincite.ports import Store
from pincite.support.fields import replace
from pincite.testing.points import (
    DENSE,
    DENSE_SPEC,
    LEXICAL_SPEC,
    SPARSE,
    assert_close,
    assert_equal,
    chunk_of,
    id_of,
    point_of,
    request_for,
)
from pincite.testing.running import contract
from pincite.testing.visibility import COW, FOX, found, show

NAN = np.full(DENSE_SPEC.dimensions, np.nan, dtype=np.float32)
INVALID: dict[str, Point] = {
    "an id that is no hash": replace(FOX, chunk=replace(FOX.chunk, id="fox")),
    "an id in capitals": replace(FOX, chunk=replace(FOX.chunk, id=FOX.chunk.id.upper())),
    "indices and values of unequal number": replace(FOX, sparse=SparseVector((1, 2), (1.0,))),
    "indices that do not ascend": replace(FOX, sparse=SparseVector((2, 1), (1.0, 1.0))),
    "an index twice": replace(FOX, sparse=SparseVector((1, 1), (1.0, 1.0))),
    "a negative index": replace(FOX, sparse=SparseVector((-1,), (1.0,))),
    "an index of 33 bits": replace(FOX, sparse=SparseVector((2**32,), (1.0,))),
    "a value that is not a number": replace(FOX, sparse=SparseVector((1,), (float("nan"),))),
    "an infinite value": replace(FOX, sparse=SparseVector((1,), (float("inf"),))),
    "a value that float32 cannot hold": replace(FOX, sparse=SparseVector((1,), (1e39,))),
    "a value of zero": replace(FOX, sparse=SparseVector((1,), (0.0,))),
    "a dense vector that is not a number": replace(FOX, dense=NAN),
    "a dense vector of another length": replace(FOX, dense=np.ones(3, dtype=np.float32)),
    "a dense vector of zeros": replace(FOX, dense=np.zeros_like(NAN)),
    "a dense vector that is not a unit": replace(FOX, dense=2 * DENSE.vector("fox")),
    "half a surrogate pair": replace(FOX, chunk=replace(FOX.chunk, text="\ud83c")),
    "half a surrogate pair in a list": replace(FOX, chunk=replace(FOX.chunk, symbols=("\ud83c",))),
    "a number for a text": replace(FOX, chunk=replace(FOX.chunk, text=5)),
    "a number for an id": replace(FOX, chunk=replace(FOX.chunk, id=5)),
    "a number for the attributes": replace(FOX, chunk=replace(FOX.chunk, attributes=5)),
    "an integer of 64 bits without a sign": replace(FOX, chunk=replace(FOX.chunk, start=2**63)),
    "an integer of 71 bits": replace(FOX, chunk=replace(FOX.chunk, start=2**70)),
}
STRANGE_TEXTS = (
    "emoji 🎉👩‍👩‍👧‍👦 and flags 🇩🇪",
    "astral \N{MATHEMATICAL FRAKTUR SMALL A}\N{DESERET SMALL LETTER LONG I}",
    "nul \x00 and \x1f controls \x7f",
    "文書を引用する、漢字と\u3000空白",
    "right \u202eto left\u202c and a \ufeff mark",
    "line\nfeeds\r\nand\ttabs\u2028",
    "e\u0301 is not \u00e9",
    "quotes \"' and \\ slashes",
    "\n",
)


class ContentContract:
    """Valid points come back unchanged, and invalid ones are refused."""

    @contract
    async def test_loading_keeps_the_order_asked_for(self, store: Store) -> None:
        await store.create(DENSE_SPEC)
        await show(store, "r1", FOX, COW)
        ids = [COW.chunk.id, id_of("missing"), FOX.chunk.id, "not an id", COW.chunk.id]
        loaded = await store.load("main", ids)
        assert [s.chunk.id for s in loaded] == [COW.chunk.id, FOX.chunk.id, COW.chunk.id]
        assert all(s.vector is None for s in loaded)
        assert await store.load("main", []) == ()

    @contract
    async def test_vectors_are_loaded_when_asked_for(self, store: Store) -> None:
        await store.create(DENSE_SPEC)
        await show(store, "r1", FOX)
        (stored,) = await store.load("main", [FOX.chunk.id], vectors=True)
        assert_close(stored.vector, DENSE.vector(FOX.chunk.text))

    @contract
    async def test_every_field_of_a_chunk_comes_back(self, store: Store) -> None:
        await store.create(DENSE_SPEC)
        chunk = chunk_of(
            "x = 1",
            title="T",
            headings=("A", "B"),
            symbols=("x", "y"),
            named_values=1,
            url="https://example.org/x",
            start_column=3,
            end_column=7,
            plain="x is 1",
            source_type="code",
        )
        await show(store, "r1", replace(FOX, chunk=chunk))
        assert [s.chunk for s in await store.load("main", [chunk.id])] == [chunk]
        assert await store.page("main", None, 1) == (chunk,)

    @contract
    async def test_strange_text_comes_back_unharmed(self, store: Store) -> None:
        await store.create(DENSE_SPEC)
        points = [
            point_of(text, title=text, headings=(text, text), symbols=(text,), path=f"d/{text}")
            for text in STRANGE_TEXTS
        ]
        await show(store, "r1", *points)
        loaded = await store.load("main", [point.chunk.id for point in points])
        assert [s.chunk for s in loaded] == [point.chunk for point in points]

    @contract
    async def test_pages_go_by_id(self, store: Store) -> None:
        await store.create(DENSE_SPEC)
        points = [point_of(f"text {number}") for number in range(10)]
        await show(store, "r1", *points)
        ids = sorted(point.chunk.id for point in points)
        first = await store.page("main", None, 4)
        assert [chunk.id for chunk in first] == ids[:4]
        second = await store.page("main", ids[3], 4)
        assert [chunk.id for chunk in second] == ids[4:8]
        assert [chunk.id for chunk in await store.page("main", ids[7], 4)] == ids[8:]
        assert await store.page("main", ids[9], 4) == ()

    @contract
    async def test_a_page_begins_behind_the_beginning_of_an_id(self, store: Store) -> None:
        await store.create(DENSE_SPEC)
        zeros = "1234abcd" + "0" * 24
        points = [
            replace(FOX, chunk=replace(FOX.chunk, id=key))
            for key in ("0" * 32, "1234abcc" + "f" * 24, zeros, "1234abcd" + "f" * 24, "f" * 32)
        ]
        await show(store, "r1", *points)
        after = await store.page("main", "1234abcd", 2)
        assert [chunk.id for chunk in after] == [zeros, "1234abcd" + "f" * 24]
        assert [chunk.id for chunk in await store.page("main", zeros, 1)] == ["1234abcd" + "f" * 24]
        assert len(await store.page("main", "", 9)) == 5
        with pytest.raises(UsageError):
            await store.page("main", "xyz", 1)

    @contract
    async def test_whole_points_are_exported_by_id(self, store: Store) -> None:
        await store.create(DENSE_SPEC)
        points = {p.chunk.id: p for p in (point_of(f"fox {n} 🎉 fox") for n in range(7))}
        await show(store, "r1", *list(points.values())[:4])
        await show(store, "r2", *list(points.values())[4:])
        await store.stage("main", {"r3": [COW]})
        first = await store.export("main", None, 5)
        rest = await store.export("main", first[-1][1].chunk.id, 5)
        assert [point.chunk.id for _, point in first + rest] == sorted(points)
        for revision, point in first + rest:
            whole = points[point.chunk.id]
            assert (point.chunk, point.length) == (whole.chunk, whole.length)
            assert point.sparse.indices == whole.sparse.indices
            assert np.allclose(point.sparse.values, whole.sparse.values, rtol=1e-6)
            assert point.dense is not None
            assert whole.dense is not None
            assert np.allclose(point.dense, whole.dense, atol=1e-6)
            assert revision == ("r1" if point.chunk.id in list(points)[:4] else "r2")
        with pytest.raises(UsageError):
            await store.export("main", "xyz", 1)

    @contract
    async def test_vectors_are_those_that_were_staged(self, store: Store) -> None:
        await store.create(DENSE_SPEC)
        points = {p.chunk.id: p for p in (point_of(f"fox {n} 🎉 fox") for n in range(300))}
        await show(store, "r1", *points.values())
        await store.stage("main", {"r2": [COW]})
        found = await store.vectors("main", [*points, *points, COW.chunk.id, id_of("none"), "?"])
        assert found.keys() == points.keys()
        for key, vector in found.items():
            assert_equal(vector, points[key].dense)
        assert await store.vectors("main", []) == {}
        await store.create(LEXICAL_SPEC)
        assert await store.vectors("main", list(points)) == {}

    @contract
    async def test_a_point_without_a_vector_gives_none(self, store: Store) -> None:
        await store.create(LEXICAL_SPEC)
        await show(store, "r1", replace(FOX, dense=None))
        await store.create(DENSE_SPEC)
        await show(store, "r2", COW)
        assert (await store.vectors("main", [FOX.chunk.id, COW.chunk.id])).keys() == {COW.chunk.id}

    @contract
    async def test_the_vector_of_an_id_is_that_of_the_visible_revision(self, store: Store) -> None:
        await store.create(DENSE_SPEC)
        old, new = point_of("old text", "a"), point_of("new text", "a")
        await show(store, "r1", old)
        await store.stage("main", {"r2": [new]})
        for expected in (old, new):
            found = await store.vectors("main", [id_of("a")])
            assert_equal(found[id_of("a")], expected.dense)
            await store.publish("main", {"r2": "r1"})

    @contract
    async def test_a_point_without_a_vector_is_found_by_word_until_it_has_one(
        self, store: Store
    ) -> None:
        await store.create(DENSE_SPEC)
        bare = replace(FOX, dense=None)
        await store.stage("main", {"r1": [bare], "r2": [COW]})
        await store.publish("main", {"r1": None, "r2": None})
        dense, sparse = await store.search("main", request_for("fox"))
        assert [hit.id for hit in dense.hits] == [COW.chunk.id]
        assert [hit.id for hit in sparse.hits] == [FOX.chunk.id]
        assert await store.vectors("main", [FOX.chunk.id]) == {}
        await store.stage("main", {"r3": [FOX]})
        await store.publish("main", {"r3": "r1"})
        dense, sparse = await store.search("main", request_for("fox"))
        assert FOX.chunk.id in {hit.id for hit in dense.hits}
        assert {hit.id for hit in sparse.hits} <= {FOX.chunk.id, COW.chunk.id}
        held = await store.vectors("main", [FOX.chunk.id])
        assert_equal(held[FOX.chunk.id], FOX.dense)

    @contract
    async def test_an_id_of_two_revisions_keeps_out_all_of_a_call(self, store: Store) -> None:
        await store.create(DENSE_SPEC)
        await show(store, "r0", COW)
        with pytest.raises(InvalidPoint, match=FOX.chunk.id):
            await store.stage("main", {"r1": [point_of("fine"), FOX], "r2": [FOX]})
        assert await store.revisions("main") == {"r0": 1}

    @contract
    async def test_an_invalid_point_leaves_the_store_untouched(self, store: Store) -> None:
        await store.create(DENSE_SPEC)
        await show(store, "r0", COW)
        for fault, point in INVALID.items():
            with pytest.raises(InvalidPoint):
                await store.stage("main", {"r1": [point_of("fine"), point]})
            with pytest.raises(InvalidPoint):
                await store.stage("main", {"r1": [point_of("fine")], "r2": [point]})
            assert await store.revisions("main") == {"r0": 1}, fault
        assert await found(store, "fine fox") == {COW.chunk.id}

    @contract
    async def test_sparse_vectors_are_replaced(self, store: Store) -> None:
        await store.create(DENSE_SPEC)
        await show(store, "r1", FOX, COW)
        vector, _ = SPARSE.encode_document("turnstile", 5.0)
        await store.set_sparse(
            "main", {FOX.chunk.id: vector, id_of("missing"): vector, "?": vector}
        )
        (sparse,) = await store.search("main", request_for("turnstile", dense=None))
        assert [hit.id for hit in sparse.hits] == [FOX.chunk.id]
        (sparse,) = await store.search("main", request_for("fox", dense=None))
        assert sparse.hits == ()
        (stored,) = await store.load("main", [FOX.chunk.id], vectors=True)
        assert stored.chunk == FOX.chunk
        assert stored.vector is not None

    @contract
    async def test_an_invalid_sparse_vector_replaces_nothing(self, store: Store) -> None:
        await store.create(DENSE_SPEC)
        await show(store, "r1", FOX, COW)
        bad = SparseVector((1, 2), (1.0,))
        with pytest.raises(InvalidPoint):
            await store.set_sparse("main", {FOX.chunk.id: COW.sparse, COW.chunk.id: bad})
        (sparse,) = await store.search("main", request_for("fox", dense=None))
        assert [hit.id for hit in sparse.hits] == [FOX.chunk.id]
