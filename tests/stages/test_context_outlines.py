"""With the outlines of documents, only the chunks that are shown are read."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import pytest

from pincite.errors import PinciteError, StoreError
from pincite.model import Candidate, Chosen, Chunk, Signal
from pincite.model.outline import OutlinedDocument
from pincite.ports import AnyOf, Filter, Stored, Text
from pincite.stages.context import Around, ContextConfig, Shown, context
from pincite.stages.context.files import EVERYWHERE
from pincite.stages.context.outlined import PackedIds
from pincite.support.fields import replace
from tests.stages.context_files import COLLECTION, PARTS, Files, Outlines, cut_up, outlined

CHUNKS = cut_up(PARTS, "a.md")
CONFIG = ContextConfig(max_tokens=60, least_lines=6)


def page(
    index: Files,
    found: Sequence[Chunk],
    config: ContextConfig = CONFIG,
    readable: Mapping[str, Filter] = EVERYWHERE,
) -> Shown:
    hits = [
        Candidate("main", one, (Signal("fused", "rrf", 1 / (n + 2)),))
        for n, one in enumerate(found)
    ]
    there = replace(COLLECTION, index=index)
    return asyncio.run(context(Chosen(tuple(hits)), [there], config, 5, readable))


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


@dataclass(frozen=True)
class Unknown(Files):
    """An index of whose documents the ids of chunks may not be known."""

    known: bool = False
    documents: list[str] = field(default_factory=list)

    async def chunk_ids(
        self, collection: str, documents: Sequence[tuple[str, str]]
    ) -> tuple[tuple[str, ...], ...]:
        found = await super().chunk_ids(collection, documents)
        return found if self.known else ((),) * len(found)

    async def document(self, collection: str, source: str, path: str) -> tuple[Chunk, ...]:
        self.documents.append(path)
        return await super().document(collection, source, path)


#: The chunk after the found one may not be shown.
FOUND, SECRET = CHUNKS[5], CHUNKS[6]
READABLE = Filter(must_not=(Text("text", "number 6"),))


@pytest.mark.parametrize("around", ["unit", "neighbours", "section"])
@pytest.mark.parametrize("kind", [Files, Outlines, Unknown])
def test_a_chunk_that_may_not_be_read_is_never_shown_around_another(
    kind: type[Files], around: Around
) -> None:
    assert "number 6" in SECRET.text
    config = ContextConfig(around=around, max_tokens=500, max_chars=2_000, least_lines=60)
    index = kind({"a.md": tuple(replace(one, headings=()) for one in CHUNKS)})
    (near,) = page(index, [FOUND], config).contexts
    assert near is not None
    assert "number 6" in near.text
    (near,) = page(index, [FOUND], config, {"main": READABLE}).contexts
    assert near is not None
    assert "number 4" in near.text
    assert "number 6" not in near.text
    assert near.end_line == FOUND.end_line


def test_what_may_not_be_read_does_not_decide_how_far_the_shown_text_goes() -> None:
    """A unit with long text of others would not fit, and one with short text would."""
    config = ContextConfig(max_tokens=500, least_lines=0)
    long = replace(SECRET, text=SECRET.text + " word" * 900)
    found, before = replace(FOUND, headings=("A", "B")), CHUNKS[:5]
    shown = []
    for secret in (SECRET, long):
        others = [replace(one, headings=("A",)) for one in (*before, secret)]
        index = Outlines({"a.md": (*others[:5], found, others[5])})
        (near,) = page(index, [found], config, {"main": READABLE}).contexts
        assert near is not None
        shown.append((near.start_line, near.end_line))
    assert shown == [(before[0].start_line, FOUND.end_line)] * 2


def test_a_file_with_passages_of_others_is_not_read_as_a_whole() -> None:
    index = Unknown({"a.md": CHUNKS}, known=True)
    assert page(index, [FOUND], CONFIG, {"main": READABLE}).contexts != (None,)
    assert index.documents == []


def test_outlines_serve_filters_that_all_passages_of_a_document_match() -> None:
    index = Outlines({"a.md": CHUNKS})
    of_document = {"main": Filter(must=(AnyOf("path", ("a.md",)),))}
    assert page(index, [FOUND], readable=of_document) == page(index, [FOUND])
    assert index.asked == []


@pytest.mark.parametrize("kind", [Files, Outlines, Unknown])
def test_a_filter_for_the_revision_of_a_document_hides_nothing_around_its_passages(
    kind: type[Files],
) -> None:
    index = kind({"a.md": CHUNKS})
    revision = AnyOf("revision", ("r1",))
    for filter_ in (Filter(must=(revision,)), Filter(should=(revision,))):
        assert page(index, [FOUND], readable={"main": filter_}) == page(index, [FOUND])
    both = replace(READABLE, must=(revision,))
    assert page(index, [FOUND], CONFIG, {"main": both}) == page(
        index, [FOUND], CONFIG, {"main": READABLE}
    )
