"""Many searches at once, and searches with little time: what waits, and for how long."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field
from typing import Any

import pytest

from pincite.deps import Deps
from pincite.errors import StoreError, Unavailable
from pincite.model import EvidencePack, Question, Ranking, Vector
from pincite.ports import Readable, Searchable, SearchRequest
from pincite.profile import Profile
from pincite.providers.sparse.bm25 import Bm25Encoder
from pincite.providers.sparse.language import guess_language
from pincite.search import search
from pincite.stages.retrieve import SearchMode
from pincite.support import concurrency
from pincite.support.fields import replace
from pincite.trace import Trace
from tests.small_search import TEXTS, TopicEncoder, make

QUESTION = "how do I rotate a key with a new secret"
API = {"rung": "api-model"}


def profile(timeout_s: float, mode: SearchMode = "hybrid") -> Profile:
    made = Profile()
    return replace(made, retrieve=replace(made.retrieve, timeout_s=timeout_s, mode=mode))


async def searched(
    one: Searchable, settings: Profile, budget_ms: float | None = None
) -> EvidencePack:
    analyser = Bm25Encoder().analyser
    deps = Deps((one,), lambda text: frozenset(analyser.terms(text)), guess_language, None)
    question = Question(QUESTION, budget_ms=budget_ms)
    return await search(question, deps, settings, Trace(time.perf_counter))


@dataclass
class OneByOne:
    """An index that answers searches one after the other, each after some milliseconds."""

    index: Readable
    each_s: float = 0.02
    most_at_once: int = 0
    _at_once: int = 0
    _free: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def search(self, collection: str, request: SearchRequest) -> tuple[Ranking, ...]:
        self._at_once += 1
        self.most_at_once = max(self.most_at_once, self._at_once)
        try:
            async with self._free:
                await asyncio.sleep(self.each_s)
                return await self.index.search(collection, request)
        finally:
            self._at_once -= 1

    def __getattr__(self, name: str) -> Any:
        return getattr(self.index, name)


class Slow(TopicEncoder):
    """A provider's model that takes half a minute."""

    async def embed_query(self, text: str) -> Vector:
        await asyncio.sleep(30)
        return await super().embed_query(text)


def test_searches_of_a_burst_wait_without_being_late(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(concurrency, "STORE_TURNS", turns := 4)

    async def burst() -> tuple[list[EvidencePack], int]:
        made = await make(None, TEXTS)
        busy = OneByOne(made.index, each_s=0.1)  # all of them take longer than the limit
        index: Any = busy
        one = replace(made, index=index)
        packs = await asyncio.gather(*(searched(one, profile(6.0)) for _ in range(80)))
        return packs, busy.most_at_once

    packs, most = asyncio.run(burst())
    assert all(pack.evidence[0].path == "keys" for pack in packs)
    assert most <= turns


def test_searches_that_wait_for_a_provider_keep_no_other_search_waiting() -> None:
    async def asked() -> list[EvidencePack]:
        made = await make(TopicEncoder(), TEXTS)
        slow = replace(made, dense=Slow(), **API)
        waiting = [
            asyncio.create_task(searched(slow, profile(100.0)))
            for _ in range(3 * concurrency.STORE_TURNS)
        ]
        await asyncio.sleep(0.1)
        async with asyncio.timeout(10):  # the model takes 30 s
            words = await searched(slow, profile(10.0, "keyword"))
            hurried = await searched(slow, profile(10.0), budget_ms=100)
        for one in waiting:
            one.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
        return [words, hurried]

    assert [pack.evidence[0].path for pack in asyncio.run(asked())] == ["keys", "keys"]


def test_a_late_collection_has_a_hint() -> None:
    async def late() -> None:
        made = await make(None, TEXTS)
        index: Any = OneByOne(made.index, each_s=5.0)
        await searched(replace(made, index=index), profile(0.05))

    with pytest.raises(StoreError, match=r"main gave no answer within 0.05 s") as raised:
        asyncio.run(late())
    assert "retrieve.timeout_s" in raised.value.hint


def test_keyword_search_has_its_time_even_if_the_process_stood_still() -> None:
    class Still(TopicEncoder):
        """Opens its connection, which blocks the loop beyond the whole time of the search."""

        async def embed_query(self, text: str) -> Vector:
            time.sleep(0.6)  # noqa: ASYNC251
            await asyncio.sleep(30)
            return await super().embed_query(text)

    async def asked() -> EvidencePack:
        made = await make(TopicEncoder(), TEXTS)
        return await searched(replace(made, dense=Still()), profile(0.5))

    pack = asyncio.run(asked())
    assert pack.evidence[0].path == "keys"
    assert [one.code for one in pack.warnings if one.code == "dense_unavailable"]


@pytest.mark.parametrize("probed", [False, True])
def test_a_budget_ends_the_wait_for_the_vector_of_a_provider(probed: bool) -> None:
    async def asked() -> tuple[EvidencePack, float]:
        made = await make(TopicEncoder(), TEXTS)
        settings = profile(10.0)
        settings = replace(settings, probe=replace(settings.probe, enabled=probed))
        begun_s = time.perf_counter()
        pack = await searched(replace(made, dense=Slow(), **API), settings, budget_ms=300)
        return pack, time.perf_counter() - begun_s

    pack, took_s = asyncio.run(asked())
    assert took_s < 3
    assert pack.evidence[0].path == "keys"
    (told,) = [one.message for one in pack.warnings if one.code == "budget_no_vectors"]
    assert told == (
        "main was searched by keywords only: topics/1 returned no vector within the time budget"
    )


def test_a_budget_does_not_end_the_wait_where_nothing_else_can_answer() -> None:
    async def asked() -> EvidencePack:
        made = await make(TopicEncoder(), TEXTS)
        one = replace(made, dense=Slow(), **API)
        return await searched(one, profile(1.0, "vector"), budget_ms=100)

    with pytest.raises(Unavailable, match=r"within 0.8 s"):
        asyncio.run(asked())


@pytest.mark.parametrize("given", [{}, API])
def test_a_vector_that_is_there_is_used_whatever_is_left(given: dict[str, Any]) -> None:
    async def asked() -> EvidencePack:
        made = await make(TopicEncoder(), TEXTS)
        return await searched(replace(made, **given), profile(10.0), budget_ms=0.001)

    pack = asyncio.run(asked())
    assert pack.plan.rung != "lexical"
    assert "budget_no_vectors" not in [one.code for one in pack.warnings]
