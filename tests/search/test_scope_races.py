"""A search within a scope, while a document of that scope is replaced."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from pincite.index.local import LocalIndex
from pincite.index.replaced import KEPT_S, Successors
from pincite.model import DocumentRecord, IndexedDocument, Point, Ranking, Scope
from pincite.ports import AnyOf, Filter, Searchable, SearchRequest
from pincite.providers.sparse.bm25 import Bm25Encoder
from pincite.stores.memory import MemoryStore
from pincite.support.fields import replace
from tests.builders import chunk
from tests.small_search import TEXTS, ask, make

SCOPES = (Scope(paths=("keys",)), Scope(not_paths=("backups",)), Scope(ref="c0ffee"))
NEW = "Now rotate a key by a call of rotate_secret."


def newer(name: str, text: str, ref: str = "c0ffee") -> IndexedDocument:
    """Another version of the document `keys`."""
    vector, length = Bm25Encoder().encode_document(text, 10.0)
    record = DocumentRecord("acme/docs", "keys", name, "1" * 64, ref, 2, 1, 1, length)
    points = [Point(chunk(name, text=text, path="keys", ref=ref), vector, length, None)]
    return IndexedDocument(record, points)


class Between:
    """An index in which the document is replaced after the scope has been read, so often."""

    def __init__(self, index: Any, versions: Sequence[IndexedDocument]) -> None:
        self._index, self._versions = index, versions

    async def search(self, collection: str, request: SearchRequest) -> tuple[Ranking, ...]:
        for version in self._versions:
            await self._index.replace(collection, [version])
        found: tuple[Ranking, ...] = await self._index.search(collection, request)
        return found

    def __getattr__(self, name: str) -> Any:
        return getattr(self._index, name)


def asked(good: Searchable, index: Any, scope: Scope) -> list[tuple[str, str]]:
    pack = ask("rotate a key", replace(good, index=index), scope=scope)
    return [(one.text, one.ref) for one in pack.evidence if one.path == "keys"]


@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("names", [["r2"], ["r2", "r3"]])
def test_the_new_one_is_found(scope: Scope, names: list[str]) -> None:
    good = asyncio.run(make(None, TEXTS))
    index = Between(good.index, [newer(name, NEW) for name in names])
    assert asked(good, index, scope) == [(NEW, "c0ffee")]


@pytest.mark.parametrize("scope", SCOPES)
def test_one_that_is_recorded_and_not_yet_published_is_found_as_it_was(scope: Scope) -> None:
    class Slow(MemoryStore):
        async def publish(self, collection: str, replaced: Mapping[str, str | None]) -> None:
            if any(replaced.values()):
                await asyncio.sleep(60)
            await super().publish(collection, replaced)

    class Begins(Between):
        async def documents(self, collection: str) -> tuple[DocumentRecord, ...]:
            self.writing = asyncio.create_task(self._index.replace(collection, [self._versions[0]]))
            await asyncio.sleep(0.01)
            found: tuple[DocumentRecord, ...] = await self._index.documents(collection)
            assert [one.revision for one in found if one.path == "keys"] == ["r2"]
            return found

        async def search(self, collection: str, request: SearchRequest) -> tuple[Ranking, ...]:
            found: tuple[Ranking, ...] = await self._index.search(collection, request)
            return found

    good = asyncio.run(make(None, TEXTS, store=Slow()))
    index = Begins(good.index, [newer("r2", NEW)])
    assert [text for text, _ in asked(good, index, scope)] == [TEXTS["keys"]]


def test_what_has_become_of_another_revision_is_not_shown_within_the_old_one() -> None:
    good = asyncio.run(make(None, TEXTS))
    index = Between(good.index, [newer("r2", NEW, ref="beef")])
    assert asked(good, index, Scope(ref="c0ffee")) == []
    assert asked(good, good.index, Scope(ref="beef")) == [(NEW, "beef")]


def test_other_documents_stay_out_of_the_scope() -> None:
    good = asyncio.run(make(None, TEXTS))
    index = Between(good.index, [newer("r2", NEW)])
    assert asked(good, index, Scope(paths=("backups",))) == []


def test_after_a_while_a_revision_stands_for_itself_alone() -> None:
    now_s = 100.0
    successors = Successors(lambda: now_s)
    successors.add("main", "r1", "r2")
    successors.add("other", "r1", "r9")
    request = SearchRequest(filter=Filter(must=(AnyOf("revision", ("r0", "r1")),)))
    (condition,) = successors.into("main", request).filter.must
    assert condition == AnyOf("revision", ("r0", "r1", "r2"))
    now_s += KEPT_S + 1
    assert successors.into("main", request) is request


def test_a_revision_of_another_collection_is_not_meant() -> None:
    index = asyncio.run(make(None, TEXTS)).index
    assert isinstance(index, LocalIndex)
    successors = Successors(lambda: 0.0)
    successors.add("other", "r1", "r2")
    request = SearchRequest(filter=Filter(must=(AnyOf("repo", ("r1",)),)))
    assert successors.into("other", request) == request
    assert successors.into("main", request) is request
