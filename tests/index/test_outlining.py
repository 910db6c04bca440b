"""Outlines are made in the background, and every search gives the same with and without them."""

from __future__ import annotations

import asyncio
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest

from pincite.catalog.sqlite import SqliteCatalog
from pincite.chunkers import ChunkerConfig
from pincite.deps import Deps
from pincite.index import outline
from pincite.index.local import LocalIndex
from pincite.ingest import ingest
from pincite.ingestion.deps import IngestDeps
from pincite.model import Chunk, CollectionSpec, IndexedDocument, Question
from pincite.model.outline import OutlinedDocument
from pincite.ports import Searchable
from pincite.profile import Profile
from pincite.providers.sparse.bm25 import Bm25Encoder
from pincite.providers.sparse.language import guess_language
from pincite.search import search
from pincite.sources import Selection, SourceLimits, open_source
from pincite.stores.memory import MemoryStore
from pincite.support.fields import replace
from pincite.support.token_estimate import estimate_tokens
from pincite.testing.points import LEXICAL_SPEC, document_of
from pincite.trace import Trace
from tests.index.outline_client import DOCUMENTS
from tests.index.outline_client import opened as opened_again
from tests.ingestion.indexed_folder import functions
from tests.stages.context_files import outline_of

pytestmark = pytest.mark.anyio

A = document_of("a.md", "a1", ["the brown fox", "the brown cow"], dense=False)
B = document_of("b.md", "b1", ["the white hen"], dense=False)
PLACES = [("acme/docs", "a.md"), ("acme/docs", "b.md")]
HASHES = dict(zip(PLACES, (A.record.content_hash, B.record.content_hash), strict=True))
SPARSE = Bm25Encoder()


class Counted(LocalIndex):
    """An index that can be in use."""

    quiet = True

    @property
    def is_quiet(self) -> bool:
        return self.quiet


async def idle(index: LocalIndex) -> None:
    async with asyncio.timeout(20):
        while index.busy:  # noqa: ASYNC110 - as the daemon looks
            await asyncio.sleep(0.01)


async def held(index: LocalIndex) -> list[OutlinedDocument | None]:
    return list(await index.outlines(LEXICAL_SPEC.name, PLACES))


async def of(index: LocalIndex, place: tuple[str, str]) -> OutlinedDocument:
    chunks: Sequence[Chunk] = await index.document(LEXICAL_SPEC.name, *place)
    made = outline_of(chunks)
    assert made is not None
    ids = bytes.fromhex("".join(one.id for one in chunks))
    return OutlinedDocument(HASHES[place], ids, made)


async def opened(folder: Path, store: MemoryStore | None = None) -> Counted:
    index = Counted(store or MemoryStore(), SqliteCatalog(folder / "catalog.db"))
    await index.open()
    await index.create(LEXICAL_SPEC)
    return index


async def test_they_are_made_when_a_run_has_ended_and_nobody_searches(tmp_path: Path) -> None:
    index = await opened(tmp_path)
    await index.replace(LEXICAL_SPEC.name, [A, B])
    index.quiet = False
    await index.settle(LEXICAL_SPEC.name)
    await asyncio.sleep(0.05)
    assert (await held(index), index.busy) == ([None, None], True)
    index.quiet = True
    await idle(index)
    assert await held(index) == [await of(index, place) for place in PLACES]
    await index.close()


async def test_those_of_an_earlier_version_are_made_too(tmp_path: Path) -> None:
    store = MemoryStore()
    index = await opened(tmp_path, store)
    await index.replace(LEXICAL_SPEC.name, [A, B])
    index.make_outlines(LEXICAL_SPEC.name)
    await idle(index)
    with sqlite3.connect(tmp_path / "catalog.db") as database:
        database.execute("UPDATE outlines SET version = 0 WHERE revision = 'a1'")
    assert (await held(index))[0] is None
    index.make_outlines(LEXICAL_SPEC.name)
    await idle(index)
    assert await held(index) == [await of(index, place) for place in PLACES]
    await index.close()


async def test_other_attributes_need_another_outline(tmp_path: Path) -> None:
    """Of chunks with different attributes, a search may see only one."""
    spec = replace(LEXICAL_SPEC, attributes={"course": "keyword"})
    index = await opened(tmp_path)
    await index.create(spec)
    await index.replace(spec.name, [A, B])
    index.make_outlines(spec.name)
    await idle(index)
    before = await held(index)
    await index.touch(spec.name, [replace(A.record, ref="beef")])
    assert await held(index) == before
    await index.touch(spec.name, [replace(A.record, attributes={"course": "stats"})])
    assert await held(index) == [None, before[1]]
    await index.settle(spec.name)
    await idle(index)
    assert await held(index) == [await of(index, place) for place in PLACES]
    await index.close()


async def test_requests_are_served_while_a_large_document_is_outlined(tmp_path: Path) -> None:
    """One of 31,222 chunks stopped the daemon for half a second."""
    index = await opened(tmp_path)
    large = document_of("a.md", "a1", [f"the fox {n}" for n in range(2_000)], dense=False)
    await index.replace(LEXICAL_SPEC.name, [large])
    reads: list[int] = []
    turns = 0

    def estimated(text: str) -> int:
        reads.append(turns)
        return estimate_tokens(text)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(outline, "estimate_tokens", estimated)
        index.make_outlines(LEXICAL_SPEC.name)
        while index.busy:
            turns += 1
            await asyncio.sleep(0)
    assert len(reads) == 2_000
    assert max(reads.count(turn) for turn in set(reads)) <= 200
    (found,) = await index.outlines(LEXICAL_SPEC.name, PLACES[:1])
    assert found is not None
    assert found.outline == outline_of(await index.document(LEXICAL_SPEC.name, *PLACES[0]))
    await index.close()


