"""Tests of what `Store` promises."""

from __future__ import annotations

import pytest

from pincite.errors import InvalidPoint, StoreError, UsageError
from pincite.ports import Store
from pincite.support.fields import replace
from pincite.testing.attributes import AttributeContract
from pincite.testing.changed_attributes import ChangedAttributesContract
from pincite.testing.contents import ContentContract
from pincite.testing.filters import FilterContract
from pincite.testing.fusions import FusionContract
from pincite.testing.points import DENSE_SPEC, LEXICAL_SPEC, request_for
from pincite.testing.running import contract
from pincite.testing.scores import ScoreContract
from pincite.testing.visibility import COW, FOX, VisibilityContract, found, show


class CollectionContract:
    """Collections are created, changed and dropped."""

    @contract
    async def test_a_lexical_collection_takes_no_dense_vectors(self, store: Store) -> None:
        await store.create(LEXICAL_SPEC)
        with pytest.raises(InvalidPoint):
            await store.stage("main", {"r1": [FOX]})
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
        await store.stage("main", {"r2": [COW]})
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
        await store.stage("other", {"r1": [COW]})
        await store.publish("other", {"r1": None})
        assert await found(store, "fox cow") == {FOX.chunk.id}
        await store.drop("other")
        assert await found(store, "fox cow") == {FOX.chunk.id}

    @contract
    async def test_an_unknown_collection_is_a_usage_error(self, store: Store) -> None:
        calls = (
            lambda: store.stage("main", {"r1": []}),
            lambda: store.publish("main", {"r1": None}),
            lambda: store.remove("main", ["r1"]),
            lambda: store.search("main", request_for("x")),
            lambda: store.load("main", []),
            lambda: store.revisions("main"),
            lambda: store.page("main", None, 1),
            lambda: store.vectors("main", []),
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
    async def test_flushing_and_optimising_change_no_answer(self, store: Store) -> None:
        await store.create(DENSE_SPEC)
        await show(store, "r1", FOX, COW)
        before = await store.search("main", request_for("brown fox"))
        await store.flush()
        await store.optimise("main")
        assert await store.search("main", request_for("brown fox")) == before


class StoreContract(
    CollectionContract,
    VisibilityContract,
    ContentContract,
    ScoreContract,
    FusionContract,
    FilterContract,
    AttributeContract,
    ChangedAttributesContract,
):
    """Derive from it and let `opened` yield an empty store."""
