"""A feed with so many documents that they are no filter lets be read what the filter would."""

from __future__ import annotations

import logging

import pytest

from pincite.citations.compare_claim import Claim
from pincite.errors import NotFound, UsageError
from pincite.model import EvidencePack
from pincite.workspace import Access, Document, workspace
from tests.workspace.access.real import Real, database, real

__all__ = ["database", "real"]
pytestmark = pytest.mark.anyio

TEXTS = (
    "the heron wades in the morning",
    "the heron flies home",
    "a heron and a stork",
    "the stork stands on one leg",
    "heron heron heron",
    "the heron sleeps",
)


class Wide:
    """Two feeds with the same of what is indexed; one has many documents that are not."""

    def __init__(self, real: Real, feeds: tuple[str, str], documents: list[Document]) -> None:
        self.real, self.documents = real, documents
        self.narrow, self.wide = (Access(real.anna.id, feed_ids=(one,)) for one in feeds)
        self.feeds = feeds

    async def put(self, *documents: Document) -> None:
        async with self.real.workspaces.of(self.real.anna.id) as session:
            for feed in self.feeds:
                await session.add_to_feed(feed, [one.id for one in documents])

    async def take(self, *documents: Document) -> None:
        async with self.real.workspaces.of(self.real.anna.id) as session:
            for feed in self.feeds:
                await session.remove_from_feed(feed, [one.id for one in documents])

    async def both(self, text: str) -> tuple[EvidencePack, EvidencePack]:
        search = self.real.workspace.search
        return await search(self.narrow, text), await search(self.wide, text)

    async def ids(self, text: str) -> set[str]:
        narrow, wide = await self.both(text)
        assert wide.evidence == narrow.evidence
        assert wide.closest == narrow.closest
        assert wide.verdict == narrow.verdict
        assert wide.plan == narrow.plan
        return {one.path.rpartition("/")[2] for one in (*wide.evidence, *wide.closest)}


@pytest.fixture
def listed(monkeypatch: pytest.MonkeyPatch) -> int:
    """Documents that are a filter at most. A thousand take seconds to write, so one test has them,
    and the others a smaller number."""
    monkeypatch.setattr(workspace, "_LISTED", 20)
    return 20


@pytest.fixture
async def wide(real: Real, listed: int) -> Wide:
    return await make_wide(real, listed)


async def make_wide(real: Real, listed: int) -> Wide:
    anna = real.anna
    documents = [await real.upload(anna, anna.personal, text) for text in TEXTS]
    async with real.workspaces.of(anna.id) as session:
        feeds = [(await session.add_feed(anna.personal, name)).id for name in ("few", "many")]
        others = [
            (await session.add_document(anna.personal, "b.txt", "1" * 64, 1)).id
            for _ in range(listed + 1)
        ]
        await session.add_to_feed(feeds[1], others)
        assert (await session.readable(Access(anna.id, feed_ids=(feeds[1],)), listed)).wide
    return Wide(real, (feeds[0], feeds[1]), documents)


async def test_what_a_feed_gains_is_found_and_what_it_loses_is_not(real: Real) -> None:
    wide = await make_wide(real, workspace._LISTED)
    assert len(wide.documents) < 1_000 == workspace._LISTED
    first, second, third, *_ = wide.documents
    assert await wide.ids("heron") == set()
    await wide.put(first, third)
    assert await wide.ids("heron") == {first.id, third.id}
    await wide.put(second)
    assert await wide.ids("where does the heron fly?") == {first.id, second.id, third.id}
    await wide.take(third)
    assert await wide.ids("heron") == {first.id, second.id}


