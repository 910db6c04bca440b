"""Tests of what `Index` promises."""

from __future__ import annotations

import pytest

from pincite.errors import InvalidPoint, StoreError, TagsRequired, UsageError
from pincite.model import AttributeType, IndexedDocument
from pincite.ports import AnyOf, Exists, Filter, Index, Range
from pincite.support.fields import replace
from pincite.testing.index_documents import A1, A2, B1, EMPTY, chunk_found, texts
from pincite.testing.points import (
    DENSE_SPEC,
    LEXICAL_SPEC,
    SPARSE,
    assert_close,
    assert_equal,
    document_of,
    request_for,
    source_of,
)
from pincite.testing.replacing import ReplacingContract
from pincite.testing.running import contract


class IndexContract(ReplacingContract):
    """Derive from it and let `opened` yield an empty index."""

    @contract
    async def test_an_empty_index_has_no_collections(self, index: Index) -> None:
        assert await index.collections() == ()

    @contract
    async def test_a_document_is_indexed_as_a_whole(self, index: Index) -> None:
        await index.create(DENSE_SPEC)
        await index.replace("main", [A1])
        await index.replace("main", [B1])
        assert await index.documents("main") == (A1.record, B1.record)
        assert await texts(index) == ["the brown cow", "the brown fox", "the brown owl"]
        (info,) = await index.collections()
        assert info.spec == replace(DENSE_SPEC, counted=True)
        assert (info.documents, info.chunks, info.tokens, info.lost) == (2, 3, 9, 0)
        assert info.broken == ""

    @contract
    async def test_changed_attributes_of_a_document_reach_its_chunks(self, index: Index) -> None:
        spec = replace(DENSE_SPEC, attributes={"course": "keyword", "year": "integer"})
        await index.create(spec)
        await index.replace("main", [A1])
        await index.replace("main", [B1])
        asked = Filter(must=(AnyOf("course", ("ml",)), Range("year", gte=7, lte=7)))
        record = replace(A1.record, attributes={"year": 7}, inherited={"course": "ml", "year": 1})
        for _ in range(2):
            await index.touch("main", [record, replace(A2.record, attributes={"year": 7})])
        assert await index.documents("main") == (record, B1.record)
        (ranking,) = await index.search("main", request_for("x", sparse=None, filter=asked))
        assert {hit.id for hit in ranking.hits} == {point.chunk.id for point in A1.points}
        chunks = await index.document("main", "acme/docs", "a.md")
        assert [chunk.attributes for chunk in chunks] == [{"course": "ml", "year": 7}] * 2
        await index.touch("main", [replace(record, attributes={}, inherited={"course": "ml"})])
        (chunk, _) = await index.document("main", "acme/docs", "a.md")
        assert chunk.attributes == {"course": "ml"}
        with pytest.raises(InvalidPoint, match="year"):
            await index.touch("main", [replace(record, attributes={"year": "soon"})])
        assert (await index.documents("main"))[0].all_attributes == {"course": "ml"}

    @contract
    async def test_a_search_without_a_required_tag_is_refused(self, index: Index) -> None:
        known: dict[str, AttributeType] = {"course": "keyword"}
        await index.create(replace(DENSE_SPEC, attributes=known, require=("course",)))
        await index.replace("main", [A1])
        await index.touch("main", [replace(A1.record, attributes={"course": "ml"})])
        for filter_ in (Filter(), Filter(must=(Exists("course"),))):
            with pytest.raises(TagsRequired, match="--tag course="):
                await index.search("main", request_for("fox", filter=filter_))
        asked = Filter(must=(AnyOf("course", ("ml",)),))
        dense, _ = await index.search("main", request_for("fox", filter=asked))
        assert len(dense.hits) == 2

    @contract
    async def test_a_document_without_chunks_is_remembered(self, index: Index) -> None:
        await index.create(DENSE_SPEC)
        await index.replace("main", [EMPTY])
        assert await index.documents("main") == (EMPTY[0],)
        assert await texts(index) == []

    @contract
    async def test_a_document_is_read_whole_and_an_unknown_one_is_empty(self, index: Index) -> None:
        await index.create(DENSE_SPEC)
        await index.replace("main", [A1])
        record, points = A1
        wanted = {point.chunk for point in points}
        assert set(await index.document("main", record.source, record.path)) == wanted
        assert await index.document("main", record.source, "no such file") == ()

    @contract
    async def test_the_chunks_of_documents_are_named_in_the_order_of_the_file(
        self, index: Index
    ) -> None:
        await index.create(DENSE_SPEC)
        record, _ = A1
        places = [{"start": 8 * n, "end": 8 * n + 3} for n in range(2)]
        points = [
            replace(point, chunk=replace(point.chunk, **place))
            for point, place in zip(A1.points, places, strict=True)
        ]
        await index.replace("main", [IndexedDocument(record, points[::-1]), B1])
        wanted = [("acme/docs", path) for path in ("b.md", "none.md", "a.md")]
        found = await index.chunk_ids("main", wanted)
        documents = [await index.document("main", *one) for one in wanted]
        assert found == tuple(tuple(chunk.id for chunk in chunks) for chunks in documents)
        assert found[2] == tuple(point.chunk.id for point in points)
        await index.touch("main", [replace(record, ref="beef")])
        assert await index.chunk_ids("main", wanted) == found
        await index.replace("main", [A2])
        (ids,) = await index.chunk_ids("main", wanted[2:])
        assert ids == (A2.points[0].chunk.id,)
        with pytest.raises(UsageError):
            await index.chunk_ids("nowhere", wanted)

    @contract
    async def test_a_touched_document_shows_its_new_ref(self, index: Index) -> None:
        await index.create(DENSE_SPEC)
        await index.replace("main", [A1])
        assert (await chunk_found(index, "fox")).ref == "c0ffee"
        fresh = replace(A1.record, ref="beef", mtime_ns=7, size=8)
        unknown = replace(B1.record, ref="beef")
        await index.touch("main", [fresh, unknown])
        assert await index.documents("main") == (fresh,)
        assert (await chunk_found(index, "fox")).ref == "beef"
        assert {chunk.ref for chunk in await index.page("main", None, 9)} == {"beef"}

    @contract
    async def test_documents_are_removed_by_revision(self, index: Index) -> None:
        await index.create(DENSE_SPEC)
        await index.replace("main", [A1])
        await index.replace("main", [B1])
        await index.remove("main", ["a1", "never there"])
        assert await texts(index) == ["the brown owl"]
        assert await index.documents("main") == (B1.record,)

    @contract
    async def test_a_forgotten_source_takes_its_documents_along(self, index: Index) -> None:
        await index.create(DENSE_SPEC)
        other = document_of("c.md", "c1", ["another fox"], source="acme/code")
        for document in (A1, B1, other):
            await index.replace("main", [document])
        for name in ("acme/docs", "acme/code"):
            await index.put_source("main", source_of(name))
        assert await index.forget("main", "acme/docs") == 2
        assert await index.forget("main", "never there") == 0
        assert await texts(index) == ["another fox"]
        (info,) = await index.collections()
        assert info.sources == (source_of("acme/code"),)

    @contract
    async def test_a_reset_collection_keeps_its_sources_alone(self, index: Index) -> None:
        await index.create(DENSE_SPEC)
        await index.put_source("main", source_of())
        await index.replace("main", [A1])
        await index.reset(LEXICAL_SPEC)
        (info,) = await index.collections()
        assert info.spec == replace(LEXICAL_SPEC, counted=True)
        assert (info.documents, info.sources) == (0, (source_of(),))
        assert await texts(index) == []
        await index.replace("main", [document_of("a.md", "a1", ["word"], dense=False)])
        assert await texts(index) == ["word"]

    @contract
    async def test_a_dropped_collection_is_gone_and_can_come_back(self, index: Index) -> None:
        await index.drop("never-there")
        await index.create(DENSE_SPEC)
        await index.create(replace(DENSE_SPEC, name="other"))
        await index.replace("main", [A1])
        await index.replace("other", [A1])
        await index.drop("main")
        assert [info.spec.name for info in await index.collections()] == ["other"]
        with pytest.raises(UsageError):
            await index.page("main", None, 1)
        await index.create(DENSE_SPEC)
        assert await texts(index) == []
        assert len(await texts(index, "other")) == 2

    @contract
    async def test_an_unknown_collection_is_a_usage_error(self, index: Index) -> None:
        calls = (
            lambda: index.put_source("main", source_of()),
            lambda: index.forget("main", "x"),
            lambda: index.documents("main"),
            lambda: index.replace("main", [A1]),
            lambda: index.touch("main", []),
            lambda: index.remove("main", []),
            lambda: index.search("main", request_for("x")),
            lambda: index.load("main", []),
            lambda: index.page("main", None, 1),
            lambda: index.embedded("main", "x", "y"),
            lambda: index.weigh("main", "r", {}),
            lambda: index.settle("main"),
        )
        for call in calls:
            with pytest.raises(UsageError):
                await call()

    @contract
    async def test_a_change_that_cannot_be_leaves_the_spec_alone(self, index: Index) -> None:
        await index.create(DENSE_SPEC)
        await index.replace("main", [A1])
        with pytest.raises(StoreError):
            await index.create(replace(DENSE_SPEC, dense="other", dimensions=3))
        with pytest.raises(UsageError):
            await index.create(replace(DENSE_SPEC, name="../other"))
        (info,) = await index.collections()
        assert info.spec == replace(DENSE_SPEC, counted=True)
        assert len(await texts(index)) == 2

    @contract
    async def test_a_new_average_length_is_kept(self, index: Index) -> None:
        await index.create(DENSE_SPEC)
        await index.replace("main", [A1])
        vector, _ = SPARSE.encode_document("turnstile", 99.0)
        ids = [point.chunk.id for point in A1.points]
        await index.weigh("main", A1.record.revision, {ids[0]: vector, ids[1]: A1.points[1].sparse})
        await index.create(replace(DENSE_SPEC, average_length=99.0))
        (info,) = await index.collections()
        assert info.spec.average_length == 99.0
        assert (await chunk_found(index, "turnstile")).id == A1.points[0].chunk.id

    @contract
    async def test_vectors_come_back(self, index: Index) -> None:
        await index.create(DENSE_SPEC)
        await index.replace("main", [A1])
        point = A1.points[0]
        (stored,) = await index.load("main", [point.chunk.id], vectors=True)
        assert stored.chunk == point.chunk
        assert_close(stored.vector, point.dense)

    @contract
    async def test_chunks_come_with_the_vectors_that_were_given(self, index: Index) -> None:
        await index.create(DENSE_SPEC)
        await index.replace("main", [A1, B1])
        place = (A1.record.source, A1.record.path)
        found = {one.chunk: one.vector for one in await index.embedded("main", *place)}
        assert found.keys() == {point.chunk for point in A1.points}
        for point in A1.points:
            assert_equal(found[point.chunk], point.dense)
        assert await index.embedded("main", place[0], "no such file") == ()
        await index.replace("main", [A2])
        (stored,) = await index.embedded("main", *place)
        assert stored.chunk == A2.points[0].chunk

    @contract
    async def test_a_lexical_document_has_no_vectors(self, index: Index) -> None:
        await index.create(LEXICAL_SPEC)
        document = document_of("a.md", "a1", ["the brown fox"], dense=False)
        await index.replace("main", [document])
        assert await index.embedded("main", document.record.source, "a.md") == ()
        await index.create(DENSE_SPEC)  # its points have no vectors yet
        assert await index.embedded("main", document.record.source, "a.md") == ()

    @contract
    async def test_settling_changes_no_answer(self, index: Index) -> None:
        await index.create(DENSE_SPEC)
        await index.replace("main", [A1])
        before = await index.search("main", request_for("fox"))
        await index.settle("main")
        await index.settle("main")
        assert await index.search("main", request_for("fox")) == before
