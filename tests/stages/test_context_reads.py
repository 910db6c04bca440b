"""What is read of a file for the text around its results, and what a failure there costs."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import pytest

from pincite.errors import EnginePanicked, PinciteError, StoreError
from pincite.model import Candidate, Chosen, Chunk, Signal
from pincite.ports import Stored
from pincite.stages.context import ContextConfig, Shown, context
from pincite.stages.context.document import DocumentChunks
from pincite.support.fields import replace
from tests.stages.context_files import COLLECTION, PARTS, Files, cut_up

CONFIG = ContextConfig(least_lines=0, max_tokens=80)
WIDE = ContextConfig(least_lines=60, max_tokens=2_000)
CHUNKS = cut_up(PARTS, "a.md")


def test_a_document_knows_the_places_of_its_chunks_however_many_are_asked_for() -> None:
    document = DocumentChunks([f"{number}" for number in range(30)])
    asked = ["3", "none", *map(str, range(29, -1, -1)), "neither", "3"]
    places = [document.place_of(replace(CHUNKS[0], id=id_)) for id_ in asked]
    assert places == [3, None, *range(29, -1, -1), None, 3]


@dataclass(frozen=True)
class Failing(Files):
    """An index whose requests of one kind fail from a given one on."""

    error: PinciteError = field(default_factory=lambda: StoreError("the disk is gone"))
    at: str = ""
    after: int = 0
    documents: list[str] = field(default_factory=list)

    async def document(self, collection: str, source: str, path: str) -> tuple[Chunk, ...]:
        self.documents.append(path)
        if self.at == "document":
            raise self.error
        return await super().document(collection, source, path)

    async def chunk_ids(
        self, collection: str, documents: Sequence[tuple[str, str]]
    ) -> tuple[tuple[str, ...], ...]:
        if self.at in ("chunk_ids", "document"):
            raise self.error
        return await super().chunk_ids(collection, documents)

    async def load(
        self, collection: str, ids: Sequence[str], *, vectors: bool = False
    ) -> tuple[Stored, ...]:
        if self.at == "load" and len(self.loaded) >= self.after:
            raise self.error
        return await super().load(collection, ids, vectors=vectors)


def page(index: Files, found: Sequence[Chunk], config: ContextConfig) -> Shown:
    hits = [
        Candidate("main", one, (Signal("fused", "rrf", 1 / (n + 2)),))
        for n, one in enumerate(found)
    ]
    there = replace(COLLECTION, index=index)
    return asyncio.run(context(Chosen(tuple(hits)), [there], config, 5))


def shown_lines(shown: Shown) -> list[tuple[int, int]]:
    pairs = zip(shown.candidates, shown.contexts, strict=True)
    return [
        (near.start_line, near.end_line) if near else (hit.chunk.start_line, hit.chunk.end_line)
        for hit, near in pairs
    ]


def test_only_the_chunks_around_a_result_are_read_and_those_that_it_needs_besides() -> None:
    index = Files({"a.md": CHUNKS})
    page(index, [CHUNKS[6]], CONFIG)
    assert index.loaded == [[one.id for one in CHUNKS[2:11]]]
    wide = Files({"a.md": CHUNKS})
    (reach,) = shown_lines(page(wide, [CHUNKS[6]], WIDE))
    assert reach == (CHUNKS[0].start_line, CHUNKS[-1].end_line)
    read = [id_ for ids in wide.loaded for id_ in ids]
    assert sorted(read) == sorted(one.id for one in CHUNKS)  # each once


def test_results_that_need_more_are_read_together() -> None:
    paths = ("a.md", "b.md", "c.md", "d.md")
    files = {path: cut_up(PARTS, path) for path in paths}
    one, four = (Files(files) for _ in range(2))
    page(one, [files["a.md"][6]], WIDE)
    page(four, [files[path][6] for path in paths], WIDE)
    assert len(four.asked) == 1
    assert len(four.loaded) == len(one.loaded)


def test_a_document_whose_ids_cannot_be_read_is_read_as_a_whole() -> None:
    index = Failing({"a.md": CHUNKS}, at="chunk_ids")
    shown = page(index, [CHUNKS[6]], CONFIG)
    assert index.documents == ["a.md"]
    assert shown == page(Files({"a.md": CHUNKS}), [CHUNKS[6]], CONFIG)
    assert shown.notices == ()


def test_a_document_that_was_replaced_since_the_search_is_read_as_a_whole() -> None:
    index = Failing({"a.md": cut_up(f"new\n\n{PARTS}", "a.md")})
    gone = replace_id(CHUNKS[6])
    shown = page(index, [gone], CONFIG)
    assert index.documents == ["a.md"]
    assert shown.contexts == (None,)


def replace_id(chunk: Chunk) -> Chunk:

    return replace(chunk, id="0" * 32)


@pytest.mark.parametrize("at", ["load", "document"])
def test_a_file_that_cannot_be_read_shows_its_passages_alone_with_one_notice(at: str) -> None:
    shown = page(Failing({"a.md": CHUNKS}, at=at), [CHUNKS[2], CHUNKS[6]], CONFIG)
    assert shown.contexts == (None, None)
    (notice,) = shown.notices
    assert notice.code == "context_unavailable"
    assert "a.md" in notice.message
    assert "the disk is gone" in notice.message


@pytest.mark.parametrize("after", [1, 2])
@pytest.mark.parametrize("gone", [False, True])
def test_a_later_read_that_fails_shows_no_line_twice(gone: bool, after: int) -> None:
    chunks = cut_up(PARTS * 20, "a.md")
    found = [chunks[n] for n in (40, 190, 41, 110)]
    kind = Gone if gone else Failing
    index = kind({"a.md": chunks}, at="" if gone else "load", after=after)
    shown = page(index, found, ContextConfig(least_lines=900, max_tokens=20_000))
    assert len(index.loaded) == after  # and another one failed
    lines = sorted(shown_lines(shown))
    assert all(one[1] < other[0] for one, other in pairwise(lines))
    merged = [one.chunk_id for near in shown.contexts if near for one in near.matches]
    alone = [hit.chunk.id for hit in shown.candidates]
    assert {one.id for one in found} <= {*merged, *alone}
    assert [one.code for one in shown.notices] == ([] if gone else ["context_unavailable"])


def test_a_document_that_is_replaced_before_its_chunks_are_read_is_read_as_a_whole() -> None:
    index = Gone({"a.md": CHUNKS})
    shown = page(index, [CHUNKS[6]], CONFIG)
    assert index.documents == ["a.md"]
    assert shown == page(Files({"a.md": CHUNKS}), [CHUNKS[6]], CONFIG)


def test_a_result_of_many_small_chunks_needs_few_reads() -> None:
    small = cut_up("".join(f"## P{n}\n\nw{n}\n\n" for n in range(600)), "a.md")
    assert len(small) >= 300
    index = Files({"a.md": small})
    (context_,) = page(
        index, [small[150]], ContextConfig(least_lines=900, max_tokens=3_000)
    ).contexts
    assert context_ is not None
    assert context_.end_line - context_.start_line > 700
    assert len(index.loaded) < 10


class Gone(Failing):
    """An index whose documents are replaced after some requests: their chunks are missing."""

    async def load(
        self, collection: str, ids: Sequence[str], *, vectors: bool = False
    ) -> tuple[Stored, ...]:
        if len(self.loaded) >= self.after:
            return ()
        return await super().load(collection, ids, vectors=vectors)


@pytest.mark.parametrize("at", ["load", "document", "chunk_ids"])
def test_a_panic_of_the_engine_ends_the_search(at: str) -> None:
    index = Failing({"a.md": CHUNKS}, at=at, error=EnginePanicked("it panicked"))
    with pytest.raises(EnginePanicked):
        page(index, [CHUNKS[6]], CONFIG)
