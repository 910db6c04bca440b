"""Which terms the chunks within a filter have, in every store of this process."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from pincite.errors import StoreError
from pincite.ports import EVERYTHING, AnyOf, Filter, Searchable
from pincite.search_steps.term_counts import readable_terms
from pincite.stages.presence import MOST_TERMS, find_present, has_any
from pincite.stages.subjects import find_subjects
from pincite.support.fields import replace
from tests.search.opened_stores import opened
from tests.small_search import make
from tests.time_limits import HANGS_S

TEXTS = {"keys": "Rotate a key with a new secret.", "fruit": "A banana ripens beside the key."}
KEYS, NOTHING = Filter(must=(AnyOf("path", ("keys",)),)), Filter(must=(AnyOf("path", ()),))
WORDS = ("rotate", "banana", "key", "zebra")


def ids_of(one: Searchable, words: Sequence[str]) -> list[int]:
    return [one.sparse.encode_query(word).indices[0] for word in words]


@pytest.mark.parametrize("counted", [False, True])
@pytest.mark.parametrize("kind", ["memory", "sqlite", "edge", "chroma"])
def test_a_term_is_there_if_a_chunk_within_the_filter_has_it(kind: str, counted: bool) -> None:
    async def session() -> None:
        async with opened(kind) as store:
            one = await make(None, TEXTS, store=store)
            await one.index.create(replace(one.spec, counted=counted))  # type: ignore[attr-defined]
            ids = ids_of(one, WORDS)
            for filter_, having in (
                (EVERYTHING, (True, True, True, False)),
                (KEYS, (True, False, True, False)),
                (NOTHING, (False,) * 4),
            ):
                found = await find_present({"main": ids}, [one], {"main": filter_}, 5.0)
                assert found == {"main": dict(zip(ids, having, strict=True))}
                assert await has_any(one, ids, filter_) == any(having)
                assert not await has_any(one, ids[3:], filter_)

    asyncio.run(session())


@dataclass
class Watched:
    """An index that counts its searches, and may fail or hang."""

    index: Any
    fails: bool = False
    hangs: bool = False
    limits: list[int] = field(default_factory=list)

    async def search(self, collection: str, request: Any) -> Any:
        self.limits.append(request.sparse_limit)
        if self.fails:
            raise StoreError("broken")
        if self.hangs:
            await asyncio.sleep(HANGS_S)
        return await self.index.search(collection, request)


def test_at_most_some_terms_are_looked_up_and_the_others_count_as_present() -> None:
    one = asyncio.run(make(None, TEXTS))
    index = Watched(one.index)
    terms = list(range(3 * MOST_TERMS))  # none is the id of a word
    asked = find_present({"main": terms}, [replace(one, index=index)], {"main": EVERYTHING}, 5.0)
    found = asyncio.run(asked)["main"]
    assert index.limits == [1] * MOST_TERMS
    assert [one for one in terms if not found[one]] == terms[:MOST_TERMS]


@pytest.mark.parametrize("trouble", ["fails", "hangs"])
def test_a_collection_that_fails_or_is_late_is_left_out(trouble: str) -> None:
    good, bad = (asyncio.run(make(None, TEXTS, name)) for name in ("good", "bad"))
    index = Watched(bad.index, fails=trouble == "fails", hangs=trouble == "hangs")
    bad = replace(bad, index=index)
    ids = ids_of(good, WORDS)
    filters = {"good": KEYS, "bad": KEYS}
    asked = find_present({"good": ids, "bad": ids}, [good, bad], filters, 0.2)
    assert list(asyncio.run(asked)) == ["good"]


def test_spellings_outside_of_the_filter_do_not_count() -> None:
    one = asyncio.run(make(None, TEXTS))

    def subjects(filter_: Filter) -> tuple[str, ...]:
        asked = find_subjects(
            "secrret bananna", ("secrret", "bananna"), [one], 5.0, readable_terms({"main": filter_})
        )
        return asyncio.run(asked)

    assert subjects(EVERYTHING) == ()
    assert subjects(KEYS) == ("bananna",)
    assert subjects(NOTHING) == ("secrret", "bananna")
