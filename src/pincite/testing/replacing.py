"""Tests of what `Index` promises for replaced documents. Part of `IndexContract`."""

from __future__ import annotations

import asyncio
import math

import pytest

from pincite.errors import InvalidPoint, UsageError
from pincite.model import DocumentRecord, IndexedDocument, Point, SparseVector
from pincite.ports import Index
from pincite.support.fields import replace
from pincite.testing.index_documents import A1, A2, B1, EMPTY, NOT_UNIT, texts
from pincite.testing.points import DENSE_SPEC, LEXICAL_SPEC, document_of, point_of, request_for
from pincite.testing.running import contract


class ReplacingContract:
    """Documents are replaced whole and together, and in one step for searches."""

    @contract
    async def test_replacing_removes_what_was_there(self, index: Index) -> None:
        await index.create(DENSE_SPEC)
        for document in (A1, B1, A2):
            await index.replace("main", [document])
        assert await texts(index) == ["the brown owl", "the white hen"]
        assert await index.documents("main") == (A2.record, B1.record)

    @contract
    async def test_replacing_twice_is_replacing_once(self, index: Index) -> None:
        await index.create(DENSE_SPEC)
        for document in (A1, A1, A2, A2):
            await index.replace("main", [document])
        assert await texts(index) == ["the white hen"]

    @contract
    async def test_the_same_file_with_other_encoders_takes_over_its_ids(self, index: Index) -> None:
        await index.create(LEXICAL_SPEC)
        record, points = document_of("a.md", "a1", ["the brown fox", "the hen"], dense=False)
        await index.replace("main", [IndexedDocument(record, points)])
        await index.create(DENSE_SPEC)
        again = [point_of(p.chunk.text, f"a1/{n}", path="a.md") for n, p in enumerate(points)]
        dense_record = replace(record, revision="a1-dense")
        await index.replace("main", [IndexedDocument(dense_record, again)])
        assert await texts(index) == ["the brown fox", "the hen"]
        dense, sparse = await index.search("main", request_for("fox hen"))
        assert len(dense.hits) == len(sparse.hits) == 2

    @contract
    async def test_an_invalid_document_leaves_the_old_one_untouched(self, index: Index) -> None:
        await index.create(DENSE_SPEC)
        await index.replace("main", [A1])
        record, points = A2
        faults: tuple[tuple[DocumentRecord, list[Point]], ...] = (
            (record, [replace(points[0], sparse=SparseVector((2, 1), (1.0, 1.0)))]),
            (record, [replace(points[0], dense=NOT_UNIT)]),
            (record, []),
            (replace(record, chunks=2), [points[0], points[0]]),
        )
        for wrong in faults:
            with pytest.raises(InvalidPoint):
                await index.replace("main", [IndexedDocument(*wrong)])
            assert await texts(index) == ["the brown cow", "the brown fox"]
            assert await index.documents("main") == (A1.record,)

    @contract
    async def test_searches_see_the_old_or_the_new_never_both_or_a_part(self, index: Index) -> None:
        await index.create(LEXICAL_SPEC)
        sides = [
            document_of("a.md", name, [f"{name}{n} common" for n in range(300)], dense=False)
            for name in ("old", "new")
        ]
        await index.replace("main", [sides[0]])
        seen: set[tuple[int, int]] = set()

        async def watch() -> None:
            request = request_for("common", dense=None, sparse_limit=1_000)
            while True:
                (sparse,) = await index.search("main", request)
                found = {hit.id for hit in sparse.hits}
                counts = [len(found & {p.chunk.id for p in points}) for _, points in sides]
                seen.add((counts[0], counts[1]))
                await asyncio.sleep(0)

        watching = asyncio.create_task(watch())
        for round_ in range(4):
            await index.replace("main", [sides[(round_ + 1) % 2]])
        watching.cancel()
        await asyncio.gather(watching, return_exceptions=True)
        assert seen <= {(300, 0), (0, 300)}

    @contract
    async def test_documents_are_replaced_together(self, index: Index) -> None:
        await index.create(DENSE_SPEC)
        await index.replace("main", [])
        await index.replace("main", [A1, B1, EMPTY])
        assert await index.documents("main") == (A1.record, B1.record, EMPTY[0])
        await index.replace("main", [B1, A2])
        assert await texts(index) == ["the brown owl", "the white hen"]
        assert await index.documents("main") == (A2.record, B1.record, EMPTY[0])
        for gone in ("fox", "cow"):
            (sparse,) = await index.search("main", request_for(gone, dense=None))
            assert sparse.hits == ()

    @contract
    async def test_one_document_cannot_be_there_twice_in_one_call(self, index: Index) -> None:
        await index.create(DENSE_SPEC)
        await index.replace("main", [A1])
        same_name = IndexedDocument(replace(B1.record, revision="a2"), B1.points)
        for wrong in ([A2, B1, A2], [B1, A1, A2], [A2, same_name]):
            with pytest.raises(UsageError, match=r"a\.md"):
                await index.replace("main", wrong)
            assert await texts(index) == ["the brown cow", "the brown fox"]
            assert await index.documents("main") == (A1.record,)

    @contract
    async def test_one_invalid_document_keeps_out_all_of_a_call(self, index: Index) -> None:
        await index.create(DENSE_SPEC)
        await index.replace("main", [A1])
        owl = B1.points[0]
        faults = (
            IndexedDocument(B1.record, [replace(owl, sparse=SparseVector((1,), (math.nan,)))]),
            IndexedDocument(B1.record, [replace(owl, sparse=SparseVector((1, 2), (1.0,)))]),
            IndexedDocument(B1.record, [replace(owl, dense=NOT_UNIT)]),
            IndexedDocument(B1.record, []),
            IndexedDocument(B1.record, [replace(owl, chunk=A2.points[0].chunk)]),
        )
        for wrong in faults:
            with pytest.raises(InvalidPoint, match=r"b\.md|a\.md.* also"):
                await index.replace("main", [A2, EMPTY, wrong])
            assert await texts(index) == ["the brown cow", "the brown fox"]
            assert await index.documents("main") == (A1.record,)
        await index.replace("main", [A2, B1])
        assert await texts(index) == ["the brown owl", "the white hen"]

    @contract
    async def test_each_of_many_documents_is_seen_whole_while_all_are_replaced(
        self, index: Index
    ) -> None:
        await index.create(LEXICAL_SPEC)
        versions = [
            [
                document_of(
                    f"{n}.md",
                    f"{version}{n}",
                    [f"{version} {n} {m} common" for m in range(7)],
                    dense=False,
                )
                for n in range(60)
            ]
            for version in ("old", "new")
        ]
        await index.replace("main", versions[0])
        ids = [[{p.chunk.id for p in d.points} for d in documents] for documents in versions]
        seen: set[tuple[int, int]] = set()

        async def watch() -> None:
            request = request_for("common", dense=None, sparse_limit=1_000)
            while True:
                (sparse,) = await index.search("main", request)
                found = {hit.id for hit in sparse.hits}
                seen.update(
                    (len(found & old), len(found & new)) for old, new in zip(*ids, strict=True)
                )
                await asyncio.sleep(0)

        watching = asyncio.create_task(watch())
        for round_ in range(4):
            await index.replace("main", versions[(round_ + 1) % 2])
        watching.cancel()
        await asyncio.gather(watching, return_exceptions=True)
        assert seen <= {(7, 0), (0, 7)}

    @contract
    async def test_many_documents_are_replaced_at_once(self, index: Index) -> None:
        await index.create(DENSE_SPEC)
        documents = [document_of(f"{n}.md", f"r{n}", [f"text {n}"]) for n in range(30)]
        await asyncio.gather(*(index.replace("main", [document]) for document in documents))
        assert await texts(index) == sorted(f"text {n}" for n in range(30))

    @contract
    async def test_a_client_that_gives_up_leaves_a_whole_document(self, index: Index) -> None:
        await index.create(LEXICAL_SPEC)
        for number in range(8):
            document = document_of(
                "a.md", f"r{number}", [f"text {n} of {number}" for n in range(200)], dense=False
            )
            writing = asyncio.create_task(index.replace("main", [document]))
            await asyncio.sleep(0.001 * number)
            writing.cancel()
            await asyncio.gather(writing, return_exceptions=True)
        await index.replace("main", [document_of("b.md", "b1", ["end"], dense=False)])
        by_path = {record.path: record.chunks for record in await index.documents("main")}
        assert len(await texts(index)) == sum(by_path.values())
