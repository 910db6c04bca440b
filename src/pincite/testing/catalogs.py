"""Tests of what `Catalog` promises."""

from __future__ import annotations

import pytest

from pincite.errors import InvalidPoint, UsageError
from pincite.model import DocumentRecord, TermCounts
from pincite.ports import Catalog, Totals
from pincite.support.fields import replace
from pincite.testing.points import DENSE_SPEC, LEXICAL_SPEC, document_of, source_of
from pincite.testing.running import contract

OTHER_SPEC = replace(DENSE_SPEC, name="other")


def record_of(path: str, revision: str, source: str = "acme/docs") -> DocumentRecord:
    """Return a document of two chunks."""
    return document_of(path, revision, ["one two", "three"], source=source)[0]


def counts_of(chunks: int, *terms: int) -> TermCounts:
    """Return counts of `chunks` chunks that all have these terms."""
    return TermCounts(chunks, dict.fromkeys(terms, chunks))


class CatalogContract:
    """Derive from it and let `opened` yield an empty catalog."""

    @contract
    async def test_an_empty_catalog_has_nothing(self, catalog: Catalog) -> None:
        assert await catalog.specs() == ()
        assert await catalog.sources("main") == ()
        assert await catalog.documents("main") == ()
        assert await catalog.revisions_of("main", [("acme/docs", "a.md")]) == {}
        assert await catalog.records("main", ["r1"]) == {}
        assert await catalog.refs("main", [("acme/docs", "a.md")]) == {}
        assert await catalog.chunk_ids("main", [("acme/docs", "a.md")]) == {}
        assert await catalog.totals("main") == Totals()

    @contract
    async def test_specs_come_by_name_and_are_replaced(self, catalog: Catalog) -> None:
        await catalog.put_spec(OTHER_SPEC)
        await catalog.put_spec(LEXICAL_SPEC)
        assert await catalog.specs() == (LEXICAL_SPEC, OTHER_SPEC)
        await catalog.put_source("main", source_of())
        await catalog.put("main", [record_of("a.md", "r1")])
        await catalog.put_spec(DENSE_SPEC)
        assert await catalog.specs() == (DENSE_SPEC, OTHER_SPEC)
        assert len(await catalog.documents("main")) == len(await catalog.sources("main")) == 1

    @contract
    async def test_documents_come_in_pages(self, catalog: Catalog) -> None:
        await catalog.put_spec(DENSE_SPEC)
        names = [(source, f"{n}.md") for source in ("b/x", "a/x", "c/x") for n in range(4)]
        records = [record_of(path, f"{source} {path}", source) for source, path in names]
        await catalog.put("main", records)
        for source in (None, "b/x", "nothing"):
            for limit in (1, 3, 4, 100):
                found: list[DocumentRecord] = []
                after = None
                while page := await catalog.documents("main", source, after, limit):
                    assert len(page) <= limit
                    found += page
                    after = (page[-1].source, page[-1].path)
                assert tuple(found) == await catalog.documents("main", source)

    @contract
    async def test_documents_come_by_source_and_path(self, catalog: Catalog) -> None:
        await catalog.put_spec(DENSE_SPEC)
        paths = ["b.md", "a/b.md", "a.md", "ä.md", "Z.md", "🎉.md", "\ufffd.md"]
        records = [
            record_of(path, f"{source}/{path}", source)
            for source in ("b/x", "a/x")
            for path in paths
        ]
        await catalog.put("main", records)
        ordered = sorted(records, key=lambda r: (r.source, r.path))
        assert list(await catalog.documents("main")) == ordered
        assert [r.source for r in await catalog.documents("main", "b/x")] == ["b/x"] * len(paths)
        assert await catalog.documents("main", "c/x") == ()

    @contract
    async def test_a_record_replaces_that_of_its_path(self, catalog: Catalog) -> None:
        await catalog.put_spec(DENSE_SPEC)
        await catalog.put("main", [record_of("a.md", "r1"), record_of("b.md", "r2")])
        await catalog.put("main", [record_of("a.md", "r3")])
        assert [r.revision for r in await catalog.documents("main")] == ["r3", "r2"]
        keys = [("acme/docs", path) for path in ("a.md", "b.md", "c.md")]
        found = await catalog.revisions_of("main", keys)
        assert found == {keys[0]: "r3", keys[1]: "r2"}

    @contract
    async def test_all_records_are_put_or_none(self, catalog: Catalog) -> None:
        await catalog.put_spec(DENSE_SPEC)
        bad = replace(record_of("b.md", "r2"), path="\ud83c.md")
        with pytest.raises(InvalidPoint):
            await catalog.put("main", [record_of("a.md", "r1"), bad])
        assert await catalog.documents("main") == ()
        await catalog.put("main", [record_of("a.md", "r1")])
        await catalog.put("main", [])
        assert len(await catalog.documents("main")) == 1

    @contract
    async def test_documents_are_forgotten_by_revision(self, catalog: Catalog) -> None:
        await catalog.put_spec(DENSE_SPEC)
        await catalog.put("main", [record_of("a.md", "r1"), record_of("b.md", "r2")])
        await catalog.delete("main", ["r1", "never there"])
        await catalog.delete("main", [])
        assert [r.revision for r in await catalog.documents("main")] == ["r2"]

    @contract
    async def test_totals_are_sums(self, catalog: Catalog) -> None:
        await catalog.put_spec(DENSE_SPEC)
        await catalog.put("main", [record_of("a.md", "r1"), record_of("b.md", "r2")])
        assert await catalog.totals("main") == Totals(2, 4, 6, {"docs": 4})

    @contract
    async def test_terms_are_counted_with_the_documents_that_have_them(
        self, catalog: Catalog
    ) -> None:
        await catalog.put_spec(DENSE_SPEC)
        a, b = record_of("a.md", "r1"), record_of("b.md", "r2")
        await catalog.put("main", [a, b], {"r1": counts_of(2, 7, 8), "r2": counts_of(1, 8)})
        assert await catalog.frequencies("main", [7, 8, 9]) == TermCounts(3, {7: 2, 8: 3})
        await catalog.put("main", [replace(a, ref="beef")])  # unchanged except for its ref
        assert await catalog.frequencies("main", [8]) == TermCounts(3, {8: 3})
        await catalog.put("main", [a], {"r1": counts_of(3, 8)})  # weighed again
        assert await catalog.frequencies("main", [7, 8]) == TermCounts(4, {8: 4})
        await catalog.put("main", [replace(a, revision="r3")], {"r3": counts_of(1, 9)})
        assert await catalog.frequencies("main", [7, 8, 9]) == TermCounts(2, {8: 1, 9: 1})
        await catalog.delete("main", ["r1", "r2"])
        assert await catalog.frequencies("main", [8, 9]) == TermCounts(1, {9: 1})
        await catalog.put("main", [replace(a, revision="r4")])  # not counted
        assert await catalog.frequencies("main", [8, 9]) == TermCounts()

    @contract
    async def test_counts_that_cannot_be_written_change_nothing(self, catalog: Catalog) -> None:
        await catalog.put_spec(DENSE_SPEC)
        bad = replace(record_of("b.md", "r2"), path="\ud83c.md")
        counts = {"r1": counts_of(2, 7), "r2": counts_of(1, 7)}
        with pytest.raises(InvalidPoint):
            await catalog.put("main", [record_of("a.md", "r1"), bad], counts)
        assert await catalog.frequencies("main", [7]) == TermCounts()

    @contract
    async def test_a_document_is_known_by_its_revision(self, catalog: Catalog) -> None:
        await catalog.put_spec(DENSE_SPEC)
        await catalog.put("main", [record_of("a.md", "r1"), record_of("b.md", "r2")])
        assert await catalog.records("main", ["r1", "r3"]) == {"r1": record_of("a.md", "r1")}

    @contract
    async def test_refs_are_those_of_the_documents(self, catalog: Catalog) -> None:
        await catalog.put_spec(DENSE_SPEC)
        await catalog.put("main", [record_of("a.md", "r1"), record_of("b.md", "r2")])
        await catalog.put("main", [replace(record_of("a.md", "r1"), ref="beef")])
        keys = [("acme/docs", "a.md"), ("acme/docs", "b.md"), ("acme/docs", "c.md")]
        assert await catalog.refs("main", keys) == {keys[0]: "beef", keys[1]: "c0ffee"}

    @contract
    async def test_ids_of_chunks_are_kept_in_order_until_the_revision_changes(
        self, catalog: Catalog
    ) -> None:
        await catalog.put_spec(DENSE_SPEC)
        a, b = record_of("a.md", "r1"), record_of("b.md", "r2")
        places = [("acme/docs", path) for path in ("a.md", "b.md", "none.md")]
        ids = ("f" * 32, "0123456789abcdef" * 2)
        others = ("e" * 32, "d" * 32)
        await catalog.put("main", [a, b], {}, {"r1": ids, "r2": ["not an id"]})
        assert await catalog.chunk_ids("main", places) == {places[0]: ids}
        assert await catalog.chunk_ids("other", places) == {}
        await catalog.put("main", [replace(a, ref="beef")])
        assert await catalog.chunk_ids("main", places) == {places[0]: ids}
        await catalog.put("main", [a, b], {}, {"r1": others, "r2": ids})
        assert await catalog.chunk_ids("main", places) == {places[0]: others, places[1]: ids}
        await catalog.put("main", [replace(a, revision="r3")])
        assert await catalog.chunk_ids("main", places) == {places[1]: ids}
        await catalog.put("main", [replace(b, chunks=3)])  # cut again by an earlier version
        assert await catalog.chunk_ids("main", places) == {}
        await catalog.put("main", [b], {}, {"r2": ["F" * 32, "0" * 32]})
        assert await catalog.chunk_ids("main", places) == {}

    @contract
    async def test_thousands_are_found_at_once(self, catalog: Catalog) -> None:
        await catalog.put_spec(DENSE_SPEC)
        records = [record_of(f"{number}.md", f"r{number}") for number in range(2_100)]
        await catalog.put("main", records)
        keys = [(record.source, record.path) for record in records]
        asked = [*keys, ("acme/docs", "none.md")]
        assert await catalog.refs("main", asked) == dict.fromkeys(keys, "c0ffee")
        by_key = {(record.source, record.path): record.revision for record in records}
        assert await catalog.revisions_of("main", asked) == by_key
        by_revision = {record.revision: record for record in records}
        assert await catalog.records("main", [*by_revision, "none"]) == by_revision

    @contract
    async def test_sources_come_by_name_and_are_replaced(self, catalog: Catalog) -> None:
        await catalog.put_spec(DENSE_SPEC)
        full = replace(
            source_of("b/x"),
            include=("*.md",),
            exclude=("x/**",),
            indexed_at="2026-11-21T00:00:00+00:00",
            complete=True,
            skipped={"binary": 3},
            skipped_paths=("binary: a.png",),
        )
        for record in (source_of("b/x"), source_of("a/x"), full):
            await catalog.put_source("main", record)
        assert await catalog.sources("main") == (source_of("a/x"), full)
        again = replace(full, indexed_at="2026-11-22T00:00:00+00:00")
        await catalog.put_source("main", again)
        assert await catalog.sources("main") == (source_of("a/x"), again)
        await catalog.put_source("main", full)
        assert await catalog.sources("main") == (source_of("a/x"), full)
        await catalog.put("main", [record_of("a.md", "r1", "b/x")])
        await catalog.drop_source("main", "b/x")
        await catalog.drop_source("main", "never there")
        assert await catalog.sources("main") == (source_of("a/x"),)
        assert len(await catalog.documents("main")) == 1

    @contract
    async def test_a_dropped_collection_takes_all_of_its_own_along(self, catalog: Catalog) -> None:
        for spec in (DENSE_SPEC, OTHER_SPEC):
            await catalog.put_spec(spec)
            await catalog.put_source(spec.name, source_of())
            await catalog.put(spec.name, [record_of("a.md", "r1")], {"r1": counts_of(2, 7)})
        await catalog.drop("main")
        await catalog.drop("never there")
        assert await catalog.specs() == (OTHER_SPEC,)
        assert await catalog.documents("main") == ()
        await catalog.put_spec(DENSE_SPEC)
        assert await catalog.documents("main") == ()
        assert await catalog.sources("main") == ()
        assert await catalog.frequencies("main", [7]) == TermCounts()
        assert len(await catalog.documents("other")) == 1
        assert await catalog.frequencies("other", [7]) == TermCounts(2, {7: 2})

    @contract
    async def test_writing_to_an_unknown_collection_is_a_usage_error(
        self, catalog: Catalog
    ) -> None:
        with pytest.raises(UsageError):
            await catalog.put("main", [record_of("a.md", "r1")])
        with pytest.raises(UsageError):
            await catalog.put_source("main", source_of())
        await catalog.delete("main", ["r1"])
        await catalog.drop_source("main", "acme/docs")

    @contract
    async def test_flushing_changes_nothing(self, catalog: Catalog) -> None:
        await catalog.put_spec(DENSE_SPEC)
        await catalog.flush()
        assert await catalog.specs() == (DENSE_SPEC,)