async def test_what_is_in_no_feed_is_not_there_and_that_is_no_alarm(
    wide: Wide, caplog: pytest.LogCaptureFixture
) -> None:
    inside, outside, *_ = wide.documents
    await wide.put(inside)
    workspace, user = wide.real.workspace, wide.real.anna.id
    cited = {
        one.path.rpartition("/")[2]: one
        for one in (await workspace.search(Access(user), "heron", limit=20)).evidence
    }
    with caplog.at_level(logging.ERROR, "pincite.workspace"):
        for access in (wide.narrow, wide.wide):
            found = await workspace.get(access, cited[inside.id].citation)
            assert "heron" in found.text
            with pytest.raises(NotFound):
                await workspace.get(access, cited[outside.id].citation)
            (claim,) = await workspace.check(access, [Claim(cited[outside.id].citation, "heron")])
            assert claim.status == "unknown"
        assert await wide.ids("heron") == {inside.id}
    assert (caplog.records, workspace.kept_back) == ([], 0)


async def test_an_access_that_names_documents_besides_a_wide_feed_reads_these_alone(
    wide: Wide,
) -> None:
    first, second, third, *_ = wide.documents
    await wide.put(first, second)
    access = Access(
        wide.real.anna.id, feed_ids=(wide.feeds[1],), document_ids=(second.id, third.id)
    )
    assert await wide.real.found(access, "heron") == {second.id}


async def test_a_feed_of_a_space_that_was_left_finds_nothing(wide: Wide) -> None:
    await wide.put(*wide.documents)
    others = Access(wide.real.bert.id, feed_ids=(wide.feeds[1],))
    assert await wide.real.found(others, "heron") == set()


async def test_no_error_tells_what_is_outside_a_wide_feed(wide: Wide) -> None:
    inside, outside, *_ = wide.documents
    await wide.put(inside)
    workspace, everything = wide.real.workspace, Access(wide.real.anna.id)
    found = (await workspace.search(everything, "heron", limit=20)).evidence
    (hidden,) = (one for one in found if one.path.endswith(outside.id))
    (shown,) = (one for one in found if one.path.endswith(inside.id))
    place, chars = hidden.citation.partition("#")[0], "#char=900-950"
    nowhere = f"{hidden.path[:-3]}zzz"
    pairs = {
        f"#{hidden.chunk_id}": f"#{'ab' * 16}",
        f"#{hidden.chunk_id[:8]}": "#abababab",
        hidden.path: nowhere,
        outside.id: "nothing",
        f"{hidden.path}:1:1": f"{nowhere}:1:1",
        f"{hidden.path}:500:2": f"{nowhere}:500:2",
        f"{hidden.path}:0:2": f"{nowhere}:0:2",
        hidden.citation: hidden.citation.replace(outside.id, "nothing"),
        f"{place}{chars}": f"{place.replace(outside.id, 'nothing')}{chars}",
        f"{place}:500-502": f"{place.replace(outside.id, 'nothing')}:500-502",
    }
    for pair in pairs.items():
        for one in pair:
            with pytest.raises(NotFound) as caught:
                await workspace.get(wide.wide, one)
            assert caught.value.message == f"no indexed file is named {one!r}"
    assert "heron" in (await workspace.get(wide.wide, f"#{shown.chunk_id}")).text
    with pytest.raises(UsageError, match="has 1 line: line 500 does not exist"):
        await workspace.get(wide.wide, f"{shown.path}:500:2")
    assert workspace.kept_back == 0


async def test_a_chunk_outside_a_narrow_feed_is_as_one_that_there_is_not(wide: Wide) -> None:
    inside, outside, *_ = wide.documents
    await wide.put(inside)
    workspace = wide.real.workspace
    found = (await workspace.search(Access(wide.real.anna.id), "heron", limit=20)).evidence
    (hidden,) = (one for one in found if one.path.endswith(outside.id))
    (shown,) = (one for one in found if one.path.endswith(inside.id))
    for digits in (hidden.chunk_id, hidden.chunk_id[:8], "ab" * 16, "abababab"):
        with pytest.raises(NotFound) as caught:
            await workspace.get(wide.narrow, f"#{digits}")
        assert caught.value.message == f"no chunk id begins with {digits}"
    assert "heron" in (await workspace.get(wide.narrow, f"#{shown.chunk_id}")).text
    assert workspace.kept_back == 0
