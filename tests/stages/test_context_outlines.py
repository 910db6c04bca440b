"""With the outlines of documents, only the chunks that are shown are read."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from pincite.errors import PinciteError, StoreError
from pincite.model import Candidate, Chosen, Chunk, Signal
from pincite.model.outline import OutlinedDocument
from pincite.ports import Stored
from pincite.stages.context import ContextConfig, Shown, context
from pincite.stages.context.outlined import PackedIds
from pincite.support.fields import replace
from tests.stages.context_files import COLLECTION, PARTS, Files, Outlines, cut_up, outlined

CHUNKS = cut_up(PARTS, "a.md")
CONFIG = ContextConfig(max_tokens=60, least_lines=6)


def page(index: Files, found: Sequence[Chunk], config: ContextConfig = CONFIG) -> Shown:
    hits = [
        Candidate("main", one, (Signal("fused", "rrf", 1 / (n + 2)),))
        for n, one in enumerate(found)
    ]
    there = replace(COLLECTION, index=index)
    return asyncio.run(context(Chosen(tuple(hits)), [there], config, 5))


@dataclass(frozen=True)
class Old(Outlines):
    """An index whose outlines are those of other chunks."""

    outlined: tuple[Chunk, ...] = ()
    failing: list[PinciteError] = field(default_factory=list)

    async def outlines(
        self, collection: str, documents: Sequence[tuple[str, str]]
    ) -> tuple[OutlinedDocument | None, ...]:
        if self.failing:
            raise self.failing[0]
        return tuple(outlined(self.outlined) for _ in documents)


@dataclass(frozen=True)
class Lost(Outlines):
    """An index that cannot read some chunks."""

    lost: frozenset[str] = frozenset()

    async def load(
        self, collection: str, ids: Sequence[str], *, vectors: bool = False
    ) -> tuple[Stored, ...]:
        left = [one for one in ids if one not in self.lost]
        return await super().load(collection, left, vectors=vectors)


def test_only_the_chunks_that_are_shown_are_read() -> None:
    index = Outlines({"a.md": CHUNKS})
    shown = page(index, [CHUNKS[6]])
    (near,) = shown.contexts
    assert near is not None
    within = [one for one in CHUNKS if near.start_line <= one.start_line <= near.end_line]
    assert 1 < len(within) < 9
    assert index.loaded == [[one.id for one in within if one is not CHUNKS[6]]]
    assert shown == page(Files({"a.md": CHUNKS}), [CHUNKS[6]])
    assert not index.asked  # for the ids of all chunks


def test_nothing_is_read_for_results_that_are_shown_alone() -> None:
    index = Outlines({"a.md": CHUNKS})
    alone = ContextConfig(max_tokens=1, least_lines=0)
    assert page(index, [CHUNKS[2], CHUNKS[9]], alone).contexts == (None, None)
    assert index.loaded == []


def test_results_of_an_earlier_revision_are_shown_as_without_outlines() -> None:
    """The outline has other hashes, other places, or lacks the result."""
    longer = tuple(replace(one, text=one.text * 9) for one in CHUNKS)
    other = tuple(replace(one, content_hash="1" * 64) for one in longer)
    moved = tuple(replace(one, start=one.start + 3, end=one.end + 3) for one in longer)
    for outline in (other, moved, CHUNKS[:6]):
        index = Old({"a.md": CHUNKS}, outlined=outline)
        assert page(index, [CHUNKS[6]]) == page(Files({"a.md": CHUNKS}), [CHUNKS[6]])


@pytest.mark.parametrize("reach", [(5,), (5, 7), range(12)])
def test_chunks_that_are_lost_are_left_out_as_without_outlines(reach: Sequence[int]) -> None:
    lost = frozenset(CHUNKS[place].id for place in reach if place != 6)

    @dataclass(frozen=True)
    class Without(Lost):
        outlines = None  # type: ignore[assignment]

    held = {"a.md": CHUNKS}
    assert page(Lost(held, lost=lost), [CHUNKS[6]]) == page(Without(held, lost=lost), [CHUNKS[6]])


def test_outlines_that_cannot_be_read_are_not_needed() -> None:
    index = Old({"a.md": CHUNKS}, failing=[StoreError("the disk is gone")])
    shown = page(index, [CHUNKS[6]])
    assert shown == page(Files({"a.md": CHUNKS}), [CHUNKS[6]])
    assert shown.notices == ()


def test_an_id_is_found_only_where_one_begins() -> None:
    ids = ["00" * 15 + "ab", "cd" + "00" * 15, "ab" + "cd" * 15, "0" * 32]
    packed = PackedIds(bytes.fromhex("".join(ids)))
    assert list(packed) == ids
    assert [packed.index(one) for one in ids] == [0, 1, 2, 3]
    assert (len(packed), packed[2], packed[1:3]) == (4, ids[2], ids[1:3])
    across = "abcd" + "00" * 14
    for one in (across, "no id", ""):
        with pytest.raises(ValueError, match=r"."):
            packed.index(one)
    with pytest.raises(IndexError):
        packed[4]
