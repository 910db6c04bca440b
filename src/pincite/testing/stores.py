"""What `Store` promises, as tests. `scores.py` has those about scores and their filters."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pincite.errors import InvalidPoint, StoreError, UsageError
from pincite.model import Point, SparseVector
from pincite.ports import Store
from pincite.testing.points import (
    DENSE,
    DENSE_SPEC,
    LEXICAL_SPEC,
    SPARSE,
    chunk_of,
    id_of,
    point_of,
    request_for,
)
from pincite.testing.running import contract

FOX = point_of("the quick brown fox")
COW = point_of("the slow brown cow")

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
    "no dense vector": replace(FOX, dense=None),
    "a dense vector that is not a number": replace(FOX, dense=NAN),
    "a dense vector of another length": replace(FOX, dense=np.ones(3, dtype=np.float32)),
    "a dense vector of zeros": replace(FOX, dense=np.zeros_like(NAN)),
    "a dense vector that is not a unit": replace(FOX, dense=2 * DENSE.vector("fox")),
    "half a surrogate pair": replace(FOX, chunk=replace(FOX.chunk, text="\ud83c")),
    "half a surrogate pair in a list": replace(FOX, chunk=replace(FOX.chunk, symbols=("\ud83c",))),
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


async def found(store: Store, text: str) -> set[str]:
    """The ids that a search for a text finds on either side."""
    rankings = await store.search("main", request_for(text))
    return {hit.id for ranking in rankings for hit in ranking.hits}


async def show(store: Store, revision: str, *points: Point, replaces: str | None = None) -> None:
    """Stage and publish."""
    await store.stage("main", revision, points)
    await store.publish("main", revision, replaces)


class StoreContract:
    """Derive, and let `opened` yield an empty store."""

    @contract
    async def test_staged_points_are_out_of_sight(self, store: Store) -> None:
        await store.create(DENSE_SPEC)
        await store.stage("main", "r1", [FOX])
        assert await found(store, "fox") == set()
        assert await store.load("main", [FOX.chunk.id]) == ()
        assert await store.page("main", None, 10) == ()
        assert await store.revisions("main") == {"r1": 1}

    @contract
    async def test_published_points_are_found_at_once(self, store: Store) -> None:
        await store.create(DENSE_SPEC)
        await show(store, "r1", FOX)
        assert await found(store, "fox") == {FOX.chunk.id}
        (stored,) = await store.load("main", [FOX.chunk.id])
        assert stored.chunk == FOX.chunk

    @contract
    async def test_what_is_replaced_is_gone(self, store: Store) -> None:
        await store.create(DENSE_SPEC)
        await show(store, "r1", FOX)
        await show(store, "r2", COW, replaces="r1")
        assert await found(store, "fox cow") == {COW.chunk.id}
        assert await store.revisions("main") == {"r2": 1}

    @contract
    async def test_a_revision_is_staged_in_several_calls(self, store: Store) -> None:
        await store.create(DENSE_SPEC)
        await store.stage("main", "r1", [FOX])
        await store.stage("main", "r1", [COW])
        assert await found(store, "fox cow") == set()
        await store.publish("main", "r1", None)
        assert await found(store, "fox cow") == {FOX.chunk.id, COW.chunk.id}

    @contract
    async def test_staging_and_publishing_again_changes_nothing(self, store: Store) -> None:
        await store.create(DENSE_SPEC)
        for _ in range(2):
            await show(store, "r2", FOX, COW, replaces="r1")
            await store.stage("main", "r2", [FOX, COW])
            assert await found(store, "fox cow") == {FOX.chunk.id, COW.chunk.id}
            await store.publish("main", "r2", "r2")
            assert await store.revisions("main") == {"r2": 2}

    @contract
    async def test_the_last_point_of_an_id_counts(self, store: Store) -> None:
        await store.create(DENSE_SPEC)
        other = point_of("other words", "x")
        await show(store, "r1", point_of("first words", "x"), other)
        (stored,) = await store.load("main", [other.chunk.id])
        assert stored.chunk.text == "other words"
        assert await store.revisions("main") == {"r1": 1}

    @contract
    async def test_a_staged_revision_with_the_same_ids_leaves_the_visible_one_alone(
        self, store: Store
    ) -> None:
        await store.create(DENSE_SPEC)
        old = [point_of("old text of a", "a", title="old"), point_of("old text of b", "b")]
        new = [point_of("new text of a", "a", title="new"), point_of("new text of c", "c")]
        await show(store, "r1", *old)
        for _ in range(2):
            await store.stage("main", "r2", new)
            assert {c.text for c in await store.page("main", None, 9)} == {
                "old text of a",
                "old text of b",
            }
            assert await found(store, "new") == await found(store, "old")
            assert await store.revisions("main") == {"r1": 2, "r2": 2}
        await store.publish("main", "r2", "r1")
        chunks = await store.page("main", None, 9)
        assert {c.text for c in chunks} == {"new text of a", "new text of c"}
        assert {s.chunk for s in await store.load("main", [id_of("a"), id_of("c")])} == set(chunks)
        assert await store.revisions("main") == {"r2": 2}

    @contract
    async def test_a_staged_revision_with_the_same_ids_can_be_given_up(self, store: Store) -> None:
        await store.create(DENSE_SPEC)
        await show(store, "r1", point_of("old text", "a"))
        await store.stage("main", "r2", [point_of("new text", "a")])
        await store.remove("main", ["r2"])
        assert await store.revisions("main") == {"r1": 1}
        assert [c.text for c in await store.page("main", None, 9)] == ["old text"]

    @contract
    async def test_ids_belong_to_the_revision_that_was_published_last(self, store: Store) -> None:
        await store.create(DENSE_SPEC)
        await show(store, "r1", point_of("one", "a"), FOX)
        await show(store, "r2", point_of("two", "a"))
        assert {c.text for c in await store.page("main", None, 9)} == {"two", FOX.chunk.text}
        assert await store.revisions("main") == {"r1": 1, "r2": 1}

    @contract
    async def test_removing_takes_points_away_staged_or_not(self, store: Store) -> None:
        await store.create(DENSE_SPEC)
        await show(store, "r1", FOX)
        await store.stage("main", "r2", [COW])
        await store.remove("main", ["r1", "r2", "never there"])
        await store.remove("main", [])
        assert await found(store, "fox cow") == set()
        assert await store.revisions("main") == {}
        await show(store, "r1", FOX)
        assert await found(store, "fox cow") == {FOX.chunk.id}

    @contract
    async def test_many_revisions_are_removed_together(self, store: Store) -> None:
        await store.create(DENSE_SPEC)
        for number in range(150):
            await show(store, f"r{number}", point_of(f"text {number}"))
        await store.remove("main", [f"r{number}" for number in range(149)])
        assert await store.revisions("main") == {"r149": 1}

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
        assert stored.vector is not None
        assert stored.vector.dtype == np.float32
        assert np.allclose(stored.vector, DENSE.vector(FOX.chunk.text), atol=1e-6)

    @contract
    async def test_every_field_of_a_chunk_comes_back(self, store: Store) -> None:
        await store.create(DENSE_SPEC)
        chunk = chunk_of(
            "x = 1",
            title="T",
            headings=("A", "B"),
            symbols=("x",),
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
    async def test_an_invalid_point_leaves_the_store_untouched(self, store: Store) -> None:
        await store.create(DENSE_SPEC)
        await show(store, "r0", COW)
        for fault, point in INVALID.items():
            with pytest.raises(InvalidPoint):
                await store.stage("main", "r1", [point_of("fine"), point])
            assert await store.revisions("main") == {"r0": 1}, fault
        assert await found(store, "fine fox") == {COW.chunk.id}

    @contract
    async def test_a_lexical_collection_takes_no_dense_vectors(self, store: Store) -> None:
        await store.create(LEXICAL_SPEC)
        with pytest.raises(InvalidPoint):
            await store.stage("main", "r1", [FOX])
        assert await store.revisions("main") == {}

    @contract
    async def test_a_lexical_collection_is_searched_by_word_alone(self, store: Store) -> None:
        await store.create(LEXICAL_SPEC)
        await show(store, "r1", replace(FOX, dense=None))
        dense, sparse = await store.search("main", request_for("fox"))
        assert (dense.hits, dense.depth) == ((), 0)
        assert [hit.id for hit in sparse.hits] == [FOX.chunk.id]
        (stored,) = await store.load("main", [FOX.chunk.id], vectors=True)
        assert stored.vector is None

    @contract
    async def test_a_lexical_collection_becomes_dense_in_place(self, store: Store) -> None:
        await store.create(LEXICAL_SPEC)
        await show(store, "r1", replace(FOX, dense=None))
        await show(store, "r2", replace(COW, dense=None))
        await store.create(DENSE_SPEC)
        await store.create(DENSE_SPEC)
        dense, sparse = await store.search("main", request_for("fox cow"))
        assert dense.hits == ()
        assert len(sparse.hits) == 2
        await show(store, "r3", FOX, replaces="r1")
        dense, sparse = await store.search("main", request_for("fox cow"))
        assert [hit.id for hit in dense.hits] == [FOX.chunk.id]
        assert {hit.id for hit in sparse.hits} == {FOX.chunk.id, COW.chunk.id}
        loaded = await store.load("main", [FOX.chunk.id, COW.chunk.id], vectors=True)
        assert [s.vector is None for s in loaded] == [False, True]

    @contract
    async def test_other_dimensions_are_refused(self, store: Store) -> None:
        await store.create(DENSE_SPEC)
        await show(store, "r1", FOX)
        with pytest.raises(StoreError):
            await store.create(replace(DENSE_SPEC, dense="other", dimensions=3))
        dense, _ = await store.search("main", request_for("fox"))
        assert [hit.id for hit in dense.hits] == [FOX.chunk.id]

    @contract
    async def test_a_collection_that_becomes_lexical_shows_no_dense_vectors(
        self, store: Store
    ) -> None:
        await store.create(DENSE_SPEC)
        await show(store, "r1", FOX)
        await store.create(LEXICAL_SPEC)
        await show(store, "r2", replace(COW, dense=None))
        dense, sparse = await store.search("main", request_for("fox cow"))
        assert (dense.hits, len(sparse.hits)) == ((), 2)
        (stored,) = await store.load("main", [FOX.chunk.id], vectors=True)
        assert stored.vector is None
        with pytest.raises(StoreError):
            await store.create(replace(DENSE_SPEC, dense="other", dimensions=3))
        await store.create(DENSE_SPEC)
        dense, _ = await store.search("main", request_for("fox cow"))
        assert [hit.id for hit in dense.hits] == [FOX.chunk.id]

    @contract
    async def test_a_dropped_collection_begins_empty_again(self, store: Store) -> None:
        await store.drop("never-there")
        await store.create(DENSE_SPEC)
        await show(store, "r1", FOX)
        await store.stage("main", "r2", [COW])
        await store.drop("main")
        with pytest.raises(UsageError):
            await store.revisions("main")
        await store.create(LEXICAL_SPEC)
        assert await store.revisions("main") == {}
        await show(store, "r2", replace(COW, dense=None))
        assert await found(store, "cow") == {COW.chunk.id}

    @contract
    async def test_collections_do_not_mix(self, store: Store) -> None:
        await store.create(DENSE_SPEC)
        await store.create(replace(DENSE_SPEC, name="other"))
        await show(store, "r1", FOX)
        await store.stage("other", "r1", [COW])
        await store.publish("other", "r1", None)
        assert await found(store, "fox cow") == {FOX.chunk.id}
        await store.drop("other")
        assert await found(store, "fox cow") == {FOX.chunk.id}

    @contract
    async def test_an_unknown_collection_is_a_usage_error(self, store: Store) -> None:
        calls = (
            lambda: store.stage("main", "r1", []),
            lambda: store.publish("main", "r1", None),
            lambda: store.remove("main", ["r1"]),
            lambda: store.search("main", request_for("x")),
            lambda: store.load("main", []),
            lambda: store.revisions("main"),
            lambda: store.page("main", None, 1),
            lambda: store.set_sparse("main", {}),
            lambda: store.optimise("main"),
        )
        for call in calls:
            with pytest.raises(UsageError):
                await call()

    @contract
    async def test_names_that_leave_the_folder_are_refused(self, store: Store) -> None:
        for name in ("../x", "a/b", "", ".", "a\0b", "-x", "x" * 65, "ä"):
            with pytest.raises(UsageError):
                await store.create(replace(DENSE_SPEC, name=name))

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

    @contract
    async def test_a_document_of_3000_chunks_appears_and_goes_as_a_whole(
        self, store: Store
    ) -> None:
        await store.create(LEXICAL_SPEC)
        points = [point_of(f"word{n} common", dense=False) for n in range(3_000)]
        await show(store, "r1", *points)
        assert await store.revisions("main") == {"r1": 3_000}
        request = request_for("common", dense=None, sparse_limit=5_000)
        (sparse,) = await store.search("main", request)
        assert len(sparse.hits) == 3_000
        await show(store, "r2", *points[:10], replaces="r1")
        assert await store.revisions("main") == {"r2": 10}

    @contract
    async def test_flushing_and_optimising_change_no_answer(self, store: Store) -> None:
        await store.create(DENSE_SPEC)
        await show(store, "r1", FOX, COW)
        before = await store.search("main", request_for("brown fox"))
        await store.flush()
        await store.optimise("main")
        assert await store.search("main", request_for("brown fox")) == before