async def test_those_of_a_second_run_during_the_work_are_made_too(tmp_path: Path) -> None:
    index = await opened(tmp_path)
    names = [f"{number:03}.md" for number in range(30)]
    places = [("acme/docs", name) for name in names]

    def run(version: str) -> list[IndexedDocument]:
        return [
            document_of(name, f"{version}{name}", [f"{version} fox"], dense=False) for name in names
        ]

    await index.replace(LEXICAL_SPEC.name, run("first"))
    await index.settle(LEXICAL_SPEC.name)
    async with asyncio.timeout(20):
        while (await index.outlines(LEXICAL_SPEC.name, places))[9] is None:  # noqa: ASYNC110 - until ten
            await asyncio.sleep(0)
    assert index.busy
    index.quiet = False
    await index.replace(LEXICAL_SPEC.name, run("second"))
    await index.settle(LEXICAL_SPEC.name)
    index.quiet = True
    await idle(index)
    assert None not in await index.outlines(LEXICAL_SPEC.name, places)
    await index.close()


async def test_closing_stops_the_work(tmp_path: Path) -> None:
    index = await opened(tmp_path)
    await index.replace(LEXICAL_SPEC.name, [A, B])
    index.quiet = False
    index.make_outlines(LEXICAL_SPEC.name)
    async with asyncio.timeout(5):
        await index.close()
    assert not index.busy


async def test_a_run_that_ends_while_the_index_closes_starts_no_work(tmp_path: Path) -> None:
    index = await opened(tmp_path)
    await index.replace(LEXICAL_SPEC.name, [A, B])
    index.make_outlines(LEXICAL_SPEC.name)
    assert index._outlining is not None
    work = index._outlining._tasks[LEXICAL_SPEC.name]
    while not work.done():  # noqa: ASYNC110 - until its end, before that is handled
        await asyncio.sleep(0)
    assert index.busy
    index.make_outlines(LEXICAL_SPEC.name)
    await index.close()
    await asyncio.sleep(0)
    assert not index.busy


async def test_a_collection_that_is_removed_meanwhile_does_no_harm(tmp_path: Path) -> None:
    index = await opened(tmp_path)
    await index.replace(LEXICAL_SPEC.name, [A, B])
    index.quiet = False
    index.make_outlines(LEXICAL_SPEC.name)
    await index.drop(LEXICAL_SPEC.name)
    index.quiet = True
    await idle(index)
    await index.close()


async def test_a_killed_process_leaves_whole_outlines_and_the_next_makes_the_rest(
    tmp_path: Path,
) -> None:
    command = (sys.executable, "-m", "tests.index.outline_client", str(tmp_path), "7")
    assert subprocess.run(command, check=False).returncode == -signal.SIGKILL  # noqa: ASYNC221
    index = opened_again(tmp_path)
    await index.open()
    places = [(record.source, record.path) for record, _ in DOCUMENTS]
    found = await index.outlines(LEXICAL_SPEC.name, places)
    assert sum(one is not None for one in found) == 7
    index.make_outlines(LEXICAL_SPEC.name)
    await idle(index)
    for place, one in zip(places, await index.outlines(LEXICAL_SPEC.name, places), strict=True):
        chunks = await index.document(LEXICAL_SPEC.name, *place)
        assert one is not None
        assert one.outline == outline_of(chunks)
    await index.close()


async def test_searches_give_the_same_with_and_without_them(tmp_path: Path) -> None:
    sources = tmp_path / "sources"
    sources.mkdir()
    names = ("rotate_key", "load_users", "send_invoice", "parse_header")
    for number in range(6):
        code = functions(*(f"{name}_{number}" for name in names), lines=30 + 20 * number)
        (sources / f"code_{number}.py").write_text(code)
        part = "".join(f"## Part {n}\n\nHow to {names[n % 4]} in {n} steps.\n\n" for n in range(30))
        (sources / f"notes_{number}.md").write_text(f"# Notes {number}\n\n{part}- a\n  - b\n" * 2)
    (sources / "long.txt").write_text("how to rotate a key " * 3_000 + "\n\n\tlast\r\n" * 50)
    index = Counted(MemoryStore(), SqliteCatalog(tmp_path / "catalog.db"))
    await index.open()
    spec = CollectionSpec("main", SPARSE.fingerprint, ChunkerConfig().fingerprint)
    await index.create(spec)
    limits, selection = SourceLimits(), Selection()
    index.quiet = False
    with open_source(sources, name="acme", limits=limits, selection=selection) as source:
        await ingest(source, selection, spec, IngestDeps(index, SPARSE, None))
    questions = [
        *(f"how to {name} {number}" for name in names for number in range(6)),
        *names,
        "rotate a key",
        "Part 7",
        "last",
    ]
    before = [await asked(index, spec, one) for one in questions]
    index.quiet = True
    index.make_outlines("main")
    await idle(index)
    paths = [("acme", one.path) for one in await index.documents("main")]
    assert None not in await index.outlines("main", paths)
    assert [await asked(index, spec, one) for one in questions] == before
    assert any(b'"context":{' in one for one in before)
    await index.close()


async def asked(index: LocalIndex, spec: CollectionSpec, text: str) -> bytes:
    kinds = frozenset({"docs", "code"})
    there = Searchable(spec, index, SPARSE, None, kinds=kinds)  # type: ignore[arg-type]
    deps = Deps((there,), lambda t: frozenset(SPARSE.analyser.terms(t)), guess_language)
    pack = await search(Question(text), deps, Profile(), Trace(lambda: 0.0))
    return msgspec.json.encode(pack)
